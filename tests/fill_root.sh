#!/bin/sh
# Copies the libraries that programs need, and their loader, to the same places below a root folder,
# in which these programs can be run then by chroot.
#
# usage: fill_root.sh ROOT PROGRAM...
set -eu

root=$1
shift
ldd "$@" | grep -o '[[:space:]]/[^ ]*' | sort -u | while read -r file; do
    mkdir -p "$root${file%/*}"
    cp -L "$file" "$root$file"
done
