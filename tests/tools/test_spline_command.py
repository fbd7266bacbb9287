#!/usr/bin/env python3
"""Runs the command on B-splines and compares what it wrote with their definition.

usage: test_spline_command.py CLSPLINE SOURCE_DIR

Needs the standard library only; where geomdl can be imported, its own files are read as well.
Exits with 77 (skipped) where there is no OpenCL device.
"""
import ast
import itertools
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # beside test_command, in the source tree
import test_command as base  # noqa: E402
from test_command import (SKIPPED, edge_counts, float32, has_fp64, read_glb, read_normals, read_obj, read_ply,
                          read_png, read_vtk, run)

try:
    import geomdl.BSpline
    import geomdl.exchange
except ImportError:
    geomdl = None

DATA = ""
EPS = {"f32": 2 ** -23, "f64": 2 ** -52}


# ---- the definition ----

def find_span(knots, degree, t):
    """The span that holds t; at the domain's end the last one that is not empty."""
    num = len(knots) - degree - 1
    last = max(i for i in range(degree, num) if knots[i] < knots[i + 1])
    inside = [i for i in range(degree, num) if knots[i] <= t < knots[i + 1]]
    return inside[-1] if inside else last


def de_boor(knots, degree, points, t):
    """A point of a curve in any coordinates."""
    span = find_span(knots, degree, t)
    d = [list(points[span - degree + i]) for i in range(degree + 1)]
    for r in range(1, degree + 1):
        for i in range(degree, r - 1, -1):
            low, high = knots[span - degree + i], knots[span + 1 + i - r]
            blend = (t - low) / (high - low)
            d[i] = [(1 - blend) * a + blend * b for a, b in zip(d[i - 1], d[i])]
    return d[degree]


def domain(knots, degree):
    return knots[degree], knots[len(knots) - degree - 1]


def samples(knots, degree, num):
    begin, end = domain(knots, degree)
    return [begin + (end - begin) * i / (num - 1) for i in range(num)]


class Spline:
    """A spline with homogeneous points, the last direction fastest."""

    def __init__(self, degrees, knots, points, rational=False):
        self.degrees, self.knots, self.points, self.rational = degrees, knots, points, rational
        self.sizes = [len(k) - p - 1 for k, p in zip(knots, degrees)]

    def point(self, *parameters):
        points = self.points
        for knots, degree, t in reversed(list(zip(self.knots, self.degrees, parameters))):
            size = len(knots) - degree - 1
            points = [de_boor(knots, degree, points[i:i + size], t) for i in range(0, len(points), size)]
        point, = points
        return [x / point[-1] for x in point[:-1]] if self.rational else point

    def grid(self, num):
        axes = [samples(k, p, num) for k, p in zip(self.knots, self.degrees)]
        if len(axes) == 1:
            return [self.point(u) for u in axes[0]]
        return [self.point(u, v) for u in axes[0] for v in axes[1]]

    def g2(self):
        """The text of a .g2 object: the first direction fastest."""
        kind = {1: 100, 2: 200, 3: 700}[len(self.sizes)]
        text = "%d 1 0 0\n%d %d\n" % (kind, len(self.points[0]) - self.rational, self.rational)
        for size, degree, knots in zip(self.sizes, self.degrees, self.knots):
            text += "%d %d\n%s\n" % (size, degree + 1, " ".join("%.17g" % t for t in knots))
        nu, nv, nw = self.sizes + [1] * (3 - len(self.sizes))
        order = [(i * nv + j) * nw + k for k in range(nw) for j in range(nv) for i in range(nu)]
        return text + "".join(" ".join("%.17g" % x for x in self.points[at]) + "\n" for at in order) + "\n"


def random_knots(chance, degree, size):
    """Clamped or not, with knots of higher multiplicity."""
    inner = sorted(chance.choice((0.5, 1, chance.uniform(0.2, 1.8))) for _ in range(size - degree - 1))
    if chance.random() < 0.5:
        return [0.0] * (degree + 1) + inner + [2.0] * (degree + 1)
    low = sorted(chance.uniform(-2, 0) for _ in range(degree))
    high = sorted(chance.uniform(2, 3) for _ in range(degree))
    return low + [0.0] + inner + [2.0] + high


def random_spline(chance, degrees, sizes, dim, rational=False):
    knots = [random_knots(chance, p, n) for p, n in zip(degrees, sizes)]
    if any(max(map(k[p + 1:-p - 1].count, k[p + 1:-p - 1]), default=0) > max(p, 1) for k, p in zip(knots, degrees)):
        return random_spline(chance, degrees, sizes, dim, rational)  # one that jumps
    points = []
    for _ in range(math.prod(sizes)):
        point = [float32(chance.uniform(-1, 1)) for _ in range(dim)]
        w = float32(chance.uniform(0.5, 2))
        points.append([float32(x * w) for x in point] + [w] if rational else point)
    return Spline(list(degrees), knots, points, rational)


def read_g2(path):
    """The curves of a .g2 file."""
    with open(path, encoding="ascii") as file:
        words = iter(file.read().split())
    curves = []
    for kind in words:
        assert (kind, next(words), next(words), next(words)) == ("100", "1", "0", "0")
        dim, rational, num, order = (int(next(words)) for _ in range(4))
        knots = [float(next(words)) for _ in range(num + order)]
        points = [[float(next(words)) for _ in range(dim + rational)] for _ in range(num)]
        curves.append(Spline([order - 1], [knots], points, bool(rational)))
    return curves


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def fails(self, code, expected, *args, **options):
        done = run(*args, **options)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(expected, done.stderr)
        self.assertTrue(done.stderr.startswith("clspline: "), done.stderr)
        self.assertNotIn("CLSP_", done.stderr)
        return done.stderr

    def check_near(self, found, expected, bound):
        self.assertEqual(len(found), len(expected))
        for p, q in zip(found, expected):
            self.assertLess(max(abs(a - b) for a, b in zip(p, q)), bound)


def read_lines(path):
    """The lines of curves in an OBJ file, each as the numbers of its vertices from 0."""
    with open(path, encoding="ascii") as file:
        return [[int(word) - 1 for word in line.split()[1:]] for line in file if line.startswith("l ")]


class Evaluation(Case):
    def evaluate(self, source, *extra, ending="obj"):
        path = self.path("out." + ending)
        done = run("bspline", "eval", source, "-o", path, "-q", *extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return path

    def precisions(self):
        return ("f32", "f64") if has_fp64() else ("f32",)

    def test_knot(self):
        """The circle is one, and the trefoil is that of the definition and closed."""
        source = os.path.join(DATA, "knot.g2")
        circle, trefoil = read_g2(source)
        for precision in self.precisions():
            points, faces = read_obj(self.evaluate(source, "-p", precision, "-n", "101"))
            self.assertEqual(faces, [])
            self.assertEqual(read_lines(self.path("out.obj")), [list(range(101)), list(range(101, 202))])
            for x, y, z in points[:101]:  # 9 digits in the file
                self.assertLess(abs(math.hypot(x, y) - 2), 1e-8 + 40 * EPS[precision])
                self.assertEqual(z, 0)
            self.check_near(points[:101], circle.grid(101), 1e-15 + 32 * EPS[precision] * 2)
            self.check_near(points[101:], trefoil.grid(101), 1e-15 + 36 * EPS[precision] * 3)
            self.check_near(points[101:102], points[-1:], 36 * EPS[precision] * 3)

    def test_vase(self):
        """Every parallel is a circle, and the normals point away from the axis or up."""
        source = os.path.join(DATA, "vase.json")
        points, faces = read_obj(self.evaluate(source, "-n", "33", "--normals"))
        normals = read_normals(self.path("out.obj"))
        self.assertEqual((len(points), len(faces), len(normals)), (33 * 33, 32 * 32, 33 * 33))
        for v in range(33):
            radii = [math.hypot(x, y) for x, y, _ in points[v::33]]
            self.assertLess(max(radii) - min(radii), 2e-6)
            heights = [z for _, _, z in points[v::33]]
            self.assertLess(max(heights) - min(heights), 2e-6)
        for (x, y, _), (a, b, c) in zip(points, normals):
            self.assertAlmostEqual(math.hypot(a, b, c), 1, places=5)
            self.assertGreater(a * x + b * y, 0)
            self.assertAlmostEqual(a * y - b * x, 0, places=5)

    def test_random_curves(self):
        chance = random.Random(5)
        splines = [random_spline(chance, [p], [p + 1 + n], dim, rational) for p, n, dim, rational in
                   ((1, 0, 2, False), (2, 5, 3, False), (3, 9, 2, True), (5, 2, 3, True), (0, 4, 3, False))]
        source = self.write("a.g2", "".join(spline.g2() for spline in splines))
        for precision in self.precisions():
            points, _ = read_obj(self.evaluate(source, "-p", precision, "-n", "40"))
            for k, spline in enumerate(splines):
                expected = [p + [0] * (3 - len(p)) for p in spline.grid(40)]
                found = points[40 * k:40 * k + 40]
                if spline.degrees[0] == 0:  # what is a step is at one or the other side of it
                    continue
                self.check_near(found, expected, 200 * EPS[precision])

    def test_random_surfaces(self):
        chance = random.Random(6)
        splines = [random_spline(chance, p, n, 3, rational) for p, n, rational in
                   (((1, 2), (4, 3), False), ((3, 3), (7, 9), True), ((2, 4), (3, 8), False))]
        source = self.write("a.g2", "".join(spline.g2() for spline in splines))
        points, faces = read_obj(self.evaluate(source, "-n", "12"))
        self.assertEqual(len(faces), 3 * 121)
        for k, spline in enumerate(splines):
            self.check_near(points[144 * k:144 * k + 144], spline.grid(12), 400 * EPS["f32"])

    def test_batches(self):
        """Splines of one type come together, in the order of the file."""
        knots = [[0, 0, 1, 1]]
        splines = [Spline([1], knots, [[k, 0, 0], [k, 1, 0]]) for k in range(3)]
        other = Spline([1], [[0, 0, 1, 2]], [[9, 0, 0], [9, 1, 0]])
        source = self.write("a.g2", splines[0].g2() + other.g2() + splines[1].g2() + splines[2].g2())
        points, _ = read_obj(self.evaluate(source, "-n", "2"))
        self.assertEqual([p[0] for p in points[::2]], [0, 1, 2, 9])
        both = self.path("b.obj")
        self.assertEqual(run("bspline", "eval", "-q", "-n2", source, source, "-o", both).returncode, 0)
        self.assertEqual([p[0] for p in read_obj(both)[0][::2]], [0, 1, 2, 0, 1, 2, 9, 9])

    @staticmethod
    def signed_volume(points, faces):
        total = 0
        for face in faces:
            for i in range(1, len(face) - 1):
                a, b, c = points[face[0]], points[face[i]], points[face[i + 1]]
                total += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                          a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
        return total

    def test_volume(self):
        """The six sides close a solid and face outwards: a quarter of a tube, and a bent block."""
        s = math.sqrt(0.5)
        arc = ((1, 0, 1), (s, s, s), (0, 1, 1))
        tube = Spline([1, 2, 1], [[0, 0, 1, 1], [0, 0, 0, 2, 2, 2], [-1, -1, 0, 0]],
                      [[r * x, r * y, z * w, w] for r in (1, 2) for x, y, w in arc for z in (0, 3)], True)
        block = Spline([2, 1, 1], [[0, 0, 0, 0.5, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]],
                       [[i, j + 0.3 * i * i, k] for i in range(4) for j in range(2) for k in range(2)])
        for spline, volume in ((tube, math.pi / 4 * (4 - 1) * 3), (block, 3)):
            source = self.write("a.g2", spline.g2())
            path = self.evaluate(source, "-n", "17", "--normals")
            points, faces = read_obj(path)
            self.assertEqual((len(points), len(faces)), (6 * 289, 6 * 256))
            rounded = [tuple(round(x, 4) for x in p) for p in points]
            counts = edge_counts(rounded, faces)
            self.assertEqual(set(counts.values()), {1})
            self.assertTrue(all((b, a) in counts for a, b in counts))
            self.assertAlmostEqual(self.signed_volume(points, faces) / volume, 1, places=2)
            for normal, face in zip(read_normals(path)[::289], faces[::256]):
                a, b, d = points[face[0]], points[face[1]], points[face[3]]
                u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, d)]
                cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
                self.assertGreater(sum(x * y for x, y in zip(normal, cross)), 0.9 * math.hypot(*cross))

    def test_default_samples(self):
        curve = Spline([2], [[0, 0, 0] + list(range(1, 20)) + [20] * 3], [[i % 3, i, 0] for i in range(22)])
        points, _ = read_obj(self.evaluate(self.write("a.g2", curve.g2())))
        self.assertEqual(len(points), 16 * 20 + 1)
        line = Spline([1], [[0, 0, 1, 1]], [[0, 0], [1, 1]])
        self.assertEqual(len(read_obj(self.evaluate(self.write("b.g2", line.g2())))[0]), 33)

    def test_formats(self):
        """The same vertices in all formats; curves are edges of PLY, cells of VTK, lines of glTF."""
        knot = os.path.join(DATA, "knot.g2")
        expected = [tuple(map(float32, p)) for p in read_obj(self.evaluate(knot, "-n", "5"))[0]]
        with open(self.evaluate(knot, "-n", "5", ending="ply"), "rb") as file:
            head, body = file.read().split(b"end_header\n", 1)
        self.assertIn(b"element vertex 10\n", head)
        self.assertIn(b"element face 0\n", head)
        self.assertIn(b"element edge 8\nproperty int vertex1\nproperty int vertex2\n", head)
        self.assertEqual([struct.unpack_from("<3f", body, 12 * i) for i in range(10)], expected)
        edges = [(i, i + 1) for i in range(9) if i != 4]
        self.assertEqual(list(struct.iter_unpack("<2i", body[120:])), edges)
        points, lines = read_vtk(self.evaluate(knot, "-n", "5", ending="vtk"))
        self.assertEqual((points, lines), (expected, [tuple(range(5)), tuple(range(5, 10))]))
        found, primitive = read_glb(self.evaluate(knot, "-n", "5", ending="glb"))
        self.assertEqual((found["POSITION"], primitive["mode"]), (expected, 1))
        self.assertEqual([i for i, in found["indices"]], [i for edge in edges for i in edge])
        width, height, rows = read_png(self.evaluate(knot, ending="png"))
        self.assertEqual((width, height), (1200, 900))
        self.assertGreater(len(set(rows)), 100)
        self.fails(1, "out.stl: cannot write: this format has no curves", "bspline", "eval", "-q", knot, "-o",
                   self.path("out.stl"))

    def test_streams(self):
        """From standard input to standard output, and streamed, the bytes are those of a mesh in memory."""
        for name in ("knot.g2", "vase.json"):
            source = os.path.join(DATA, name)
            for ending in ("ply", "vtk"):
                alone = self.evaluate(source, "-n", "9", ending=ending)
                other = self.path("b." + ending)
                done = run("bspline", "eval", source, "-q", "-n9", "-o", other, "-o", self.path("c.obj"))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                with open(source, "rb") as file:
                    piped = subprocess.run([base.COMMAND, "bspline", "eval", "-", "-n9", "-q", "-o-", "-f", ending],
                                           stdin=file, stdout=subprocess.PIPE, check=True).stdout
                with open(alone, "rb") as first, open(other, "rb") as second:
                    expected = first.read()
                    self.assertEqual(expected, second.read())
                self.assertEqual(expected, piped)

    def test_cooperation(self):
        vase = os.path.join(DATA, "vase.json")
        env = dict(os.environ, CLSPLINE_SPEEDS="")
        expected, _ = read_obj(self.evaluate(vase, "-n", "120"))
        for how in ("auto", "dynamic", "host"):
            done = run("bspline", "eval", vase, "-q", "-n120", "-o", self.path("a.obj"), "--cooperate", how,
                       "--report", env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"^splines 1 to 1: by \w+, ")
            self.check_near(read_obj(self.path("a.obj"))[0], expected, 64 * 5 * EPS["f32"])

    def test_verbose(self):
        done = run("bspline", "eval", os.path.join(DATA, "vase.json"), "-v", "-n9", "-o", self.path("a.ply"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: 1 rational surfaces: 4 spans of degree 2 by 9 samples x 4 spans of degree 3 by 9 "
                      "samples\n", done.stderr)
        self.assertIn("vase.json: 1 splines, 81 points, on ", done.stderr)

    def test_trimmed(self):
        with open(os.path.join(DATA, "vase.json"), encoding="ascii") as file:
            vase = json.load(file)
        vase["shape"]["data"][0]["trims"] = {"count": 0, "data": []}
        source = self.write("a.json", json.dumps(vase))
        done = run("bspline", "eval", source, "-n5", "-o", self.path("a.obj"))
        self.assertIn("warning: %s: 1 trimmed surfaces are taken whole\n" % source, done.stderr)
        self.assertEqual(self.evaluate(source, "-n5"), self.path("out.obj"))

    @unittest.skipIf(geomdl is None, "no geomdl")
    def test_geomdl(self):
        """A file that geomdl wrote, against its own evaluation."""
        surface = geomdl.BSpline.Surface()
        surface.degree_u, surface.degree_v = 2, 3
        chance = random.Random(8)
        surface.set_ctrlpts([[i, j, chance.random()] for i in range(5) for j in range(6)], 5, 6)
        surface.knotvector_u, surface.knotvector_v = [0, 0, 0, 0.3, 0.6, 1, 1, 1], [0, 0, 0, 0, 0.5, 0.7, 1, 1, 1, 1]
        surface.sample_size = 9
        geomdl.exchange.export_json(surface, self.path("a.json"))
        self.check_near(read_obj(self.evaluate(self.path("a.json"), "-n9"))[0], surface.evalpts, 1e-5)

    def test_refused(self):
        out = self.path("a.obj")
        line = Spline([1], [[0, 0, 1, 1]], [[0], [1]])
        self.fails(1, "a curve with points of 1 coordinate has no place in a mesh", "bspline", "eval",
                   self.write("a.g2", line.g2()), "-o", out)
        self.fails(1, "b.g2:1: objects of class 210, BoundedSurface are not read", "bspline", "eval",
                   self.write("b.g2", "210 1 0 0\n"), "-o", out)
        self.fails(1, "c.json:1: the file holds no",
                   "bspline", "eval", self.write("c.json", "{}"), "-o", out)
        self.fails(1, "use fewer --samples", "bspline", "eval", os.path.join(DATA, "vase.json"), "-o", out, "-n",
                   "1048576")
        knot = os.path.join(DATA, "knot.g2")
        for expected, args in (("no action given, there are eval and bezier", ()), ("unknown action 'evil'", ("evil",)),
                               ("no input file given", ("eval",)), ("no output given", ("eval", knot)),
                               ("--samples must be 2 to 1048576, not '1'", ("eval", knot, "-o", out, "-n1")),
                               ("unknown option '--tolerance'", ("eval", knot, "-o", out, "--tolerance", "1")),
                               ("is an input too", ("eval", knot, "-o", out, out))):
            with self.subTest(expected):
                self.assertIn("(see clspline bspline --help)\n", self.fails(2, expected, "bspline", *args))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["a.g2", "b.g2", "c.json"])


class Pieces(Case):
    """Bezier pieces against the splines that they were cut from."""

    def cut(self, source, ending, *extra):
        path = self.path("pieces." + ending)
        done = run("bspline", "bezier", source, "-o", path, "-q", *extra)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return path

    @staticmethod
    def pieces(spline):
        """The intervals of a spline's pieces in order, the last direction fastest."""
        spans = []
        for knots, degree in zip(spline.knots, spline.degrees):
            begin, end = domain(knots, degree)
            inner = sorted({t for t in knots if begin <= t <= end})
            spans.append(list(zip(inner, inner[1:])))
        return list(itertools.product(*spans))

    def test_curves(self):
        """Each piece lies over its own knots and is the curve there."""
        chance = random.Random(11)
        curves = [random_spline(chance, [p], [n], dim, rational)
                  for p, n, dim, rational in ((3, 8, 2, False), (2, 7, 3, True), (4, 5, 3, False), (3, 8, 2, False))]
        source = self.write("a.g2", "".join(curve.g2() for curve in curves))
        for precision in ("f32", "f64") if has_fp64() else ("f32",):
            found = read_g2(self.cut(source, "g2", "-p", precision))
            expected = [(curve, span) for curve in curves for span, in self.pieces(curve)]
            self.assertEqual(len(found), len(expected))
            for piece, (curve, (begin, end)) in zip(found, expected):
                order = curve.degrees[0] + 1
                self.assertEqual(piece.knots, [[begin] * order + [end] * order])
                for i in range(5):
                    t = begin + (end - begin) * (i + 0.5) / 5
                    self.check_near([piece.point(t)], [curve.point(t)], 100 * EPS[precision])

    def test_json(self):
        """JSON holds the same pieces as .g2; what is cut already stays as it is."""
        knot = os.path.join(DATA, "knot.g2")
        done = run("bspline", "bezier", knot, "-o", self.path("a.json"))
        self.assertEqual((done.returncode, done.stderr), (0, "2 splines in 40 Bezier pieces\n"))
        with open(self.path("a.json"), encoding="ascii") as file:
            text = file.read()
        with open(self.cut(self.path("a.json"), "json"), encoding="ascii") as file:
            self.assertEqual(text, file.read())
        shape = json.loads(text)["shape"]
        self.assertEqual((shape["type"], shape["count"], len(shape["data"])), ("curve", 40, 40))
        self.assertEqual(shape["data"][1]["knotvector"], [0.25] * 3 + [0.5] * 3)
        for piece, item in zip(read_g2(self.cut(knot, "g2")), shape["data"]):
            points, weights = item["control_points"]["points"], item["control_points"].get("weights")
            expected = [[x * w for x in p] + [w] for p, w in zip(points, weights)] if weights else points
            self.check_near(piece.points, expected, 1e-6)
        piped = subprocess.run([base.COMMAND, "bspline", "bezier", knot, "-q", "-o-", "-f", "json"], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(piped, text)

    def test_vase(self):
        """The Bezier patches of a BezierView file meet without cracks: 32 quads around, one seam."""
        path = self.cut(os.path.join(DATA, "vase.json"), "bv")
        done = run("bezier", path, "-q", "-n", "9", "-o", self.path("a.obj"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        points, faces = read_obj(self.path("a.obj"))
        self.assertEqual((len(points), len(set(points))), (16 * 81, 33 * 32))
        counts = edge_counts(points, faces)
        self.assertEqual(sum(edge[::-1] not in counts for edge in counts), 2 * 32)

    def test_surface(self):
        chance = random.Random(12)
        spline = random_spline(chance, (2, 3), (5, 6), 3, True)
        self.cut(self.write("a.g2", spline.g2()), "bv")
        done = run("bezier", self.path("pieces.bv"), "-q", "-n", "3", "-o", self.path("b.ply"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found, pieces = read_ply(self.path("b.ply"))[0], self.pieces(spline)
        self.assertEqual(len(found), 9 * len(pieces))
        for k, ((u0, u1), (v0, v1)) in enumerate(pieces):
            self.check_near([found[9 * k + 4]], [spline.point((u0 + u1) / 2, (v0 + v1) / 2)], 200 * EPS["f32"])

    def test_volume(self):
        chance = random.Random(13)
        spline = random_spline(chance, (1, 2, 1), (3, 4, 2), 3)
        source = self.write("a.g2", spline.g2())
        for ending in ("g2", "json"):
            done = run("info", "--json", self.cut(source, ending))
            kind, = json.loads(done.stdout)[0]["splines"]
            self.assertEqual((kind["form"], kind["count"], kind["controls"]),
                             ("volume", len(self.pieces(spline)), [2, 3, 2]))

    def test_refused(self):
        knot, vase = os.path.join(DATA, "knot.g2"), os.path.join(DATA, "vase.json")
        for expected, args in (("spline 0 is a curve: BezierView files have surfaces only; use .g2 or .json",
                                (knot, "-o", self.path("a.bv"))),
                               ("spline 2 is a surface: JSON has splines of one kind; use .g2",
                                (knot, vase, "-o", self.path("a.json"))),
                               ("none.g2: cannot open: ", (self.path("none.g2"), "-o", self.path("a.g2"))),
                               ("/nowhere/a.g2: cannot write: ", (knot, "-o", "/nowhere/a.g2"))):
            with self.subTest(expected):
                self.fails(1, expected, "bspline", "bezier", *args)
        out = self.path("a.g2")
        for expected, args in (("no input file given", ("-o", out)), ("no output given", (knot,)),
                               ("does not end in .bv, .g2 or .json", (knot, "-o", self.path("a.obj"))),
                               ("-o - needs --format", (knot, "-o", "-")),
                               ("--format must be bv, g2 or json, not 'obj'", (knot, "-o", "-", "-f", "obj")),
                               ("--format is for -o -", (knot, "-o", out, "-f", "g2")),
                               ("once only", (knot, "-o", out, "-o", out)), ("is an input too", (knot, "-o", knot)),
                               ("unknown option '--samples'", (knot, "-o", out, "--samples", "3"))):
            with self.subTest(expected):
                self.assertIn("(see clspline bspline --help)\n", self.fails(2, expected, "bspline", "bezier", *args))
        self.assertEqual(os.listdir(self.folder.name), [])


class Projection(Case):
    """Nearest points against all samples of the curves."""
    NONE = ("none", "invalid")

    def project(self, *args, code=0, ending="csv", quiet=True):
        out = self.path("nearest." + ending)
        done = run("project", *args, "-o", out, *(("-q",) if quiet else ()))
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        if quiet:
            self.assertEqual(done.stderr, "")
        return (self.read_csv(out) if ending == "csv" else self.read_npy(out)), done.stderr

    @staticmethod
    def read_csv(path):
        with open(path, encoding="ascii") as file:
            head, *lines = [line.strip().split(",") for line in file]
        dim = len(head) - 6
        assert head == ["query", "curve", "parameter", *"xyzw"[:dim], "distance", "bound", "status"]
        return [(int(row[0]), int(row[1]), float(row[2]), tuple(map(float, row[3:3 + dim])), float(row[-3]),
                 float(row[-2]), row[-1]) for row in lines]

    @staticmethod
    def read_npy(path):
        """The records as rows of CSV, and the shape."""
        with open(path, "rb") as file:
            body = file.read()
        assert body[:8] == b"\x93NUMPY\x01\x00"
        length, = struct.unpack_from("<H", body, 8)
        assert (10 + length) % 64 == 0 and body[9 + length:10 + length] == b"\n"
        head = ast.literal_eval(body[10:10 + length].decode("ascii"))
        assert head["fortran_order"] is False
        dim = head["descr"][3][2][0]
        real = {"<f4": "f", "<f8": "d"}[head["descr"][2][1]]
        assert head["descr"] == [("query", "<i8"), ("curve", "<i4"), ("parameter", "<f" + "48"[real == "d"]),
                                 ("point", "<f" + "48"[real == "d"], (dim,)), ("distance", "<f" + "48"[real == "d"]),
                                 ("bound", "<f" + "48"[real == "d"]), ("status", "|u1")]
        names = ("found", "cut", "none", "invalid", "off")
        found = [(row[0], row[1], row[2], row[3:3 + dim], row[-3], row[-2], names[row[-1]])
                 for row in struct.iter_unpack("<qi%d%sB" % (dim + 3, real), body[10 + length:])]
        assert len(found) == math.prod(head["shape"])
        return found, head["shape"]

    def write_points(self, name, points, kind="f4"):
        """Points in the format of the name's ending."""
        if name.endswith(".npy"):
            head = str({"descr": "<" + kind, "fortran_order": False, "shape": (len(points), len(points[0]))})
            head += " " * (-(11 + len(head)) % 64) + "\n"
            with open(self.path(name), "wb") as file:
                file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
                real = {"f4": "f", "f8": "d"}[kind]
                file.write(b"".join(struct.pack("<%d%s" % (len(p), real), *p) for p in points))
            return self.path(name)
        between = "," if name.endswith(".csv") else " "
        return self.write(name, "".join(between.join("%.17g" % x for x in p) + "\n" for p in points))

    @staticmethod
    def points():
        with open(os.path.join(DATA, "points.csv"), encoding="ascii") as file:
            return [tuple(map(float, line.split(","))) for line in file.readlines()[1:]]

    def check_rows(self, rows, curves, points, precision):
        """Each row is a point of its curve, as far away as it says, and no sample is nearer."""
        scale = max(abs(x) for p in points for x in p)
        eps = 400 * EPS[precision] * scale
        sampled = [p for curve in curves for p in curve.grid(900)]
        self.assertEqual([row[0] for row in rows], list(range(len(points))))
        for _, number, parameter, point, distance, bound, status in rows:
            begin, end = domain(curves[number].knots[0], curves[number].degrees[0])
            self.assertTrue(begin <= parameter <= end)
            self.assertEqual(status, "found")
            slack = eps + 20 * EPS[precision] * (end - begin)  # of the parameter's rounding
            self.check_near([point], [curves[number].point(parameter)], slack)
            self.assertTrue(distance - eps <= bound <= distance)
        for row, query in zip(rows, points):
            self.assertAlmostEqual(row[4], math.dist(row[3], query), delta=eps)
            self.assertLessEqual(row[4], min(math.dist(p, query) for p in sampled) + eps)

    def precisions(self):
        return ("f32", "f64") if has_fp64() else ("f32",)

    def test_nearest(self):
        knot, points = os.path.join(DATA, "knot.g2"), self.points()
        for precision in self.precisions():
            rows, _ = self.project(knot, os.path.join(DATA, "points.csv"), "-p", precision)
            self.check_rows(rows, read_g2(knot), points, precision)
            self.assertEqual({row[1] for row in rows}, {0, 1})

    def test_formats(self):
        """The same rows of points in any format, to either format, by files and by pipes."""
        knot, points = os.path.join(DATA, "knot.g2"), [tuple(map(float32, p)) for p in self.points()]
        expected, _ = self.project(knot, self.write_points("a.csv", points))
        for name, kind in (("a.npy", "f4"), ("a.npy", "f8"), ("a.xyz", "")):
            self.assertEqual(self.project(knot, self.write_points(name, points, kind))[0], expected)
        (rows, shape), _ = self.project(knot, self.path("a.csv"), ending="npy")
        self.assertEqual(shape, (300,))
        rounded = [tuple(tuple(map(float32, x)) if isinstance(x, tuple) else float32(x) if isinstance(x, float) else x
                         for x in row) for row in expected]
        self.assertEqual(rows, rounded)
        for name in ("a.csv", "a.npy"):
            with open(self.path(name), "rb") as file:
                piped = subprocess.run([base.COMMAND, "project", knot, "-", "-q", "-o-", "-f", name[2:]], stdin=file,
                                       stdout=subprocess.PIPE, check=name == "a.npy")
            if name == "a.npy":
                with open(self.path("nearest.npy"), "rb") as file:
                    self.assertEqual(piped.stdout, file.read())
            else:
                with open(self.path("nearest.csv"), "rb") as file:
                    self.assertEqual(piped.stdout, file.read())
        with open(knot, "rb") as file:
            done = subprocess.run([base.COMMAND, "project", "-", self.path("a.npy"), "-q", "-o-", "-f", "npy"],
                                  stdin=file, stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, piped.stdout)
        with open(self.path("a.csv"), "rb") as file:
            done = subprocess.run([base.COMMAND, "project", knot, "-", "-q", "-o-", "-f", "npy"], stdin=file,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"standard output: an .npy array begins with its length", done.stderr)

    def curves(self, dim=3):
        """Curves of several degrees, knots and sizes, in one file and each in its own."""
        chance = random.Random(dim)
        curves = [random_spline(chance, [p], [n], dim, rational)
                  for p, n, rational in ((2, 6, False), (3, 5, True), (2, 6, False), (1, 4, False))]
        curves.insert(2, Spline(curves[0].degrees, curves[0].knots,
                                [[float32(x + 0.25) for x in p] for p in curves[0].points]))
        self.write("all.g2", "".join(curve.g2() for curve in curves))
        alone = [self.write("curve%d.g2" % k, curve.g2()) for k, curve in enumerate(curves)]
        points = [tuple(float32(chance.uniform(-1.5, 1.5)) for _ in range(dim)) for _ in range(40)]
        return curves, alone, points

    def test_batches(self):
        """The nearest over all curves of a file is the nearest of all alone; so are the K nearest."""
        curves, alone, points = self.curves()
        source = self.write_points("points.csv", points)
        for num in (1, 4):
            each = [self.project(path, source, "-k", str(num))[0] for path in alone]
            rows, _ = self.project(self.path("all.g2"), source, "-k", str(num))
            also, _ = self.project(*alone, source, "-k", str(num))
            self.assertEqual(rows, also)
            (records, shape), _ = self.project(self.path("all.g2"), source, "-k", str(num), ending="npy")
            self.assertEqual(shape, (40,) if num == 1 else (40, 4))
            self.assertEqual([row[1] for row in records if row[6] == "found"], [row[1] for row in rows])
            for query in range(40):
                found = [row for row in rows if row[0] == query]
                expected = sorted((row[4], k) + row[2:3] for k, some in enumerate(each) for row in some
                                  if row[0] == query)[:num]
                self.assertEqual([row[4] for row in found], [row[0] for row in expected])
                self.assertEqual([row[1] for row in found], [row[1] for row in expected])
            if num == 1:
                self.check_rows(rows, curves, points, "f32")

    def test_domains(self):
        """Parameters are those of the file, also of curves that are kept as others are."""
        ends = [(0, 1), (5, 7), (-2, -1)]
        lines = [Spline([1], [[a, a, b, b]], [[0, y, 0], [8, y, 0]]) for y, (a, b) in enumerate(ends)]
        source = self.write("a.g2", "".join(line.g2() for line in lines))
        rows, _ = self.project(source, self.write("a.csv", "2,0,0\n2,1,1\n9,2,0\n"))
        self.assertEqual([row[1:3] for row in rows], [(0, 0.25), (1, 5.5), (2, -1)])

    def test_dims(self):
        for dim in (1, 2, 4):
            curves, _, points = self.curves(dim)
            rows, _ = self.project(self.path("all.g2"), self.write_points("p.csv", points))
            self.check_rows(rows, curves, points, "f32")

    def test_mrep(self):
        """By cubics, no point is further away than the nearest by more than the tolerance."""
        chance = random.Random(14)
        curve = random_spline(chance, [5], [14], 3)
        curve.knots = [[0.0] * 6 + [i / 9 for i in range(1, 9)] + [1.0] * 6]
        source = self.write("a.g2", curve.g2())
        points = self.write_points("p.csv", [[chance.uniform(-1, 1) for _ in range(3)] for _ in range(60)])
        exact, _ = self.project(source, points)
        for extra, tolerance in ((("-t", "0.01"), 0.01), ((), 5e-4)):
            rows, _ = self.project(source, points, "--method", "mrep", *extra)
            for row, best in zip(rows, exact):
                self.assertEqual(row[6], "found")
                self.assertLess(abs(row[4] - best[4]), tolerance)
                self.assertTrue(best[5] - tolerance < row[5] <= row[4])

    def test_cooperation(self):
        knot, points = os.path.join(DATA, "knot.g2"), os.path.join(DATA, "points.csv")
        env = dict(os.environ, CLSPLINE_SPEEDS="")
        expected, _ = self.project(knot, points)
        for how, extra in (("auto", ()), ("dynamic", ()), ("host", ()), ("device", ("-k", "2"))):
            done = run("project", knot, points, "-q", "-o", self.path("a.csv"), "--cooperate", how, "--report", *extra,
                       env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(re.findall(r"^points 0 to 299, 1 curves: by \w+, ", done.stderr, re.M)), 2)
            rows = self.read_csv(self.path("a.csv"))
            firsts = [row for row, before in zip(rows, [(-1,)] + rows) if row[0] != before[0]]
            for row, best in zip(firsts, expected):
                self.assertAlmostEqual(row[4], best[4], delta=1e-5)

    def test_max_dist(self):
        knot, source = os.path.join(DATA, "knot.g2"), os.path.join(DATA, "points.csv")
        expected, _ = self.project(knot, source)
        rows, report = self.project(knot, source, "--max-dist", "0.5", quiet=False)
        self.assertEqual(len(rows), 300)
        for row, full in zip(rows, expected):
            if full[4] < 0.499:
                self.assertEqual(row[:5], full[:5])
            elif full[4] > 0.501:
                self.assertEqual((row[1], row[4], row[6]), (-1, math.inf, "none"))
                self.assertTrue(math.isnan(row[2]) and 0.499 < row[5] <= full[4])
        self.assertIn("; %d none\n" % sum(row[6] == "none" for row in rows), report)

    def test_invalid(self):
        rows, report = self.project(os.path.join(DATA, "knot.g2"), self.write("a.csv", "1,2,3\nnan,0,0\n0,0,inf\n"),
                                    quiet=False)
        self.assertEqual([row[6] for row in rows], ["found", "invalid", "invalid"])
        self.assertIn("3 points onto 2 curves, on ", report)
        self.assertIn("of point 0; 2 invalid\n", report)

    def test_invert(self):
        """Parameters of points on the trefoil are found again, and points off it are marked."""
        knot = os.path.join(DATA, "knot.g2")
        trefoil = read_g2(knot)[1]
        parameters = [36 * i / 97 for i in range(1, 97)]
        points = [trefoil.point(t) for t in parameters]
        rows, report = self.project(knot, self.write_points("a.csv", points), "--invert", quiet=False)
        self.assertNotIn(" off", report)
        for row, t in zip(rows, parameters):
            self.assertEqual((row[1], row[6]), (1, "found"))
            self.assertAlmostEqual(row[2], t, places=4)
        points[40] = [x + 0.01 for x in points[40]]
        source = self.write_points("a.csv", points)
        rows, report = self.project(knot, source, "-i", code=3, quiet=False)
        self.assertEqual([row[0] for row in rows if row[6] == "off"], [40])
        self.assertRegex(report, r"\nlargest distance 0\.01\d+, of point 40; 1 off\n")
        self.project(knot, source, "-i", "-t", "0.02")
        self.project(knot, source, "-i", "-t", "1%")
        self.project(knot, source, "-i", "-t", "0.1%", code=3)
        self.project(knot, source, "-i", "-t", "0.02", "--max-dist", "1e-3", code=3)

    @unittest.skipIf(os.environ.get("CLSPLINE_TEST_SIZE") == "tiny", "too many points")
    def test_chunks(self):
        """More points than are searched at once: the same rows again and again."""
        knot, points = os.path.join(DATA, "knot.g2"), self.points()
        extra = ("-k", "16")  # 2^15 points at once
        (first, _), _ = self.project(knot, self.write_points("a.npy", points), *extra, ending="npy")
        (rows, shape), _ = self.project(knot, self.write_points("b.npy", points * 120), *extra, ending="npy")
        self.assertEqual(shape, (36000, 16))
        for block in (0, 108, 109, 110, 119):
            found = rows[4800 * block:4800 * block + 4800]
            self.assertEqual([row[6] for row in found], [row[6] for row in first])
            self.assertEqual([row[1:6] for row in found if row[6] == "found"],
                             [row[1:6] for row in first if row[6] == "found"])
            self.assertEqual([row[0] for row in found[::16]], list(range(300 * block, 300 * block + 300)))

    def test_failures(self):
        """Nothing is left of a run that fails."""
        out, knot, points = self.path("o.csv"), os.path.join(DATA, "knot.g2"), self.write("a.csv", "1,2,3\n4,5\n")
        step = self.write("step.g2", Spline([0], [[0, 1, 2]], [[0, 0, 0], [1, 1, 1]]).g2())
        flat = self.write("flat.g2", Spline([1], [[0, 0, 1, 1]], [[0, 0], [1, 1]]).g2())
        before = sorted(os.listdir(self.folder.name))
        for expected, args in (("a.csv:2: 2 numbers where the curves have 3 coordinates", (knot, points)),
                               ("none.csv: cannot open: No such file", (knot, self.path("none.csv"))),
                               ("none.g2: cannot open: No such file", (self.path("none.g2"), points)),
                               ("vase.json: spline 0 is no curve", (os.path.join(DATA, "vase.json"), points)),
                               ("step.g2: spline 0 is of degree 0", (step, points)),
                               ("spline 2 is of other coordinates than those before", (knot, flat, points)),
                               ("rational, which --method mrep does not do", (knot, points, "--method", "mrep")),
                               ("no device fits", (knot, os.path.join(DATA, "points.csv"), "-d", "no such"))):
            with self.subTest(expected):
                self.fails(1, expected, "project", *args, "-o", out)
                self.assertEqual(sorted(os.listdir(self.folder.name)), before)
        self.fails(1, "point 1: 1e+39 is too large for a float; use --precision f64", "project", knot,
                   self.write("b.csv", "0,0,0\n1e39,0,0\n"), "-o", out, "-q")
        self.fails(1, "/nowhere/o.csv: cannot write: No such file", "project", "-q", knot,
                   os.path.join(DATA, "points.csv"), "-o", "/nowhere/o.csv")

    def test_usage(self):
        out, knot, points = self.path("o.csv"), os.path.join(DATA, "knot.g2"), os.path.join(DATA, "points.csv")
        for expected, args in (("no file of curves given", ("-o", out)), ("no file of points given", (knot, "-o", out)),
                               ("no output given", (knot, points)), ("once only", (knot, points, "-o", out, "-o", out)),
                               ("does not end in .csv or .npy", (knot, points, "-o", self.path("o.obj"))),
                               ("-o - needs --format", (knot, points, "-o-")),
                               ("--format is for -o -", (knot, points, "-o", out, "-f", "csv")),
                               ("--format must be csv or npy, not 'obj'", (knot, points, "-o-", "-f", "obj")),
                               ("standard input can be read once only", ("-", "-", "-o", out)),
                               ("points.csv' is an input too", (knot, points, "-o", points)),
                               ("--nearest must be 1 to 16, not '17'", (knot, points, "-o", out, "-k", "17")),
                               ("--nearest must be 1 to 16, not '0'", (knot, points, "-o", out, "--nearest=0")),
                               ("--max-dist must be a number above 0, not '0'", (knot, points, "-o", out, "-m0")),
                               ("not 'nan'", (knot, points, "-o", out, "--max-dist", "nan")),
                               ("--tolerance must be a number above 0", (knot, points, "-o", out, "-i", "-t", "%")),
                               ("--tolerance is of --invert and of", (knot, points, "-o", out, "-t", "1")),
                               ("--method must be exact or mrep, not 'm'", (knot, points, "-o", out, "--method=m")),
                               ("need --cooperate", (knot, points, "-o", out, "--workers", "2")),
                               ("--cooperate is of --method exact",
                                (knot, points, "-o", out, "--cooperate=auto", "--method=mrep")),
                               ("--nearest is of --method exact",
                                (knot, points, "-o", out, "-k2", "--method=mrep")),
                               ("exclude each other", (knot, points, "-o", out, "-q", "-v"))):
            with self.subTest(expected):
                self.assertIn("(see clspline project --help)\n", self.fails(2, expected, "project", *args))
        self.assertEqual(os.listdir(self.folder.name), [])


class Info(Case):
    def test_text(self):
        done = run("info", os.path.join(DATA, "knot.g2"), os.path.join(DATA, "vase.json"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("  curves       1 rational of degree 2, 9 control points, 4 spans over [0, 1]\n", done.stdout)
        self.assertIn("  curves       1 of degree 3, 39 control points, 36 spans over [0, 36]\n", done.stdout)
        self.assertIn("  surfaces     1 rational of degree 2 x 3, 9 x 7 control points, 4 x 4 spans over [0, 1] x "
                      "[0, 4]\n  control box  (-2, -2, 0) to (2, 2, 4.4)\n", done.stdout)

    def test_json(self):
        done = run("info", "--json", os.path.join(DATA, "knot.g2"), os.path.join(DATA, "teapot.bv"),
                   os.path.join(DATA, "vase.json"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        knot, teapot, vase = json.loads(done.stdout)
        self.assertEqual(knot["splines"][1], {"form": "curve", "rational": False, "dim": 3, "degrees": [3],
                                              "controls": [39], "spans": [36], "domain": [[0, 36]], "count": 1})
        self.assertEqual(vase["control_box"], [[-2, -2, 0], [2, 2, 4.4]])
        self.assertEqual((vase["trimmed"], teapot["patches"][0]["count"]), (0, 28))

    def test_bad(self):
        self.fails(1, "a.g2:1: the file holds no spline", "info", self.write("a.g2", ""))


class Data(Case):
    def test_made(self):
        """The files of the folder are what their program writes."""
        subprocess.run([sys.executable, os.path.join(DATA, "make_splines.py"), self.folder.name], check=True)
        for name in ("knot.g2", "vase.json", "points.csv"):
            with open(self.path(name), encoding="ascii") as made, \
                    open(os.path.join(DATA, name), encoding="ascii") as kept:
                self.assertEqual(made.read(), kept.read())


if __name__ == "__main__":
    base.COMMAND, DATA = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], "tests", "data")
    base.DATA = DATA
    listed = run("devices", "--json")
    if listed.returncode == 1 and listed.stdout == "[]\n":
        print("no OpenCL device")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
