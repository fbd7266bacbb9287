#!/usr/bin/env python3
"""Writes the B-splines of this folder and the points near them.

usage: make_splines.py FOLDER

  knot.g2     the circle of radius 2 about the z axis, rational, of degree 2, and a trefoil that
              winds around it three times, of degree 3, closed by its last 3 control points, which
              are the first ones
  vase.json   a surface of revolution: the same circle along u, a profile of degree 3 along v
  block.json  a block of 2 x 3 x 4 as clspline-cad writes CAD files: six faces, one with a surface
              that is twice as wide
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


def vase_points():
    """Euclidean points and weights, v fastest."""
    points = [(r * x, r * y, z) for x, y in CIRCLE for r, z in PROFILE]
    return points, [w for w in CIRCLE_WEIGHTS for _ in PROFILE]


def write_vase(path):
    points, weights = vase_points()
    numbers = lambda values: [float(number(value)) for value in values]
    vase = {"type": "spline", "rational": True, "dimension": 3, "degree_u": 2, "degree_v": 3,
            "knotvector_u": CIRCLE_KNOTS, "knotvector_v": PROFILE_KNOTS, "size_u": 9,
            "size_v": len(PROFILE),
            "control_points": {"points": list(map(numbers, points)), "weights": numbers(weights)}}
    with open(path, "w", encoding="ascii") as file:
        text = json.dumps({"shape": {"type": "surface", "count": 1, "data": [vase]}})
        file.write(text.replace("]}", "]}\n").replace("], [", "],\n[").replace(', "', ',\n"')
                   + "\n")


def segment(a, b, **beside):
    """A straight curve, and what stands beside it."""
    return {"type": "spline", "degree": 1, "knotvector": [0, 0, 1, 1],
            "control_points": {"points": [a, b]}, **beside}


def block_face(axis, side, corners, edges):
    """A side of the block 2 x 3 x 4. That at the end of z has a surface twice as wide."""
    size = (2, 3, 4)
    u, v = (axis + 1) % 3, (axis + 2) % 3  # S_u x S_v is along the axis
    wide = 0.5 if (axis, side) == (2, 1) else 0
    place = lambda at: [at[0] * size[k] if k == u else at[1] * size[k] if k == v
                        else side * size[k] for k in range(3)]
    ends = (-wide, 1 + wide)
    loop, cycle = [], [(0, 0), (1, 0), (1, 1), (0, 1)]
    params = lambda at: [10 * (at[0] + wide) / (1 + 2 * wide), (at[1] + wide) / (1 + 2 * wide)]
    nodes = [corners.setdefault(tuple(place(at)), len(corners)) for at in cycle]
    for k in range(4):
        a, b = nodes[k], nodes[(k + 1) % 4]
        edge = edges.setdefault((min(a, b), max(a, b)), len(edges))
        loop.append(segment(params(cycle[k]), params(cycle[(k + 1) % 4]), edge=edge,
                            forward=a < b))
    triangles = [0, 1, 2, 0, 2, 3] if side else [0, 2, 1, 0, 3, 2]
    return {"type": "spline", "degree_u": 1, "degree_v": 1, "size_u": 2, "size_v": 2,
            "knotvector_u": [0, 0, 10, 10], "knotvector_v": [0, 0, 1, 1],
            "control_points": {"points": [place((x, y)) for x in ends for y in ends]},
            "reversed": 1 - side, "kind": "plane", "tolerance": 0.001, "name": "side %d" % axis,
            "color": "#0000ff",
            "trims": {"count": 1, "data": [{"type": "container", "reversed": 1, "data": loop}]},
            "mesh": {"uv": sum(map(params, cycle), []), "nodes": nodes, "triangles": triangles}}


def write_block(path):
    corners, edges = {}, {}
    faces = [block_face(axis, side, corners, edges) for axis in range(3) for side in (0, 1)]
    nodes = [list(place) for place in corners]
    model = {"format": "clspline-cad", "version": 1, "file_format": "step", "file_unit": "INCH",
             "unit": "mm", "shape": {"type": "surface", "count": 6, "data": faces},
             "edges": [segment(nodes[a], nodes[b], tolerance=0.002, faces=[]) for a, b in edges],
             "bodies": [{"kind": "solid", "name": "block", "color": "#ff0000",
                         "shells": [{"closed": True, "faces": list(range(6))}]}],
             "nodes": nodes, "faces_in_file": 6, "faces_read": 6, "notes": []}
    with open(path, "w", encoding="ascii") as file:
        file.write(json.dumps(model).replace(', "', ',\n"') + "\n")


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
    write_block(os.path.join(sys.argv[1], "block.json"))
    write_points(os.path.join(sys.argv[1], "points.csv"))
