#!/usr/bin/env python3
"""Makes the tables of docs/performance.md and docs/papers.md from what `clspline-bench --json` has
measured.

    figures.py PAGE FILE...           writes the tables into the page
    figures.py --check PAGE FILE...   tells whether they are there, by the exit status
    figures.py --print FILE...        prints all tables of which the files have rows
    figures.py --keep TO FILE...      copies the rows that some table has, which are few

A page has a line "<!-- table NAME -->" before each table, NAME one of TABLES or devices, or
"<!-- paper NNN -->", and "<!-- end -->" behind it. A table of TABLES has a line for each case and
device: the median time, the rate, the share of what the device can do at best, and the fastest of
what was measured beside it with its time over the library's. A table of a paper has a column for
each file and a line for each number that is printed: of several cases the least and the most of
ours. Needs the standard library only.
"""
import os
import re
import sys
import textwrap

import rows as reader

# Cases of the host's code that the page has, of some hundreds that the suite has.
HOST_CASES = (
    r'(4x4, 28 of 64x64(, normals|, derivatives|, second derivatives|, curvature|, halves|'
    r', watertight|, rational(, normals)?)?|12x12, 28 of 64x64(, normals|, derivatives)?|'
    r'32x32, 8 of 64x64|101x101, 2 of 128x128|4x4, 2000 of 8x8|4x4, 1000x1000(, normals)?|'
    r'patch grids 4x4, 1000 of 17x17(, normals)?|curves 4 in 4-D.*|triangles 4.*|volumes 4, 96.*|'
    r'B-splines 4x4, 2 of 300x300(, normals)?|list, (4x4(, derivatives)?|B-spline 4x4)|'
    r'image (64|512|2048)\^2, order [13]|image 512\^2, (gradient|coordinates), order 3|'
    r'image 96\^3, order 3|prefilter (64|512|2048)\^2, order 3|prefilter 128\^3, order 3|'
    r'solid, \w+, ([48]\^3(, double)?|4\^3, derivatives|list))')
# Of each table: the suite, cases, the library's method, and what stands beside it, by patterns.
# Cases of double precision end in ", double". \1 is what the method's first group matched, which
# the name of a case is followed by.
TABLES = {
    'floors': [('floor', r'.*', r'(.*)', [])],
    'bezier': [('bezier', r'.*', r'separable()', [r'per-point', r'de Casteljau.*'])],
    'vertices': [('outputs', r'.*', r'((?:points|both|rational).*)', [])],
    'bspline': [('bspline', r'64x64.*', r'grid()', []),
                ('bspline', r'.* to .*', r'count and write()', [])],
    'conversions': [('convert', r'.*', r'bands()', [r'matrix'])],
    'curves': [('bspline', r'\w (wild|tame), \d+', r'exact()', [r'mrep', r'SISL.*'])],
    'surfaces': [('project', r'.*', r'processor time()|(device memory)',
                  [r'samples, .*', r'SISL.*', r'OCCT.*'])],
    'images': [('image', r'prefilter.*', r'recursive()',
                [r'recursive, lines', r'15 cut off, staged']),
               ('image', r'(?:rotation|zoom).*', r'(cubic, \w+(?: shot)?)', [r'lines, one shot']),
               ('image', r'beside others.*', r'(.*), library',
                [r'\1, C loop', r'\1, SciPy.*', r'\1, CuPy.*'])],
    'solids': [('solid', r'(?:refined )?kinds, .*', r'(regular|layered|irregular|split), library',
                [r'\1, thread', r'\1, group']),
               ('solid', r'.*, level .*\^3', r'library()', [r'plain loop', r'thread', r'hybrid']),
               ('solid', r'refinement of points', r'library()', []),
               ('solid', r'unlike cells', r'(\d\^3)', []),
               ('solid', r'.*, lists', r'(scattered|in order), buffers', [r"\1, host's threads"]),
               ('solid', r'.*, places', r'(of parameters|in the box)', [])],
    'sharing': [('cooperate', r'.*', r'(auto \(\w+\))', [r'device']),
                ('cooperate', r'.*', r'(auto \(\w+\), plain)', [r'device, plain'])],
    'frames': [('render', r'.*', r'(shared, \w+|staged map)', [r'upload'])],
    'first': [('first-call', r'.*', r'(evaluation, \w+)', [r'empty kernel, \w+'])],
    'host': [('processors', HOST_CASES, r'(?:host|default call)()', [r'C loop'])],
}
HEAD = ['case', 'device', 'ms', 'rate', 'of the floor', 'beside it', 'times as long']
SCALES = (('T', 1e12), ('G', 1e9), ('M', 1e6), ('k', 1e3), ('', 0))


# ---- words ----

def number(value):
    """Three digits of a number, never in powers of ten."""
    if value is None:
        return ''
    if value >= 100:
        return f'{value:.0f}'
    return f'{value:.3g}' if value >= 1e-3 else f'{value:.5f}'


def rate_of(row):
    if row['rate'] is None or not row['unit']:
        return ''
    if not row['unit'].endswith('/s'):
        return f'{number(row["rate"])} {row["unit"]}'
    letter, scale = next(pair for pair in SCALES if row['rate'] >= pair[1])
    unit = row['unit'].replace('byte', 'B').replace('flop', 'FLOP')
    return f'{number(row["rate"] / (scale or 1))} {letter}{unit}'


def device_of(row):
    """A device in a word or two: the host is told by its cores."""
    cores = f'{row["cores"]} core{"s" if row["cores"] > 1 else ""}'
    platform = {'Portable': 'PoCL'}.get(row['platform'].split()[0], row['platform'].split()[0])
    name = {'host': cores, 'cpu': f'{platform}, {cores}'}.get(row['class'])
    name = name or row['device'].replace('NVIDIA ', '')
    return name + (f', {row["limits"]}' if row['limits'] else '')


def origin_of(row):
    return device_of(row), row['commit'], row['date']


def devices(files):
    """The Markdown of where rows come from: an item a device, commit and day."""
    found = {f'- *{device_of(row)}*: {row["device"]}, platform {row["platform"]}, driver '
             f'{row["driver"]}, beside {row["cores"]} cores, {row["system"]}; clspline '
             f'{row["version"]}, commit {row["commit"]}, {row["date"][:10]}.': None
             for rows in files for row in rows}
    return ''.join(textwrap.fill(text, 100, subsequent_indent='  ', break_long_words=False,
                                 break_on_hyphens=False) + '\n' for text in found)


# ---- tables of measured rows ----

def beside(found, ours, patterns):
    """The row that does as much as ours the fastest, of its precision or else of double."""
    rows = [row for row in found if cost_of(row) and row is not ours and
            (row['unit'] == 'us/point') == (ours['unit'] == 'us/point') and
            any(re.fullmatch(pattern, row['method']) for pattern in patterns)]
    for precision in (ours['precision'], 'f64'):
        mine = [row for row in rows if row['precision'] == precision]
        if mine:
            return min(mine, key=cost_of)
    return None


def cost_of(row):
    """The time of a unit of work, of which costs of one case are ratios; None without one."""
    if row['unit'] == 'us/point':
        return row['rate']
    return row['time_ms_median'] and row['time_ms_median'] / (row['work'] or 1)


def lines_of(entries, files):
    """The lines of a table: name, ours, and what stands beside it or None. What was measured twice
    counts by its later line."""
    cases, lines = {}, {}
    for rows in files:
        for row in rows:
            by_origin = cases.setdefault((row['suite'], row['case']), {})
            by_origin.setdefault(origin_of(row), []).append(row)
    for suite, case_pattern, method, patterns in entries:
        for (of_suite, case), by_origin in cases.items():
            for row in (row for found in by_origin.values() for row in found):
                full = case + (', double' if row['precision'] == 'f64' else '')
                match = re.fullmatch(method, row['method'])
                if of_suite != suite or not re.fullmatch(case_pattern, full) or not match or \
                        not cost_of(row):
                    continue
                of = next(filter(None, match.groups()), '')
                words = [pattern.replace(r'\1', re.escape(of)) for pattern in patterns]
                name = ', '.join(word for word in (full, of) if word)
                found = by_origin[origin_of(row)]
                lines[name, device_of(row)] = name, row, beside(found, row, words)
    return lines.values()


def compared(row, other):
    if not other:
        return '', ''
    precision = ', double' if other['precision'] != row['precision'] else ''
    return other['method'] + precision, number(cost_of(other) / cost_of(row))


def table(name, files):
    """The Markdown of a table; no text where the files have none of its rows."""
    if name == 'devices':
        return devices(files)
    text = []
    for case, row, other in lines_of(TABLES[name], files):
        share = row['fraction_of_floor']
        is_cost = row['unit'] == 'us/point'
        text.append([case, device_of(row),
                     '' if is_cost else number(row['time_ms_median']), rate_of(row),
                     f'{100 * share:.0f}%' if share is not None else '',
                     *compared(row, other)])
    return markdown(HEAD, text)


def markdown(head, cells):
    """A table without the columns that are empty, from the cells of its lines."""
    used = [k for k in range(len(head)) if any(line[k] for line in cells)]
    if not cells:
        return ''
    lines = [[line[k] for k in used] for line in (head, *cells)]
    is_wide = any(sum(map(len, line)) + 3 * len(line) + 1 > 100 for line in lines)
    lines = ['|' + '|'.join(line) + '|' if is_wide else '| ' + ' | '.join(line) + ' |'
             for line in lines]
    return '\n'.join([lines[0], '|---' * len(used) + '|', *lines[1:]]) + '\n'


# ---- tables of papers ----

def shown(rows):
    """What was measured, as text."""
    values = [row['rate'] for row in rows if row['rate'] is not None]
    if not values:
        return ''
    unit = {'ratio': '', None: ''}.get(rows[0]['unit'], ' ' + str(rows[0]['unit']))
    if unit == ' cells':
        return ', '.join(f'{value:.0f}' for value in values)
    least, most = (f'{value:.3g}' for value in (min(values), max(values)))
    return (least if least == most else f'{least} to {most}') + unit


def paper_table(paper, files):
    numbers, columns = {}, []
    for rows in files:
        rows = [row for row in rows if row['suite'] == 'paper ' + paper]
        if rows:
            columns.append(rows[0]['device'] if rows[0]['class'] != 'host' else device_of(rows[0]))
        for row in rows:
            key = row['case'].split(': ')[0], row['method'], row['printed']
            numbers.setdefault(key, {}).setdefault(columns[-1], []).append(row)
    text = []
    for key, by_column in numbers.items():
        cells = [shown(by_column.get(column, [])) for column in columns]
        if any(cells):
            text.append([*key, *cells])
    return markdown(['where', 'number', 'printed', *columns], text)


# ---- pages ----

def fill(page, files):
    def made(match):
        text = (paper_table if match[2] == 'paper' else table)(match[3], files)
        return match[1] + '\n' + text + '\n' + match[4]
    return re.sub(r'(<!-- (table|paper) (\w+) -->\n).*?(<!-- end -->)', made, page, flags=re.S)


def kept(files):
    """The rows that tables have, in the order of the files."""
    used = {id(row) for entries in TABLES.values() for _, ours, other in lines_of(entries, files)
            for row in (ours, other) if row}
    return [row for rows in files for row in rows
            if id(row) in used or row['suite'].startswith('paper ')]


def main(arguments):
    option = arguments.pop(0) if arguments[:1] and arguments[0].startswith('--') else ''
    path = arguments.pop(0) if option != '--print' and arguments else ''
    if option not in ('', '--check', '--print', '--keep') or not arguments:
        sys.exit(__doc__)
    files = [reader.read(name) for name in arguments]
    if option == '--keep':
        reader.write(path, kept(files))
        return 0
    if option == '--print':
        for name in ('devices', *TABLES):
            text = table(name, files)
            print(f'\n{name}\n\n{text}' if text else '', end='')
        return 0
    with open(path, encoding='utf-8') as file:
        text = file.read()
    filled = fill(text, files)
    if option == '--check':
        if filled != text:
            print(f'{path}: its tables are not those of the files: run '
                  f'{os.path.relpath(__file__)} {path} {" ".join(arguments)}')
        return filled != text
    with open(path, 'w', encoding='utf-8') as file:
        file.write(filled)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
