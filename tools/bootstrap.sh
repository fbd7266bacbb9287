#!/bin/sh
# Builds clspline from a fresh checkout, and installs first what the build needs.
#
# usage: sh tools/bootstrap.sh demo|test|install-deps
#        sh tools/bootstrap.sh test --quick|--all
#        sh tools/bootstrap.sh --help
#
#   demo          builds, lists the devices, and evaluates the teapot into a mesh and a picture: by
#                 the host's cores, and where there is an OpenCL device by its kernels too; prints
#                 the commands that do it, their times and the largest difference of coordinates
#   test          builds and runs the tests, in some minutes; a line for each test says how far it
#                 is, a line for each that was skipped says why, and the last line is "N passed, N
#                 failed, N skipped"
#     --quick     small cases, and none of the suites that take long on a slow or emulated
#                 processor (docs/testing.md)
#     --all       every test with every combination of cases and kernels: most of an hour or more
#   install-deps  installs what building and testing need, as far as it is missing
#
# Installs through apt, as root or by sudo, says how much that is, and waits while another program
# uses apt. Elsewhere it names what is missing and exits with 1; with everything in place it never
# asks. The build folder is build/ and is used again. Any current folder will do.
#
# A test that hangs is ended after its limit in the build files, which is for a fast machine, times
# what is measured of this machine's speed. CLSPLINE_TEST_TIMEOUTS=N puts N in place of that factor,
# and 0 means no limit.
set -eu

say() { printf '%s\n' "bootstrap: $*"; }
complain() { printf '%s\n' "bootstrap: $*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

usage() {
    sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//p;}' "$0"
    exit "$1"
}

# ---- what is needed ----

# name | Debian and Ubuntu | Fedora | Arch | Homebrew. Every name has a function has_NAME. "-":
# comes with the system. The library and the command are built with OpenCL's headers; the loader is
# for tests and the benchmark, which link it.
build_needs='
compiler   | gcc libc6-dev      | gcc                | gcc            | -
meson      | meson              | meson              | meson          | meson
ninja      | ninja-build        | ninja-build        | ninja          | ninja
pkg_config | pkg-config         | pkgconf-pkg-config | pkgconf        | pkgconf
python     | python3            | python3            | python         | python
opencl     | ocl-icd-opencl-dev | ocl-icd-devel      | ocl-icd        | -
cl_headers | opencl-headers     | opencl-headers     | opencl-headers | -
libpng     | libpng-dev         | libpng-devel       | libpng         | libpng
expat      | libexpat1-dev      | expat-devel        | expat          | expat
cjson      | libcjson-dev       | cjson-devel        | cjson          | cjson
'
# for kernels; without one the host computes everything, and tests of kernels are skipped
device_needs='
driver     | pocl-opencl-icd    | pocl               | pocl           | -
'
test_needs='
clblast    | libclblast1        | clblast            | clblast        | clblast
cmocka     | libcmocka-dev      | libcmocka-devel    | cmocka         | cmocka
'
# formats of files; without them the command says that it reads and writes none of these
format_needs='
libtiff    | libtiff-dev        | libtiff-devel      | libtiff        | libtiff
libjpeg    | libjpeg-dev        | libjpeg-turbo-devel | libjpeg-turbo | jpeg-turbo
zlib       | zlib1g-dev         | zlib-devel         | zlib           | zlib
'
# for the Python package; a build without them has none, and its tests are skipped
python_needs='
python_dev | python3-dev        | python3-devel      | -              | -
cffi       | python3-cffi       | python3-cffi       | python-cffi    | -
numpy      | python3-numpy      | python3-numpy      | python-numpy   | -
scipy      | python3-scipy      | python3-scipy      | python-scipy   | -
'
# for the viewer; a build without them has none
viewer_needs='
glfw       | libglfw3-dev       | glfw-devel         | glfw           | glfw
egl        | libegl-dev libegl1 libgl1-mesa-dri | mesa-libEGL-devel mesa-dri-drivers | mesa | -
'
# for tests of the viewer's window; without them those tests are skipped
window_needs='
xvfb       | xvfb               | xorg-x11-server-Xvfb | xorg-server-xvfb | -
xdotool    | xdotool            | xdotool            | xdotool        | -
'
# for clspline-mpi; a build without them has none
mpi_needs='
mpi        | libopenmpi-dev     | openmpi-devel      | openmpi        | open-mpi
mpirun     | openmpi-bin        | openmpi            | openmpi        | open-mpi
'
# for tests of what users do with the installed library; without them those tests are skipped
user_needs='
cmake      | cmake              | cmake              | cmake          | cmake
cxx        | g++                | gcc-c++            | gcc            | -
'

on_macos() { [ "$(uname -s)" = Darwin ]; }

# A compiler without the C library's headers is common in containers.
compiles() { # LANGUAGE HEADER COMPILER...
    language=$1 header=$2
    shift 2
    for compiler; do
        if have "$compiler" && echo "#include <$header>" |
            "$compiler" -x "$language" -fsyntax-only - >/dev/null 2>&1; then
            return 0
        fi
    done
    return 1
}

module() { have pkg-config && pkg-config --exists "$@" 2>/dev/null; }

has_compiler() { compiles c stdio.h ${CC:+"$CC"} cc gcc clang; }
has_cxx() { compiles c++ cstdio ${CXX:+"$CXX"} c++ g++ clang++; }
has_ninja() { have ninja || have ninja-build || have samu; }
has_pkg_config() { have pkg-config; }
has_python() { have python3; }
has_cmake() { have cmake; }
has_cmocka() { module cmocka; }
has_clblast() { # where the library itself looks for it (src/device/clblast.c)
    for library in libclblast.so.1 libclblast.1.dylib /opt/homebrew/lib/libclblast.1.dylib; do
        ! python3 -c "import ctypes; ctypes.CDLL('$library')" 2>/dev/null || return 0
    done
    return 1
}
has_libpng() { module 'libpng >= 1.6'; }
has_expat() { module expat; }
has_cjson() { module libcjson; }
has_libtiff() { module libtiff-4; }
has_libjpeg() { module libjpeg; }
has_zlib() { module zlib; }
any_python() { # PROGRAM: does it run in one of the Pythons that the build looks at?
    python3 -c "$1" >/dev/null 2>&1 || /usr/bin/python3 -c "$1" >/dev/null 2>&1
}
has_numpy() { # and all else that the package needs, in the same Python
    any_python 'import cffi, numpy, os, sysconfig as s
open(os.path.join(s.get_path("include"), "Python.h"))'
}
has_python_dev() { has_numpy; }
has_cffi() { has_numpy; }
has_scipy() { any_python 'import cffi, numpy, scipy'; }
has_glfw() { module 'glfw3 >= 3.3'; }
has_egl() { on_macos || compiles c EGL/egl.h ${CC:+"$CC"} cc gcc clang; }
has_mpi() { module mpi-c || module ompi-c || module mpich; }
has_mpirun() { have mpirun; }
has_xvfb() { on_macos || have Xvfb; }
has_xdotool() { on_macos || have xdotool; }
has_opencl() { on_macos || module OpenCL; }
has_cl_headers() { on_macos || compiles c CL/cl.h ${CC:+"$CC"} cc gcc clang; }

meson_version() { meson --version 2>/dev/null || echo 0; }

has_meson() {
    case $(meson_version) in
    0 | 0.*) return 1 ;;
    esac
}

# Does the OpenCL loader find an implementation? OCL_ICD_VENDORS names a folder, an .icd file or a
# library.
has_driver() {
    on_macos && return 0
    [ -z "${OCL_ICD_FILENAMES:-}" ] || return 0
    vendors=${OCL_ICD_VENDORS:-${OPENCL_VENDOR_PATH:-/etc/OpenCL/vendors}}
    [ -d "$vendors" ] || {
        [ -n "${OCL_ICD_VENDORS:-}" ]
        return
    }
    for icd in "$vendors"/*.icd; do
        [ ! -e "$icd" ] || return 0
    done
    return 1
}

# ---- installing ----

# Lines of the lists whose needs are not met.
missing_lines() {
    printf '%s\n' "$1" | while IFS= read -r line; do
        name=${line%%[ |]*}
        if [ -n "$name" ] && ! "has_$name"; then printf '%s\n' "$line"; fi
    done
}

column() { # NUMBER LINES: that column's words, on one line
    printf '%s\n' "$2" | cut -d '|' -f "$1" | tr -s ' ' '\n' | grep -v '^-*$' |
        sort -u | paste -s -d ' ' -
}

name_missing() {
    complain "missing: $(column 1 "$1")"
    complain "  Debian, Ubuntu: apt-get install $(column 2 "$1")"
    complain "  Fedora:         dnf install $(column 3 "$1")"
    complain "  Arch:           pacman -S $(column 4 "$1")"
    complain "  macOS:          brew install $(column 5 "$1"); compilers: xcode-select --install"
    case $1 in
    *meson*) complain "  meson: 1.0 or newer (here: $(meson_version)); pip has it too" ;;
    esac
    case $1 in
    *driver*) complain "  driver: any OpenCL implementation will do, such as your GPU's own" ;;
    esac
}

# Sets as_root to the words that make a command run as root, or fails.
find_root() {
    as_root=
    [ "$(id -u)" != 0 ] || return 0
    as_root=sudo
    have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }
}

say_each_20th() { # NUMBER TOTAL DONE
    [ $(($1 % 20)) != 0 ] || say "$1 of $2 packages $3"
}

# Reads what apt-get reports and says how much there is to do, and how far it is.
show_progress() {
    total=0 fetched=0 unpacked=0 installed=0
    while IFS= read -r line; do
        case $line in
        *' upgraded, '*' newly installed, '*)
            new=${line#*, }
            total=$((${line%% *} + ${new%% *}))
            say "$total packages"
            ;;
        'Need to get '* | 'After this operation, '*) say "$line" ;;
        Get:*)
            fetched=$((fetched + 1))
            say_each_20th "$fetched" "$total" fetched
            ;;
        'Unpacking '*)
            unpacked=$((unpacked + 1))
            say_each_20th "$unpacked" "$total" unpacked
            ;;
        'Setting up '*)
            installed=$((installed + 1))
            say_each_20th "$installed" "$total" installed
            ;;
        esac
    done
}

drop_report() { cat >/dev/null; }

# What apt-get complained of last is in $scratch/errors.
is_locked() { grep -q 'Could not get lock' "$scratch/errors"; }
is_offline() {
    grep -Eq 'Could not resolve|Temporary failure|Could not connect|Cannot initiate|'\
'Unable to connect|Network is unreachable|Connection (timed out|refused|failed)' "$scratch/errors"
}

complain_of_apt() {
    if is_offline; then
        complain "no network: apt does not reach the servers that its sources name"
    else
        grep '^E: ' "$scratch/errors" >&2 || :
    fi
}

# Runs apt-get until no other program is in its way, for 10 minutes at most.
apt_get() { # FILTER ARGUMENT...: the filter reads the report
    filter=$1 tries=0
    shift
    [ -n "${scratch:-}" ] || {
        scratch=$(mktemp -d)
        trap 'rm -rf "$scratch"' EXIT
    }
    while :; do
        {
            code=0
            $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q "$@" </dev/null \
                2>"$scratch/errors" || code=$?
            echo "$code" >"$scratch/code"
        } | "$filter"
        [ "$(cat "$scratch/code")" != 0 ] || return 0
        is_locked && [ $tries -lt 200 ] || return 1
        [ $tries != 0 ] || say "waiting for another program that uses apt"
        tries=$((tries + 1))
        sleep 3
    done
}

apt_knows() { apt-cache show "$@" >/dev/null 2>&1; }

apt_update() { # PACKAGE...: fails where they are not in the lists then
    say "updating the package lists"
    apt_get drop_report update && apt_knows "$@"
}

apt_install() { # PACKAGE...
    say "installing through apt: $*"
    apt_knows "$@" || apt_update "$@" || {
        complain_of_apt
        return 1
    }
    apt_get show_progress install -y --no-install-recommends "$@" && return 0
    # lists may be out of date
    ! is_offline && ! is_locked && apt_update "$@" &&
        apt_get show_progress install -y --no-install-recommends "$@" && return 0
    complain_of_apt
    return 1
}

install_needs() { # LINES
    missing=$(missing_lines "$1")
    if [ -z "$missing" ]; then
        say "nothing to install"
        return 0
    fi
    if ! have apt-get || ! find_root; then
        name_missing "$missing"
        return 1
    fi
    # shellcheck disable=SC2046 # one word a package
    apt_install $(column 2 "$missing") || complain "apt could not install everything"
    missing=$(missing_lines "$1") # the compiler, say, was missed before as a part of another need
    [ -z "$missing" ] || {
        name_missing "$missing"
        return 1
    }
}

# ---- building ----

build() { # MESON_ARGUMENT...
    if [ -e build/build.ninja ]; then
        [ $# = 0 ] || meson configure build "$@"
    else
        say "setting up build/"
        meson setup build --buildtype=release "$@"
    fi
    say "building"
    meson compile -C build
}

# The class of the best OpenCL device; the host's where there is none.
best_class() {
    build/tools/clspline devices --json 2>/dev/null |
        python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["class"])'
}

has_device() { [ "$(best_class)" != host ]; }

# A driver's file does not make a device: there may be no GPU behind it.
need_device() {
    ! has_device || return 0
    has_driver && have apt-get && find_root || return 1
    say "the OpenCL drivers here show no device; PoCL computes on the CPU"
    apt_install pocl-opencl-icd && has_device
}

draw() { # DEVICE NAME
    set -- eval tests/data/teapot.bv -d "$1" -o "build/demo/$2.obj" -o "build/demo/$2.png"
    say "build/tools/clspline $*"
    build/tools/clspline "$@"
}

# Prints by how much the coordinates of two OBJ files differ at most.
difference() { # FILE FILE
    python3 - "$@" <<'EOF'
import math, sys
def coordinates(path):
    with open(path) as file:
        return [float(word) for line in file if line.startswith('v ') for word in line.split()[1:]]
one, other = map(coordinates, sys.argv[1:])
if len(one) != len(other):
    sys.exit('bootstrap: %s and %s have not as many vertices' % tuple(sys.argv[1:]))
largest = max(map(abs, one))
print('%.2g, of roundings: floats near the largest coordinate, %.3g, are %.2g apart' % (
    max(abs(a - b) for a, b in zip(one, other)), largest, 2.0 ** (math.frexp(largest)[1] - 24)))
EOF
}

# On a CPU's device the host's code computes too, unless it stands in for a GPU.
draw_by_kernels() {
    if [ "$(best_class)" = cpu ]; then
        export CLSPLINE_LIMITS="${CLSPLINE_LIMITS:-class=discrete}"
        say "export CLSPLINE_LIMITS=$CLSPLINE_LIMITS, for the kernels of a GPU on the CPU's device"
    fi
    say "the kernels, which are compiled first"
    draw : kernels
    say "the kernels as they are kept"
    draw : kernels
    say "kernels and host differ by $(difference build/demo/teapot.obj build/demo/kernels.obj)"
}

demo() {
    build
    need_device || say "no OpenCL device here: the host computes everything"
    build/tools/clspline devices
    mkdir -p build/demo
    say "the host's cores, without OpenCL"
    draw host teapot
    ! has_device || draw_by_kernels
    say "mesh:    $PWD/build/demo/teapot.obj"
    say "picture: $PWD/build/demo/teapot.png"
    say "more:    build/tools/clspline --help, typed in $PWD"
}

# Prints how many times longer than the build files say a test may take: 4 times, since other
# programs may run here too, and as much more as a loop of Python takes longer than on the machine
# that the limits are for (0.02 s).
timeout_factor() {
    python3 - <<'EOF'
import time
def seconds():
    begin = time.monotonic()
    for i in range(1000000):
        pass
    return time.monotonic() - begin
print(round(4 * max(1, min(seconds() for _ in range(3)) / 0.02)))
EOF
}

run_tests() { # [--quick|--all]
    build -Dtests=enabled
    need_device || complain "no OpenCL device: tests that need one will be skipped"
    log=build/meson-logs/testlog.json
    rm -f "$log"
    factor=${CLSPLINE_TEST_TIMEOUTS:-$(timeout_factor)}
    case ${1:-} in
    --quick)
        export CLSPLINE_TEST_SIZE=tiny
        set -- --no-suite long --no-suite thorough
        ;;
    --all)
        export CLSPLINE_TEST_SIZE=full
        set --
        ;;
    *)
        # PoCL compiles for most of the time, in two thirds of it where it does not optimise; other
        # runs try optimised kernels.
        export POCL_EXTRA_BUILD_FLAGS="${POCL_EXTRA_BUILD_FLAGS--cl-opt-disable}"
        set -- --no-suite thorough
        ;;
    esac
    say "testing; limits of time are $factor times those of the build files"
    result=0
    meson test -C build --no-rebuild --print-errorlogs --timeout-multiplier "$factor" "$@" \
        </dev/null || result=$?
    [ -e "$log" ] || {
        complain "no test ran"
        exit 1
    }
    python3 tests/summary.py --reasons "$log" || result=1
    exit "$result"
}

for word; do
    case $word in
    -h | --help | help) usage 0 ;;
    esac
done
case $* in
demo | test | 'test --quick' | 'test --all' | install-deps) ;;
*)
    [ $# = 0 ] || complain "unknown: $*"
    usage 2 >&2
    ;;
esac
cd "$(dirname "$0")/.."
case $1 in
install-deps)
    more_needs=$test_needs$device_needs$window_needs$user_needs$python_needs$mpi_needs
    install_needs "$build_needs$format_needs$viewer_needs$more_needs"
    ;;
demo)
    install_needs "$build_needs"
    install_needs "$device_needs$format_needs$viewer_needs" || complain "going on without"
    demo
    ;;
test)
    install_needs "$build_needs$test_needs"
    install_needs "$device_needs$format_needs$viewer_needs" || complain "going on without"
    [ "${2:-}" = --quick ] || install_needs "$user_needs$window_needs$python_needs$mpi_needs" ||
        complain "going on without"
    run_tests ${2:+"$2"}
    ;;
esac
