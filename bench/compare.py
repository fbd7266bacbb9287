#!/usr/bin/env python3
"""Compares the benchmarks of two builds, case by case.

    compare.py OLD_BUILD NEW_BUILD [SUITE...] [--quick] [--rounds N] [--device WORDS] [--json FILE]

Each build is a build folder, or a clspline-bench itself. For each suite (default: all that both
have, save `floor`) the two run in turns, old new new old old new new old ..., so that a drift of
the machine meets both alike; --rounds says how often each of them (default 4; an even number is
best).

Prints for each line of the benchmark the ratio new/old of the shortest times, and of the medians of
the runs' medians, the worst first. Lines that are slower by more than 3 per cent in both are
measured again, with three times as many rounds: alone, case by case, where both builds know
`--case`, else with their suite. They count as slower when they are so by these new times as well,
without the first ones, among which they were chosen. Lines of the benchmark's own kernels and
loops, which are the same in both builds, show how far noise goes; they are not judged. --json
writes it all to a file.

Exit status: 0 nothing is slower, 1 something is, 2 it could not be measured. Needs the standard
library only.
"""
import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

import rows as reader

LIMIT = 1.03
AGAIN = 3  # times as many rounds for what seems to be slower
# The schedule that was chosen, which may differ between runs, and calls without a share.
SAME = ((re.compile(r'^auto \(\w+\)'), 'auto'), (re.compile(r'^default call$'), 'host'))
# Not of the library: the benchmark's own kernels and loops, and other programs.
FOREIGN = re.compile(r'(per-point|store|matrix-pt|direct|de Casteljau.*|C loop.*|C separable.*|'
                     r'SISL.*|SciPy.*|CuPy.*|empty kernel.*|its .*)$')


class Failure(Exception):
    """A benchmark that could not be run, in words."""


# ---- running ----

def find_bench(path):
    for found in (os.path.join(path, 'bench', 'clspline-bench'), path):
        if os.path.isfile(found) and os.access(found, os.X_OK):
            return os.path.abspath(found)
    raise Failure(f'{path}: no clspline-bench in it; build with -Dbench=true')


def output_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors='replace')
    if done.returncode != 0:
        raise Failure(f'{" ".join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}')
    return done.stdout


def suites_of(bench):
    return [line.split()[0] for line in output_of([bench, '--list']).splitlines() if line.strip()]


def knows_cases(bench):
    return '--case' in output_of([bench, '--help'])


def run_once(bench, suite, options):
    """{(suite, case, method, precision): (shortest ms, median ms)} of the lines with times."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'bench.json')
        output_of([bench, suite, *options, '--json', path])
        rows = reader.read(path)
    times = {}
    for row in rows:
        shortest, median = row['time_ms_min'], row['time_ms_median']
        if not shortest or not median or (row['suite'] == 'floor' and suite != 'floor'):
            continue
        for pattern, name in SAME:
            row['method'] = pattern.sub(name, row['method'])
        key = reader.key(row)
        before = times.get(key, (shortest, median))  # a line may come twice
        times[key] = min(shortest, before[0]), min(median, before[1])
    return times


def measure(benches, suite, options, rounds, what):
    """The times of each build, in turns: two lists of what run_once gives."""
    runs = [], []
    for i in range(rounds):
        print(f'{what}: round {i + 1} of {rounds}', file=sys.stderr, flush=True)
        for build in (0, 1) if i % 2 == 0 else (1, 0):
            runs[build].append(run_once(benches[build], suite, options))
        if i == 0 and not runs[0][0].keys() & runs[1][0].keys():
            break  # a suite that does nothing here
    return runs


# ---- comparing ----

def ratios_of(runs, key):
    """The times of a line over the runs, and their ratios; None where a build has none."""
    found = [[run[key] for run in runs[build] if key in run] for build in (0, 1)]
    if not found[0] or not found[1]:
        return None
    shortest = [min(time[0] for time in times) for times in found]
    median = [statistics.median(time[1] for time in times) for times in found]
    return {'old_min_ms': shortest[0], 'new_min_ms': shortest[1],
            'min_ratio': shortest[1] / shortest[0],
            'old_median_ms': median[0], 'new_median_ms': median[1],
            'median_ratio': median[1] / median[0],
            'runs': [len(times) for times in found]}


def badness(ratios):
    return min(ratios['min_ratio'], ratios['median_ratio'])


def lines_of(suite, runs):
    """The lines that both builds have, and the keys that one of them alone has."""
    keys = [set().union(*runs[build]) for build in (0, 1)]
    lines = []
    for key in sorted(keys[0] & keys[1]):
        foreign = key[0] == 'floor' or bool(FOREIGN.match(key[2]))
        lines.append({'run_with': suite, 'suite': key[0], 'case': key[1], 'method': key[2],
                      'precision': key[3],
                      'of_library': not foreign, 'slower': False, 'unsure': False, 'again': None,
                      **ratios_of(runs, key)})
    return lines, sorted(keys[0] - keys[1]), sorted(keys[1] - keys[0])


def measure_again(benches, lines, options, rounds):
    """Decides on the lines that seem to be slower."""
    suspects = [line for line in lines if line['of_library'] and badness(line) > LIMIT]
    by_case = all(knows_cases(bench) for bench in benches)
    groups = {}
    for line in suspects:
        groups.setdefault((line['run_with'], line['case'] if by_case else None), []).append(line)
    for (suite, case), group in groups.items():
        limited = [] if case is None else ['--case', glob.escape(case)]
        what = f'again, {suite}{"" if case is None else ", " + case}'
        runs = measure(benches, suite, [*options, *limited], rounds, what)
        for line in group:
            key = line['suite'], line['case'], line['method'], line['precision']
            line['again'] = ratios_of(runs, key)
            line['slower'] = line['again'] is not None and badness(line['again']) > LIMIT
            line['unsure'] = line['again'] is None  # lines of short calls alone come and go


# ---- printing ----

def print_line(line):
    name = f'{line["suite"]}: {line["case"]}, {line["method"]} {line["precision"]}'.rstrip()
    text = f'{name:<68} {line["min_ratio"]:8.3f} {line["median_ratio"]:8.3f}' \
           f' {line["old_min_ms"]:11.4f} {line["new_min_ms"]:11.4f}'
    if line['again']:
        text += f'  again {line["again"]["min_ratio"]:.3f} {line["again"]["median_ratio"]:.3f}'
    if line['slower'] or line['unsure']:
        text += '  SLOWER' if line['slower'] else '  was not there again'
    print(text)


def print_group(title, lines):
    if not lines:
        return
    print(f'\n{title}\n{"":<68} {"minima":>8} {"medians":>8} {"old min ms":>11} {"new min ms":>11}')
    for line in sorted(lines, key=badness, reverse=True):
        print_line(line)
    middle = [statistics.median(line[ratio] for line in lines)
              for ratio in ('min_ratio', 'median_ratio')]
    print(f'{"the middle of these ratios":<68} {middle[0]:8.3f} {middle[1]:8.3f}')


def print_all(lines, only):
    print_group('new/old', [line for line in lines if line['of_library']])
    print_group('new/old of what is the same in both: noise',
                [line for line in lines if not line['of_library']])
    for name, keys in zip(('old', 'new'), only):
        for key in keys:
            print(f'only in {name}: {key[0]}: {key[1]}, {key[2]} {key[3]}'.rstrip())
    slower = [line for line in lines if line['slower']]
    print(f'\n{len(lines)} lines in both; slower by more than {LIMIT - 1:.0%}: {len(slower)}')


def compare(args):
    benches = [find_bench(args.old), find_bench(args.new)]
    lists = [suites_of(bench) for bench in benches]
    for suite in args.suites:
        if suite not in lists[0] or suite not in lists[1]:
            raise Failure(f'no suite of both builds is called {suite}')
    suites = args.suites or [suite for suite in lists[1] if suite in lists[0] and suite != 'floor']
    options = ['--quick'] if args.quick else []
    options += ['--device', args.device] if args.device else []
    lines, only = [], ([], [])
    for suite in suites:
        runs = measure(benches, suite, options, args.rounds, suite)
        more, only_old, only_new = lines_of(suite, runs)
        lines += more
        only[0].extend(only_old)
        only[1].extend(only_new)
    if not lines:
        raise Failure('the builds have no line in common')
    measure_again(benches, lines, options, AGAIN * args.rounds)
    print_all(lines, only)
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as file:
            json.dump({'old': benches[0], 'new': benches[1], 'options': options,
                       'rounds': args.rounds,
                       'lines': lines, 'only_old': only[0], 'only_new': only[1]}, file, indent=1)
    return 1 if any(line['slower'] for line in lines) else 0


def main():
    parser = argparse.ArgumentParser(
        description='compares the benchmarks of two builds, case by case')
    parser.add_argument('old', metavar='OLD_BUILD')
    parser.add_argument('new', metavar='NEW_BUILD')
    parser.add_argument('suites', metavar='SUITE', nargs='*')
    parser.add_argument('--quick', action='store_true', help='the quick cases only')
    parser.add_argument('--rounds', type=int, default=4, metavar='N',
                        help='runs of each build (default 4)')
    parser.add_argument('--device', metavar='WORDS', help='the device, as of clspline-bench')
    parser.add_argument('--json', metavar='FILE', help='writes the results there too')
    args = parser.parse_intermixed_args()
    if args.rounds < 1:
        parser.error('--rounds must be at least 1')
    try:
        return compare(args)
    except (Failure, OSError, json.JSONDecodeError) as error:
        print(f'compare.py: {error}', file=sys.stderr)
        return 2


if __name__ == '__main__':
    sys.exit(main())
