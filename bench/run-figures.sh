#!/bin/sh
# Measures what docs/performance.md shows: a GPU's cases in OUT/gpu.json, those of the host's code
# by one core and by all of them in OUT/host.json, in under ten minutes on an H200 with 16 cores.
#
#   bench/run-figures.sh [-d DEBS] [-o OUT] [-w WORDS] [-q] [-t SECONDS]
#
#   -d DEBS    a folder of .deb files to use without installing them, as for run-device.sh
#   -o OUT     where results and logs go (default build-device/results)
#   -w WORDS   the device, in the form of CLSPLINE_DEVICE (default gpu; none: the host alone)
#   -q         measures small cases only
#   -t SECONDS ends after so long (default 570): what takes longer is stopped, and its rows so far
#              are kept
#
# Then bench/figures.py --keep docs/figures/performance-gpu.json OUT/gpu.json, likewise of the host,
# and bench/figures.py docs/performance.md docs/figures/performance-*.json make the page. Exit
# status: 0 when everything that ran succeeded.
set -u

usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
    exit "$1"
}

debs='' out='' words=gpu quick='' most_seconds=570
while getopts d:o:w:qt:h option; do
    case $option in
    d) debs=$(cd "$OPTARG" && pwd) || exit 2 ;;
    o) out=$OPTARG ;;
    w) words=$OPTARG ;;
    q) quick=--quick ;;
    t) most_seconds=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=bench/device_steps.sh
. "$root/bench/device_steps.sh"

# measure FILE NAME SECONDS COMMAND...: the benchmark's rows go behind those of OUT/FILE.json
measure() {
    file=$1 name=$2 most=$3
    shift 3
    step "$name" "$most" "$@" --json "$work/rows.json"
    [ -e "$work/rows.json" ] && cat "$work/rows.json" >>"$out/$file.json"
    rm -f "$work/rows.json"
}

# gpu NAME SECONDS SUITE [OPTION...]
gpu() {
    [ "$words" = none ] && return
    name=$1 most=$2
    shift 2
    # shellcheck disable=SC2086 # $quick may be no word
    measure gpu "$name" "$most" "$bench" "$@" $quick --device "$words"
}

# host NAME SECONDS SUITE [OPTION...]
host() {
    name=$1 most=$2
    shift 2
    # shellcheck disable=SC2086
    measure host "$name" "$most" "$bench" "$@" $quick --device host
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
target=bench/clspline-bench
prepare || exit 1
bench=$build/bench/clspline-bench
rm -f "$out/gpu.json" "$out/host.json"
cores=$(nproc)

gpu bezier 50 bezier --precision f32 --case '*[04]x*, *00x*00'
gpu bezier-many 30 bezier --precision f32 --case '*of*'
gpu bezier-double 30 bezier --precision f64 --case '[48]x*2000x2000'
gpu vertices 40 outputs --precision f32
gpu bspline 30 bspline --precision f32 --case '64x64*'
gpu curves 30 bspline --precision f32 --quick
gpu convert 40 convert --precision f32
gpu surfaces 60 project --precision f32 --case '[RSt]*[0t]'
gpu filters 40 image --precision f32 --case 'prefilter,*'
gpu images 40 image --precision f32 --case 'rotation,*'
gpu solids 40 solid --precision f32 --case '*kinds, *'
gpu models 50 solid --precision f32 --case '[rm]*, level [02]*'
gpu unlike 30 solid --precision f32 --case 'unlike*'
gpu sharing 40 cooperate --precision f32 --quick
gpu first 40 first-call --quick
gpu frames 40 render --precision f32 --quick
# One core, by its mask, in processor time; and all cores.
# shellcheck disable=SC2086
measure host core 120 taskset -c 0 "$bench" processors $quick --device host
# OpenMP's threads wait about as long for the next loop as the library's wait for the next call.
export GOMP_SPINCOUNT=100000
host cores 80 processors --workers "$cores" --precision f32
host projection 60 project --precision f64 --case '[RSt]*[0t]'

wc -l "$out"/*.json | tee -a "$summary"
cat "$out"/*.log >"$out/all.txt" && rm -f "$out"/*.log
finish
