#!/usr/bin/env python3
"""Runs the command on the tea set, a sphere, triangles and PN patches, and reads back the meshes
and pictures that it wrote.

usage: test_bezier_command.py CLSPLINE SOURCE_DIR

Needs the standard library only; where the module meshio can be imported, it reads the meshes as
well. Exits with 77 (skipped) where there is no OpenCL device.
"""
import itertools
import math
import os
import random

from command_fixture import (DATA, NO_METHODS, ON_OPENCL, Case, has_fp64, has_methods, has_opencl,
                             main, run, some)
from image_files import png_rows, read_png
from mesh_files import (control_points, float32, grids, is_closed, num_open_edges, patch_edges,
                        read_normals, read_obj, read_ply, read_vtk, surface_point)

try:
    import meshio
except ImportError:
    meshio = None

FILES = {"teapot": 28, "teacup": 26, "teaspoon": 16}


class Meshes(Case):
    SAMPLES = 9

    def clear(self):
        for name in os.listdir(self.folder):
            os.remove(self.path(name))

    def make(self, name, *extra):
        """Writes all formats of a file in one run and returns their paths by ending."""
        paths = {ending: self.path(name + "." + ending) for ending in ("obj", "ply", "vtk", "png")}
        outputs = [word for path in paths.values() for word in ("-o", path)]
        done = run("eval", os.path.join(DATA, name + ".bv"), *
                   outputs, "--samples", str(self.SAMPLES), *extra)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(
            sorted(os.listdir(self.folder)), sorted(os.path.basename(p) for p in paths.values()))
        return paths, done.stderr

    def check_mesh(self, points, faces, patches, rounded):
        n = self.SAMPLES
        self.assertEqual(len(points), len(patches) * n * n)
        self.assertEqual(len(faces), len(patches) * (n - 1) * (n - 1))
        for point in points:
            self.assertTrue(all(map(math.isfinite, point)))
        for face in faces:
            self.assertEqual(len(face), 4)
            self.assertTrue(0 <= min(face) and max(face) < len(points))
        for index, patch in enumerate(patches):
            grid = points[index * n * n:(index + 1) * n * n]
            corners = (grid[0], grid[n - 1], grid[n * n - n], grid[n * n - 1])
            for found, expected in zip(corners, (patch[0], patch[3], patch[12], patch[15])):
                self.assertEqual(tuple(found), tuple(map(rounded, expected)))
            for axis in range(3):  # the convex hull property, as far as a box shows it
                low, high = min(p[axis] for p in patch), max(p[axis] for p in patch)
                slack = 1e-6 * max(abs(low), abs(high))
                self.assertTrue(low - slack <= min(p[axis] for p in grid))
                self.assertTrue(max(p[axis] for p in grid) <= high + slack)

    def check_meshio(self, path, points):
        if meshio is None:
            return
        mesh = meshio.read(path)
        self.assertEqual(mesh.points.tolist(), [list(point) for point in points], path)
        self.assertEqual([cells.type for cells in mesh.cells], ["quad"])

    def check_all(self, name, rounded, *extra):
        patches = control_points(name)
        self.assertEqual(len(patches), FILES[name])
        paths, report = self.make(name, *extra)
        results = {"obj": read_obj(paths["obj"]), "ply": read_ply(paths["ply"]),
                   "vtk": read_vtk(paths["vtk"])}
        for ending, (points, faces) in results.items():
            self.check_meshio(paths[ending], points)
            rounded_points = [tuple(map(rounded, point))
                              for point in points]  # 9 digits stand for one float
            self.check_mesh(rounded_points, faces, patches, rounded)
            results[ending] = rounded_points, faces
        self.assertEqual(results["obj"], results["ply"])
        self.assertEqual(results["obj"], results["vtk"])
        *form, rows = png_rows(paths["png"])
        self.assertEqual(form, [1200, 900, 3, 1])
        self.assertGreater(len(set(rows)), 100)
        self.assertIn("%d patches, %d points, on " %
                      (len(patches), len(patches) * self.SAMPLES ** 2), report)
        self.assertEqual(len(report.splitlines()), 2)

    def test_f32(self):
        for name in FILES:
            with self.subTest(name):
                self.check_all(name, float32)
                self.clear()

    def test_f64(self):
        if not has_fp64():
            self.skipTest("the device has no fp64")
        self.check_all("teapot", float, "--precision", "f64")

    def test_verbose(self):
        done = run("eval", os.path.join(DATA, "teapot.bv"), "--verbose", "-o", self.path("a.ply"),
                   "-t", "1%")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr,
                         r"note: 28 surfaces of degrees 3 x 3, \d+ to \d+ samples a direction\n")
        self.assertGreater(done.stderr.count("clspline: note: "), 1)

    def test_normals(self):
        paths, report = self.make("teaspoon", "--normals", "--quiet", "--up=z")
        self.assertEqual(report, "")
        normals = read_normals(paths["obj"])
        self.assertEqual(len(normals), 16 * self.SAMPLES ** 2)
        for normal in normals:
            self.assertAlmostEqual(sum(x * x for x in normal), 1, places=4)
        if meshio:
            for path in (paths["obj"], paths["ply"], paths["vtk"]):
                self.assertEqual(len(meshio.read(path).points), len(normals))

    def evaluate(self, source, *extra, ending="obj", **options):
        path = self.path("out." + ending)
        done = run("eval", source, "-o", path, "-q", *extra, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return path

    def test_sphere(self):
        """Points are at distance 1, normals are the points. A homogeneous coordinate is within 8
        eps scale, scale 1, and so is the weight, which is at least 1/2 over all: (8 + 8) / (1/2)
        eps."""
        sphere = os.path.join(DATA, "sphere.bv")
        for extra, eps in ((("-n", "9"), 2 ** -23), (("-t", "1%"), 2 ** -23),
                           (("-n", "9", "-p", "f64"), 2 ** -52)):
            if "f64" in extra and not has_fp64():
                continue
            with self.subTest(extra):
                path = self.evaluate(sphere, "--normals", *extra)
                points, faces = read_obj(path)
                normals = read_normals(path)
                self.assertEqual(len(points), len(normals))
                for point, normal in zip(points, normals):
                    self.assertLess(abs(math.hypot(*point) - 1), 32 * eps)
                    self.assertLess(max(abs(a - b) for a, b in zip(point, normal)), 1000 * eps)
                self.assertTrue(is_closed(points, faces))

    def test_sphere_within_tolerance(self):
        """The middles of edges and faces are the farthest from a sphere."""
        for tolerance in (0.1, 0.01, 0.001):
            points, faces = read_obj(self.evaluate(os.path.join(DATA, "sphere.bv"), "-t",
                                                   str(tolerance)))
            for face in faces:
                corners = [points[corner] for corner in face]
                for some in (corners, corners[:2], corners[1:3], corners[::2], corners[1::2]):
                    middle = [sum(x) / len(some) for x in zip(*some)]
                    self.assertGreater(math.hypot(*middle), 1 - tolerance - 1e-6)

    def test_triangles(self):
        for extra in ((), ("-p", "f64"), ("-t", "0.01")):
            if "f64" in extra and not has_fp64():
                continue
            with self.subTest(extra):
                extra = extra if "-t" in extra else extra + ("-n", "7")
                path = self.evaluate(os.path.join(DATA, "octahedron.bv"), "--normals", *extra)
                points, faces = read_obj(path)
                self.assertEqual({len(face) for face in faces}, {3})
                if "-t" not in extra:
                    self.assertEqual((len(points), len(faces)), (8 * 28, 8 * 36))
                self.assertTrue(is_closed(points, faces))
                for point, normal in zip(points, read_normals(path)):
                    # 4/9 sqrt(3) in the middle of a face
                    self.assertTrue(0.75 < math.hypot(*point) < 1.001)
                    self.assertAlmostEqual(math.hypot(*normal), 1, places=5)
                    self.assertGreater(sum(a * b for a, b in zip(point, normal)), 0.75)

    def test_pn_patches(self):
        """Normals are those of the file: at corners of the octahedron the corners, on the quad
        slanted."""
        path = self.evaluate(os.path.join(DATA, "pn.bv"), "--normals", "-n", "5")
        points, faces = read_obj(path)
        normals = read_normals(path)
        self.assertEqual(len(points), 8 * 15 + 25)
        self.assertEqual(len(faces), 8 * 16 + 16)
        corners = 0
        for point, normal in zip(points[:120], normals):
            self.assertAlmostEqual(math.hypot(*normal), 1, places=6)
            if max(map(abs, point)) == 1:
                corners += 1
                self.assertEqual(point, normal)
        self.assertEqual(corners, 24)
        for (x, y, z), normal in zip(points[120:], normals[120:]):
            self.assertEqual(z, -1.5)
            length = math.hypot(x / 4, y / 4, 1)
            for a, b in zip(normal, (x / 4 / length, y / 4 / length, 1 / length)):
                self.assertAlmostEqual(a, b, places=6)
        self.assertEqual(read_obj(self.evaluate(os.path.join(DATA, "pn.bv"), "-n", "5"))[0], points)

    def test_mixed_forms_meet(self):
        """A bicubic patch, a cubic triangle and a rational one, in one file; the first two share an
        edge."""
        edge = [(0, 0, 0), (1, 0, 1), (2, 0, -1), (3, 0, 0)]
        patch = [(x, -3.0 + y, z) for y in range(3) for x, _, z in edge] + edge
        triangle = edge + [(0.5, 1, 0), (1.5, 1, 1), (2.5, 1, 0), (1, 2, 0), (2, 2, 0), (1.5, 3, 0)]
        lines = ["5 3 3"] + ["%g %g %g" % p for p in patch] + ["3 3"] + ["%g %g %g" % p
                                                                         for p in triangle]
        lines += ["8 1 1", "0 0 9 1", "1 0 9 1", "0 2 18 2", "2 2 18 2"]
        with open(self.path("in.bv"), "w") as file:
            file.write("\n".join(lines))
        for extra in (("-n", "6"), ("-t", "0.02"), ("-t", "2px"), ("-t", "0.1%")):
            points, faces = read_obj(self.evaluate(self.path("in.bv"), *extra))
            triangles = {corner for face in faces if len(face) == 3 for corner in face}
            quads = {corner for face in faces if len(face) == 4 for corner in face}
            of_triangle = {points[i] for i in triangles if points[i][1] == 0}
            of_patch = {points[i] for i in quads if points[i][1] == 0 and points[i][2] < 5}
            self.assertEqual(of_triangle, of_patch)
            self.assertGreater(len(of_patch), 4)

    @staticmethod
    def elevate(rows):
        """The control points of the same surface with one degree more along the rows' index."""
        n = len(rows)
        between = [[tuple((i * a + (n - i) * b) / n for a, b in zip(p, q))
                    for p, q in zip(rows[i - 1], rows[i])]
                   for i in range(1, n)]
        return [rows[0]] + between + [rows[-1]]

    def write_otherwise(self, patches, degree, digits):
        """Writes patches with degrees and scales of their own, and with so many digits."""
        lines = []
        for k, patch in enumerate(patches):
            rows = [patch[i * (degree + 1):(i + 1) * (degree + 1)] for i in range(degree + 1)]
            for _ in range(k % 3):
                rows = self.elevate(rows)
            if k % 2:
                rows = list(zip(*self.elevate(list(zip(*rows)))))
            rational = len(rows[0][0]) == 4
            lines += ["8" if rational else "5", "%d %d" % (len(rows) - 1, len(rows[0]) - 1)]
            scale = 1 + k / 7 if rational else 1
            lines += [" ".join("%.*g" % (digits, scale * x) for x in point) for row in rows
                      for point in row]
        with open(self.path("otherwise.bv"), "w") as file:
            file.write("\n".join(lines))
        return self.path("otherwise.bv")

    def test_equal_curves(self):
        """Neighbours whose edges are one curve by other control points have no cracks either."""
        with open(os.path.join(DATA, "sphere.bv")) as file:
            numbers = [float(word) for line in file for word in line.split("#")[0].split()]
        sphere = [[tuple(numbers[k + 4 * i:k + 4 * i + 4]) for i in range(9)]
                  for k in range(3, len(numbers), 39)]
        for digits in (6, 17):
            source = self.write_otherwise(sphere, 2, digits)
            for extra in (("-n", "9"), ("-t", "1%"), ("-t", "2px"), ("-n", "9", "-p", "f64")):
                if "f64" in extra and not has_fp64():
                    continue
                with self.subTest((digits, extra)):
                    points, faces = read_obj(self.evaluate(source, *extra))
                    self.assertTrue(is_closed(points, faces))
                    for point in points:
                        self.assertLess(abs(math.hypot(*point) - 1),
                                        32 * 2 ** -23 + 4 * 10.0 ** (1 - digits))

    def test_equal_curves_open(self):
        """The tea set has as many open edges as before; no two edges are joined that are not one
        curve."""
        for name in FILES:
            with self.subTest(name):
                before = self.evaluate(os.path.join(DATA, name + ".bv"), "-n", "6")
                open_before = num_open_edges(*read_obj(before))
                self.assertGreater(open_before, 0)
                after = self.evaluate(self.write_otherwise(control_points(name), 3, 6), "-n", "6")
                self.assertEqual(num_open_edges(*read_obj(after)), open_before)

    def check_cracks(self, name, *extra):
        """Patches that share an edge share all vertices along it: what is left open are the edges
        that no other patch has."""
        patches = control_points(name)
        points, faces = read_obj(self.evaluate(os.path.join(DATA, name + ".bv"), *extra))
        sizes = grids(faces, patches)
        uses = {}
        for patch, (num_u, num_v) in zip(patches, sizes):
            for edge, num in zip(patch_edges(patch), (num_v, num_v, num_u, num_u)):
                if len(set(edge)) > 1:
                    uses.setdefault(min(tuple(edge), tuple(edge[::-1])), []).append(num)
        for nums in uses.values():
            self.assertEqual(len(set(nums)), 1)
        self.assertEqual(num_open_edges(points, faces),
                         sum(nums[0] - 1 for nums in uses.values() if len(nums) == 1))
        self.assertGreater(sum(1 for nums in uses.values() if len(nums) == 2), 8)
        return sizes

    def test_no_cracks(self):
        ways = (("-n", "6"), ("-t", "0.5%"), ("-t", "0.003"), ("-t", "3px"))
        for name, extra in some(itertools.product(FILES, ways), 3):
            with self.subTest((name, extra)):
                self.check_cracks(name, *extra)

    def test_tolerance_adapts(self):
        coarse, fine = self.check_cracks("teapot", "-t", "1%"), self.check_cracks("teapot", "-t",
                                                                                  "0.01%")
        self.assertGreater(len(set(fine)), 4)
        ratio = sum(u * v for u, v in fine) / sum(u * v for u, v in coarse)
        self.assertTrue(30 < ratio < 150, ratio)  # 100 times as many cells

    def test_tolerance_on_random_patches(self):
        """The distance at equal parameters, at the middles of cells and of their sides, where the
        error of interpolation is largest; E and the rounding of vertices."""
        random.seed(1)
        for degree, tolerance in ((2, 0.1), (3, 0.03), (5, 0.01)):
            patch = [tuple(float32(random.uniform(-1, 1)) for _ in range(3))
                     for _ in range((degree + 1) ** 2)]
            with open(self.path("in.bv"), "w") as file:
                file.write("4 %d\n" % degree + "\n".join("%.9g %.9g %.9g" % p for p in patch))
            points, faces = read_obj(self.evaluate(self.path("in.bv"), "-t", str(tolerance)))
            (num_u, num_v), = grids(faces, [patch])
            worst = 0
            for a in range(num_u - 1):
                for b in range(num_v - 1):
                    p = [points[(a + i) * num_v + b + j] for i in (0, 1) for j in (0, 1)]
                    for some, du, dv in (((0, 3), 0.5, 0.5), ((1, 2), 0.5, 0.5), ((0, 1), 0, 0.5),
                                         ((0, 2), 0.5, 0)):
                        middle = [(p[some[0]][k] + p[some[1]][k]) / 2 for k in range(3)]
                        exact = surface_point(patch, degree, (a + du) / (num_u - 1),
                                              (b + dv) / (num_v - 1))
                        worst = max(worst, math.dist(middle, exact))
            self.assertLess(worst, tolerance + 16 * 2 ** -23)
            self.assertGreater(worst, tolerance / 20)

    def test_methods(self):
        """All methods keep the bound of 8 eps scale, so that two are within 16, here 2 eps a
        coordinate of at most about 2; the matrix method has its own bound, 4 (p + q + 2) 2^(p + q)
        eps scale."""
        teapot = os.path.join(DATA, "teapot.bv")
        expected = read_obj(self.evaluate(teapot, "-n", "7"))
        if not has_methods():
            self.skipTest(NO_METHODS)
        for env in (None, ON_OPENCL) if has_opencl() else (None,):
            for method in ("auto", "separable", "multilevel", "matrix", "brute"):
                points, faces = read_obj(self.evaluate(teapot, "-n", "7", "--method", method,
                                                       env=env))
                self.assertEqual(faces, expected[1])
                bound = (2048 if method == "matrix" else 16) * 2 * 2 ** -23
                for p, q in zip(points, expected[0]):
                    self.assertLess(max(abs(a - b) for a, b in zip(p, q)), bound)

    def test_polyhedron(self):
        text = ("1 5 2\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 2 0\n4 0 1 2 3\n3 3 2 4\n"
                "4 1\n0 0 1 0 1 1 1 0 1 1 1 1\n")
        with open(self.path("in.bv"), "w") as file:
            file.write(text)
        for ending, read in (("obj", read_obj), ("ply", read_ply), ("vtk", read_vtk)):
            path = self.path("out." + ending)
            self.assertEqual(run("eval", self.path("in.bv"),
                             "-o", path, "-n2", "-q").returncode, 0)
            points, faces = read(path)
            self.assertEqual(len(points), 9)
            self.assertEqual([tuple(p) for p in points[:4]], [
                             (0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)])
            self.assertEqual(list(map(tuple, faces)), [(0, 2, 3, 1), (4, 5, 6, 7), (7, 6, 8)])
            if meshio:
                kinds = [(cells.type, len(cells.data)) for cells in meshio.read(path).cells]
                self.assertEqual(sorted(set(kinds)), [("quad", 2), ("triangle", 1)])

    def test_mixed_degrees(self):
        text = ("group 1 a\n4 1\n0 0 0 0 1 0 1 0 0 1 1 0\n"
                "5 1 2\n0 0 1 0 1 1 0 2 1 1 0 1 1 1 1 1 2 1\n")
        with open(self.path("in.bv"), "w") as file:
            file.write(text + text)
        path = self.path("out.obj")
        done = run("eval", self.path("in.bv"), "-o", path, "-n", "3", "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        points, faces = read_obj(path)
        self.assertEqual((len(points), len(faces)), (36, 16))
        self.assertEqual([p[2] for p in points], [0] * 18 + [1] * 18)


class Pictures(Case):
    """A flat rectangle of 4 x 2, whose picture is known from all sides."""
    BACKGROUND = (0x20, 0xc0, 0xff)

    def draw(self, *extra):
        source, path = self.write("in.bv",
                                  "1 4 1\n0 0 0 4 0 0 4 2 0 0 2 0\n4 0 1 2 3\n"), self.path("a.png")
        done = run("eval", source, "-q", "-o", path, "--up", "y", "--size", "240x180",
                   "--background",
                   "%02x%02X%02x" % self.BACKGROUND, *extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        image = read_png(path)
        self.assertEqual((image.kind, image.channels), ("|u1", 3))
        height, width = image.shape
        return [[tuple(image.at(y, x)) for x in range(width)] for y in range(height)]

    def extent(self, *extra):
        """Width and height of what is not background."""
        rows = self.draw(*extra)
        self.assertEqual((len(rows[0]), len(rows)), (240, 180))
        self.assertEqual(rows[0][0], self.BACKGROUND)
        seen = [(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row)
                if pixel != self.BACKGROUND]
        return [max(p[k] for p in seen) - min(p[k] for p in seen) + 1 for k in (0, 1)]

    def test_views(self):
        for extra, expected in (((), (202, 101)), (("--zoom", "0.5"), (101, 50)),
                                (("--azimuth=180",), (202, 101))):
            with self.subTest(extra):
                view = ("--azimuth", "0", "--elevation",
                        "0") if "--azimuth=180" not in extra else ("--elevation", "0")
                for found, wanted in zip(self.extent(*view, *extra), expected):
                    self.assertLessEqual(abs(found - wanted), 2)
        wide, tall = self.extent("--azimuth", "60", "--elevation=-30")
        self.assertTrue(tall > 0.7 * wide)
        rows = self.draw("--azimuth", "0", "--elevation", "0", "--zoom", "9")
        self.assertNotIn(self.BACKGROUND, {pixel for row in rows for pixel in row})

    def test_usage(self):
        for word in ("--azimuth=361", "--azimuth=nan", "--elevation=91", "--elevation=", "--zoom=0",
                     "--zoom=0x1",
                     "--size=15x15", "--size=100", "--size=100x", "--size=9000x100",
                     "--size=99.5x99", "--size=-20x20",
                     "--background=red", "--background=#12345"):
            done = run("eval", "a.bv", "-o", "a.png", word)
            self.assertEqual(done.returncode, 2, word)
            self.assertIn(word.split("=")[0] + " must be ", done.stderr)


if __name__ == "__main__":
    print("meshio %s" % ("is here" if meshio else "is not here: its checks are left out"))
    main()
