#!/bin/sh
# Makes the pictures of docs/guide anew, by the commands that stand below them in its pages.
#
# usage: sh tools/pictures.sh CLSPLINE [FOLDER]
#
# CLSPLINE is the command that was built, as build/tools/clspline. Commands are run one page after
# the other, in a copy of tests/data, so that a page may use a file that it has made.
# FOLDER receives the pictures; by default they replace those in docs/guide/pictures. The moving one
# (drag.gif) also needs ImageMagick, and is left as it is without.
set -eu
LC_ALL=C
export LC_ALL # numbers with a decimal point

[ $# -ge 1 ] || { sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//p;}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
to=$(mkdir -p "${2:-$root/docs/guide/pictures}" && cd "${2:-$root/docs/guide/pictures}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/tests"
cp -r "$root/tests/data" "$work/tests/data"
cp -r "$root/examples" "$work/examples"
rm "$work"/tests/data/*.png # which are no results
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

cd "$work/tests/data"
for page in "$root"/docs/guide/*.md; do
    commands "$page" > page.sh
    ln -sf "$work/photograph" raccoon.png
    PATH="$work/bin:$PATH" sh -eu page.sh
    rm raccoon.png
done

# A control point of the teapot's spout is dragged out and back: a picture of each step, one palette
# for all, so that only what moves is kept of the steps behind the first.
drag() {
    for step in 0 1 2 3 4 5 6 7 8 9; do
        awk -v step=$step '$1 == 0.879433 && $2 == 0.191489 && $3 == 0 {
            way = (1 - cos(3.14159265 * step / 9)) / 2
            $1 += 0.36 * way
            $2 -= 0.2 * way
        } { print }' teapot.bv > drag.bv
        clspline view drag.bv -o drag$step.gif.png --control-points --size 560x392 \
            --direction=-0.5,-0.4,-0.9 --zoom 0.9
    done
    convert drag?.gif.png -append +dither -colors 128 palette.gif.png
    convert -delay 8 -loop 0 drag?.gif.png drag8.gif.png drag7.gif.png drag6.gif.png \
        drag5.gif.png drag4.gif.png drag3.gif.png drag2.gif.png drag1.gif.png \
        +dither -remap palette.gif.png -layers optimize drag.gif
    rm ./*.gif.png
}
if command -v convert > /dev/null; then
    PATH="$work/bin:$PATH" drag
else
    echo "no ImageMagick, drag.gif stays as it is" >&2
fi

for picture in *.png *.gif; do
    [ -f "$picture" ] || continue
    mv "$picture" "$to/$picture"
    printf '%s %s\n' "$(wc -c < "$to/$picture")" "$picture"
done
