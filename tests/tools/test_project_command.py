#!/usr/bin/env python3
"""Projects points onto curves with the command, and compares with all samples of the curves.

usage: test_project_command.py CLSPLINE SOURCE_DIR

Needs the standard library only. Exits with 77 (skipped) where there is no OpenCL device.
"""
import csv
import json
import math
import os
import random
import re
import struct
import subprocess
import unittest

from command_fixture import (COMMAND, DATA, NO_METHODS, ON_OPENCL, has_methods, has_opencl, main,
                             precisions, run, some)
from image_files import npy_bytes, npy_parts
from mesh_files import float32
from spline_fixture import EPS, Spline, SplineCase, domain, random_spline, read_g2


def ply_bytes(points, kind, order="<", dim=3):
    """Points as a binary PLY file, with a byte behind each, in any order of bytes."""
    real = {"f": "float", "d": "double"}[kind]
    head = "ply\nformat binary_%s_endian 1.0\nelement vertex %d\n%sproperty uchar a\nend_header\n"
    axes = "".join("property %s %s\n" % (real, axis) for axis in "xyzw"[:dim])
    return (head % ("little" if order == "<" else "big", len(points), axes)).encode() + b"".join(
        struct.pack(order + "%d%sB" % (len(p), kind), *p, 7) for p in points)


class Projection(SplineCase):
    """Nearest points against all samples of the curves."""
    NONE = ("none", "invalid")

    def project(self, *args, code=0, ending="csv", quiet=True, **options):
        out = self.path("nearest." + ending)
        done = run("project", *args, "-o", out, *(("-q",) if quiet else ()), **options)
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
        return [(int(row[0]), int(row[1]), float(row[2]), tuple(map(float, row[3:3 + dim])),
                 float(row[-3]),
                 float(row[-2]), row[-1]) for row in lines]

    @staticmethod
    def read_npy(path):
        """The records as rows of CSV, and the shape."""
        with open(path, "rb") as file:
            body = file.read()
        kind, shape, data = npy_parts(body)
        dim = kind[3][2][0]
        real = {"<f4": "f", "<f8": "d"}[kind[2][1]]
        word = "<f" + "48"[real == "d"]
        assert kind == [("query", "<i8"), ("curve", "<i4"), ("parameter", word),
                        ("point", word, (dim,)),
                        ("distance", word), ("bound", word), ("status", "|u1")]
        names = ("found", "cut", "none", "invalid", "off")
        found = [(row[0], row[1], row[2], row[3:3 + dim], row[-3], row[-2], names[row[-1]])
                 for row in struct.iter_unpack("<qi%d%sB" % (dim + 3, real), data)]
        assert len(found) == math.prod(shape)
        return found, shape

    def write_points(self, name, points, kind="f4"):
        """Points in the format of the name's ending."""
        if name.endswith(".npy"):
            with open(self.path(name), "wb") as file:
                file.write(npy_bytes("<" + kind, (len(points), len(points[0])),
                                     [x for p in points for x in p]))
            return self.path(name)
        if name.endswith(".ply"):
            with open(self.path(name), "wb") as file:
                file.write(ply_bytes(points, kind, dim=len(points[0])))
            return self.path(name)
        between = "," if name.endswith(".csv") else " "
        return self.write(name, "".join(between.join("%.17g" % x for x in p) + "\n"
                                        for p in points))

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

    def test_nearest(self):
        knot, points = os.path.join(DATA, "knot.g2"), self.points()
        for precision in precisions():
            rows, _ = self.project(knot, os.path.join(DATA, "points.csv"), "-p", precision)
            self.check_rows(rows, read_g2(knot), points, precision)
            self.assertEqual({row[1] for row in rows}, {0, 1})

    def test_formats(self):
        """The same rows of points in any format, to either format, by files and by pipes."""
        knot, points = os.path.join(DATA, "knot.g2"), [tuple(map(float32, p))
                                                       for p in self.points()]
        expected, _ = self.project(knot, self.write_points("a.csv", points))
        for name, kind in (("a.npy", "f4"), ("a.npy", "f8"), ("a.xyz", ""), ("a.ply", "f"),
                           ("a.ply", "d")):
            self.assertEqual(self.project(knot, self.write_points(name, points, kind))[0], expected)
        (rows, shape), _ = self.project(knot, self.path("a.csv"), ending="npy")
        self.assertEqual(shape, (300,))
        rounded = [tuple(tuple(map(float32, x)) if isinstance(x, tuple) else float32(x)
                         if isinstance(x, float) else x
                         for x in row) for row in expected]
        self.assertEqual(rows, rounded)
        for name in ("a.csv", "a.npy"):
            with open(self.path(name), "rb") as file:
                piped = subprocess.run([COMMAND, "project", knot, "-", "-q", "-o-", "-f", name[2:]],
                                       stdin=file,
                                       stdout=subprocess.PIPE, check=name == "a.npy")
            if name == "a.npy":
                with open(self.path("nearest.npy"), "rb") as file:
                    self.assertEqual(piped.stdout, file.read())
            else:
                with open(self.path("nearest.csv"), "rb") as file:
                    self.assertEqual(piped.stdout, file.read())
        with open(knot, "rb") as file:
            done = subprocess.run([COMMAND, "project", "-", self.path("a.npy"), "-q", "-o-", "-f",
                                   "npy"],
                                  stdin=file, stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, piped.stdout)
        with open(self.path("a.csv"), "rb") as file:
            done = subprocess.run([COMMAND, "project", knot, "-", "-q", "-o-", "-f", "npy"],
                                  stdin=file,
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
        """The nearest over all curves of a file is the nearest of all alone; so are the K
        nearest."""
        curves, alone, points = self.curves()
        source = self.write_points("points.csv", points)
        for num in (1, 4):
            each = [self.project(path, source, "-k", str(num))[0] for path in alone]
            rows, _ = self.project(self.path("all.g2"), source, "-k", str(num))
            also, _ = self.project(*alone, source, "-k", str(num))
            self.assertEqual(rows, also)
            (records, shape), _ = self.project(self.path("all.g2"), source, "-k", str(num),
                                               ending="npy")
            self.assertEqual(shape, (40,) if num == 1 else (40, 4))
            self.assertEqual([row[1] for row in records if row[6] == "found"],
                             [row[1] for row in rows])
            for query in range(40):
                found = [row for row in rows if row[0] == query]
                expected = sorted((row[4], k) + row[2:3] for k, some in enumerate(each)
                                  for row in some
                                  if row[0] == query)[:num]
                self.assertEqual([row[4] for row in found], [row[0] for row in expected])
                self.assertEqual([row[1] for row in found], [row[1] for row in expected])
            if num == 1:
                self.check_rows(rows, curves, points, "f32")

    def test_domains(self):
        """Parameters are those of the file, also of curves that are kept as others are."""
        ends = [(0, 1), (5, 7), (-2, -1)]
        lines = [Spline([1], [[a, a, b, b]], [[0, y, 0], [8, y, 0]])
                 for y, (a, b) in enumerate(ends)]
        source = self.write("a.g2", "".join(line.g2() for line in lines))
        rows, _ = self.project(source, self.write("a.csv", "2,0,0\n2,1,1\n9,2,0\n"))
        self.assertEqual([row[1:3] for row in rows], [(0, 0.25), (1, 5.5), (2, -1)])

    def test_dims(self):
        for dim in some((1, 2, 4), 2):
            curves, _, points = self.curves(dim)
            rows, _ = self.project(self.path("all.g2"), self.write_points("p.csv", points))
            self.check_rows(rows, curves, points, "f32")

    def test_mrep(self):
        """By cubics, no point is further away than the nearest by more than the tolerance."""
        if not has_opencl():
            self.skipTest("no OpenCL device, which the method needs")
        if not has_methods():
            self.skipTest(NO_METHODS)
        chance = random.Random(14)
        curve = random_spline(chance, [5], [14], 3)
        curve.knots = [[0.0] * 6 + [i / 9 for i in range(1, 9)] + [1.0] * 6]
        source = self.write("a.g2", curve.g2())
        points = self.write_points("p.csv", [[chance.uniform(-1, 1) for _ in range(3)]
                                             for _ in range(60)])
        exact, _ = self.project(source, points)
        for extra, tolerance in ((("-t", "0.01"), 0.01), ((), 5e-4)):
            rows, _ = self.project(source, points, "--method", "mrep", *extra, env=ON_OPENCL)
            for row, best in zip(rows, exact):
                self.assertEqual(row[6], "found")
                self.assertLess(abs(row[4] - best[4]), tolerance)
                self.assertTrue(best[5] - tolerance < row[5] <= row[4])

    def test_cooperation(self):
        knot, points = os.path.join(DATA, "knot.g2"), os.path.join(DATA, "points.csv")
        env = dict(os.environ, CLSPLINE_SPEEDS="")
        expected, _ = self.project(knot, points)
        for how, extra in (("auto", ()), ("dynamic", ()), ("host", ()), ("device", ("-k", "2"))):
            done = run("project", knot, points, "-q", "-o", self.path("a.csv"), "--cooperate", how,
                       "--report", *extra,
                       env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(re.findall(r"^points 0 to 299, 1 curves: by \w+, ", done.stderr,
                                            re.M)), 2)
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
        rows, report = self.project(os.path.join(DATA, "knot.g2"),
                                    self.write("a.csv", "1,2,3\nnan,0,0\n0,0,inf\n"),
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
        rows, report = self.project(knot, self.write_points("a.csv", points), "--invert",
                                    quiet=False)
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
        self.project(knot, source, "-t", "0.02")
        rows, _ = self.project(knot, source, "-t", "0.005", code=3)
        self.assertEqual([row[0] for row in rows if row[6] == "off"], [40])
        self.project(knot, source, "-t", "0.02", "--max-dist", "1e-3", code=3)
        self.project(knot, source, "-i", "-t", "1%")
        self.project(knot, source, "-i", "-t", "0.1%", code=3)
        self.project(knot, source, "-i", "-t", "0.02", "--max-dist", "1e-3", code=3)

    @unittest.skipIf(os.environ.get("CLSPLINE_TEST_SIZE") == "tiny", "too many points")
    def test_chunks(self):
        """More points than are searched at once: the same rows again and again."""
        knot, points = os.path.join(DATA, "knot.g2"), self.points()
        extra = ("-k", "16")  # 2^15 points at once
        (first, _), _ = self.project(knot, self.write_points("a.npy", points), *extra, ending="npy")
        (rows, shape), _ = self.project(knot, self.write_points("b.npy", points * 120), *extra,
                                        ending="npy")
        self.assertEqual(shape, (36000, 16))
        for block in (0, 108, 109, 110, 119):
            found = rows[4800 * block:4800 * block + 4800]
            self.assertEqual([row[6] for row in found], [row[6] for row in first])
            self.assertEqual([row[1:6] for row in found if row[6] == "found"],
                             [row[1:6] for row in first if row[6] == "found"])
            self.assertEqual([row[0] for row in found[::16]],
                             list(range(300 * block, 300 * block + 300)))

    def test_failures(self):
        """Nothing is left of a run that fails."""
        out, knot = self.path("o.csv"), os.path.join(DATA, "knot.g2")
        points = self.write("a.csv", "1,2,3\n4,5\n")
        step = self.write("step.g2", Spline([0], [[0, 1, 2]], [[0, 0, 0], [1, 1, 1]]).g2())
        flat = self.write("flat.g2", Spline([1], [[0, 0, 1, 1]], [[0, 0], [1, 1]]).g2())
        block = self.write("block.g2", Spline([1] * 3, [[0, 0, 1, 1]] * 3, [[0, 0, 0]] * 8).g2())
        high = self.write("high.g2", Spline([17, 1], [[0] * 18 + [1] * 18, [0, 0, 1, 1]],
                                            [[0, 0, 0]] * 36).g2())
        bounded = self.write("bounded.g2", "210 1 0 0\n")
        empty = self.write("empty.bv", "# nothing\n")
        box = self.write("box.bv", "1\n3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
        with open(os.path.join(DATA, "vase.json"), encoding="utf-8") as file:
            shape = json.load(file)
        shape["shape"]["data"][0]["trims"] = {"count": 1, "data": []}
        cut = self.write("cut.json", json.dumps(shape))
        before = sorted(os.listdir(self.folder))
        for expected, args in (("a.csv:2: 2 numbers where points have 3 coordinates",
                                (knot, points)),
                               ("none.csv: cannot open: No such file",
                                (knot, self.path("none.csv"))),
                               ("none.g2: cannot open: No such file",
                                (self.path("none.g2"), points)),
                               ("block.g2: spline 0 is a volume, neither curve nor surface",
                                (block, points)),
                               ("vase.json: spline 0 is a surface, which --method mrep does not do",
                                (os.path.join(DATA, "vase.json"), points, "--method", "mrep")),
                               ("a surface, which --count above 1 does not do",
                                (os.path.join(DATA, "vase.json"), points, "-k", "2")),
                               ("high.g2: spline 0 is of a degree above 16", (high, points)),
                               ("pn.bv: the file has triangular patches",
                                (os.path.join(DATA, "pn.bv"), points)),
                               ("box.bv: the file has polyhedra", (box, points)),
                               ("cut.json: 1 spline is trimmed, and what is cut off would be",
                                (cut, points)),
                               ("objects of class 210, BoundedSurface are not read",
                                (bounded, points)),
                               ("empty.bv:2: the file holds no patch", (empty, points)),
                               ("step.g2: spline 0 is of degree 0", (step, points)),
                               ("spline 2 is of other coordinates than those before",
                                (knot, flat, points)),
                               ("rational, which --method mrep does not do",
                                (knot, points, "--method", "mrep")),
                               ("no device fits",
                                (knot, os.path.join(DATA, "points.csv"), "-d", "no such"))):
            if "--method" in args and not has_methods():
                continue
            with self.subTest(expected):
                self.fails(1, expected, "project", *args, "-o", out)
                self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.fails(1, "point 1: 1e+39 is too large for a float; use --precision f64", "project",
                   knot,
                   self.write("b.csv", "0,0,0\n1e39,0,0\n"), "-o", out, "-q")
        self.fails(1, "/nowhere/o.csv: cannot write: No such file", "project", "-q", knot,
                   os.path.join(DATA, "points.csv"), "-o", "/nowhere/o.csv")

    def test_usage(self):
        out, knot = self.path("o.csv"), os.path.join(DATA, "knot.g2")
        points = os.path.join(DATA, "points.csv")
        for expected, args in (("no file of curves or surfaces given", ("-o", out)),
                               ("no file of points given", (knot, "-o", out)),
                               ("no output given", (knot, points)),
                               ("once only", (knot, points, "-o", out, "-o", out)),
                               ("does not end in .csv, .npy, .png or .ply",
                                (knot, points, "-o", self.path("o.obj"))),
                               ("-o - needs --format", (knot, points, "-o-")),
                               ("--format is for -o -", (knot, points, "-o", out, "-f", "csv")),
                               ("--format must be csv, npy, png or ply, not 'obj'",
                                (knot, points, "-o-", "-f", "obj")),
                               ("standard input can be read once only", ("-", "-", "-o", out)),
                               ("points.csv' is an input too", (knot, points, "-o", points)),
                               ("--count must be 1 to 16, not '17'",
                                (knot, points, "-o", out, "-k", "17")),
                               ("--count must be 1 to 16, not '0'",
                                (knot, points, "-o", out, "--count=0")),
                               ("--max-dist must be a number above 0, not '0'",
                                (knot, points, "-o", out, "-m0")),
                               ("not 'nan'", (knot, points, "-o", out, "--max-dist", "nan")),
                               ("--tolerance must be a number above 0",
                                (knot, points, "-o", out, "-i", "-t", "%")),
                               ("--method must be exact or mrep, not 'm'",
                                (knot, points, "-o", out, "--method=m")),
                               ("--workers needs --cooperate",
                                (knot, points, "-o", out, "--workers", "2")),
                               ("--cooperate is of --method exact",
                                (knot, points, "-o", out, "--cooperate=auto", "--method=mrep")),
                               ("--count is of --method exact",
                                (knot, points, "-o", out, "-k2", "--method=mrep")),
                               ("exclude each other", (knot, points, "-o", out, "-q", "-v"))):
            if "--method" in " ".join(args) and not has_methods():
                continue
            with self.subTest(expected):
                self.assertIn("(see clspline help project)\n",
                              self.fails(2, expected, "project", *args))
        self.assertEqual(os.listdir(self.folder), [])


class SurfaceProjection(SplineCase):
    """Nearest points of surfaces against their definition and all samples of them."""

    def project(self, *args, code=0, ending="csv"):
        out = self.path("nearest." + ending)
        done = run("project", *args, "-o", out, "-q")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "", ""))
        if ending == "csv":
            with open(out, encoding="ascii", newline="") as file:
                return list(csv.DictReader(file))
        with open(out, "rb") as file:
            return npy_parts(file.read())

    def test_mixed(self):
        """Curves and surfaces of unlike files are searched at once: each point's nearest of all."""
        knot, vase = os.path.join(DATA, "knot.g2"), os.path.join(DATA, "vase.json")
        points = os.path.join(DATA, "points.csv")
        rows = self.project(knot, vase, points)
        curves, surfaces = self.project(knot, points), self.project(vase, points)
        self.assertEqual({row["surface"] for row in rows}, {"0", "1", "2"})
        for row, curve, surface in zip(rows, curves, surfaces):
            least = min(float(curve["distance"]), float(surface["distance"]))
            self.assertAlmostEqual(float(row["distance"]), least, delta=1e-5)
            self.assertTrue(least - 1e-4 < float(row["bound"]) <= float(row["distance"]))
            if row["surface"] == "2":
                self.assertAlmostEqual(float(row["u"]), float(surface["u"]), delta=1e-4)
            else:
                self.assertEqual(float(row["v"]), 0)
                self.assertAlmostEqual(float(row["u"]), float(curve["parameter"]), delta=1e-3)

    @staticmethod
    def surfaces(chance):
        """Surfaces of several degrees, over several knots, rational and not."""
        shapes = (([2, 3], [5, 4], False), ([2, 3], [4, 6], False), ([1, 2], [2, 5], True),
                  ([2, 3], [5, 4], True), ([3, 1], [4, 2], False))
        made = [random_spline(chance, degrees, sizes, 3, rational)
                for degrees, sizes, rational in shapes]
        for k, surface in enumerate(made):
            for point in surface.points:
                point[0] = float32(point[0] + 1.5 * k * (point[3] if surface.rational else 1))
        return made

    def check_rows(self, rows, surfaces, points, eps):
        """Each row is a point of its surface, as far away as it says, and no sample is nearer."""
        samples = [p for surface in surfaces for p in surface.grid(40)]
        self.assertEqual([int(row["query"]) for row in rows], list(range(len(points))))
        for row, query in zip(rows, points):
            surface = surfaces[int(row["surface"])]
            param = [float(row["u"]), float(row["v"])]
            for k, degree in enumerate(surface.degrees):
                begin, end = domain(surface.knots[k], degree)
                self.assertTrue(begin <= param[k] <= end)
            point, distance = [float(row[axis]) for axis in "xyz"], float(row["distance"])
            self.assertEqual(row["status"], "found")
            self.check_near([point], [surface.point(*param)], 40 * eps)
            self.assertAlmostEqual(distance, math.dist(point, query), delta=eps)
            self.assertTrue(distance - eps <= float(row["bound"]) <= distance)
            self.assertLessEqual(distance, min(math.dist(p, query) for p in samples) + eps)

    def test_splines(self):
        """Surfaces of several plans, in one file and in several."""
        chance = random.Random(32)
        surfaces = self.surfaces(chance)
        source = self.write("all.g2", "".join(surface.g2() for surface in surfaces))
        alone = [self.write("s%d.g2" % k, surface.g2()) for k, surface in enumerate(surfaces)]
        points = [tuple(float32(chance.uniform(-2, 8 if k == 0 else 2)) for k in range(3))
                  for _ in range(60)]
        source_points = self.write("p.csv", "".join("%.17g,%.17g,%.17g\n" % p for p in points))
        for precision in precisions():
            rows = self.project(source, source_points, "-p", precision)
            self.check_rows(rows, surfaces, points, 4e-5 if precision == "f32" else 1e-11)
            self.assertEqual(rows, self.project(*alone, source_points, "-p", precision))
        self.assertGreater(len({row["surface"] for row in rows}), 3)

    def test_records(self):
        """The same in an array of records, also where it is made in parts, and of PLY points."""
        chance = random.Random(5)
        surface = random_spline(chance, [2, 2], [4, 5], 3)
        source = self.write("s.g2", surface.g2())
        points = [tuple(float32(chance.uniform(-2, 2)) for _ in range(3)) for _ in range(50)]
        with open(self.path("p.ply"), "wb") as file:
            file.write(ply_bytes(points, "f", ">"))
        rows = self.project(source, self.path("p.ply"))
        kind, shape, data = self.project(source, self.path("p.ply"), ending="npy")
        self.assertEqual(kind, [("query", "<i8"), ("surface", "<i4"), ("u", "<f4"), ("v", "<f4"),
                                ("point", "<f4", (3,)), ("distance", "<f4"), ("bound", "<f4"),
                                ("status", "|u1")])
        self.assertEqual(shape, (50,))
        for row, record in zip(rows, struct.iter_unpack("<qi7fB", data)):
            self.assertEqual([float32(float(x)) for x in list(row.values())[:9]], list(record[:9]))
            self.assertEqual((row["status"], record[9]), ("found", 0))
        out = self.path("parts.npy")
        for part in ("1/3", "3/3", "2/3"):
            done = run("project", source, self.path("p.ply"), "-o", out, "-q", "--part", part)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run("join", out, "-q").returncode, 0)
        with open(out, "rb") as file, open(self.path("nearest.npy"), "rb") as whole:
            self.assertEqual(file.read(), whole.read())

    def test_bezierview(self):
        """Patches of .bv, by their numbers in the file, beside each other and B-splines."""
        sphere = os.path.join(DATA, "sphere.bv")
        flat = self.write("flat.bv", "5 1 1\n9 0 0\n9 1 0\n10 0 0\n10 1 0\n"
                          "4 2\n" + "".join("%g %g 0\n" % (20 + i, k)
                                            for i in range(3) for k in range(3)) +
                          "5 1 1\n30 0 0\n30 1 0\n31 0 0\n31 1 0\n")
        points = self.write("p.csv", "0,0,2\n9.25,0.5,-1\n20.5,0.5,1\n30.5,0.75,1\n"
                            "nan,0,0\n0.5,0.5,0.25\n0,0,0\n")
        rows = self.project(flat, sphere, points)
        for number, query in ((0, (0, 0, 2)), (5, (0.5, 0.5, 0.25)), (6, (0, 0, 0))):
            self.assertAlmostEqual(float(rows[number]["distance"]),
                                   abs(1 - math.dist(query, [0] * 3)), delta=3e-7)
            self.assertTrue(3 <= int(rows[number]["surface"]) < 11)
        self.assertEqual([row["surface"] for row in rows[1:4]], ["0", "1", "2"])
        self.assertEqual([row["u"] for row in rows[1:4]], ["0.25", "0.25", "0.5"])
        self.assertEqual([row["v"] for row in rows[1:4]], ["0.5", "0.25", "0.75"])
        self.assertEqual([row["status"] for row in rows],
                         ["found"] * 4 + ["invalid"] + ["found"] * 2)

    def test_no_points(self):
        for name, body in (("a.csv", b"x,y,z\n"), ("a.ply", ply_bytes([], "f"))):
            with open(self.path(name), "wb") as file:
                file.write(body)
            self.assertEqual(self.project(os.path.join(DATA, "teapot.bv"), self.path(name)), [])

    def test_max_dist(self):
        rows = self.project(os.path.join(DATA, "sphere.bv"),
                            self.write("p.csv", "0,0,1.25\n0,0,3\n"), "--max-dist", "0.5")
        self.assertEqual([row["status"] for row in rows], ["found", "none"])
        self.assertEqual(rows[1]["surface"], "-1")

    def test_flat_patches(self):
        """Patches of no area, and of one point, have nearest points too."""
        source = self.write("a.bv", "4 1\n" + "1 2 3\n" * 4 +
                            "4 1\n0 0 0\n4 0 0\n0 0 0\n4 0 0\n")
        rows = self.project(source, self.write("p.csv", "1,2,4\n3,0,1\n"))
        self.assertEqual([(row["surface"], row["distance"]) for row in rows],
                         [("0", "1"), ("1", "1")])


class Deviations(SplineCase):
    """Distances as colours of points, as statistics and as a histogram."""
    HEIGHTS = [k / 16 for k in range(17)]

    def setUp(self):
        super().setUp()
        self.plane = self.write("plane.bv", "5 1 1\n-9 -9 0\n-9 9 0\n9 -9 0\n9 9 0\n")

    def points(self, heights, name="p.csv"):
        return self.write(name, "".join("%g,1,%g\n" % (k % 7, z) for k, z in enumerate(heights)))

    def project(self, *args, code=0):
        done = run("project", *args)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def cloud(self, *args, real="f", code=0):
        """The properties of a PLY file's points, and its header's lines."""
        out = self.path("out.ply")
        self.project(*args, "-o", out, "-q", code=code)
        with open(out, "rb") as file:
            head, _, body = file.read().partition(b"end_header\n")
        lines = head.decode().split("\n")
        num = int(next(line for line in lines if line.startswith("element vertex")).split()[2])
        form = "<3%s3Bf" % real
        self.assertEqual(len(body), num * struct.calcsize(form))
        self.assertEqual([line.split()[1:] for line in lines if " vertex_indices" not in line
                          and line.startswith("property")],
                         [[{"f": "float", "d": "double"}[real], axis] for axis in "xyz"] +
                         [["uchar", name] for name in ("red", "green", "blue")] +
                         [["float", "distance"]])
        return list(struct.iter_unpack(form, body))

    def test_colors(self):
        """From the least distance to the greatest, or by a range; what is not found is magenta,
        and what is no point is left out."""
        dark, yellow = (68, 1, 84), (253, 231, 37)
        found = self.cloud(self.plane, self.write("p.csv", "0,0,1\n1,2,3\nnan,0,0\n4,5,-2\n"))
        self.assertEqual([p[:3] for p in found], [(0, 0, 1), (1, 2, 3), (4, 5, -2)])
        self.assertEqual([p[6] for p in found], [1, 3, 2])
        self.assertEqual([p[3:6] for p in found[:2]], [dark, yellow])
        found = self.cloud(self.plane, self.path("p.csv"), "--range=0,2", "--colormap=gray", "-p",
                           precisions()[-1], real="fd"["f64" in precisions()])
        self.assertEqual(found[1][3:6], found[2][3:6])
        self.assertEqual(len({*found[0][3:6]}), 1)
        found = self.cloud(self.plane, self.path("p.csv"), "-m", "1.5", "-t", "1.5", code=3)
        self.assertTrue(math.isnan(found[1][6]))
        self.assertTrue(found[1][3] > 100 > found[1][4] and found[1][5] > 100, found)
        self.assertEqual(self.cloud(self.plane, self.write("none.csv", "")), [])
        piped = subprocess.run([COMMAND, "project", self.plane, self.path("p.csv"), "-q", "-o-",
                                "-f", "ply"], stdout=subprocess.PIPE, check=True)
        self.assertEqual(len(piped.stdout.partition(b"end_header\n")[2]), 3 * 19)

    def test_projected_again(self):
        """What is written is read as points."""
        self.cloud(self.plane, self.points(self.HEIGHTS))
        os.rename(self.path("out.ply"), self.path("in.ply"))
        self.assertEqual([p[6] for p in self.cloud(self.plane, self.path("in.ply"))],
                         self.HEIGHTS)

    def test_stats(self):
        points = self.points(self.HEIGHTS + [math.nan, 50])
        done = self.project(self.plane, points, "-o", self.path("a.csv"), "--json", "-q",
                            "--max-dist", "9", "--tolerance", "0.9", code=3)
        stats = json.loads(done.stdout)
        self.assertEqual(done.stderr, "")
        rate = stats.pop("points_per_second")
        self.assertGreater(rate, 0)
        expected = {"points": 19, "found": 15, "cut": 0, "none": 1, "invalid": 1, "off": 2,
                    "min": 0, "mean": 0.5, "median": 0.5, "p95": 1, "p99": 1, "max": 1,
                    "rms": math.sqrt(sum(z * z for z in self.HEIGHTS) / 17)}
        self.assertEqual(set(stats), set(expected))
        for name, value in expected.items():
            self.assertAlmostEqual(stats[name], value, delta=1e-12, msg=name)
        done = self.project(self.plane, self.points([math.nan]), "-o", self.path("a.npy"),
                            "--json", "-q")
        self.assertIsNone(json.loads(done.stdout)["rms"])

    def test_signed(self):
        """Of a plane over a square, whose normal is z: above, below, on it and beside it."""
        self.write("p.csv", "1,2,3\n1,2,-3\n0,0,0\n11,0,0\nnan,0,0\n0,0,90\n")
        args = (self.plane, self.path("p.csv"), "--signed", "--max-dist", "80")
        done = self.project(*args, "-o", self.path("a.csv"), "-q", "--json")
        with open(self.path("a.csv"), encoding="ascii", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0])[4:], ["x", "y", "z", "nx", "ny", "nz", "distance", "bound",
                                             "status"])
        signed = [float(row["distance"]) for row in rows]
        self.assertEqual((signed[:3], signed[5]), ([3, -3, 0], math.inf))
        self.assertTrue(math.isnan(signed[3]))
        self.assertAlmostEqual(float(rows[3]["bound"]), 2, delta=1e-5)
        self.assertEqual([float(row["nz"]) for row in rows[:4]], [1] * 4)
        stats = json.loads(done.stdout)
        self.assertEqual([stats[name] for name in ("points", "open", "min", "mean", "max")],
                         [6, 1, -3, 0, 3])
        self.project(*args, "-o", self.path("a.npy"), "-q")
        with open(self.path("a.npy"), "rb") as file:
            kind, _, data = npy_parts(file.read())
        self.assertEqual(kind[5], ("normal", "<f4", (3,)))
        self.assertEqual([row[10] for row in struct.iter_unpack("<qi10fB", data)][:3], [3, -3, 0])
        points = self.cloud(*args)
        self.assertEqual([p[6] for p in points[:3]], [3, -3, 0])
        high, low, middle = (p[3:6] for p in points[:3])
        self.assertTrue(low[2] > low[0] and high[0] > high[2] and min(middle) > 200, points)
        self.assertTrue(math.isnan(points[3][6]))
        self.project(*args[:-2], "-t", "2.5", "-o", self.path("b.csv"), "-q", code=3)
        knot = os.path.join(DATA, "knot.g2")
        self.fails(1, "a curve, of which --signed is not known", "project", knot,
                   self.path("p.csv"), "-o", self.path("c.csv"), "-s")
        flat = self.write("flat.g2", Spline([1, 1], [[0, 0, 1, 1]] * 2,
                                            [[0, 0], [0, 1], [1, 0], [1, 1]]).g2())
        self.fails(1, "not of 3 coordinates, which --signed needs", "project", flat,
                   self.write("q.csv", "1,2\n"), "-o", self.path("c.csv"), "-s")

    def test_scan(self):
        """A scan of the teapot that is known to have a bulge and a dent of 0.03, and noise of
        0.003, as a picture, and with the sides of all points."""
        script = os.path.join(os.path.dirname(DATA), os.pardir, "examples", "scan.awk")
        teapot, scan = os.path.join(DATA, "teapot.bv"), self.path("scan.xyz")
        mesh = self.path("teapot.obj")
        made = run("eval", teapot, "-n", "50", "--normals", "-o", mesh, "-q")
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(scan, "wb") as file:
            subprocess.run(["awk", "-f", script, mesh], stdout=file, check=True)
        done = self.project(teapot, scan, "--signed", "-o", self.path("scan.png"), "--size",
                            "120x80", "--json", "-q")
        stats = json.loads(done.stdout)
        self.assertGreater(stats["points"], 2000)
        self.assertEqual(stats["points"], stats["found"])
        self.assertLess(stats["open"], 0.01 * stats["points"])
        self.assertTrue(0.02 < stats["max"] < 0.04 and -0.04 < stats["min"] < -0.02, stats)
        self.assertLess(abs(stats["median"]), 0.001)

    def test_histogram(self):
        points = self.points(self.HEIGHTS)
        done = self.project(self.plane, points, "-o", self.path("a.csv"), "--histogram", "-q")
        lines = [line.split() for line in done.stderr.splitlines()]
        self.assertEqual((len(lines), lines[0][:4], lines[-1][:4]),
                         (20, ["0", "..", "0.05", "1"], ["0.95", "..", "1", "1"]))
        self.assertEqual(sum(int(line[3]) for line in lines), 17)
        done = self.project(self.plane, points, "-o", self.path("a.csv"), "--histogram", "-q",
                            "--range=0.125,0.5")
        lines = [line.split() for line in done.stderr.splitlines()]
        self.assertEqual((len(lines), lines[0][:3], lines[-1][:3]),
                         (22, ["below", "0.125", "2"], ["above", "0.5", "8"]))
        for heights in ([], [2, 2]):
            done = self.project(self.plane, self.points(heights), "-o", self.path("a.csv"),
                                "--histogram", "-q")
            self.assertEqual(len(done.stderr.splitlines()), 20 if heights else 0)

    def test_usage(self):
        points, out = self.points([1]), self.path("o.csv")
        for expected, args in (("--json goes to standard output, as -o - does",
                                ("-o-", "-f", "csv", "--json")),
                               ("--range needs an output in .png or .ply, or --histogram",
                                ("-o", out, "--range=0,1")),
                               ("--bar needs a picture (.png)",
                                ("-o", self.path("o.ply"), "--bar"))):
            self.fails(2, expected, "project", self.plane, points, *args)
        line = self.write("line.g2", Spline([1], [[0, 0, 1, 1]], [[0], [1]]).g2())
        self.fails(1, "not of 2 or 3 coordinates, which pictures and .ply need", "project", line,
                   self.write("x.csv", "1\n"), "-o", self.path("o.ply"))


if __name__ == "__main__":
    main()
