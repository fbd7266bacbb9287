#!/usr/bin/env python3
"""Writes the B-splines of this folder and the points near them.

usage: make_splines.py FOLDER

  knot.g2     the circle of radius 2 about the z axis, rational, of degree 2, and a trefoil that
              winds around it three times, of degree 3, closed by its last 3 control points, which
              are the first ones
  vase.json   a surface of revolution: the same circle along u, a profile of degree 3 along v
  vase.igs    the same surface in IGES, under a trimmed surface without a boundary of its own
  vase.step   the same surface in STEP, rational in a complex instance, in centimetres
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


def real(value):
    """As STEP and IGES have reals, which are not integers."""
    text = number(value).upper()
    return text if "." in text or "E" in text else text + "."


def reals(values):
    return ",".join(map(real, values))


def iges_lines(letter, columns, text, tail=""):
    """The records of a section, which break behind commas."""
    rows = [""]
    for word in text.replace(",", ", ").replace(";", "; ").split(" "):
        if len(rows[-1]) + len(word) > columns:
            rows.append("")
        rows[-1] += word
    return ["%-*s%s%s" % (columns, row, tail, letter) for row in rows]


def write_iges(path):
    points, weights = vase_points()
    nu, nv = len(CIRCLE), len(PROFILE)
    order = [i * nv + j for j in range(nv) for i in range(nu)]  # u fastest
    surface = "128,%d,%d,2,3,0,0,0,0,0," % (nu - 1, nv - 1)
    surface += reals(CIRCLE_KNOTS + PROFILE_KNOTS + [weights[at] for at in order]
                     + [x for at in order for x in points[at]] + [0, 1, 0, 4]) + ";"
    rows = {"S": ["%-72sS" % "A vase"],
            "G": iges_lines("G", 72, "1H,,1H;,4Hvase,8Hvase.igs,8Hclspline,3H0.1,32,38,7,308,15,"
                                     "4Hvase,1.,10,2HCM,1,0.1,15H20000101.000000,1E-6,5.,,,11,0,;"),
            "D": [], "P": []}
    for k, (kind, status, text) in enumerate((("144", "00000000", "144,3,0,0,0;"),
                                              ("128", "00010000", surface))):
        made = iges_lines("P", 64, text, "%8d" % (2 * k + 1))
        blank = "%8d" % 0
        rows["D"] += ["%8s%8d" % (kind, len(rows["P"]) + 1) + 6 * blank + status + "D",
                      "%8s" % kind + 2 * blank + "%8d" % len(made) + 5 * blank + "D"]
        rows["P"] += made
    with open(path, "w", encoding="ascii") as file:
        for letter in "SGDP":
            for k, row in enumerate(rows[letter]):
                file.write("%s%7d\n" % (row, k + 1))
        file.write("%-72sT%7d\n" % ("".join("%s%7d" % (letter, len(rows[letter]))
                                            for letter in "SGDP"), 1))


def write_step(path):
    points, weights = vase_points()
    nu, nv = len(CIRCLE), len(PROFILE)
    net = lambda items: "(%s)" % ",\n".join("(%s)" % ",".join(items[i * nv:(i + 1) * nv])
                                            for i in range(nu))
    with open(path, "w", encoding="ascii") as file:
        file.write("ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('a vase'),'2;1');\n"
                   "FILE_NAME('vase.step','2000-01-01T00:00:00',(''),(''),'','clspline','');\n"
                   "FILE_SCHEMA(('CONFIG_CONTROL_DESIGN'));\nENDSEC;\nDATA;\n")
        file.write("#1=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.CENTI.,.METRE.));\n"
                   "#2=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT((#1))"
                   "REPRESENTATION_CONTEXT('',''));\n#3=SHAPE_REPRESENTATION('vase',(#4),#2);\n")
        file.write("#4=(BOUNDED_SURFACE()B_SPLINE_SURFACE(2,3,%s,.SURF_OF_REVOLUTION.,.T.,.F.,.F.)"
                   "\n" % net(["#%d" % (5 + at) for at in range(nu * nv)]))
        file.write("B_SPLINE_SURFACE_WITH_KNOTS((3,2,2,2,3),(4,1,1,1,4),(%s),(%s),.UNSPECIFIED.)\n"
                   % (reals(sorted(set(CIRCLE_KNOTS))), reals(sorted(set(PROFILE_KNOTS)))))
        file.write("GEOMETRIC_REPRESENTATION_ITEM()RATIONAL_B_SPLINE_SURFACE(%s)\n"
                   "REPRESENTATION_ITEM('')SURFACE());\n" % net(list(map(real, weights))))
        for at, point in enumerate(points):
            file.write("#%d=CARTESIAN_POINT('',(%s));\n" % (5 + at, reals(point)))
        file.write("ENDSEC;\nEND-ISO-10303-21;\n")


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
    write_iges(os.path.join(sys.argv[1], "vase.igs"))
    write_step(os.path.join(sys.argv[1], "vase.step"))
    write_points(os.path.join(sys.argv[1], "points.csv"))
