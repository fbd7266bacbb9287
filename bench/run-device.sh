#!/bin/sh
# Builds clspline on the machine at hand, tests it on a device and measures it there.
#
#   bench/run-device.sh [-a] [-d DEBS] [-o OUT] [-w WORDS] [-q] [-c] [-t SECONDS]
#
#   -a        all tests, with those that take longest, the suite thorough
#   -d DEBS   a folder of .deb files to use without installing them, for machines that reach no
#             package server: libclblast1, libclblast-dev, libcmocka0, libcmocka-dev, ...; for
#             drawing libegl-dev, libgl-dev, libegl1, libglvnd0 and libvulkan1, which containers
#             for GPUs often lack beside the driver, and for NVIDIA's Vulkan libx11-6 and libxext6
#             with what they need
#   -o OUT    where all logs and results go (default build-device/results)
#   -w WORDS  the device, in the form of CLSPLINE_DEVICE (default gpu)
#   -q        measures the quick cases only
#   -c        then runs the tests on the CPU too
#   -t SECONDS  ends after so long (default 3000): steps that take longer are stopped and marked so
#
# Needs meson, ninja, a C compiler and an OpenCL loader. Exit status: 0 when everything that ran
# succeeded.
set -u

usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
    exit "$1"
}

debs='' out='' words=gpu quick='' with_cpu='' most_seconds=3000 left_out='--no-suite thorough'
while getopts ad:o:w:qct:h option; do
    case $option in
    a) left_out='' ;;
    d) debs=$(cd "$OPTARG" && pwd) || exit 2 ;;
    o) out=$OPTARG ;;
    w) words=$OPTARG ;;
    q) quick=--quick ;;
    c) with_cpu=yes ;;
    t) most_seconds=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-device
out=${out:-$build/results}
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
begun=$(date +%s)
summary=$out/summary.txt
: >"$summary"
failures=0

say() {
    echo "$*" | tee -a "$summary"
}

# step NAME SECONDS COMMAND...: its output in OUT/NAME.log, cut off when its time or that of the
# whole run is over
step() {
    name=$1 most=$2
    shift 2
    left=$((most_seconds - $(date +%s) + begun))
    [ "$left" -lt "$most" ] && most=$left
    if [ "$most" -lt 5 ]; then
        say "$name: left out, no time"
        return 1
    fi
    start=$(date +%s)
    timeout -k 5 "$most" "$@" >"$out/$name.log" 2>&1 </dev/null
    code=$?
    took="$(($(date +%s) - start)) s"
    case $code in
    0) say "$name: good, $took" ;;
    124 | 137) say "$name: STOPPED after $took" ;;
    *) say "$name: FAILED ($code), $took; see $out/$name.log" ;;
    esac
    [ $code = 0 ] || failures=$((failures + 1))
    return $code
}

# ---- packages ----

# Unpacks the .deb files and makes compilers, loaders and pkg-config look there. The paths in .pc
# files are rewritten, since not all of them have a prefix that could be set from outside.
use_debs() {
    prefix=$(mktemp -d) || exit 1
    trap 'rm -rf "$prefix"' EXIT
    for deb in "$debs"/*.deb; do dpkg -x "$deb" "$prefix" || exit 1; done
    find "$prefix" -name '*.pc' -exec sed -i "s#\([=LI]\)/usr#\1$prefix/usr#g" {} +
    for folder in "$prefix"/usr/lib/*-linux-gnu* "$prefix"/usr/lib; do
        [ -d "$folder" ] || continue
        export PKG_CONFIG_PATH="$folder/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
        export LIBRARY_PATH="$folder${LIBRARY_PATH:+:$LIBRARY_PATH}"
        export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    done
    export CPATH="$prefix/usr/include${CPATH:+:$CPATH}"
    export CMAKE_PREFIX_PATH="$prefix/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
}

# ---- OpenCL ----

# NVIDIA's driver often comes into a container without the file by which OpenCL finds it.
register_nvidia() {
    vendors=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
    grep -qs nvidia "$vendors"/*.icd && return
    library=$(ldconfig -p 2>/dev/null | sed -n 's/.*libnvidia-opencl\.so\.1.* => //p' | head -n 1)
    for folder in /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/local/nvidia/lib64 \
        /usr/local/nvidia/lib; do
        [ -z "$library" ] && [ -e "$folder/libnvidia-opencl.so.1" ] &&
            library=$folder/libnvidia-opencl.so.1
    done
    [ -n "$library" ] || return
    if [ "$(id -u)" = 0 ] && [ -z "${OCL_ICD_VENDORS:-}" ]; then
        mkdir -p "$vendors" && echo "$library" >"$vendors/nvidia.icd"
    else
        mkdir -p "$out/vendors"
        cp "$vendors"/*.icd "$out/vendors" 2>/dev/null
        vendors=$out/vendors
        echo "$library" >"$vendors/nvidia.icd"
        export OCL_ICD_VENDORS="$vendors"
    fi
    say "registered $library in $vendors"
}

# register_json VARIABLE FOLDER FILE: likewise the file by which EGL or Vulkan finds it, in a folder
# below share, where it lies beside NVIDIA's libraries only
register_json() {
    eval "[ -n \"\${$1:-}\" ]" && return
    for share in /etc /usr/share /usr/local/share; do
        ls "$share/$2"/*nvidia*.json >/dev/null 2>&1 && return
    done
    [ -e "/usr/local/nvidia/share/$2/$3" ] || return
    export "$1=/usr/local/nvidia/share/$2/$3"
    say "$1=/usr/local/nvidia/share/$2/$3"
}

# CUDA's toolkit has the headers of OpenCL, which machines without a package server may have nowhere
# else.
find_headers() {
    echo '#include <CL/cl.h>' | ${CC:-cc} -DCL_TARGET_OPENCL_VERSION=300 -E - >/dev/null 2>&1 &&
        return
    [ -e /usr/local/cuda/include/CL/cl.h ] || return
    export CPATH="${CPATH:+$CPATH:}/usr/local/cuda/include"
    export CMAKE_INCLUDE_PATH="$CPATH" # for the test of the CMake package
}

# ---- the run ----

configure() {
    tools=true with_tests=enabled
    pkg-config --exists libpng expat libcjson || tools=false
    pkg-config --exists cmocka || with_tests=disabled
    set -- "$build" "$root" --buildtype=release -Dtools=$tools -Dbench=true -Dtests=$with_tests
    [ -e "$build/meson-private/coredata.dat" ] && set -- --wipe "$@"
    step configure 60 meson setup "$@"
}

tests() {
    if [ $with_tests = disabled ]; then
        say "$1: left out, there is no cmocka"
        failures=$((failures + 1))
        return
    fi
    # shellcheck disable=SC2086
    CLSPLINE_DEVICE=$2 step "$1" "$3" meson test -C "$build" --no-rebuild --print-errorlogs \
        --timeout-multiplier 10 $left_out
    sed -n 's/^\(Ok\|Fail\|Timeout\|Skipped\): */    \1 /p' "$out/$1.log" | grep -vE ' 0 *$' |
        tee -a "$summary"
}

# measure NAME SECONDS SUITE...: the suites of clspline-bench, their results in OUT/NAME.json too
measure() {
    name=$1 most=$2
    shift 2
    step "$name" "$most" "$build/bench/clspline-bench" "$@" $quick --device "$words" \
        --json "$out/$name.json"
}

[ -n "$debs" ] && use_debs
register_nvidia
register_json __EGL_VENDOR_LIBRARY_FILENAMES glvnd/egl_vendor.d 10_nvidia.json
register_json VK_DRIVER_FILES vulkan/icd.d nvidia_icd.json
find_headers
configure && step build 120 ninja -C "$build" || exit 1
tests tests "$words" 900
measure bench 400 floor bezier figures outputs transfer patch36 host first-call
measure render 300 render
measure cooperate 300 cooperate
measure bspline 900 bspline convert
measure image 600 image
measure solid 600 solid
if [ -x "$build/tools/clspline" ]; then
    CLSPLINE_DEVICE=$words step devices 60 "$build/tools/clspline" devices --kernels
fi
[ -n "$with_cpu" ] && tests tests-cpu cpu 900

say ""
head -n 1 "$out/bench.log" | tee -a "$summary"
(cd "$out" && grep -hE '(good|BELOW|ABOVE): at|^empty kernel|^(copy|store,|multiply-add)' \
    bench.log render.log cooperate.log image.log solid.log 2>/dev/null) |
    sed 's/  */ /g' | tee -a "$summary"
grep -E 'x(2000|9459|6688)x?.* separable +f|multilevel/matrix|library/(direct|de Casteljau)' \
    "$out/bench.log" | sed 's/  */ /g' | tee -a "$summary"
grep -hE '^render: ' "$out/render.log" | tee -a "$summary"
grep -E ', 10000(00)? .*(exact|mrep)[,/]' "$out/bspline.log" | sed 's/  */ /g' | tee -a "$summary"
say "$failures steps failed; $(($(date +%s) - begun)) s; all of it in $out"
[ "$failures" = 0 ]
