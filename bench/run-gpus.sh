#!/bin/sh
# Builds clspline on a machine with several GPUs and measures what they do together: contexts of one
# process, each with a range of the items; contexts that have joined, with one result in host
# memory; ranks of MPI, with one file. All results are compared by their bits with those of one GPU.
#
#   bench/run-gpus.sh [-d DEBS] [-o OUT] [-w WORDS] [-q] [-m FOLDER] [-t SECONDS]
#
#   -d DEBS    a folder of .deb files to use without installing them, as for run-device.sh
#   -o OUT     where all logs and results go (default build-device/results)
#   -w WORDS   the devices, in the form of CLSPLINE_DEVICE (default gpu)
#   -q         measures small cases only
#   -m FOLDER  where ranks write their files (default /dev/shm, else a temporary folder)
#   -t SECONDS ends after so long (default 3000): steps that take longer are stopped and marked so
#
# With one GPU it takes part twice. Needs what run-device.sh needs; for the ranks mpirun and
# MPI's headers. Exit status: 0 when everything that ran succeeded.
set -u

usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
    exit "$1"
}

debs='' out='' words=gpu quick='' files='' most_seconds=3000
while getopts d:o:w:qm:t:h option; do
    case $option in
    d) debs=$(cd "$OPTARG" && pwd) || exit 2 ;;
    o) out=$OPTARG ;;
    w) words=$OPTARG ;;
    q) quick=--quick ;;
    m) files=$OPTARG ;;
    t) most_seconds=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=bench/device_steps.sh
. "$root/bench/device_steps.sh"

# ---- ranks ----

# How many devices there are of one name.
count_devices() {
    "$build/tools/clspline" devices --json | python3 -c '
import json, sys
names = [d["device"] for d in json.load(sys.stdin)]
print(max([names.count(name) for name in names], default=1))'
}

# make_input FILE SCALE NUMBERS SHAPE: an .npy file of floats from 0 to SCALE, the same in every
# run, a million of them again and again
make_input() {
    python3 - "$@" <<'EOF'
import array, random, sys
file, scale, num, shape = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % shape
head = head.ljust(117) + '\n'
draw = random.Random(33).random
block = array.array('f', (scale * draw() for _ in range(min(num, 999983)))) # a prime
with open(file, 'wb') as out:
    out.write(b'\x93NUMPY\x01\x00' + len(head).to_bytes(2, 'little') + head.encode())
    while num > 0:
        out.write(memoryview(block)[:num])
        num -= len(block)
EOF
}

# ranks NAME FILE COMMAND...: by one rank, two, four, and so on, each with a device; the seconds,
# and whether all wrote the same bytes
ranks() {
    job=$1 file=$2 ranks=1 line="ranks, $1:"
    shift 2
    while [ "$ranks" -le "$most_ranks" ]; do
        from=$(date +%s.%N)
        step "ranks-$job-$ranks" 120 mpirun --allow-run-as-root --oversubscribe --bind-to none \
            -n "$ranks" "$build/tools/clspline-mpi" "$@" -o "$work/$ranks-$file" || break
        line="$line $ranks in $(echo "$(date +%s.%N) $from" | awk '{printf "%.2f", $1 - $2}') s;"
        cmp "$work/1-$file" "$work/$ranks-$file" || {
            say "ranks-$job-$ranks: OTHER BYTES than by one rank"
            failures=$((failures + 1))
        }
        [ "$ranks" = 1 ] || rm -f "$work/$ranks-$file"
        ranks=$((2 * ranks))
    done
    [ -e "$work/1-$file" ] || return
    say "$line $(($(stat -c %s "$work/1-$file") >> 20)) MiB"
    rm -f "$work/1-$file"
}

# A rank that is killed leaves no file, and --resume makes it the same.
killed_rank() {
    set -- project "$root/tests/data/teapot.bv" "$work/points.npy"
    "$build/tools/clspline" "$@" -o "$work/whole.npy" || return 1
    # shellcheck disable=SC2016 # the ranks' own shell expands it
    mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 sh -c \
        'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then exec timeout -s KILL 0.2 "$@"; fi; exec "$@"' - \
        "$build/tools/clspline-mpi" "$@" -o "$work/killed.npy" && return 1
    [ ! -e "$work/killed.npy" ] || return 1
    mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 \
        "$build/tools/clspline-mpi" "$@" -o "$work/killed.npy" --resume || return 1
    cmp "$work/whole.npy" "$work/killed.npy"
}

all_ranks() {
    if [ ! -x "$build/tools/clspline-mpi" ] || ! command -v mpirun >/dev/null; then
        say "ranks: left out, there is no MPI"
        return
    fi
    [ -n "$files" ] || files=/dev/shm
    [ -w "$files" ] || files=${TMPDIR:-/tmp}
    work=$(mktemp -d "$files/clspline-gpus-XXXXXX") || return
    most_ranks=$(count_devices)
    [ "$most_ranks" -ge 2 ] || most_ranks=2
    samples=3000 points=20000000 side=640 cells=12
    [ -z "$quick" ] || samples=200 points=100000 side=64 cells=4
    make_input "$work/points.npy" 6 $((3 * points)) "$points, 3" || return
    make_input "$work/volume.npy" 1 $((side * side * side)) "$side, $side, $side" || return
    data=$root/tests/data
    ranks bezier o.vtk eval "$data/teapot.bv" --samples $samples
    ranks project o.npy project "$data/teapot.bv" "$work/points.npy"
    ranks volume o.npy image "$work/volume.npy" --rotate 10 --scale 1.25 --mode nearest
    ranks solid o.vtu eval "$data/mount1.vtk" --samples $cells
    if killed_rank >"$out/killed-rank.log" 2>&1; then
        say "killed-rank: good"
    else
        say "killed-rank: FAILED; see $out/killed-rank.log"
        failures=$((failures + 1))
    fi
    rm -rf "$work"
}

# ---- the run ----

prepare || exit 1
step devices 60 "$build/tools/clspline" devices
step gpus 500 "$build/bench/clspline-bench" gpus $quick --device "$words" --json "$out/gpus.json"
all_ranks
tests faults "$words" 300 drop_outs device_set schedules
say ""
grep -hE ' (good|BELOW|ABOVE): at' "$out/gpus.log" | sed 's/  */ /g' | tee -a "$summary"
finish
