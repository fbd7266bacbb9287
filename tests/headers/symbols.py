#!/usr/bin/env python3
"""Compares what the shared library exports with what the headers declare.

usage: symbols.py NM LIBRARY HEADER...

Every function marked CLSP_API must be exported, and nothing else: no helper by mistake, no symbol
without clsp_. A family, whose name follows clsp_, has at most FAMILY_MOST of them, the API
API_MOST.
"""
import collections
import re
import subprocess
import sys

FAMILY_MOST, API_MOST = 17, 66
DECLARATION = re.compile(r'\bCLSP_API\b[^;(]*?\b(\w+)\s*\(')
COMMENT = re.compile(r'/\*.*?\*/', re.S)


def exported(nm, library):
    """Names of the dynamic symbols; __ begins those of sanitizers and the linker."""
    lines = subprocess.run([nm, '-D', '--defined-only', library], stdout=subprocess.PIPE,
                           text=True, check=True).stdout.splitlines()
    names = {line.split()[-1].split('@')[0] for line in lines if line.strip()}
    return {name for name in names if not name.startswith(('__', '_init', '_fini'))}


def declared(paths):
    names = set()
    for path in paths:
        with open(path, encoding='utf-8') as file:
            text = COMMENT.sub('', file.read())
        names |= set(DECLARATION.findall(re.sub(r'^\s*#.*$', '', text, flags=re.M)))
    return names


def main():
    nm, library, *headers = sys.argv[1:]
    have, want = exported(nm, library), declared(headers)
    breaches = [f'{name}: declared CLSP_API but not exported' for name in sorted(want - have)]
    breaches += [f'{name}: exported but not declared CLSP_API' for name in sorted(have - want)]
    breaches += [f'{name}: does not begin with clsp_' for name in sorted(have | want)
                 if not name.startswith('clsp_')]
    families = collections.Counter(name.split('_')[1] for name in want if '_' in name)
    breaches += [f'clsp_{family}: {count} functions, at most {FAMILY_MOST}'
                 for family, count in sorted(families.items()) if count > FAMILY_MOST]
    breaches += [f'{len(want)} functions, at most {API_MOST}'] if len(want) > API_MOST else []
    print('\n'.join(breaches + [f'{len(have)} symbols, {len(breaches)} breaches']))
    sys.exit(bool(breaches) or not want)


if __name__ == '__main__':
    main()
