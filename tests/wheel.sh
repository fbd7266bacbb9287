#!/bin/bash
# Builds the Python package as users get it, and tries it.
#
# usage: wheel.sh [--all] [FOLDER]
#
# Makes an sdist of the commit that is checked out, and of it a wheel, both in FOLDER (default
# build-wheel), by the oldest Python from 3.9 on that it finds; installs the wheel for that one and
# for the newest, each into a new environment, and runs python/tests there, without --all by the
# newest test_package.py alone. Packages come from PyPI.
# The last line is "N passed, N failed, N skipped". Exits with 77 where there is no network or no
# Python with headers.
set -u
cd "$(dirname "$0")/.." || exit 1
by_newest=test_package.py
if [ "${1:-}" = --all ]; then
    by_newest='test_*.py'
    shift
fi
folder=$(mkdir -p "${1:-build-wheel}" && cd "${1:-build-wheel}" && pwd) || exit 1
limit=2300000 # bytes of the wheel

skip() {
    echo "skipped: $*"
    exit 77
}

# "VERSION PATH" of each Python that can build and make environments, oldest first.
pythons() {
    local path
    for path in python3 /usr/bin/python3 python3.{9..20} \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
        "$path" - 2>/dev/null <<'EOF'
import ensurepip, os, sys, sysconfig, venv
if sys.version_info >= (3, 9) and sys.version_info.releaselevel == 'final' and \
        os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')):
    print('%d.%02d' % sys.version_info[:2], sys.executable)
EOF
    done | sort -u -k 1,1
}

environment() { # PYTHON FOLDER PACKAGE...
    local python=$1 place=$2
    shift 2
    "$python" -m venv --clear "$place" &&
        "$place/bin/python" -m pip -q --disable-pip-version-check install "$@"
}

found=$(pythons)
[ -n "$found" ] || skip "no Python 3.9 with headers and venv"
oldest=$(head -n 1 <<<"$found") newest=$(tail -n 1 <<<"$found")
environment "${oldest#* }" "$folder/build" build || skip "no network"
rm -f "$folder"/*.whl "$folder"/*.tar.gz
"$folder/build/bin/python" -m build -o "$folder" . >"$folder/build.log" 2>&1 || {
    tail -n 40 "$folder/build.log"
    exit 1
}
wheel=$(echo "$folder"/*.whl)
ls -l "$folder"/*.whl "$folder"/*.tar.gz
status=0 passed=0 failed=0 skipped=0
if [ "$(stat -c %s "$wheel")" -gt $limit ]; then
    echo "the wheel has more than $limit bytes"
    failed=1
fi
"$folder/build/bin/python" -m zipfile -l "$wheel" | grep -q 'dist-info/licenses/LICENSE ' || {
    echo "the wheel has no LICENSE"
    failed=$((failed + 1))
}
# Runs files of tests, as many at once as there are processors, each with a log in the environment.
run_tests() { # PLACE NAME...
    local place=$1
    shift
    # shellcheck disable=SC2016 # they are sh's
    printf '%s\n' "$@" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I '{}' sh -c \
        '"$1/bin/python" "python/tests/$2" -v >"$1/$2.log" 2>&1 || touch "$1/$2.failed"' \
        sh "$place" '{}'
}

# Has the command compute where the first OpenCL loader on the path is an empty file.
teapot_without_loader() { # PLACE
    local empty=$1/no_loader
    mkdir -p "$empty" && : >"$empty/libOpenCL.so.1" && : >"$empty/libOpenCL.so" &&
        env -u CLSPLINE_DEVICE LD_LIBRARY_PATH="$empty" \
            "$1/bin/python" -m clspline -o "$1/teapot.png"
}

for python in "$oldest" "$newest"; do
    place=$folder/${python%% *}
    environment "${python#* }" "$place" "${wheel}[files]" scipy 'dask[array]' mypy || {
        failed=$((failed + 1))
        continue
    }
    teapot_without_loader "$place" || {
        echo "Python ${python%% *}: the package needs OpenCL"
        failed=$((failed + 1))
    }
    files='test_*.py'
    [ "$python" = "$oldest" ] || files=$by_newest
    mapfile -t names < <(cd python/tests && find . -name "$files" -printf '%f\n' | sort)
    run_tests "$place" "${names[@]}"
    for name in "${names[@]}"; do
        if [ -e "$place/$name.failed" ]; then
            echo "Python ${python%% *}: $name"
            tail -n 40 "$place/$name.log"
            failed=$((failed + 1))
        else
            passed=$((passed + 1))
        fi
    done
    [ "$oldest" != "$newest" ] || break
done
[ "$failed" = 0 ] || status=1
echo "$passed passed, $failed failed, $skipped skipped"
exit $status
