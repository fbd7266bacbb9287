#!/usr/bin/env python3
"""Writes the B-splines of this folder and the points near them.

usage: make_splines.py FOLDER

  knot.g2     the circle of radius 2 about the z axis, rational, of degree 2, and a trefoil that
              winds around it three times, of degree 3, closed by its last 3 control points, which
              are the first ones
  vase.json   a surface of revolution: the same circle along u, a profile of degree 3 along v
  points.csv  300 points in a box around the knot
"""
import json
import math
import os
import random
import sys

CIRCLE = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0)]
CIRCLE_WEIGHTS = [1 if i % 2 == 0 else math.sqrt(0.5) for i in range(9)]
CIRCLE_KNOTS = [0, 0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1, 1, 1]
RADIUS, CONTROLS, SEED = 2, 36, 1
PROFILE = [(0.9, 0), (1.5, 0.2), (2.0, 1.2), (1.3, 2.4), (0.4, 3.2), (0.6, 4.1), (1.0, 4.4)]
PROFILE_KNOTS = [0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4]


def number(value):
    """The shortest of 9 digits, without a minus before zero."""
    return "%.9g" % (value + 0.0 if abs(value) > 1e-12 else 0)


def line(values):
    return " ".join(map(number, values)) + "\n"


def trefoil_point(i):
    angle = 2 * math.pi * i / CONTROLS
    distance = RADIUS + 0.7 * math.cos(3 * angle)
    return distance * math.cos(2 * angle), distance * math.sin(2 * angle), 0.7 * math.sin(3 * angle)


def write_knot(path):
    with open(path, "w", encoding="ascii") as file:
        file.write("100 1 0 0\n3 1\n9 3\n" + line(CIRCLE_KNOTS))
        for (x, y), w in zip(CIRCLE, CIRCLE_WEIGHTS):
            file.write(line((RADIUS * x * w, RADIUS * y * w, 0, w)))
        file.write("\n100 1 0 0\n3 0\n%d 4\n" % (CONTROLS + 3) + line(range(-3, CONTROLS + 4)))
        for i in range(CONTROLS + 3):
            file.write(line(trefoil_point(i)))


def write_vase(path):
    points = [(r * x, r * y, z) for x, y in CIRCLE for r, z in PROFILE]
    weights = [w for w in CIRCLE_WEIGHTS for _ in PROFILE]
    numbers = lambda values: [float(number(value)) for value in values]
    vase = {"type": "spline", "rational": True, "dimension": 3, "degree_u": 2, "degree_v": 3,
            "knotvector_u": CIRCLE_KNOTS, "knotvector_v": PROFILE_KNOTS, "size_u": 9,
            "size_v": len(PROFILE),
            "control_points": {"points": list(map(numbers, points)), "weights": numbers(weights)}}
    with open(path, "w", encoding="ascii") as file:
        text = json.dumps({"shape": {"type": "surface", "count": 1, "data": [vase]}})
        file.write(text.replace("]}", "]}\n").replace("], [", "],\n[").replace(', "', ',\n"')
                   + "\n")


def write_points(path):
    chance = random.Random(SEED)
    with open(path, "w", encoding="ascii") as file:
        file.write("x,y,z\n")
        for _ in range(300):
            file.write(",".join("%.4f" % chance.uniform(-size, size) for size in (3, 3, 1)) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_knot(os.path.join(sys.argv[1], "knot.g2"))
    write_vase(os.path.join(sys.argv[1], "vase.json"))
    write_points(os.path.join(sys.argv[1], "points.csv"))
