#!/usr/bin/env python3
"""Compares distances and signs of `clspline project` on CAD files with Open CASCADE's.

usage: cad_parts.py BUILD [-n POINTS] [-m OCCT_POINTS] FILE ...

Of each file a line for points near its faces, and one for points in its box: faces, microseconds a
point of clsp_nearest, of BRepExtrema_DistShapeShape and of BRepClass3d_SolidClassifier, on one
core; the largest difference of distances that is above the tolerance of an edge there, by the size;
how many differ by less than that (feet) and by more, of signs, how many differ and are open, and
how many bounds are above the distance."""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys

CLOSE = 1e-9  # of the size: distances that are as near are the same


def one_core():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def run(command, points=None):
    """Standard output and standard error of a command on one core."""
    made = subprocess.run(command, input=points, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, preexec_fn=one_core, check=False)
    if made.returncode != 0:
        sys.exit(f'{command}: {made.stderr}')
    return made.stdout, made.stderr


def project(tools, path, points):
    """Rows of the command, microseconds a point, and how many faces there are."""
    command = [os.path.join(tools, 'clspline'), 'project', path, '-', '-o', '-', '-f', 'csv',
               '--signed', '--precision', 'f64', '--device', 'host']
    out, notes = run(command, points)
    seconds = [1e-3 * float(re.search(r'search ([\d.]+) ms', text).group(1))
               for text in [notes] + [run(command, points)[1] for _ in range(2)]]
    faces = int(re.search(r'onto (\d+) faces', notes).group(1))
    return list(csv.DictReader(out.splitlines())), 1e6 * min(seconds), faces


def compare(rows, distances, sides, size):
    """What differs, and the rows of it."""
    found = {'largest': 0, 'feet': 0, 'off': 0, 'signs': 0, 'open': 0, 'bounds': 0}
    off = []
    for row, (theirs, tolerance), side in zip(rows, distances, sides):
        signed, bound = float(row['distance']), float(row['bound'])
        ours = math.dist([float(row[k]) for k in 'xyz'], row['query'])
        difference = abs(ours - theirs) / size
        found['bounds'] += bound > theirs + 1e-12 * size
        found['open'] += math.isnan(signed)
        if difference > CLOSE:
            is_foot = difference * size <= max(tolerance, float(row['tolerance']))
            found['feet' if is_foot else 'off'] += 1
            if not is_foot:
                found['largest'] = max(found['largest'], difference)
        if side and not math.isnan(signed):
            found['signs'] += signed * side < 0
        if (difference > CLOSE and not is_foot) or (side and not signed * side >= 0):
            off.append((row['query'], signed, bound, theirs, tolerance, side))
    return found, off


def measure(build, path, kind, num, num_theirs):
    """Prints a line of a file."""
    tools, peer = os.path.join(build, 'tools'), os.path.join(build, 'bench', 'clspline-bench-cad')
    points = run([peer, path, str(num), kind])[0]
    rows, ours, faces = project(tools, path, points)
    places = [[float(x) for x in line.split(',')] for line in points.splitlines()]
    size = math.dist(*([pick(p[k] for p in places) for k in range(3)] for pick in (min, max)))
    for row, place in zip(rows, places):
        row['query'] = place
    times, columns = [], []
    for what in ('distance', 'side'):
        out, notes = run([peer, path, str(num_theirs), what], points)
        times.append(float(notes))
        columns.append([[float(x) for x in line.split(',')] for line in out.splitlines()])
    found, off = compare(rows, columns[0], [s[0] for s in columns[1]], size)
    found['all_open'] = sum(row['distance'] == 'nan' for row in rows)
    print(f'{os.path.basename(path):28} {kind:4} {faces:5} faces {ours / num:6.2f} us, OCCT '
          f'{times[0]:7.1f}, sign {times[1]:7.1f};', json.dumps(found)[1:-1].replace('"', ''),
          flush=True)
    return off


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('build')
    p.add_argument('file', nargs='+')
    p.add_argument('-n', '--points', type=int, default=100000)
    p.add_argument('-m', '--occt-points', type=int, default=1000)
    p.add_argument('-o', '--output', help='what differs, as JSON')
    args = p.parse_args()
    off = {}
    for path in args.file:
        for kind in ('near', 'box'):
            off[f'{path} {kind}'] = measure(args.build, path, kind, args.points, args.occt_points)
    if args.output:
        with open(args.output, 'w', encoding='utf-8') as f:
            json.dump(off, f)


if __name__ == '__main__':
    main()
