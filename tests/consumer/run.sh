#!/bin/sh
# Installs the library into a temporary folder and builds a program with it as users do: by
# pkg-config (shared and static), by CMake's find_package and as a Meson subproject; runs each.
#
# usage: run.sh SOURCE_DIR
#
# Exits with 77 (skipped) where there is no OpenCL device or where a build tool is missing and all
# others went well.
set -eu

source=$(cd "$1" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
result=0

say() { printf '%s\n' "consumer: $*"; }

quietly() { # COMMAND...: its output only when it fails
    "$@" >"$folder/log" 2>&1 || {
        cat "$folder/log"
        return 1
    }
}

check() { # NAME PROGRAM
    code=0
    LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$2" || code=$?
    case $code in
    0) say "$1: ok" ;;
    77) skip "$1: no OpenCL device" ;;
    *) fail "$1: exit status $code" ;;
    esac
}

skip() {
    say "skipped: $*"
    [ $result = 1 ] || result=77
}

fail() {
    say "FAILED: $*"
    result=1
}

install_library() {
    # flags of the tests' own build (sanitizers, say) are not the consumer's
    quietly meson setup "$folder/build" "$source" --prefix="$prefix" --libdir=lib \
        --buildtype=debug -Ddefault_library=both -Dtests=disabled -Dtools=false -Dbench=false
    quietly meson install -C "$folder/build"
}

pkg_config_build() { # OUTPUT [--static]
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} \
        quietly sh "$source/tests/consumer/pkg-config.sh" "$@"
}

by_pkg_config() {
    pkg_config_build "$folder/shared" || { fail pkg-config; return; }
    check pkg-config "$folder/shared"
    [ "$(uname -s)" = Linux ] || return 0
    pkg_config_build "$folder/static" --static || { fail "pkg-config --static"; return; }
    rm -rf "$folder/hidden"
    mkdir "$folder/hidden"
    mv "$prefix"/lib/libclspline.so* "$folder/hidden/" # so that nothing can fall back on it
    check "pkg-config --static" "$folder/static"
    mv "$folder"/hidden/* "$prefix/lib/"
}

cmake_build() { # FOLDER
    quietly cmake -S "$source/tests/consumer" -B "$folder/$1" \
        -G "${CMAKE_GENERATOR:-Ninja}" -DCMAKE_PREFIX_PATH="$prefix" || return 1
    quietly cmake --build "$folder/$1"
}

by_cmake() {
    command -v cmake >/dev/null || { skip "cmake is not installed"; return 0; }
    cmake_build cmake || { fail cmake; return; }
    check "CMake find_package" "$folder/cmake/consumer"
    # an archive without its shared library, as a static-only installation leaves it
    rm "$prefix"/lib/libclspline.so*
    cmake_build archive || { fail "cmake, static"; return; }
    check "CMake find_package, static" "$folder/archive/consumer"
}

by_subproject() {
    mkdir -p "$folder/super/subprojects"
    cp "$source/tests/consumer/main.c" "$source/tests/consumer/meson.build" "$folder/super/"
    ln -s "$source" "$folder/super/subprojects/clspline"
    quietly meson setup "$folder/sub" "$folder/super" --force-fallback-for=clspline ||
        { fail "meson subproject, setup"; return; }
    quietly meson compile -C "$folder/sub" || { fail "meson subproject"; return; }
    check "Meson subproject" "$folder/sub/consumer"
}

install_library || {
    fail "installation"
    exit 1
}
by_pkg_config
by_cmake
by_subproject
exit $result
