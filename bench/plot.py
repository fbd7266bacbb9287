#!/usr/bin/env python3
"""Draws what clspline-bench wrote with --json.

    plot.py BENCH.json [-o FOLDER]

For each suite, precision and unit one picture, FOLDER/SUITE-PRECISION-UNIT.png: the rate of every
case by method as points, and as a line the rate that the device's floors allow; ratios without that
line. Of the suite `bezier` also FOLDER/batches-PRECISION.png, the rate over the number of patches,
and FOLDER/degrees-PRECISION.png, over the degree. Of the suite `cooperate`
FOLDER/figure-9-PRECISION.png, the time of a frame over the host's part in percent, and
FOLDER/figure-10-PRECISION.png, the frames a second by the number of host threads, as the figures 9
and 10 of Palomar et al., 2018. Needs matplotlib.
"""
import argparse
import json
import os
import re
import sys

UNITS = {'point/s': (1e9, 'Gpoint/s'), 'byte/s': (1e9, 'GB/s'), 'flop/s': (1e9, 'Gflop/s'),
         'frame/s': (1, 'frames/s'), 'ratio': (1, 'times as fast')}
# What has a picture of its own, below.
SPLITS, BY_THREADS = 'cooperate-9', 'cooperate-10'
SPLIT = re.compile(r'static (\d+)%$')
THREADS = re.compile(r'(\w+), (\d+) threads$')
CASE = re.compile(r'(\d+)x\d+, (?:(\d+) of )?(\d+)x\d+$')


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
    methods = list(dict.fromkeys(row['method'] for row in rows))
    for i, method in enumerate(methods):
        mine = [row for row in rows if row['method'] == method]
        axes.plot([place[row['case']] for row in mine], [row['rate'] / scale for row in mine],
                  'os^Dv'[i // 10 % 5], markersize=5, label=method)  # there are 10 colours
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
    if len(methods) > 8:
        axes.legend(fontsize=8, loc='center left', bbox_to_anchor=(1, 0.5))
    else:
        axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def curves_of(rows, key_of, fixed_of):
    """{label: [(x, rate)]} of the separable method's rows, by what key_of gives and what else the
    case has; both take (order, patches, samples)."""
    curves = {}
    for row in rows:
        match = CASE.match(row['case'])
        if row['suite'] != 'bezier' or row['method'] != 'separable' or not match:
            continue
        case = int(match[1]), int(match[2] or 1), int(match[3])
        curves.setdefault(fixed_of(*case), []).append((key_of(*case), row['rate']))
    return {label: sorted(points) for label, points in curves.items() if len(points) > 2}


def draw_curves(plt, curves, title, label, path):
    figure, axes = plt.subplots(figsize=(7, 5))
    for name, points in curves.items():
        axes.plot([x for x, _ in points], [rate / 1e9 for _, rate in points], 'o-', markersize=4,
                  label=name)
    axes.set_xscale('log')
    axes.set_yscale('log')
    axes.set_xlabel(label)
    axes.set_ylabel('Gpoint/s')
    axes.set_title(title, fontsize=10)
    axes.grid(which='both', alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)
    print(path)


def draw_all_curves(plt, rows, folder):
    for precision in dict.fromkeys(row['precision'] for row in rows if row['precision']):
        mine = [row for row in rows if row['precision'] == precision]
        title = f'{precision}: {rows[0]["device"]}'
        batches = curves_of(mine, lambda order, patches, samples: patches,
                            lambda order, patches, samples: f'{order}x{order}, {samples}x{samples}')
        degrees = curves_of(mine, lambda order, patches, samples: order - 1,
                            lambda order, patches, samples: f'{patches} of {samples}x{samples}')
        if batches:
            draw_curves(plt, batches, title, 'patches',
                        os.path.join(folder, f'batches-{precision}.png'))
        if degrees:
            draw_curves(plt, degrees, title, 'degree',
                        os.path.join(folder, f'degrees-{precision}.png'))


def draw_splits(plt, rows, title, path):
    """Figure 9: a curve for each number of control points and each resolution."""
    curves = {}
    for row in rows:
        match = SPLIT.match(row['method'])
        if match:
            curves.setdefault(row['case'], []).append((int(match[1]), row['time_ms_median']))
    figure, axes = plt.subplots(figsize=(8, 5))
    for i, (case, points) in enumerate(curves.items()):
        line, = axes.plot(*zip(*points), 'os^'[i % 3] + '-', markersize=3, label=case)
        best = min(points, key=lambda point: point[1])
        axes.plot(*best, 'o', markersize=9, fillstyle='none', color=line.get_color())
    axes.set_yscale('log')
    axes.set_xlabel('part of the host in percent (rings: the best)')
    axes.set_ylabel('ms a frame')
    axes.set_title(title, fontsize=10)
    axes.grid(which='both', alpha=0.3)
    axes.legend(fontsize=8, loc='center left', bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)
    print(path)


def draw_threads(plt, rows, title, path):
    """Figure 10: a group of bars for each case, a bar for each schedule and number of threads."""
    cases = list(dict.fromkeys(row['case'] for row in rows))
    bars = list(dict.fromkeys(row['method'] for row in rows if THREADS.match(row['method'])))
    width = 0.8 / max(1, len(bars))
    figure, axes = plt.subplots(figsize=(max(7, 1.1 * len(cases) + 2), 5))
    for i, method in enumerate(bars):
        mine = [(cases.index(row['case']), 1e3 / row['time_ms_median'])
                for row in rows if row['method'] == method]
        axes.bar([x + (i - (len(bars) - 1) / 2) * width for x, _ in mine], [y for _, y in mine],
                 width, label=method, hatch='//' if method.startswith('svm') else None)
    axes.set_xticks(range(len(cases)), cases, rotation=30, ha='right', fontsize=8)
    axes.set_ylabel('frames/s')
    axes.set_title(title, fontsize=10)
    axes.grid(axis='y', alpha=0.3)
    axes.legend(fontsize=8, loc='center left', bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)
    print(path)


def draw_cooperation(plt, rows, folder):
    for suite, number, draw_rows in ((SPLITS, 9, draw_splits), (BY_THREADS, 10, draw_threads)):
        for precision in ('f32', 'f64'):
            mine = [row for row in rows if row['suite'] == suite and row['precision'] == precision]
            if mine:
                draw_rows(plt, mine, f'{precision}: {mine[0]["device"]}',
                          os.path.join(folder, f'figure-{number}-{precision}.png'))


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
    all_rows = read_rows(args.json)
    for key, rows in groups_of(all_rows).items():
        suite, precision, unit = key
        if suite in (SPLITS, BY_THREADS):
            continue
        name = f'{suite}-{precision}-{unit.split("/")[0]}.png'
        draw(plt, key, rows, os.path.join(args.output, name))
        print(os.path.join(args.output, name))
    draw_all_curves(plt, all_rows, args.output)
    draw_cooperation(plt, all_rows, args.output)


if __name__ == '__main__':
    main()
