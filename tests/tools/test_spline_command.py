#!/usr/bin/env python3
"""Runs the command on B-splines and compares what it wrote with their definition.

usage: test_spline_command.py CLSPLINE SOURCE_DIR

Needs the standard library only; where geomdl can be imported, its own files are read as well.
Exits with 77 (skipped) where there is no OpenCL device.
"""
import itertools
import json
import math
import os
import random
import struct
import subprocess
import sys
import unittest

from command_fixture import COMMAND, DATA, Case, main, precisions, run
from image_files import png_rows
from mesh_files import (edge_counts, float32, is_closed, read_glb, read_lines, read_normals,
                        read_obj, read_ply,
                        read_vtk, turned_area)
from spline_fixture import EPS, Spline, SplineCase, domain, random_spline, read_g2

try:
    import geomdl.BSpline
    import geomdl.exchange
except ImportError:
    geomdl = None


class Evaluation(SplineCase):
    def evaluate(self, source, *extra, ending="obj"):
        path = self.path("out." + ending)
        done = run("eval", source, "-o", path, "-q", *extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return path

    def test_knot(self):
        """The circle is one, and the trefoil is that of the definition and closed."""
        source = os.path.join(DATA, "knot.g2")
        circle, trefoil = read_g2(source)
        for precision in precisions():
            points, faces = read_obj(self.evaluate(source, "-p", precision, "-n", "101"))
            self.assertEqual(faces, [])
            self.assertEqual(read_lines(self.path("out.obj")),
                             [list(range(101)), list(range(101, 202))])
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
                   ((1, 0, 2, False), (2, 5, 3, False), (3, 9, 2, True), (5, 2, 3, True),
                    (0, 4, 3, False))]
        source = self.write("a.g2", "".join(spline.g2() for spline in splines))
        for precision in precisions():
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
        source = self.write("a.g2", splines[0].g2() + other.g2() + splines[1].g2()
                            + splines[2].g2())
        points, _ = read_obj(self.evaluate(source, "-n", "2"))
        self.assertEqual([p[0] for p in points[::2]], [0, 1, 2, 9])
        both = self.path("b.obj")
        self.assertEqual(run("eval", "-q", "-n2", source, source, "-o", both).returncode,
                         0)
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
                      [[r * x, r * y, z * w, w] for r in (1, 2) for x, y, w in arc for z in (0, 3)],
                      True)
        block = Spline([2, 1, 1], [[0, 0, 0, 0.5, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]],
                       [[i, j + 0.3 * i * i, k] for i in range(4) for j in range(2)
                        for k in range(2)])
        for spline, volume in ((tube, math.pi / 4 * (4 - 1) * 3), (block, 3)):
            source = self.write("a.g2", spline.g2())
            path = self.evaluate(source, "-n", "17", "--normals")
            points, faces = read_obj(path)
            self.assertEqual((len(points), len(faces)), (6 * 289, 6 * 256))
            rounded = [tuple(round(x, 4) for x in p) for p in points]
            self.assertTrue(is_closed(rounded, faces))
            self.assertAlmostEqual(self.signed_volume(points, faces) / volume, 1, places=2)
            for normal, face in zip(read_normals(path)[::289], faces[::256]):
                cross = turned_area(points[face[0]], points[face[1]], points[face[3]])
                self.assertGreater(sum(x * y for x, y in zip(normal, cross)),
                                   0.9 * math.hypot(*cross))

    def test_default_samples(self):
        curve = Spline([2], [[0, 0, 0] + list(range(1, 20)) + [20] * 3],
                       [[i % 3, i, 0] for i in range(22)])
        points, _ = read_obj(self.evaluate(self.write("a.g2", curve.g2())))
        self.assertEqual(len(points), 16 * 20 + 1)
        line = Spline([1], [[0, 0, 1, 1]], [[0, 0], [1, 1]])
        self.assertEqual(len(read_obj(self.evaluate(self.write("b.g2", line.g2())))[0]), 33)

    def test_formats(self):
        """The same vertices in all formats; curves are edges of PLY, cells of VTK, lines of
        glTF."""
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
        *form, rows = png_rows(self.evaluate(knot, ending="png"))
        self.assertEqual(form, [1200, 900, 3, 1])
        self.assertGreater(len(set(rows)), 100)
        self.fails(1, "out.stl: cannot write: this format has no curves", "eval", "-q",
                   knot, "-o",
                   self.path("out.stl"))

    def test_streams(self):
        """From standard input to standard output, and streamed, the bytes are those of a mesh in
        memory."""
        for name in ("knot.g2", "vase.json"):
            source = os.path.join(DATA, name)
            for ending in ("ply", "vtk"):
                alone = self.evaluate(source, "-n", "9", ending=ending)
                other = self.path("b." + ending)
                done = run("eval", source, "-q", "-n9", "-o", other, "-o",
                           self.path("c.obj"))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                with open(source, "rb") as file:
                    piped = subprocess.run([COMMAND, "eval", "-", "-n9", "-q", "-o-",
                                            "-f", ending],
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
            done = run("eval", vase, "-q", "-n120", "-o", self.path("a.obj"),
                       "--cooperate", how,
                       "--report", env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"^splines 1 to 1: by \w+, ")
            self.check_near(read_obj(self.path("a.obj"))[0], expected, 64 * 5 * EPS["f32"])

    def test_verbose(self):
        done = run("eval", os.path.join(DATA, "vase.json"), "-v", "-n9", "-o",
                   self.path("a.ply"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: 1 rational surfaces: 4 spans of degree 2 by 9 samples x "
                      "4 spans of degree 3 by 9 samples\n", done.stderr)
        self.assertIn("vase.json: 1 splines, 81 points, on ", done.stderr)

    def test_trimmed(self):
        with open(os.path.join(DATA, "vase.json"), encoding="ascii") as file:
            vase = json.load(file)
        vase["shape"]["data"][0]["trims"] = {"count": 0, "data": []}
        source = self.write("a.json", json.dumps(vase))
        done = run("eval", source, "-n5", "-o", self.path("a.obj"))
        self.assertIn("warning: %s: 1 trimmed splines are taken whole\n" % source, done.stderr)
        self.assertEqual(self.evaluate(source, "-n5"), self.path("out.obj"))

    @unittest.skipIf(geomdl is None, "no geomdl")
    def test_geomdl(self):
        """A file that geomdl wrote, against its own evaluation."""
        surface = geomdl.BSpline.Surface()
        surface.degree_u, surface.degree_v = 2, 3
        chance = random.Random(8)
        surface.set_ctrlpts([[i, j, chance.random()] for i in range(5) for j in range(6)], 5, 6)
        surface.knotvector_u, surface.knotvector_v = [0, 0, 0, 0.3, 0.6, 1, 1, 1], [0, 0, 0, 0, 0.5,
                                                                                    0.7, 1, 1, 1, 1]
        surface.sample_size = 9
        geomdl.exchange.export_json(surface, self.path("a.json"))
        self.check_near(read_obj(self.evaluate(self.path("a.json"), "-n9"))[0], surface.evalpts,
                        1e-5)

    def test_refused(self):
        out = self.path("a.obj")
        line = Spline([1], [[0, 0, 1, 1]], [[0], [1]])
        self.fails(1, "a curve with points of 1 coordinate has no place in a mesh", "eval",
                   self.write("a.g2", line.g2()), "-o", out)
        self.fails(1, "b.g2:1: objects of class 210, BoundedSurface are not read", "eval",
                   self.write("b.g2", "210 1 0 0\n"), "-o", out)
        self.fails(1, "c.json:1: the file holds no",
                   "eval", self.write("c.json", "{}"), "-o", out)
        self.fails(1, "use fewer --samples", "eval", os.path.join(DATA, "vase.json"),
                   "-o", out, "-n",
                   "1048576")
        knot = os.path.join(DATA, "knot.g2")
        for expected, args in (("no input file given", ("eval",)),
                               ("no output given", ("eval", knot)),
                               ("--samples must be 2 to 1048576, not '1'",
                                ("eval", knot, "-o", out, "-n1")),
                               ("'--tolerance' is of Bezier patches, not of B-splines",
                                ("eval", knot, "-o", out, "--tolerance", "1")),
                               ("is an input too", ("eval", knot, "-o", out, out))):
            with self.subTest(expected):
                self.assertIn("(see clspline help eval)\n", self.fails(2, expected, *args))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.g2", "b.g2", "c.json"])


class Pieces(SplineCase):
    """Bezier pieces against the splines that they were cut from."""

    def cut(self, source, ending, *extra):
        path = self.path("pieces." + ending)
        done = run("convert", source, "--bezier", "-o", path, "-q", *extra)
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
                  for p, n, dim, rational in ((3, 8, 2, False), (2, 7, 3, True), (4, 5, 3, False),
                                              (3, 8, 2, False))]
        source = self.write("a.g2", "".join(curve.g2() for curve in curves))
        for precision in precisions():
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
        done = run("convert", knot, "--bezier", "-o", self.path("a.json"))
        self.assertEqual((done.returncode, done.stderr), (0, "2 splines in 40 Bezier pieces\n"))
        with open(self.path("a.json"), encoding="ascii") as file:
            text = file.read()
        with open(self.cut(self.path("a.json"), "json"), encoding="ascii") as file:
            self.assertEqual(text, file.read())
        shape = json.loads(text)["shape"]
        self.assertEqual((shape["type"], shape["count"], len(shape["data"])), ("curve", 40, 40))
        self.assertEqual(shape["data"][1]["knotvector"], [0.25] * 3 + [0.5] * 3)
        for piece, item in zip(read_g2(self.cut(knot, "g2")), shape["data"]):
            controls = item["control_points"]
            points, weights = controls["points"], controls.get("weights")
            expected = [[x * w for x in p] + [w]
                        for p, w in zip(points, weights)] if weights else points
            self.check_near(piece.points, expected, 1e-6)
        piped = subprocess.run([COMMAND, "convert", knot, "-q", "-o-", "-f", "json", "--bezier"],
                               check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(piped, text)

    def test_vase(self):
        """The Bezier patches of a BezierView file meet without cracks: 32 quads around, one
        seam."""
        path = self.cut(os.path.join(DATA, "vase.json"), "bv")
        done = run("eval", path, "-q", "-n", "9", "-o", self.path("a.obj"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        points, faces = read_obj(self.path("a.obj"))
        self.assertEqual((len(points), len(set(points))), (16 * 81, 33 * 32))
        counts = edge_counts(points, faces)
        self.assertEqual(sum(edge[::-1] not in counts for edge in counts), 2 * 32)

    def test_surface(self):
        chance = random.Random(12)
        spline = random_spline(chance, (2, 3), (5, 6), 3, True)
        self.cut(self.write("a.g2", spline.g2()), "bv")
        done = run("eval", self.path("pieces.bv"), "-q", "-n", "3", "-o", self.path("b.ply"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found, pieces = read_ply(self.path("b.ply"))[0], self.pieces(spline)
        self.assertEqual(len(found), 9 * len(pieces))
        for k, ((u0, u1), (v0, v1)) in enumerate(pieces):
            self.check_near([found[9 * k + 4]], [spline.point((u0 + u1) / 2, (v0 + v1) / 2)],
                            200 * EPS["f32"])

    def test_only(self):
        """Of a file of several kinds the pieces of one, as if they were alone."""
        knot, vase = os.path.join(DATA, "knot.g2"), os.path.join(DATA, "vase.json")
        for kind, source, num in (("curves", knot, (2, 40)), ("surfaces", vase, (1, 16))):
            done = run("convert", knot, vase, "--bezier", "-o", self.path("a.json"), "--only", kind)
            self.assertEqual((done.returncode, done.stderr),
                             (0, "%d splines in %d Bezier pieces\n" % num))
            with open(self.path("a.json"), encoding="ascii") as found, \
                    open(self.cut(source, "json"), encoding="ascii") as expected:
                self.assertEqual(found.read(), expected.read())
        self.fails(1, "vase.json: there are no curves", "convert", vase, "-o",
                   self.path("b.g2"), "--only", "curves")

    def test_volume(self):
        chance = random.Random(13)
        spline = random_spline(chance, (1, 2, 1), (3, 4, 2), 3)
        source = self.write("a.g2", spline.g2())
        for ending in ("g2", "json"):
            done = run("info", "--json", self.cut(source, ending))
            kind, = json.loads(done.stdout)[0]["splines"]
            self.assertEqual((kind["form"], kind["count"], kind["controls"]),
                             ("volume", len(self.pieces(spline)), [2, 3, 2]))

    def test_kept(self):
        """Splines are written as they are, with more knots or a higher degree: the same points."""
        chance = random.Random(17)
        kinds = (([3], [8], 2, False), ([2], [7], 3, True), ((2, 3), (4, 6), 3, True),
                 ((1, 2, 1), (3, 4, 2), 3, False))
        splines = [random_spline(chance, list(p), list(n), dim, rational)
                   for p, n, dim, rational in kinds]
        source, path = self.write("a.g2", "".join(s.g2() for s in splines)), self.path("b.g2")
        for words, up, inserted in (((), None, 0), (("--degree", "5"), 5, 0),
                                    (("--insert", "2"), None, 2),
                                    (("--degree", "4", "--insert", "1"), 4, 1)):
            done = run("convert", source, "-o", path, "-p", precisions()[-1], *words)
            self.assertEqual((done.returncode, done.stderr), (0, "4 splines\n"))
            found = read_g2(path)
            self.assertEqual(len(found), len(splines))
            for a, b in zip(found, splines):
                self.assertEqual(a.degrees, [up or p for p in b.degrees])
                for old, new, p in zip(b.knots, a.knots, b.degrees):
                    begin, end = domain(old, p)
                    inner = {t for t in old if begin <= t <= end}
                    more = {t for t in new if begin < t < end} - inner
                    self.assertEqual(len(more), inserted * (len(inner) - 1))
                if not words:
                    self.assertEqual((a.knots, a.points), (b.knots, b.points))
                for _ in range(9):
                    at = [b + (e - b) * chance.random()
                          for b, e in (domain(k, p) for k, p in zip(b.knots, b.degrees))]
                    self.check_near([a.point(*at)], [b.point(*at)],
                                    200 * EPS[precisions()[-1]])
        self.fails(1, "a lower --degree needs --tolerance", "convert", source, "-o", path,
                   "--degree", "1")

    def test_lower_degree(self):
        """Curves of higher degrees become pieces within the tolerance, others stay exact."""
        chance = random.Random(12)
        curves = [random_spline(chance, [p], [n], dim, rational)
                  for p, n, dim, rational in ((5, 9, 2, False), (5, 9, 2, True), (3, 5, 3, False))]
        source = self.write("a.g2", "".join(curve.g2() for curve in curves))
        for extra in ((), ("--polynomial",), ("--free-tangents",)):
            found = read_g2(self.cut(source, "g2", "--degree", "3", "-t", "1e-3", *extra))
            for curve in curves:
                begin, end = domain(curve.knots[0], curve.degrees[0])
                at = begin
                while at < end:
                    piece = found.pop(0)
                    self.assertEqual(piece.degrees, [3])
                    self.assertEqual(piece.rational, curve.rational and "--polynomial" not in extra)
                    low, high = domain(piece.knots[0], 3)
                    self.assertAlmostEqual(low, at, delta=1e-6)
                    for k in range(9):
                        t = low + k / 8 * (high - low)
                        apart = math.dist(piece.point(t), curve.point(min(max(t, begin), end)))
                        self.assertLess(apart, 1.01e-3)
                    at = high if high < end - 1e-6 else end
            self.assertEqual(found, [])

    def test_lower_surface(self):
        """A surface becomes a grid of pieces within the tolerance."""
        for rational in (False, True):
            with self.subTest(rational=rational):
                self.check_lower_surface(rational)

    def check_lower_surface(self, rational):
        surface = random_spline(random.Random(13), [4, 2], [6, 4], 3, rational)
        source = self.write("a.g2", surface.g2())
        path = self.cut(source, "json", "--degree", "2", "-t", "0.01", "-p", "f64")
        with open(path, encoding="ascii") as file:
            found = json.load(file)["shape"]["data"]
        area = 0
        for item in found:
            self.assertEqual((item["degree_u"], item["degree_v"]), (2, 2))
            points, weights = (item["control_points"].get(name) for name in ("points", "weights"))
            if rational:
                points = [[x * w for x in point] + [w] for point, w in zip(points, weights)]
            piece = Spline([2, 2], [item["knotvector_u"], item["knotvector_v"]], points, rational)
            low, high = zip(*(domain(knots, 2) for knots in piece.knots))
            area += (high[0] - low[0]) * (high[1] - low[1])
            t = [(a + 2 * b) / 3 for a, b in zip(low, high)]
            self.assertLess(math.dist(piece.point(*t), surface.point(*t)), 0.01)
        whole = [domain(knots, p) for knots, p in zip(surface.knots, surface.degrees)]
        self.assertAlmostEqual(area, math.prod(high - low for low, high in whole))

    def test_refused(self):
        knot, vase = os.path.join(DATA, "knot.g2"), os.path.join(DATA, "vase.json")
        for expected, args in (("spline 0 is a surface: --polynomial is of curves; use --only "
                                "curves",
                                (vase, "-o", self.path("a.g2"), "--degree", "1", "-t", "1",
                                 "--polynomial")),
                               ("by rounding or since there would be more than 1048576 a span; use",
                                (knot, "-o", self.path("a.g2"), "--degree", "1", "-t", "1e-15")),
                               ("spline 0 is a curve: BezierView files have surfaces only; "
                                "use .g2 or .json",
                                (knot, "-o", self.path("a.bv"))),
                               ("spline 2 is a surface: JSON has splines of one kind; use .g2 or "
                                "--only",
                                (knot, vase, "-o", self.path("a.json"))),
                               ("none.g2: cannot open: ",
                                (self.path("none.g2"), "-o", self.path("a.g2"))),
                               ("/nowhere/a.g2: cannot write: ", (knot, "-o", "/nowhere/a.g2"))):
            with self.subTest(expected):
                self.fails(1, expected, "convert", *args)
        out = self.path("a.g2")
        for expected, args in (("no input file given", ("-o", out)), ("no output given", (knot,)),
                               ("does not end in .bv, .g2 or .json",
                                (knot, "-o", self.path("a.obj"))),
                               ("-o - needs --format", (knot, "-o", "-")),
                               ("--format must be bv, g2 or json, not 'obj'",
                                (knot, "-o", "-", "-f", "obj")),
                               ("--format is for -o -", (knot, "-o", out, "-f", "g2")),
                               ("once only", (knot, "-o", out, "-o", out)),
                               ("is an input too", (knot, "-o", knot)),
                               ("--degree must be 1 to 15, not '16'",
                                (knot, "-o", out, "--degree", "16", "-t", "1")),
                               ("--insert and --tolerance exclude each other",
                                (knot, "-o", out, "--insert=1", "--degree=2", "-t1")),
                               ("--tolerance needs --degree", (knot, "-o", out, "-t", "1")),
                               ("must be a number above 0",
                                (knot, "-o", out, "--degree", "2", "-t", "0")),
                               ("unknown option '--samples'", (knot, "-o", out, "--samples", "3"))):
            with self.subTest(expected):
                self.assertIn("(see clspline help convert)\n",
                              self.fails(2, expected, "convert", *args))
        self.assertEqual(os.listdir(self.folder), [])


class Data(Case):
    def test_made(self):
        """The files of the folder are what their program writes."""
        subprocess.run([sys.executable, os.path.join(DATA, "make_splines.py"), self.folder],
                       check=True)
        for name in ("knot.g2", "vase.json", "block.json", "points.csv"):
            with open(self.path(name), encoding="ascii") as made, \
                    open(os.path.join(DATA, name), encoding="ascii") as kept:
                self.assertEqual(made.read(), kept.read())


if __name__ == "__main__":
    main()
