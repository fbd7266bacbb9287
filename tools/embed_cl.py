#!/usr/bin/env python3
"""Writes the OpenCL C files into one C file.

    embed_cl.py [--prefix NAME] OUTPUT.c DEPFILE FILE.cl...

Each FILE.cl becomes an entry of clspi_sources (src/device/sources.h), or with --prefix of
NAME_sources, declared in NAME_sources.h. #include "x.clh" is replaced by the file's text, once
per program; #line marks keep the compiler's messages at the true file and line. The bytes are
written as numbers: string literals have a length limit in standard C.
"""
import os
import re
import sys

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def flatten(path, seen):
    """The lines of a file with its includes in place."""
    name = os.path.basename(path)
    lines = [f'#line 1 "{name}"']
    seen.append(path)
    with open(path, encoding='ascii') as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if not match:
                lines.append(line.rstrip())
                continue
            included = os.path.join(os.path.dirname(path), match.group(1))
            if included not in seen:
                lines += flatten(included, seen)
            lines.append(f'#line {number + 1} "{name}"')
    return lines


def as_array(name, text):
    numbers = [str(byte) for byte in text.encode('ascii')] + ['0']
    rows = [','.join(numbers[i:i + 24]) for i in range(0, len(numbers), 24)]
    return f'static const char {name}_cl[] = {{\n' + ',\n'.join(rows) + '};\n'


def main():
    args = sys.argv[1:]
    prefix = 'clspi'
    if args[0] == '--prefix':
        prefix = args[1]
        args = args[2:]
    output, depfile, *paths = args
    names = [os.path.splitext(os.path.basename(path))[0] for path in paths]
    read = []
    header = 'sources.h' if prefix == 'clspi' else f'{prefix}_sources.h'
    parts = [f'#include "{header}"\n\n']
    for name, path in zip(names, paths):
        seen = []
        parts.append(as_array(name, '\n'.join(flatten(path, seen)) + '\n'))
        read += seen
    parts.append(f'\nconst {prefix}_source {prefix}_sources[] = {{\n')
    parts += [f'    {{"{name}", {name}_cl}},\n' for name in names]
    parts.append(f'}};\n\nconst size_t {prefix}_num_sources = {len(names)};\n')
    with open(output, 'w', encoding='ascii') as file:
        file.write(''.join(parts))
    with open(depfile, 'w', encoding='ascii') as file:
        file.write(f'{output}: {" ".join(sorted(set(read)))}\n')


if __name__ == '__main__':
    main()
