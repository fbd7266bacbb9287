#!/bin/sh
# Measures dense sums on a device: grids and conversions of high degrees by tiles, beside the same
# without tiles and, where CLBlast is installed, by it; solids by tables; batches of images. Under 3
# minutes on an H200.
#
#   bench/run-dense.sh [-b BENCH] [-d DEVICE] [-o OUT]
#
#   -b BENCH   clspline-bench (default build/bench/clspline-bench)
#   -d DEVICE  in the form of CLSPLINE_DEVICE (default gpu)
#   -o OUT     a folder for NAME.json and NAME.txt of each command (default .)
set -u

bench=build/bench/clspline-bench device=gpu out=.
while getopts b:d:o:h option; do
    case $option in
    b) bench=$OPTARG ;;
    d) device=$OPTARG ;;
    o) out=$OPTARG ;;
    *) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" && exit 2 ;;
    esac
done
mkdir -p "$out" || exit 1

# measure NAME LIMITS SUITE...: into OUT/NAME.json and OUT/NAME.txt
measure() {
    name=$1 limits=$2
    shift 2
    CLSPLINE_LIMITS=$limits timeout 60 "$bench" "$@" --device "$device" --json "$out/$name.json" \
        >"$out/$name.txt" 2>&1 || echo "$name: exit status $?"
    tail -n +2 "$out/$name.txt"
}

measure convert_dense '' convert --case '*dense*'
measure bezier_tiles '' bezier --case '[12]?[16]x*, 1000x1000'
measure bezier_no_tiles local_is_real=0 bezier --case '[12]?[16]x*, 1000x1000'
measure solid_tables '' solid --case 'kinds, 8^3*'
measure image_batches '' image --case 'prefilter, *64*'
measure image_sampler '' image --precision f32 --case 'rotation, 2048*'
