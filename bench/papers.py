#!/usr/bin/env python3
"""Makes the tables of docs/papers.md from what `clspline-bench papers --json FILE` has measured.

    papers.py PAGE FILE...           writes the tables into the page
    papers.py --check PAGE FILE...   tells whether they are there, by the exit status
    papers.py --keep TO FILE         copies the lines of papers alone, which are few

A page has a line "<!-- paper NNN -->" before each table and "<!-- end -->" behind it. There is a
column for each file, and a line for each number that is printed: of several cases the least and the
most of ours. Needs the standard library only.
"""
import json
import re
import sys


def lines_of(path):
    with open(path, encoding='utf-8') as file:
        for text in file:
            row = json.loads(text)
            if row['suite'].startswith('paper '):
                yield row, text


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


def name_of(row):
    cores = f'{row["cores"]} cores' if row['class'] == 'host' else ''
    limits = f', {row["limits"]}' if row['limits'] else ''
    return f'{cores or row["device"]}{limits}'


def table(paper, files):
    """The Markdown of a paper's table."""
    numbers, columns = {}, []
    for path in files:
        rows = [row for row, _ in lines_of(path) if row['suite'] == 'paper ' + paper]
        if rows:
            columns.append(name_of(rows[0]))
        for row in rows:
            where = row['case'].split(': ')[0]
            key = (where, row['method'], row['printed'])
            numbers.setdefault(key, {}).setdefault(columns[-1], []).append(row)
    text = ['| ' + ' | '.join(['where', 'number', 'printed', *columns]) + ' |',
            '|---' * (3 + len(columns)) + '|']
    for (where, what, printed), by_column in numbers.items():
        cells = [shown(by_column.get(column, [])) for column in columns]
        if any(cells):
            text.append(f'| {where} | {what} | {printed} | ' + ' | '.join(cells) + ' |')
    return '\n'.join(text) + '\n'


def fill(page, files):
    return re.sub(r'(<!-- paper (\d+) -->\n).*?(<!-- end -->)',
                  lambda match: match[1] + '\n' + table(match[2], files) + '\n' + match[3], page,
                  flags=re.S)


def main(arguments):
    if len(arguments) == 3 and arguments[0] == '--keep':
        with open(arguments[1], 'w', encoding='utf-8') as to:
            to.writelines(text for _, text in lines_of(arguments[2]))
        return 0
    check = arguments[:1] == ['--check']
    if len(arguments) < 2 + check:
        sys.exit(__doc__)
    page = arguments[check]
    with open(page, encoding='utf-8') as file:
        text = file.read()
    filled = fill(text, arguments[1 + check:])
    if check:
        if filled != text:
            print(f'{page}: its tables are not those of the files: run bench/papers.py')
        return filled != text
    with open(page, 'w', encoding='utf-8') as file:
        file.write(filled)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
