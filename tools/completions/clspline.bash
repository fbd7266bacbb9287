# Completion of clspline for bash.

# What the value of a subcommand's option may be; nothing for a free one.
_clspline_values() {
    case $1$2 in
    project-f | project--format) compgen -W 'csv npy' -- "$3" ;;
    project--method) compgen -W 'exact mrep' -- "$3" ;;
    image-f | image--format) compgen -W 'png tif nii nii.gz npy' -- "$3" ;;
    image--axis) compgen -W 'x y z' -- "$3" ;;
    image-m | image--mode) compgen -W 'mirror reflect grid-wrap nearest constant grid-constant wrap' -- "$3" ;;
    image--type) compgen -W 'u8 u16 s16 f32 f64' -- "$3" ;;
    image--taps) compgen -W 'exact' -- "$3" ;;
    solid-f | solid--format) compgen -W 'vtu ply obj stl png npy tif' -- "$3" ;;
    solid--slice) compgen -W 'x= y= z=' -- "$3" ;;
    bezier-f | bezier--format) compgen -W 'obj ply vtk stl glb png' -- "$3" ;;
    bspline-f | bspline--format) compgen -W 'obj ply vtk stl glb png bv g2 json' -- "$3" ;;
    bezier--method) compgen -W 'auto separable multilevel matrix brute' -- "$3" ;;
    esac
    case $2 in
    -o | --output | --speeds) compgen -f -- "$3" ;;
    -p | --precision) compgen -W 'f32 f64' -- "$3" ;;
    -d | --device | --join) compgen -W 'cpu gpu integrated discrete accelerator' -- "$3" ;;
    --cooperate) compgen -W 'auto svm dynamic static device host' -- "$3" ;;
    --up) compgen -W 'auto x y z' -- "$3" ;;
    --background) compgen -W 'auto' -- "$3" ;;
    esac
}

# The options of a subcommand.
_clspline_options() {
    case $1 in
    bezier)
        echo '--output --format --samples --tolerance --method --precision --device --cooperate' \
            '--workers --join --report --normals --texture --up --azimuth --elevation --zoom' \
            '--size --background --quiet --verbose --help'
        ;;
    bspline)
        echo '--output --format --samples --precision --device --cooperate --workers --join --report' \
            '--normals --texture --up --azimuth --elevation --zoom --size --background --quiet --verbose --help'
        ;;
    project)
        echo '--output --format --invert --tolerance --max-dist --nearest --method --precision --device' \
            '--cooperate --workers --join --report --quiet --verbose --help'
        ;;
    image)
        echo '--output --format --rotate --axis --zoom --shift --affine --size --repeat --order --mode --cval' \
            '--taps --truncated --clip --type --directions --precision --device --quiet --verbose --help'
        ;;
    solid)
        echo '--output --format --samples --refine --crease-angle --crease-steps --bezier --classes --slice' \
            '--size --pixel --array --range --precision --device --cooperate --workers --join --report' \
            '--quiet --verbose --help'
        ;;
    info) echo '--device --json --help' ;;
    tune) echo '--device --join --workers --speeds --quick --json --help' ;;
    devices) echo '--kernels --device --verbose --json --help' ;;
    esac
}

# The files that a subcommand reads.
_clspline_files() {
    case $1 in
    bezier | info) compgen -f -X '!*.bv' -- "$2" ;;
    esac
    case $1 in
    bspline | project | info)
        compgen -f -X '!*.g2' -- "$2"
        compgen -f -X '!*.json' -- "$2"
        ;;
    esac
    case $1 in
    project)
        compgen -f -X '!*.csv' -- "$2"
        compgen -f -X '!*.npy' -- "$2"
        compgen -f -X '!*.xyz' -- "$2"
        ;;
    esac
    case $1 in
    image)
        local ending
        for ending in png tif tiff nii nii.gz npy; do compgen -f -X "!*.$ending" -- "$2"; done
        ;;
    esac
    case $1 in
    solid)
        local form
        for form in vtk vtu mesh msh; do compgen -f -X "!*.$form" -- "$2"; done
        ;;
    esac
    case $1 in
    bezier | bspline | image | project | solid | info) compgen -d -- "$2" ;;
    esac
}

_clspline() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local valued=' -o --output --speeds -f --format -p --precision -d --device --join --method --cooperate
        --up --background -n --samples -t --tolerance --workers --azimuth --elevation --zoom --size -m --max-dist -k --nearest
        -r --rotate --axis -z -s --shift --affine --repeat --order --mode --cval --taps --type --directions
        --refine --crease-angle --crease-steps --slice --pixel --array --range '
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W 'bezier bspline image project solid info tune devices --help --version' -- "$word")
    elif [[ $before = -* && $valued = *[[:space:]]"$before"[[:space:]]* ]]; then
        mapfile -t COMPREPLY < <(_clspline_values "$command" "$before" "$word")
    elif [[ $word = -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_clspline_options "$command")" -- "$word")
    elif [ "$command $COMP_CWORD" = 'bspline 2' ]; then
        mapfile -t COMPREPLY < <(compgen -W 'eval bezier' -- "$word")
    else
        mapfile -t COMPREPLY < <(_clspline_files "$command" "$word")
    fi
}

complete -o filenames -F _clspline clspline
