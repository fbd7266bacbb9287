#!/bin/sh
# Builds and tests in a place as odd as a stranger's: from a tarball, in a folder whose name has
# blanks and umlauts and that nobody may write to, as the user nobody, in another language, without
# a home, without a network, and without an OpenCL device. Then looks for files that were written
# elsewhere than in the build folder.
#
# usage: odd_places.sh SOURCE_DIR [MESON_ARGUMENT...]
#
# MESON_ARGUMENT...: what to test (default: small cases of what the README's command tests). The
# last line is "N passed, N failed, N skipped". Needs root; exits with 77 (skipped) without it.
set -eu

source=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- --no-suite thorough
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
    echo "odd_places: skipped: only root can become nobody"
    exit 77
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
tree="$place/Größe in Metern/clspline"
build="$place/Bau von heute"
mkdir -p "$tree" "$build" "$place/none"

# What git knows, as it is here, or all where there is no git.
if git -C "$source" rev-parse --git-dir >/dev/null 2>&1; then
    git -C "$source" ls-files -z | (cd "$source" && xargs -0 tar cf -)
else
    tar cf - -C "$source" --exclude='./build*' .
fi | tar xf - -C "$tree"
chmod -R a-w,a+rX "$place/Größe in Metern"
chown nobody "$build"

# German where there is a compiler of locales.
locale=C.UTF-8
if command -v localedef >/dev/null &&
    localedef -i de_DE -f UTF-8 "$place/de_DE.UTF-8" 2>/dev/null; then
    locale=de_DE.UTF-8
fi
network=
if unshare -n true 2>/dev/null; then network='unshare -n'; fi

nobody() { # COMMAND...
    # shellcheck disable=SC2086 # one word or none
    (cd "$build" && $network setpriv --reuid nobody --regid nogroup --clear-groups \
        env -i PATH="$PATH" CCACHE_DISABLE=1 LANG="$locale" LC_ALL="$locale" LOCPATH="$place" \
        TMPDIR="$build/tmp" OCL_ICD_VENDORS="$place/none" CLSPLINE_TEST_SIZE=tiny "$@")
}

nobody mkdir tmp
touch "$place/begin"
nobody meson setup . "$tree" -Dtests=enabled >"$place/setup.log" 2>&1 || {
    cat "$place/setup.log"
    exit 1
}
nobody meson compile >"$place/compile.log" 2>&1 || {
    tail -n 30 "$place/compile.log"
    exit 1
}
status=0
nobody meson test --no-rebuild --print-errorlogs --timeout-multiplier 20 "$@" || status=$?
left=$(find / -xdev -user nobody -newer "$place/begin" ! -path "$build*" ! -path '/proc/*' \
    2>/dev/null) || true
if [ -n "$left" ]; then
    echo "files that were written outside of the build folder:"
    echo "$left"
    status=1
fi
python3 "$source/tests/summary.py" --reasons "$build/meson-logs/testlog.json" || status=1
exit "$status"
