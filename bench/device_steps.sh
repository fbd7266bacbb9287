# What run-device.sh, run-figures.sh and run-gpus.sh have in common; they source it with `root`,
# `debs`, `out` and `most_seconds` set. Builds in build-device/; logs go to the folder `out`.
# shellcheck shell=sh
# shellcheck disable=SC2154 # set by those that source it

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

# ---- the build ----

configure() {
    tools=true with_tests=enabled
    pkg-config --exists libpng expat libcjson || tools=false
    pkg-config --exists cmocka || with_tests=disabled
    set -- "$build" "$root" --buildtype=release -Dtools=$tools -Dbench=true -Dtests=$with_tests
    [ -e "$build/meson-private/coredata.dat" ] && set -- --wipe "$@"
    step configure 60 meson setup "$@"
}

# Makes ready what there is, and builds: all, or what the variable target names.
prepare() {
    [ -n "$debs" ] && use_debs
    register_nvidia
    register_json __EGL_VENDOR_LIBRARY_FILENAMES glvnd/egl_vendor.d 10_nvidia.json
    register_json VK_DRIVER_FILES vulkan/icd.d nvidia_icd.json
    find_headers
    configure && step build 240 ninja -C "$build" ${target:+"$target"}
}

# tests NAME DEVICE SECONDS TEST...: the tests of these names, or all; options of meson may be among
# them
tests() {
    name=$1 device=$2 most=$3
    shift 3
    if [ "$with_tests" = disabled ]; then
        say "$name: left out, there is no cmocka"
        failures=$((failures + 1))
        return
    fi
    CLSPLINE_DEVICE=$device step "$name" "$most" meson test -C "$build" --no-rebuild \
        --print-errorlogs --timeout-multiplier 10 "$@"
    sed -n 's/^\(Ok\|Fail\|Timeout\|Skipped\): */    \1 /p' "$out/$name.log" | grep -vE ' 0 *$' |
        tee -a "$summary"
}

# Says how it ended; the exit status.
finish() {
    say "$failures steps failed; $(($(date +%s) - begun)) s; all of it in $out"
    [ "$failures" = 0 ]
}
