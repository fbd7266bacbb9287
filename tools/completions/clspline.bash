# Completion of clspline for bash.

# What an option's value may be; nothing for a free one.
_clspline_values() {
    case $1 in
    -o | --output | --speeds) compgen -f -- "$2" ;;
    -f | --format) compgen -W 'obj ply vtk stl glb png' -- "$2" ;;
    -p | --precision) compgen -W 'f32 f64' -- "$2" ;;
    -d | --device | --join) compgen -W 'cpu gpu integrated discrete accelerator' -- "$2" ;;
    --method) compgen -W 'auto separable multilevel matrix brute' -- "$2" ;;
    --cooperate) compgen -W 'auto svm dynamic static device host' -- "$2" ;;
    --up) compgen -W 'auto x y z' -- "$2" ;;
    --background) compgen -W 'auto' -- "$2" ;;
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
    bspline | info)
        compgen -f -X '!*.g2' -- "$2"
        compgen -f -X '!*.json' -- "$2"
        ;;
    esac
    case $1 in
    bezier | bspline | info) compgen -d -- "$2" ;;
    esac
}

_clspline() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local valued=' -o --output --speeds -f --format -p --precision -d --device --join --method --cooperate
        --up --background -n --samples -t --tolerance --workers --azimuth --elevation --zoom --size '
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W 'bezier bspline info tune devices --help --version' -- "$word")
    elif [[ $before = -* && $valued = *[[:space:]]"$before"[[:space:]]* ]]; then
        mapfile -t COMPREPLY < <(_clspline_values "$before" "$word")
    elif [[ $word = -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_clspline_options "$command")" -- "$word")
    elif [ "$command $COMP_CWORD" = 'bspline 2' ]; then
        mapfile -t COMPREPLY < <(compgen -W 'eval' -- "$word")
    else
        mapfile -t COMPREPLY < <(_clspline_files "$command" "$word")
    fi
}

complete -o filenames -F _clspline clspline
