#!/usr/bin/env python3
"""Draws what clspline-bench wrote with --json.

    plot.py BENCH.json [-o FOLDER]

For each suite, precision and unit one picture, FOLDER/SUITE-PRECISION-UNIT.png: the rate of every case by method as
points, and as a line the rate that the device's floors allow. Needs matplotlib.
"""
import argparse
import json
import os
import sys

UNITS = {'point/s': (1e9, 'Gpoint/s'), 'byte/s': (1e9, 'GB/s'), 'flop/s': (1e9, 'Gflop/s')}


def read_rows(path):
    """The lines that have a rate in a unit that can be drawn."""
    with open(path, encoding='utf-8') as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return [row for row in rows if row['unit'] in UNITS and row['rate'] is not None]


def groups_of(rows):
    """The rows by suite, precision and unit, in the file's order."""
    groups = {}
    for row in rows:
        groups.setdefault((row['suite'], row['precision'], row['unit']), []).append(row)
    return groups


def draw(plt, key, rows, path):
    suite, precision, unit = key
    scale, label = UNITS[unit]
    cases = list(dict.fromkeys(row['case'] for row in rows))
    place = {case: i for i, case in enumerate(cases)}
    figure, axes = plt.subplots(figsize=(max(6, 0.35 * len(cases) + 3), 5))
    for method in dict.fromkeys(row['method'] for row in rows):
        mine = [row for row in rows if row['method'] == method]
        axes.plot([place[row['case']] for row in mine], [row['rate'] / scale for row in mine],
                  'o', markersize=5, label=method)
    floors = {row['case']: row['work'] / (row['floor_ms'] * 1e-3)
              for row in rows if row['floor_ms']}
    if floors:
        axes.plot([place[case] for case in floors], [rate / scale for rate in floors.values()],
                  'k-', linewidth=1, label='floor')
    axes.set_yscale('log')
    axes.set_ylabel(label)
    axes.set_xticks(range(len(cases)), cases, rotation=60, ha='right', fontsize=8)
    axes.set_title(f'{suite}, {precision}: {rows[0]["device"]}', fontsize=10)
    axes.grid(axis='y', which='both', alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description='draws what clspline-bench wrote with --json')
    parser.add_argument('json', help='the file')
    parser.add_argument('-o', '--output', default='.', metavar='FOLDER', help='default: here')
    args = parser.parse_args()
    try:
        import matplotlib
        matplotlib.use('Agg')
        import matplotlib.pyplot as plt
    except ImportError:
        sys.exit('plot.py needs matplotlib (Debian: python3-matplotlib)')
    os.makedirs(args.output, exist_ok=True)
    for key, rows in groups_of(read_rows(args.json)).items():
        suite, precision, unit = key
        name = f'{suite}-{precision}-{unit.split("/")[0]}.png'
        draw(plt, key, rows, os.path.join(args.output, name))
        print(os.path.join(args.output, name))


if __name__ == '__main__':
    main()
