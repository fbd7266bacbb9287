#!/bin/sh
# Builds clspline on the machine at hand, tests it on a device and measures it there.
#
#   bench/run-device.sh [-a] [-d DEBS] [-o OUT] [-w WORDS] [-q] [-c] [-t SECONDS]
#
#   -a        all tests, with those that take longest, the suite thorough
#   -d DEBS   a folder of .deb files to use without installing them, for machines that reach no
#             package server: libclblast1, libcmocka0, libcmocka-dev, ...; for drawing libegl-dev,
#             libgl-dev, libegl1, libglvnd0 and libvulkan1, which containers for GPUs often lack
#             beside the driver, and for NVIDIA's Vulkan libx11-6 and libxext6 with what they need
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
# shellcheck source=bench/device_steps.sh
. "$root/bench/device_steps.sh"

# measure NAME SECONDS SUITE...: the suites of clspline-bench, their results in OUT/NAME.json too
measure() {
    name=$1 most=$2
    shift 2
    step "$name" "$most" "$build/bench/clspline-bench" "$@" $quick --device "$words" \
        --json "$out/$name.json"
}

prepare || exit 1
# shellcheck disable=SC2086 # words
tests tests "$words" 900 $left_out
measure bench 400 floor bezier figures outputs patch36 processors first-call
measure render 300 render
measure cooperate 300 cooperate
measure bspline 900 bspline convert
measure image 600 image
measure solid 600 solid
if [ -x "$build/tools/clspline" ]; then
    CLSPLINE_DEVICE=$words step devices 60 "$build/tools/clspline" devices --kernels
fi
# shellcheck disable=SC2086
[ -n "$with_cpu" ] && tests tests-cpu cpu 900 $left_out

say ""
head -n 1 "$out/bench.log" | tee -a "$summary"
(cd "$out" && grep -hE '(good|BELOW|ABOVE): at|^empty kernel|^(copy|store,|multiply-add)' \
    bench.log render.log cooperate.log image.log solid.log 2>/dev/null) |
    sed 's/  */ /g' | tee -a "$summary"
grep -E 'x(2000|9459|6688)x?.* separable +f|multilevel/matrix|library/(direct|de Casteljau)' \
    "$out/bench.log" | sed 's/  */ /g' | tee -a "$summary"
grep -hE '^render: ' "$out/render.log" | tee -a "$summary"
grep -E ', 10000(00)? .*(exact|mrep)[,/]' "$out/bspline.log" | sed 's/  */ /g' | tee -a "$summary"
finish
