#!/bin/sh
# Runs the tests on every OpenCL implementation found here, one at a time, and on stand-ins for
# devices that are not.
#
# usage: implementations.sh [--install] [--no-pocl] [--no-thorough] [--no-tools]
#                           [--no-oclgrind] [BUILD_DIR]
#
#   --install      fetches Intel's CPU runtime from PyPI (0.8 GB) where it is missing
#   --no-pocl      leaves out the row that "meson test" has made already where PoCL is the first
#                  device
#   --no-thorough  leaves out the suite of that name
#   --no-tools     likewise
#   --no-oclgrind  leaves out the slowest row
#   BUILD_DIR      a build of the tests (default: build)
#
# Rows of the table, where there is what they need:
#
#   - each .icd file of the OpenCL loader's folder: PoCL, rusticl on llvmpipe, GPUs, ... On
#     llvmpipe, which takes ten times as long as PoCL, cases are tiny unless CLSPLINE_TEST_SIZE says
#     otherwise
#   - Intel's CPU runtime out of a Python environment: $INTEL_OCL_VENV, or the one that --install
#     makes in ${XDG_CACHE_HOME:-~/.cache}/clspline-tests/intel-ocl, found there from then on
#   - PoCL's device twice, and PoCL with Intel's runtime, for shared evaluations
#   - PoCL with the kernels of a GPU, and with the limits of a small one
#     (clsp_context_opts.limits)
#   - Oclgrind, a simulator that finds races, uninitialised and out-of-bounds accesses: a message is
#     a failure. Without the suite thorough, some of whose tests take an hour each
#
# What is the same in all rows, the suite no_device, is left out.
#
# With CLSPLINE_TEST_SIZE=full the tests of the Python package are run too, but not by Oclgrind.
#
# The last line is "N passed, N failed, N skipped"; failures and skips are explained above the
# table. Exits with 1 when a test failed or no implementation was there.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
install=no
with_pocl=yes # with the kernels of a CPU
with_oclgrind=yes
left_out=
tools="--suite tools"
while :; do
    case ${1:-} in
    --install) install=yes ;;
    --no-pocl) with_pocl=no ;;
    --no-oclgrind) with_oclgrind=no ;;
    --no-thorough) left_out="--no-suite thorough" ;;
    --no-tools) tools= ;;
    -h | --help)
        sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//p;}' "$0"
        exit
        ;;
    *) break ;;
    esac
    shift
done
build=${1:-$here/../build}
build=$(cd "$build" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=$work/table
: >"$table"
cached_venv=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/clspline-tests/intel-ocl
device_suites="--suite device --suite cooperate --suite plan --suite patch --suite bezier"
device_suites="$device_suites --suite api --no-suite no_device $left_out"
python_suite=
[ "${CLSPLINE_TEST_SIZE:-}" != full ] || python_suite="--suite python"
gpu_shapes=class=discrete,local_is_real=1
small_gpu=class=integrated,fp64=0,work_group=64,local=16384,images=0
small_gpu=$small_gpu,alloc=134217728,opencl=120,svm=0

row() { printf '%s|%s|%s|%s|%s|%s\n' "$@" >>"$table"; } # NAME VERSION PASSED FAILED SKIPPED NOTE

absent() { # NAME WHY
    row "$1" - - - - "$2"
    printf '\n== %s: %s\n' "$1" "$2"
}

# A folder with one .icd file, which holds a library's name.
vendors() { # NAME LIBRARY: prints the folder
    mkdir -p "$work/vendors/$1"
    printf '%s\n' "$2" >"$work/vendors/$1/only.icd"
    printf '%s\n' "$work/vendors/$1"
}

# "DRIVER, DEVICE" of the device that the tests will take, or nothing.
device() {
    "$build/tools/clspline" devices --json 2>/dev/null | python3 -c '
import json, sys
try:
    best = json.load(sys.stdin)[0]
    if best["class"] != "host":
        print("{driver}, {device}".format(**best))
except (ValueError, IndexError):
    pass'
}

# Kernels run slower on some, and machines are shared. A test that crashes in a driver's thread
# hangs until its time is over, since cmocka goes on: with small cases it need not be long.
patience=20
[ "${CLSPLINE_TEST_SIZE:-}" != tiny ] || patience=5

# Runs the tests in the environment that the caller has set up, and adds a row.
run() { # NAME VERSION MESON_ARGUMENT...
    name=$1 version=$2
    shift 2
    printf '\n== %s: %s\n' "$name" "$version"
    rm -f "$build"/meson-logs/testlog-row*
    meson test -C "$build" --no-rebuild --print-errorlogs --logbase testlog-row "$@" \
        </dev/null >"$work/out" 2>&1 || true
    set -- "$build"/meson-logs/testlog-row*.json # the wrapper's name is in it
    log=$1
    if [ ! -e "$log" ]; then
        tail -n 20 "$work/out"
        row "$name" "$version" 0 1 0 "meson test did not run"
        return
    fi
    python3 "$here/summary.py" --reasons "$log" >"$work/summary" || {
        grep -v '^ninja: \| OK  *[0-9.]*s' "$work/out" || true
    }
    cat "$work/summary"
    note=$(sed -n '/^ \|^failed /d; s/^[^:]*: [^:]*: *//p' "$work/summary" | sort -u |
        paste -s -d ';' - | sed 's/;/; /g')
    # shellcheck disable=SC2046 # the three numbers
    set -- $(tail -n 1 "$work/summary" | tr -cd '0-9 ')
    row "$name" "$version" "$1" "$2" "$3" "$note"
}

# The suites that use a device.
on_device() { # NAME MORE_MESON_ARGUMENTS...
    name=$1
    shift
    version=$(device)
    if [ -z "$version" ]; then
        absent "$name" "it shows no device"
        return
    fi
    # shellcheck disable=SC2086 # words
    run "$name" "$version" $device_suites $python_suite --timeout-multiplier $patience "$@"
}

# ---- the implementations ----

installed() { # ICD_FILE
    library=$(head -n 1 "$1")
    case $library in
    *libpocl*)
        pocl=$(vendors pocl "$library")
        export OCL_ICD_VENDORS="$pocl"
        # shellcheck disable=SC2086 # words, or none
        [ $with_pocl = no ] || on_device PoCL $tools
        ;;
    *RusticlOpenCL*)
        OCL_ICD_VENDORS=$(vendors rusticl "$library")
        export OCL_ICD_VENDORS RUSTICL_ENABLE="${RUSTICL_ENABLE:-llvmpipe}"
        # LLVM's translator to SPIR-V 15 reads what it has freed; Meson would fill that at random
        export MALLOC_PERTURB_=0
        size=${CLSPLINE_TEST_SIZE:-}
        export CLSPLINE_TEST_SIZE="${size:-tiny}"
        # shellcheck disable=SC2086
        on_device rusticl $tools
        export CLSPLINE_TEST_SIZE="$size"
        unset RUSTICL_ENABLE MALLOC_PERTURB_
        ;;
    *MesaOpenCL*) ;; # Clover, which rusticl has replaced
    *)
        file=$(basename "$1" .icd)
        OCL_ICD_VENDORS=$(vendors "$file" "$library")
        export OCL_ICD_VENDORS
        # shellcheck disable=SC2086
        on_device "$file" $tools
        ;;
    esac
}

install_intel() {
    [ ! -e "$cached_venv/lib/libintelocl.so" ] || return 0
    rm -rf "$cached_venv"
    mkdir -p "$(dirname "$cached_venv")"
    python3 -m venv "$cached_venv" && "$cached_venv/bin/python" -m pip install --quiet \
        intel-opencl-rt intel-cmplr-lib-rt && [ -e "$cached_venv/lib/libintelocl.so" ]
}

intel() {
    venv=${INTEL_OCL_VENV:-$cached_venv}
    if [ -z "${INTEL_OCL_VENV:-}" ] && [ $install = yes ] && ! install_intel >"$work/pip" 2>&1; then
        tail -n 3 "$work/pip"
        absent "Intel CPU" "could not be installed from PyPI"
        return
    fi
    if [ ! -e "$venv/lib/libintelocl.so" ]; then
        absent "Intel CPU" "not installed (--install does)"
        return
    fi
    # the .icd file that comes with it names a folder of its builders
    OCL_ICD_VENDORS=$(vendors intel "$venv/lib/libintelocl.so")
    before=${LD_LIBRARY_PATH:-}
    export OCL_ICD_VENDORS LD_LIBRARY_PATH="$venv/lib${before:+:$before}"
    # shellcheck disable=SC2086
    on_device "Intel CPU" $tools
    if [ -n "$before" ]; then LD_LIBRARY_PATH=$before; else unset LD_LIBRARY_PATH; fi
}

# It exits with 0 whatever it finds, so each process gets a log, which must stay empty. It does not
# know what LLVM marks optimised code with (freeze, and the scopes of functions inlined by force).
# keep_buffers.c says why buffers stay, for which there is more memory than Oclgrind's device has.
oclgrind_wrapper() {
    mkdir -p "$work/oclgrind"
    cat >"$work/under-oclgrind" <<EOF
#!/bin/sh
case \$* in
*'test_gemm clblast'*)
    echo "CLBlast's kernels are not ours to check"
    exit 77
    ;;
*program_threads*)
    echo "Oclgrind is not made for several threads"
    exit 77
    ;;
*test_transfer*)
    echo "it moves more than a simulator gets through"
    exit 77
    ;;
esac
log=$work/oclgrind/\$\$.log
uninitialized=--uninitialized
case \$* in
*test_solid* | *test_surface* | *test_bezier_tiles* | *test_own_samples* | *test_plan_desc*)
    uninitialized= # of buffers whose parts are written one by one: testing.md
    ;;
esac
oclgrind --num-threads 1 --build-options "-cl-opt-disable -DIN_PLACE=static" --data-races \\
    --global-mem-size 4294901760 \$uninitialized --check-api --log "\$log" \\
    sh -c 'LD_PRELOAD="$build/tests/libkeep_buffers.so \$LD_PRELOAD" exec "\$@"' - "\$@"
status=\$?
if [ -s "\$log" ]; then
    head -n 60 "\$log"
    [ \$status != 0 ] || status=1
fi
exit \$status
EOF
    chmod +x "$work/under-oclgrind"
}

oclgrind_row() {
    if ! command -v oclgrind >/dev/null; then
        absent Oclgrind "not installed"
        return
    fi
    oclgrind_wrapper
    unset OCL_ICD_VENDORS
    export CLSPLINE_TEST_SIZE=tiny CLSPLINE_CACHE_DIR=
    # shellcheck disable=SC2086 # words
    run Oclgrind "$(oclgrind --version | sed -n 's/^Oclgrind //p')" $device_suites \
        --no-suite thorough --wrapper "$work/under-oclgrind" --timeout-multiplier 20
    unset CLSPLINE_TEST_SIZE CLSPLINE_CACHE_DIR
}

# Several devices for one job: PoCL's twice, and of two platforms.
together() {
    [ -n "$pocl" ] || return 0
    export OCL_ICD_VENDORS="$pocl" POCL_DEVICES="pthread pthread"
    several="schedules device_set inputs drop_outs test_bezier_cooperate"
    # shellcheck disable=SC2086 # names
    run "PoCL, two devices" "$(device)" --timeout-multiplier $patience $several
    unset POCL_DEVICES
    [ -e "$work/vendors/intel" ] || return 0
    mkdir -p "$work/vendors/together"
    cp "$pocl/only.icd" "$work/vendors/together/pocl.icd"
    cp "$work/vendors/intel/only.icd" "$work/vendors/together/intel.icd"
    before=${LD_LIBRARY_PATH:-}
    export OCL_ICD_VENDORS="$work/vendors/together"
    export LD_LIBRARY_PATH="$venv/lib${before:+:$before}"
    # shellcheck disable=SC2086
    run "PoCL with Intel CPU" "$(device)" --timeout-multiplier $patience $several
    if [ -n "$before" ]; then LD_LIBRARY_PATH=$before; else unset LD_LIBRARY_PATH; fi
}

stand_ins() {
    if [ -z "$pocl" ]; then
        absent "GPU shapes, small GPU" "need PoCL"
        return
    fi
    export OCL_ICD_VENDORS="$pocl"
    CLSPLINE_LIMITS=$gpu_shapes
    export CLSPLINE_LIMITS
    on_device "PoCL, GPU shapes"
    CLSPLINE_LIMITS=$small_gpu
    on_device "PoCL, small GPU"
    unset CLSPLINE_LIMITS
}

folder=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
[ -d "$folder" ] || folder=/etc/OpenCL/vendors
pocl=
for icd in "$folder"/*.icd; do
    [ ! -e "$icd" ] || installed "$icd"
done
[ -n "$pocl" ] || absent PoCL "not installed"
intel
together
stand_ins
[ $with_oclgrind = no ] || oclgrind_row

printf '\n'
python3 - "$table" <<'EOF'
import sys
rows = [('implementation', 'version', 'passed', 'failed', 'skipped', 'why skipped')]
with open(sys.argv[1], encoding='utf-8') as file:
    rows += [tuple(line.rstrip('\n').split('|', 5)) for line in file]
rows = [[cell if len(cell) <= 50 or at == 5 else cell[:47] + '...' for at, cell in enumerate(row)]
        for row in rows]
widths = [max(len(row[at]) for row in rows) for at in range(5)]
for row in rows:
    cells = [cell.ljust(width) if at < 2 else cell.rjust(width)
             for at, (cell, width) in enumerate(zip(row, widths))]
    print('  '.join(cells + row[5:]).rstrip())
totals = [sum(int(row[at]) for row in rows[1:] if row[at] != '-') for at in (2, 3, 4)]
print('{} passed, {} failed, {} skipped'.format(*totals))
sys.exit(totals[1] > 0 or totals[0] == 0)
EOF
