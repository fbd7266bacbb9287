#!/bin/sh
# Makes the pictures of docs/guide anew, by the commands that stand below them in its pages.
#
# usage: sh tools/pictures.sh CLSPLINE [FOLDER]
#
# CLSPLINE is the command that was built, as build/tools/clspline. Commands are run one page after
# the other, in a folder with copies of tests/data, so that a page may use a file that it has made.
# FOLDER receives the pictures; by default they replace those in docs/guide/pictures.
set -eu

[ $# -ge 1 ] || { sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//p;}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
to=$(mkdir -p "${2:-$root/docs/guide/pictures}" && cd "${2:-$root/docs/guide/pictures}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$root"/tests/data/*.* "$work"
rm "$work/raccoon.png" # the only picture among them, which is no result
cp "$root/tests/data/raccoon.png" "$work/photograph"
mkdir "$work/bin"
printf '#!/bin/sh\nexec "%s" "$@" -q\n' "$command" > "$work/bin/clspline"
chmod +x "$work/bin/clspline"

# Prints the indented lines of the first block below each picture, or group of them.
commands() {
    awk '/\(pictures\// { shown = 1; next }
         shown && /^    / { print substr($0, 5); in_block = 1; next }
         in_block { shown = in_block = 0 }' "$1"
}

cd "$work"
for page in "$root"/docs/guide/*.md; do
    commands "$page" > page.sh
    ln -sf photograph raccoon.png
    PATH="$work/bin:$PATH" sh -eu page.sh
    rm raccoon.png
done
for picture in *.png; do
    mv "$picture" "$to/$picture"
    printf '%s %s\n' "$(wc -c < "$to/$picture")" "$picture"
done
