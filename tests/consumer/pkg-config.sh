#!/bin/sh
# Builds a consumer by pkg-config: pkg-config.sh OUTPUT [--static|--buffers]. Static means clspline
# alone: its archive instead of its shared library, with what that needs. The one with buffers links
# OpenCL itself.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
program=main.c packages=clspline
case ${2:-} in
--buffers) program=buffers.c packages="clspline OpenCL" ;;
esac
# shellcheck disable=SC2086 # one word a package
libs=$(pkg-config --libs $packages)
[ "${2:-}" != --static ] ||
    libs=$(pkg-config --static --libs clspline | sed 's/-lclspline/-l:libclspline.a/')
# shellcheck disable=SC2046,SC2086 # one word an option
${CC:-cc} -std=c99 $(pkg-config --cflags $packages) "$here/$program" -o "$1" $libs -lm
