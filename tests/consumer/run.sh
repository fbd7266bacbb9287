#!/bin/sh
# Installs the library and the command into a temporary folder, runs the command from there and, as
# root, from a root folder that holds nothing else but the libraries that it needs; builds a program
# with the library as users do: by pkg-config (shared and static), by CMake's find_package and as a
# Meson subproject, which CLSPLINE_TEST_SIZE=full alone does, since it is another build of the
# library; runs each. That program computes on the host and is built as where OpenCL is not
# installed; another one has buffers, and brings OpenCL itself.
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

# A bare Debian has no dpkg-architecture, by which Meson chooses another folder of libraries. The
# system's cache of libraries is left alone.
make_bare() {
    mkdir "$folder/bin"
    printf '#!/bin/sh\nexit 1\n' >"$folder/bin/dpkg-architecture"
    printf '#!/bin/sh\necho called >"%s/ldconfig"\n' "$folder" >"$folder/bin/ldconfig"
    chmod +x "$folder"/bin/*
    PATH=$folder/bin:$PATH
}

install_library() {
    tools=false
    ! pkg-config --exists 'libpng >= 1.6' expat libcjson || tools=true
    # flags of the tests' own build (sanitizers, say) are not the consumer's
    quietly meson setup "$folder/build" "$source" --prefix="$prefix" --buildtype=plain \
        -Ddefault_library=both -Dtests=disabled -Dtools=$tools -Dbench=false -Dpython=disabled
    quietly meson install -C "$folder/build"
    # what there is of OpenCL for a program that has not asked for it
    mkdir -p "$folder/none/CL"
    echo '#error "clspline wants OpenCL"' >"$folder/none/CL/cl.h"
    printf 'Name: OpenCL\nDescription: none\nVersion: 0\nRequires: no-opencl\n' \
        >"$folder/none/OpenCL.pc"
    [ "$(uname -s)" != Linux ] || [ "$(id -u)" != 0 ] || [ -e "$folder/ldconfig" ] ||
        fail "the loader's cache was left as it was"
}

# ---- the command ----

check_version() { # NAME COMMAND...
    name=$1 version=none
    shift
    version=$(env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin "$@" --version 2>&1) || :
    case $version in
    'clspline '[0-9]*) say "$name: ok" ;;
    *) fail "$name: $version" ;;
    esac
}

# A root folder with the command's libraries and its loader, which looks below /usr/local as
# Debian's does. Its cache stands for the one that meson install renews.
fill_root() { # PROGRAM ROOT
    sh "$source/tests/fill_root.sh" "$2" "$1"
    rm -rf "$2$folder"
    mkdir "$2/etc"
    echo /usr/local/lib >"$2/etc/ld.so.conf"
    quietly /sbin/ldconfig -r "$2"
}

by_command() {
    [ $tools = true ] || { skip "the command is not built: no libpng, expat or cJSON"; return 0; }
    if env -u LD_LIBRARY_PATH ldd "$prefix/bin/clspline" | grep -v libclspline |
        grep -q 'not found'; then
        skip "the command by itself: libraries are found by LD_LIBRARY_PATH only"
        return 0
    fi
    check_version "the command, in a folder of its own" "$prefix/bin/clspline"
    if [ "$(uname -s)" != Linux ] || [ "$(id -u)" != 0 ]; then
        skip "the command in a bare root: needs Linux and root"
        return 0
    fi
    quietly meson configure "$folder/build" --prefix=/usr/local ||
        { fail "another prefix"; return; }
    DESTDIR=$folder/root quietly meson install -C "$folder/build" ||
        { fail "installation below DESTDIR"; return; }
    fill_root "$prefix/bin/clspline" "$folder/root"
    check_version "the command, in a bare root" chroot "$folder/root" /usr/local/bin/clspline
}

# ---- programs ----

without_opencl() { # COMMAND...
    PKG_CONFIG_PATH=$folder/none${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} \
        CC="${CC:-cc} -isystem $folder/none" "$@"
}

pkg_config_build() { # OUTPUT [--static|--buffers]
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} \
        quietly sh "$source/tests/consumer/pkg-config.sh" "$@"
}

by_pkg_config() {
    without_opencl pkg_config_build "$folder/shared" || { fail pkg-config; return; }
    check pkg-config "$folder/shared"
    pkg_config_build "$folder/buffers" --buffers || { fail "pkg-config, buffers"; return; }
    check "pkg-config, buffers" "$folder/buffers"
    [ "$(uname -s)" = Linux ] || return 0
    without_opencl pkg_config_build "$folder/static" --static ||
        { fail "pkg-config --static"; return; }
    rm -rf "$folder/hidden"
    mkdir "$folder/hidden"
    mv "$prefix"/lib/libclspline.so* "$folder/hidden/" # so that nothing can fall back on it
    check "pkg-config --static" "$folder/static"
    mv "$folder"/hidden/* "$prefix/lib/"
}

cmake_build() { # FOLDER OPTION...
    build=$folder/$1
    shift
    quietly cmake -S "$source/tests/consumer" -B "$build" \
        -G "${CMAKE_GENERATOR:-Ninja}" -DCMAKE_PREFIX_PATH="$prefix" "$@" || return 1
    quietly cmake --build "$build"
}

cmake_build_without() { # FOLDER
    without_opencl cmake_build "$1" -DCMAKE_DISABLE_FIND_PACKAGE_OpenCL=ON
}

by_cmake() {
    command -v cmake >/dev/null || { skip "cmake is not installed"; return 0; }
    cmake_build_without cmake || { fail cmake; return; }
    check "CMake find_package" "$folder/cmake/consumer"
    cmake_build buffers-cmake -DWITH_BUFFERS=ON || { fail "cmake, buffers"; return; }
    check "CMake find_package, buffers" "$folder/buffers-cmake/consumer"
    # an archive without its shared library, as a static-only installation leaves it
    rm "$prefix"/lib/libclspline.so*
    cmake_build_without archive || { fail "cmake, static"; return; }
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

make_bare
install_library || {
    fail "installation"
    exit 1
}
by_command
by_pkg_config
by_cmake
[ "${CLSPLINE_TEST_SIZE:-}" != full ] || by_subproject
exit $result
