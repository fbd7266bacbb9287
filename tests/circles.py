#!/usr/bin/env python3
"""Compares the files that call each other with those that docs/architecture.md names.

usage: circles.py NM SOURCE_DIR ARCHIVE...

The archives hold the library's objects; NM lists what each defines and what it needs. A circle is a
set of files of which each needs every other one, be it by way of others. Exits with 1 where a
circle is not in the list "Files that need each other", or one of the list is none.
"""
import pathlib
import re
import subprocess
import sys

LEVEL = re.compile(r'_(base|v[234])$')  # math/level.h: one function, compiled several times
OBJECT = re.compile(r'\[(?:.*[/\\])?([^/\\]+)\.c\.o(?:bj)?\]: (\S+) (\w)')
ROW = re.compile(r'^- (src/\w+(?:/\w+)*): ([\w/,\s]+): ', re.M)


def file_names(source):
    """Gives the path of each file by the name that Meson gives its object."""
    return {'_'.join(path.relative_to(source / 'src').with_suffix('').parts): path
            for path in (source / 'src').rglob('*.c')}


def calls_of(nm, source, archives):
    """Gives the files that each file needs."""
    names, defined, needed = file_names(source), {}, {}
    listing = subprocess.check_output([nm, '-A', '-P', *archives], text=True)
    for name, symbol, kind in OBJECT.findall(listing):
        if name in names and kind == 'U':
            needed.setdefault(names[name], set()).add(LEVEL.sub('', symbol))
        elif name in names and kind.isupper():
            defined[LEVEL.sub('', symbol)] = names[name]
    return {path: {defined[s] for s in symbols if s in defined} - {path}
            for path, symbols in needed.items()}


def circles_of(calls):
    """Gives the sets of files that reach each other."""
    def reached(path):
        found, waiting = set(), [path]
        while waiting:
            new = calls.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found
    reach = {path: reached(path) for path in calls}
    return {frozenset(q for q in reach[path] if path in reach.get(q, ()))
            for path in calls if path in reach[path]}


def main():
    nm, source, archives = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    calls = calls_of(nm, source, archives)
    if len(calls) < 100:
        sys.exit(f'circles: {nm} tells of {len(calls)} files alone')
    page = (source / 'docs/architecture.md').read_text()
    named = {frozenset(source / folder / f'{name}.c' for name in re.split(r',\s+', names))
             for folder, names in ROW.findall(page)}
    found = circles_of(calls)
    for what, circles in (('is not named', found - named), ('is none', named - found)):
        for circle in circles:
            paths = sorted(str(path.relative_to(source)) for path in circle)
            print(f'docs/architecture.md: the circle of {", ".join(paths)} {what}')
    sys.exit(found != named)


if __name__ == '__main__':
    main()
