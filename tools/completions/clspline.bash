# Completion of clspline for bash, made by generate.py.

# Words for the value of a subcommand's option. False: it has none.
_clspline_values() {
    case "$1 $2" in
    *' -o' | *' --output' | *' --distance-to' | *' --locate' | *' --probe' | *' --speeds')
        compgen -f -- "$3" || true
        ;;
    'bezier -f' | 'bspline eval -f' | 'bezier --format' | 'bspline eval --format')
        compgen -W 'obj ply vtk stl glb png' -- "$3" || true
        ;;
    'bspline bezier -f' | 'bspline bezier --format')
        compgen -W 'bv g2 json' -- "$3" || true
        ;;
    'image -f' | 'image --format')
        compgen -W 'png tif nii nii.gz npy jpg' -- "$3" || true
        ;;
    'project -f' | 'project --format')
        compgen -W 'csv npy png ply' -- "$3" || true
        ;;
    'solid -f' | 'solid --format')
        compgen -W 'vtu ply obj stl glb png npy tif nii nii.gz csv' -- "$3" || true
        ;;
    *' -n' | *' --samples' | *' -t' | *' --tolerance' | *' --azimuth' | *' --elevation' | \
    *' --camera-direction' | *' --zoom' | *' --size' | *' --range' | *' --workers' | *' --part' \
    | *' --degree' | *' -r' | *' --rotate' | *' -z' | *' --spacing' | *' -s' | *' --shift' | \
    *' --affine' | *' --repeat' | 'project -m' | *' --quality' | *' --columns' | *' --max-dist' \
    | *' -k' | *' --nearest' | *' --merge' | *' --refine' | *' --crease-angle' | \
    *' --crease-steps' | *' --pixel' | *' --array' | *' --resolution' | *' --camera-zoom-factor' \
    | *' --camera-azimuth-angle' | *' --camera-elevation-angle')
        true
        ;;
    'bezier --method')
        compgen -W 'auto separable multilevel matrix brute' -- "$3" || true
        ;;
    'project --method')
        compgen -W 'exact mrep' -- "$3" || true
        ;;
    *' -p' | *' --precision')
        compgen -W 'f32 f64' -- "$3" || true
        ;;
    *' -d' | *' --device' | *' --join')
        compgen -W 'gpu cpu integrated discrete accelerator host' -- "$3" || true
        ;;
    *' --up')
        compgen -W 'auto x y z -x -y -z' -- "$3" || true
        ;;
    *' --background')
        compgen -W 'auto' -- "$3" || true
        ;;
    'bezier --coloring' | 'bspline eval --coloring')
        compgen -W 'plain patch mean gauss distance' -- "$3" || true
        ;;
    'view --coloring')
        compgen -W 'plain patch mean gauss distance data' -- "$3" || true
        ;;
    *' --colormap')
        compgen -W 'auto viridis diverging gray' -- "$3" || true
        ;;
    *' --cooperate')
        compgen -W 'auto svm dynamic static device host' -- "$3" || true
        ;;
    *' --only')
        compgen -W 'curves surfaces volumes' -- "$3" || true
        ;;
    *' --axis')
        compgen -W 'x y z' -- "$3" || true
        ;;
    *' --order')
        compgen -W '0 1 2 3 4 5 6 7' -- "$3" || true
        ;;
    'image -m' | *' --mode')
        compgen -W 'mirror reflect grid-wrap nearest constant grid-constant wrap grid-mirror' -- "$3" || true
        ;;
    *' --cval')
        compgen -W 'nan' -- "$3" || true
        ;;
    *' --taps')
        compgen -W 'exact' -- "$3" || true
        ;;
    *' --fetch')
        compgen -W 'buffers texels lerps' -- "$3" || true
        ;;
    *' --alpha')
        compgen -W 'weighted straight' -- "$3" || true
        ;;
    *' --type')
        compgen -W 'u8 u16 s16 u32 s32 u64 s64 f32 f64' -- "$3" || true
        ;;
    *' --directions')
        compgen -W '1 2 3' -- "$3" || true
        ;;
    *' --stats')
        compgen -W 'json' -- "$3" || true
        ;;
    *' --slice' | *' --slices' | *' --cut')
        compgen -W 'x= y= z=' -- "$3" || true
        ;;
    *' --unit')
        compgen -W 'um mm cm m in' -- "$3" || true
        ;;
    *) false ;;
    esac
}

# The options of a subcommand.
_clspline_options() {
    case $1 in
    'bezier')
        echo '--output --format --samples --tolerance --method --normals --texture --precision' \
            '--device --up --azimuth --elevation --camera-direction --camera-orthographic' \
            '--zoom --background --no-background --size --coloring --distance-to --range' \
            '--bar --colormap --edges --cooperate --workers --join --report --part --resume' \
            '--quiet --verbose --help'
        ;;
    'bspline eval')
        echo '--output --format --samples --normals --texture --precision --device --up' \
            '--azimuth --elevation --camera-direction --camera-orthographic --zoom' \
            '--background --no-background --size --coloring --distance-to --range --bar' \
            '--colormap --edges --cooperate --workers --join --report --part --resume --quiet' \
            '--verbose --help'
        ;;
    'bspline bezier')
        echo '--output --format --only --degree --tolerance --polynomial --free-tangents' \
            '--precision --device --report --quiet --verbose --help'
        ;;
    'image')
        echo '--output --format --rotate --axis --fit --zoom --spacing --shift --affine --size' \
            '--repeat --order --mode --cval --taps --truncated --clip --fetch --alpha --type' \
            '--quality --directions --precision --device --cooperate --workers --join' \
            '--report --part --resume --quiet --verbose --help'
        ;;
    'project')
        echo '--output --format --tolerance --invert --columns --max-dist --nearest --method' \
            '--signed --stats --histogram --precision --device --range --bar --colormap --up' \
            '--azimuth --elevation --camera-direction --camera-orthographic --zoom' \
            '--background --no-background --size --cooperate --workers --join --report --part' \
            '--resume --quiet --verbose --help'
        ;;
    'solid')
        echo '--output --format --samples --merge --refine --orient --crease-angle' \
            '--crease-steps --bezier --normals --classes --precision --device --slice' \
            '--slices --size --pixel --unit --array --range --locate --probe --columns' \
            '--nearest --tolerance --cut --distance-to --edges --bar --colormap --up' \
            '--azimuth --elevation --camera-direction --camera-orthographic --zoom' \
            '--background --no-background --cooperate --workers --join --report --part' \
            '--resume --quiet --verbose --help'
        ;;
    'view')
        echo '--output --resolution --samples --device --up --camera-direction' \
            '--camera-zoom-factor --camera-azimuth-angle --camera-elevation-angle' \
            '--camera-orthographic --coloring --distance-to --array --range --colormap --bar' \
            '--edges --wireframe --control-points --zebra --no-background --crease-angle' \
            '--quiet --verbose --help'
        ;;
    'join')
        echo '--mixed --quiet --help'
        ;;
    'info')
        echo '--device --json --help'
        ;;
    'tune')
        echo '--device --workers --join --speeds --quick --json --help'
        ;;
    'devices')
        echo '--kernels --device --verbose --json --help'
        ;;
    esac
}

# The actions of a subcommand that has some.
_clspline_actions() {
    case $1 in
    bspline) echo 'eval bezier' ;;
    esac
}

# The files that a subcommand reads.
_clspline_files() {
    local endings='' ending
    case $1 in
    'bezier') endings='bv' ;;
    'bspline eval') endings='g2 json igs iges step stp' ;;
    'bspline bezier') endings='g2 json igs iges step stp' ;;
    'image') endings='png jpg jpeg tif tiff nii nii.gz hdr img npy' ;;
    'project') endings='g2 json igs iges step stp bv csv npy xyz ply' ;;
    'solid') endings='vtk vtu mesh meshb msh' ;;
    'view') endings='bv g2 json igs iges step stp vtk vtu mesh meshb msh' ;;
    'info') endings='bv g2 json igs iges step stp vtk vtu mesh meshb msh csv xyz ply npy png jpg jpeg tif tiff nii nii.gz hdr img' ;;
    esac
    for ending in $endings; do compgen -f -X "!*.$ending" -- "$3"; done
    [ -z "$endings" ] || compgen -d -- "$3"
}

# Sets what a value or a file may be.
_clspline_names() {
    local values=_clspline_values
    _clspline_values "$1" "$2" "$3" >/dev/null || values=_clspline_files
    mapfile -t COMPREPLY < <("$values" "$1" "$2" "$3")
}

_clspline() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at=1
    local command=${COMP_WORDS[1]} commands='bezier bspline image project solid view join info tune devices'
    case $command in bspline) command+=" ${COMP_WORDS[2]}" at=2 ;; esac
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$word")
    elif [ "$COMP_CWORD" = "$at" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_clspline_actions "${COMP_WORDS[1]}")" -- "$word")
    elif [[ $word = -* ]] && ! _clspline_values "$command" "$before" >/dev/null; then
        mapfile -t COMPREPLY < <(compgen -W "$(_clspline_options "$command")" -- "$word")
    else
        _clspline_names "$command" "$before" "$word"
        # Readline takes quotes away by itself; where it has no part in this, nobody did.
        local plain=${word#[\"\']}
        [ "${#COMPREPLY[@]}" -gt 0 ] || _clspline_names "$command" "$before" "${plain//\\/}"
    fi
}

complete -o filenames -F _clspline clspline
