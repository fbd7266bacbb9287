#!/bin/sh
# Builds a fuzz target with clang's libFuzzer and sanitizers, of all that reads and writes files.
#
# usage: sh tests/fuzz/build.sh bezierview|images|solids|splines OUTPUT
#
# Needs the libraries of all formats (libpng, libtiff, libjpeg, zlib), expat and cJSON.
set -eu
[ $# = 2 ] || { sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//p;}' "$0" >&2; exit 2; }
cd "$(dirname "$0")/../.."
includes=
for folder in tools/io/*/ tools/draw/ tools/tessellate/; do includes="$includes -I$folder"; done
includes="$includes $(pkg-config --cflags expat libcjson)"
deferral=0 # from expat 2.6 on, and in older ones that distributions have mended
if grep -qs XML_SetReparseDeferralEnabled "$(pkg-config --variable=includedir expat)/expat.h"; then
    deferral=1
fi
# shellcheck disable=SC2086 # words
exec clang -std=c11 -D_POSIX_C_SOURCE=200809L -g -O1 -fsanitize=fuzzer,address,undefined \
    -DIO_HAS_TIFF=1 -DIO_HAS_NIFTI=1 -DIO_HAS_JPEG=1 -DIO_HAS_ZLIB=1 \
    -DIO_HAS_REPARSE_DEFERRAL=$deferral \
    $includes \
    "tests/fuzz/$1_fuzz.c" tools/io/*/*.c tools/draw/*.c tools/tessellate/*.c \
    -lpng -ltiff -ljpeg -lz -lexpat -lcjson -lm -lpthread -o "$2"
