#!/usr/bin/env python3
"""Prints what a benchmark measured as tables: floor, ours, plain C, the best peer.

    table.py FILE... [--case REGEX] [--precision f32|f64]

The files are those of `clspline-bench SUITE... --json FILE`. There is a table for each device, as
driver, class and limits tell it from others, each family and each precision. Each line of a table
is a case in Markdown: the floor, the library's time by its default method, that of a plain C loop
on all cores of the host, and that of the fastest other program or method, median milliseconds, and
the ratios of these to the library's: above 1 the library is the faster one. Cases without anything
beside them have their share of the floor alone. What was measured twice counts by its later line.
Needs the standard library only.
"""
import argparse
import json
import re
import sys

# Of each family: the suite, the library's method, and what stands beside it: a plain C loop, and
# patterns of others. \1 is what a method's first group matched.
FAMILIES = {
    'Bezier': [
        ('bezier', r'separable()', None, [r'per-point', r'de Casteljau.*']),
        ('host', r'library()', r'C loop, all cores', []),
        ('host', r'host(|, normals)', r'C separable\1', []),
    ],
    'B-splines': [
        ('bspline', r'exact()', None, [r'SISL.*', r'mrep']),
        ('bspline', r'grid()', None, []),
        ('convert', r'bands()', None, [r'matrix']),
    ],
    'Images': [
        ('image', r'recursive()', None, [r'recursive, lines']),
        ('image', r'(.*), library', r'\1, C loop', [r'\1, SciPy.*', r'\1, CuPy.*']),
    ],
    'Solids': [
        ('solid', r'library()', r'plain loop', [r'thread', r'group', r'hybrid']),
        ('solid', r'(regular|layered|irregular|split), library', None, [r'\1, thread']),
        ('solid', r'(scattered|in order), buffers', None, [r"\1, host's threads"]),
        ('solid', r'(\d+\^3)(?:, whole)?', None, [r'\1, plain refinement']),
    ],
}


def device_of(row):
    limits = row['limits'] and f', limits {row["limits"]}'
    return (f'{row["device"]}, {row["platform"]}, driver {row["driver"]}, as {row["class"]}{limits}'
            f'; {row["cores"]} cores, {row["system"]}; clspline {row["version"]}, {row["commit"]}')



def read(paths):
    """{device: {(suite, case): {(method, precision): row}}} of the rows that have times."""
    devices = {}
    for path in paths:
        with open(path, encoding='utf-8') as file:
            for row in (json.loads(line) for line in file if line.strip()):
                if row['time_ms_median']:
                    cases = devices.setdefault(device_of(row), {})
                    methods = cases.setdefault((row['suite'], row['case']), {})
                    methods[row['method'], row['precision']] = row
    return devices


def beside(methods, precision, pattern):
    """The fastest row of a method by a pattern: of the precision, else in double."""
    found = [(key[1] != precision, row['time_ms_median'], row) for key, row in methods.items()
             if re.fullmatch(pattern, key[0]) and key[1] in (precision, 'f64')]
    return min(found, key=lambda x: x[:2])[2] if found else None


def number(value):
    return '' if value is None else f'{value:.3g}' if value < 1000 else f'{value:.0f}'


def line_of(case, match, ours, methods, plain, others):
    def expanded(pattern):
        return pattern.replace(r'\1', re.escape(match.group(1)))

    def time_of(row):
        """Its time for as much as ours did."""
        scale = ours['work'] / row['work'] if ours['work'] and row['work'] else 1.0
        return row['time_ms_median'] * scale

    time, precision = ours['time_ms_median'], ours['precision']
    loop = beside(methods, precision, expanded(plain)) if plain else None
    peers = [beside(methods, precision, expanded(pattern)) for pattern in others]
    peer = min((p for p in peers if p), key=time_of, default=None)
    name = ', '.join(word for word in (case, match.group(1).strip(', ')) if word)
    if not (loop or peer or ours['floor_ms']):
        return None

    def cell(row, *words):
        """Its time, with the words and the precision where that is another."""
        if not row:
            return ''
        words += (row['precision'],) if row['precision'] != precision else ()
        return number(time_of(row)) + (f' ({", ".join(words)})' if words else '')

    cells = [name, number(ours['floor_ms']), number(time)]
    cells += [number(ours['floor_ms'] and ours['floor_ms'] / time)]
    cells += [cell(loop), number(loop and time_of(loop) / time)]
    cells += [cell(peer, peer['method']) if peer else '', number(peer and time_of(peer) / time)]
    return '| ' + ' | '.join(cells) + ' |'


def print_table(family, precision, cases, args):
    lines = []
    for (suite, case), methods in cases.items():
        for of_suite, ours, plain, others in FAMILIES[family]:
            if suite != of_suite or not re.search(args.case, case):
                continue
            for (method, of_row), row in methods.items():
                match = re.fullmatch(ours, method)
                if match and of_row == precision:
                    lines.append(line_of(case, match, row, methods, plain, others))
    lines = [line for line in lines if line]
    if lines:
        print(f'\n{family}, {precision}, ms:\n')
        print('| case | floor | ours | floor/ours | plain C | over ours | best other | over ours |')
        print('|---|---|---|---|---|---|---|---|')
        print('\n'.join(lines))


def main():
    parser = argparse.ArgumentParser(description='prints measured figures as one table a family')
    parser.add_argument('files', metavar='FILE', nargs='+', help='of clspline-bench --json')
    parser.add_argument('--case', default='', metavar='REGEX', help='cases with this in their name')
    parser.add_argument('--precision', choices=('f32', 'f64'))
    args = parser.parse_args()
    try:
        devices = read(args.files)
    except (OSError, ValueError, KeyError) as error:
        print(f'table.py: {error}', file=sys.stderr)
        return 2
    for device, cases in devices.items():
        print(f'\n{device}')
        for family in FAMILIES:
            for precision in (args.precision,) if args.precision else ('f32', 'f64'):
                print_table(family, precision, cases, args)
    return 0


if __name__ == '__main__':
    sys.exit(main())
