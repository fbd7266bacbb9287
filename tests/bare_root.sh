#!/bin/sh
# Runs what is built on a machine without OpenCL: in a root folder that holds the library, the
# programs, tests/data and nothing else but the libraries that these need, so neither a loader nor
# headers nor drivers, and no CLBlast. There the command lists its devices and evaluates a file, the
# viewer shows its help, and each test of the public calls and of mathematics runs.
#
# usage: bare_root.sh BUILD_DIR
#
# Prints a line for each program that failed, with what it said. The last line is "N passed, N
# failed, N skipped". Exits with 77 (skipped) where a process may not change its root.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
passed=0 failed=0 skipped=0

links_opencl() { readelf -d "$1" | grep -q 'NEEDED.*\(OpenCL\|clblast\)'; }

# Programs name the library by where they lie themselves, which no /proc tells here.
in_root() { # COMMAND...
    $enter "$root" /usr/bin/env -i HOME=/ LD_LIBRARY_PATH="$build/src" CLSPLINE_TEST_SIZE=tiny "$@"
}

count() { # NAME COMMAND...
    name=$1 code=0
    shift
    in_root "$@" >"$root/log" 2>&1 </dev/null || code=$?
    case $code in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *)
        failed=$((failed + 1))
        tail -n 20 "$root/log"
        echo "failed $name: exit status $code"
        ;;
    esac
}

test_programs() {
    find "$build/tests/api" "$build/tests/math" -type f -perm -u+x -name 'test_*' | sort |
        while read -r program; do
            links_opencl "$program" || echo "$program"
        done
}

# Each file lies where it lies outside, by which programs find the library and the data.
copy() { # FILE...
    for file; do
        mkdir -p "$root${file%/*}"
        cp -RL "$file" "$root$file"
    done
}

enter=chroot
if [ "$(id -u)" != 0 ]; then
    enter="unshare --map-root-user chroot"
    unshare --map-root-user true 2>/dev/null || {
        echo "bare_root: skipped: this user may not change the root of a process"
        exit 77
    }
fi
if links_opencl "$build/src/libclspline.so"; then
    echo "bare_root: the library is linked with OpenCL or CLBlast"
    exit 1
fi
tests=$(test_programs)
set -- "$build/tools/clspline" /usr/bin/env
[ ! -e "$build/tools/clspline-view" ] || set -- "$@" "$build/tools/clspline-view"
# shellcheck disable=SC2086 # one word a program
set -- "$@" $tests
copy "$@" "$here/data"
mkdir -p "$root/tmp" "$root/dev"
: >"$root/dev/null"
sh "$here/fill_root.sh" "$root" "$@"
! find "$root" | grep -i -e libopencl -e libclblast -e '/CL$' || exit 1

count "clspline devices" "$build/tools/clspline" devices
count "clspline eval" "$build/tools/clspline" eval "$here/data/teapot.bv" -o /x.ply
[ ! -e "$build/tools/clspline-view" ] ||
    count "clspline-view --help" "$build/tools/clspline-view" --help
for program in $tests; do
    count "${program##*/}" "$program"
done
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
