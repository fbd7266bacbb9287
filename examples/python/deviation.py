#!/usr/bin/env python3
"""How far a scan is from what it should be: points measured along the strands of a cable, against
the curves of the drawing. Prints a histogram of the deviations.

usage: deviation.py [POINTS]
"""
import sys

import numpy as np

import clspline

num = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
rng = np.random.default_rng(1)

# The drawing: 19 strands that wind around an axis, cubic B-splines of 60 control points each.
turns = np.linspace(0, 6 * np.pi, 60)
phase = np.linspace(0, 2 * np.pi, 19, endpoint=False)[:, np.newaxis]
control = np.stack((np.cos(turns + phase), np.sin(turns + phase), 0.4 * turns + 0 * phase), -1)
strands = clspline.BSpline(None, control.astype(np.float32), 3)

# The scan: points of the strands that are off by some 0.01, on one strand that is bent.
strand, place = rng.integers(0, 19, num), rng.random(num).astype(np.float32)
points = strands.at(place, strand) + rng.normal(0, 0.01, (num, 3)).astype(np.float32)
points[strand == 7, 0] += 0.1 * np.sin(np.pi * place[strand == 7])

found = strands.project(points)
print(f'{num} points, {strands.num_patches} curves: mean deviation {found.distance.mean():.4f}, '
      f'largest {found.distance.max():.4f}')
print(f'no point of the curves is nearer than that by {(found.distance - found.bound).max():.1e}')
counts, edges = np.histogram(found.distance, 12)
for count, begin, end in zip(counts, edges, edges[1:]):
    print(f'{begin:7.4f} .. {end:.4f} {count:8d} ' + '#' * int(np.ceil(50 * count / counts.max())))
worst = np.argmax([found.distance[strand == at].mean() for at in range(19)])
print(f'strand {worst} is bent')
if (found.status != 0).any() or worst != 7:
    sys.exit('this is not what the scan was made of')
