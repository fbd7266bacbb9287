#!/bin/sh
# Builds the consumer by pkg-config: pkg-config.sh OUTPUT [--static]. Static means clspline alone:
# its archive instead of its shared library, with what that needs.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ "${2:-}" = --static ]; then
    libs=$(pkg-config --static --libs clspline | sed 's/-lclspline/-l:libclspline.a/')
else
    libs=$(pkg-config --libs clspline)
fi
# shellcheck disable=SC2046,SC2086 # one word an option
${CC:-cc} -std=c99 $(pkg-config --cflags clspline) "$here/main.c" -o "$1" $libs -lm
