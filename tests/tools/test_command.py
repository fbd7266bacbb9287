#!/usr/bin/env python3
"""Runs the command on the tea set and on bad input, and reads back what it wrote.

usage: test_command.py CLSPLINE SOURCE_DIR

Needs the standard library only; where the module meshio can be imported, it reads the meshes as well.
Exits with 77 (skipped) where there is no OpenCL device.
"""
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

try:
    import meshio
except ImportError:
    meshio = None

COMMAND, DATA = "", ""
FILES = {"teapot": 28, "teacup": 26, "teaspoon": 16}
SKIPPED = 77


def run(*args, **options):
    """Runs the command; what Mesa's drivers print about themselves is left out."""
    done = subprocess.run([COMMAND, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **options)
    done.stderr = re.sub(r"^MESA: warning: .*\n", "", done.stderr, flags=re.M)
    return done


def has_fp64():
    """Whether the device that the command takes by default has double precision."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.bv")
        with open(path, "w") as file:
            file.write("4 0 1 2 3\n")
        return run("bezier", path, "-o", path + ".obj", "--precision", "f64").returncode == 0


def control_points(name):
    """The patches of a tea set file, each as a list of 16 points."""
    with open(os.path.join(DATA, name + ".bv")) as file:
        numbers = [float(word) for word in file.read().split()]
    patches = []
    while numbers:
        assert numbers[:3] == [5, 3, 3]
        values, numbers = numbers[3:51], numbers[51:]
        patches.append([tuple(values[i:i + 3]) for i in range(0, 48, 3)])
    return patches


def read_obj(path):
    points, faces = [], []
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[0] == "v":
                points.append(tuple(map(float, words[1:])))
            elif words[0] == "f":
                faces.append(tuple(int(word.split("/")[0]) - 1 for word in words[1:]))
    return points, faces


def read_ply(path):
    with open(path, "rb") as file:
        head, body = file.read().split(b"end_header\n", 1)
    lines = head.decode().split("\n")
    counts = {line.split()[1]: int(line.split()[2]) for line in lines if line.startswith("element")}
    real = "f" if "property float x" in lines else "d"
    size = struct.calcsize("<3" + real)
    points = [struct.unpack_from("<3" + real, body, i * size) for i in range(counts["vertex"])]
    faces, at = [], counts["vertex"] * size
    for _ in range(counts["face"]):
        corners = body[at]
        faces.append(struct.unpack_from("<%di" % corners, body, at + 1))
        at += 1 + 4 * corners
    assert at == len(body)
    return points, faces


def read_vtk(path):
    with open(path, "rb") as file:
        body = file.read()

    def section(word, at):
        start = body.index(word, at)
        end = body.index(b"\n", start)
        return body[start:end].decode().split(), end + 1

    words, at = section(b"POINTS", 0)
    real = {"float": "f", "double": "d"}[words[2]]
    values = struct.unpack_from(">%d%s" % (3 * int(words[1]), real), body, at)
    points = [values[i:i + 3] for i in range(0, len(values), 3)]
    words, at = section(b"CELLS", at + struct.calcsize(real) * len(values))
    numbers = struct.unpack_from(">%di" % int(words[2]), body, at)
    faces, at = [], 0
    while at < len(numbers):
        faces.append(numbers[at + 1:at + 1 + numbers[at]])
        at += 1 + numbers[at]
    return points, faces


def read_stl(path):
    """Triangles, each as its normal and three corners."""
    with open(path, "rb") as file:
        body = file.read()
    count, = struct.unpack_from("<I", body, 80)
    assert len(body) == 84 + 50 * count
    rows = [struct.unpack_from("<12fH", body, 84 + 50 * i) for i in range(count)]
    assert all(row[12] == 0 for row in rows)
    return [[row[i:i + 3] for i in (0, 3, 6, 9)] for row in rows]


def read_glb(path):
    """The accessors of the one primitive by their names, as lists of tuples, and its description."""
    with open(path, "rb") as file:
        body = file.read()
    magic, version, length, json_length, json_kind = struct.unpack_from("<4sIII4s", body, 0)
    assert (magic, version, length, json_kind) == (b"glTF", 2, len(body), b"JSON")
    assert json_length % 4 == 0
    tree = json.loads(body[20:20 + json_length])
    binary_length, binary_kind = struct.unpack_from("<I4s", body, 20 + json_length)
    assert binary_kind == b"BIN\0" and binary_length % 4 == 0
    assert 28 + json_length + binary_length == length
    assert tree["asset"]["version"] == "2.0" and tree["buffers"] == [{"byteLength": binary_length}]
    assert tree["scenes"][tree["scene"]]["nodes"] == [0] and tree["nodes"] == [{"mesh": 0}]
    binary = body[28 + json_length:]
    primitive, = tree["meshes"][0]["primitives"]
    found, used = {}, 0
    for name, index in list(primitive["attributes"].items()) + [("indices", primitive["indices"])]:
        accessor = tree["accessors"][index]
        view = tree["bufferViews"][accessor["bufferView"]]
        width = {"VEC3": 3, "VEC2": 2, "SCALAR": 1}[accessor["type"]]
        kind = {5126: "f", 5125: "I"}[accessor["componentType"]]
        assert view["target"] == (34963 if name == "indices" else 34962)
        assert view["byteOffset"] % 4 == 0 and view["byteLength"] == 4 * width * accessor["count"]
        part = binary[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]
        found[name] = list(struct.iter_unpack("<%d%s" % (width, kind), part))
        used += view["byteLength"]
    assert used == binary_length
    low_high = tree["accessors"][primitive["attributes"]["POSITION"]]
    for axis in range(3):
        values = [float32(p[axis]) for p in found["POSITION"]]
        assert (float32(low_high["min"][axis]), float32(low_high["max"][axis])) == (min(values), max(values))
    return found, primitive


def read_png(path):
    """Width, height and the rows of an 8-bit RGB image, as bytes."""
    with open(path, "rb") as file:
        body = file.read()
    assert body[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, color = struct.unpack_from(">IIBB", body, 16)
    assert (depth, color) == (8, 2)
    at, data = 8, b""
    while at < len(body):
        length, kind = struct.unpack_from(">I4s", body, at)
        if kind == b"IDAT":
            data += body[at + 8:at + 8 + length]
        at += 12 + length
    rows = zlib.decompress(data)
    assert len(rows) == height * (3 * width + 1)
    return width, height, rows


def read_pixels(path):
    """The rows of an RGB image as lists of pixels, its filters undone."""
    width, height, packed = read_png(path)
    rows, above, stride = [], bytes(3 * width), 3 * width + 1
    for y in range(height):
        kind, row = packed[y * stride], bytearray(packed[y * stride + 1:(y + 1) * stride])
        for i, value in enumerate(row):
            a, b, c = row[i - 3] if i > 2 else 0, above[i], above[i - 3] if i > 2 else 0
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[i] = value + (0, a, b, (a + b) // 2, paeth)[kind] & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, 3 * width, 3)])
        above = row
    return rows


def read_normals(path):
    with open(path) as file:
        return [tuple(map(float, line.split()[1:])) for line in file if line.startswith("vn ")]


def edge_counts(points, faces):
    """How many faces run along each edge, by direction; vertices at one place count as one."""
    places = {}
    names = [places.setdefault(tuple(point), len(places)) for point in points]
    counts = {}
    for face in faces:
        corners = [names[corner] for corner in face]
        for a, b in zip(corners, corners[1:] + corners[:1]):
            if a != b:
                counts[a, b] = counts.get((a, b), 0) + 1
    return counts


def grids(faces, degrees):
    """The numbers of samples (num_u, num_v) of surface patches, read off the quads that were written."""
    found, at, first = [], 0, 0
    for _ in degrees:
        assert faces[at][0] == first
        num_v = faces[at][1] - first
        quads = num_v - 1
        rows = 0
        while at < len(faces) and faces[at][0] == first + rows * num_v:
            at += quads
            rows += 1
        found.append((rows + 1, num_v))
        first += (rows + 1) * num_v
    assert at == len(faces)
    return found


def casteljau(points, t):
    while len(points) > 1:
        points = [tuple(a + (b - a) * t for a, b in zip(p, q)) for p, q in zip(points, points[1:])]
    return points[0]


def surface_point(patch, degree, u, v):
    order = degree + 1
    return casteljau([casteljau(patch[i * order:(i + 1) * order], v) for i in range(order)], u)


def patch_edges(patch):
    """The control points of the four edges of a bicubic patch: u = 0, u = 1, v = 0, v = 1."""
    return patch[:4], patch[12:], patch[0::4], patch[3::4]


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Meshes(unittest.TestCase):
    SAMPLES = 9

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def clear(self):
        for name in os.listdir(self.folder.name):
            os.remove(self.path(name))

    def make(self, name, *extra):
        """Writes all formats of a file in one run and returns their paths by ending."""
        paths = {ending: self.path(name + "." + ending) for ending in ("obj", "ply", "vtk", "png")}
        outputs = [word for path in paths.values() for word in ("-o", path)]
        done = run("bezier", os.path.join(DATA, name + ".bv"), *
                   outputs, "--samples", str(self.SAMPLES), *extra)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(
            sorted(
                os.listdir(
                    self.folder.name)), sorted(
                os.path.basename(p) for p in paths.values()))
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
        results = {
            "obj": read_obj(
                paths["obj"]), "ply": read_ply(
                paths["ply"]), "vtk": read_vtk(
                paths["vtk"])}
        for ending, (points, faces) in results.items():
            self.check_meshio(paths[ending], points)
            rounded_points = [tuple(map(rounded, point))
                              for point in points]  # 9 digits stand for one float
            self.check_mesh(rounded_points, faces, patches, rounded)
            results[ending] = rounded_points, faces
        self.assertEqual(results["obj"], results["ply"])
        self.assertEqual(results["obj"], results["vtk"])
        width, height, rows = read_png(paths["png"])
        self.assertEqual((width, height), (1200, 900))
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
        done = run("bezier", os.path.join(DATA, "teapot.bv"), "--verbose", "-o", self.path("a.ply"), "-t", "1%")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"note: 28 surfaces of degrees 3 x 3, \d+ to \d+ samples a direction\n")
        self.assertGreater(done.stderr.count("clspline: note: "), 1)

    def test_normals(self):
        paths, report = self.make("teaspoon", "--normals", "--quiet", "--up=z")
        self.assertEqual(report, "")
        with open(paths["obj"]) as file:
            normals = [tuple(map(float, line.split()[1:]))
                       for line in file if line.startswith("vn ")]
        self.assertEqual(len(normals), 16 * self.SAMPLES ** 2)
        for normal in normals:
            self.assertAlmostEqual(sum(x * x for x in normal), 1, places=4)
        if meshio:
            for path in (paths["obj"], paths["ply"], paths["vtk"]):
                self.assertEqual(len(meshio.read(path).points), len(normals))

    def evaluate(self, source, *extra, ending="obj"):
        path = self.path("out." + ending)
        done = run("bezier", source, "-o", path, "-q", *extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return path

    def check_closed(self, points, faces):
        """Every edge belongs to two faces, which run along it in opposite directions."""
        counts = edge_counts(points, faces)
        self.assertEqual(set(counts.values()), {1})
        self.assertTrue(all((b, a) in counts for a, b in counts))

    def test_sphere(self):
        """Points are at distance 1, normals are the points. A homogeneous coordinate is within 8 eps
        scale, scale 1, and so is the weight, which is at least 1/2 over all: (8 + 8) / (1/2) eps."""
        sphere = os.path.join(DATA, "sphere.bv")
        for extra, eps in ((("-n", "9"), 2 ** -23), (("-t", "1%"), 2 ** -23), (("-n", "9", "-p", "f64"), 2 ** -52)):
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
                self.check_closed(points, faces)

    def test_sphere_within_tolerance(self):
        """The middles of edges and faces are the farthest from a sphere."""
        for tolerance in (0.1, 0.01, 0.001):
            points, faces = read_obj(self.evaluate(os.path.join(DATA, "sphere.bv"), "-t", str(tolerance)))
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
                self.check_closed(points, faces)
                for point, normal in zip(points, read_normals(path)):
                    self.assertTrue(0.75 < math.hypot(*point) < 1.001)  # 4/9 sqrt(3) in the middle of a face
                    self.assertAlmostEqual(math.hypot(*normal), 1, places=5)
                    self.assertGreater(sum(a * b for a, b in zip(point, normal)), 0.75)

    def test_pn_patches(self):
        """Normals are those of the file: at corners of the octahedron the corners, on the quad slanted."""
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
        """A bicubic patch, a cubic triangle and a rational one, in one file; the first two share an edge."""
        edge = [(0, 0, 0), (1, 0, 1), (2, 0, -1), (3, 0, 0)]
        patch = [(x, -3.0 + y, z) for y in range(3) for x, _, z in edge] + edge
        triangle = edge + [(0.5, 1, 0), (1.5, 1, 1), (2.5, 1, 0), (1, 2, 0), (2, 2, 0), (1.5, 3, 0)]
        lines = ["5 3 3"] + ["%g %g %g" % p for p in patch] + ["3 3"] + ["%g %g %g" % p for p in triangle]
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
        between = [[tuple((i * a + (n - i) * b) / n for a, b in zip(p, q)) for p, q in zip(rows[i - 1], rows[i])]
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
            lines += [" ".join("%.*g" % (digits, scale * x) for x in point) for row in rows for point in row]
        with open(self.path("otherwise.bv"), "w") as file:
            file.write("\n".join(lines))
        return self.path("otherwise.bv")

    def test_equal_curves(self):
        """Neighbours whose edges are one curve by other control points have no cracks either."""
        with open(os.path.join(DATA, "sphere.bv")) as file:
            numbers = [float(word) for line in file for word in line.split("#")[0].split()]
        sphere = [[tuple(numbers[k + 4 * i:k + 4 * i + 4]) for i in range(9)] for k in range(3, len(numbers), 39)]
        for digits in (6, 17):
            source = self.write_otherwise(sphere, 2, digits)
            for extra in (("-n", "9"), ("-t", "1%"), ("-t", "2px"), ("-n", "9", "-p", "f64")):
                if "f64" in extra and not has_fp64():
                    continue
                with self.subTest((digits, extra)):
                    points, faces = read_obj(self.evaluate(source, *extra))
                    self.check_closed(points, faces)
                    for point in points:
                        self.assertLess(abs(math.hypot(*point) - 1), 32 * 2 ** -23 + 4 * 10.0 ** (1 - digits))

    def test_equal_curves_open(self):
        """The tea set has as many open edges as before; no two edges are joined that are not one curve."""
        for name in FILES:
            with self.subTest(name):
                before = self.evaluate(os.path.join(DATA, name + ".bv"), "-n", "6")
                open_before = self.open_edges(before)
                self.assertGreater(open_before, 0)
                self.assertEqual(self.open_edges(self.evaluate(
                    self.write_otherwise(control_points(name), 3, 6), "-n", "6")), open_before)

    @staticmethod
    def open_edges(path):
        counts = edge_counts(*read_obj(path))
        return sum(1 for (a, b), n in counts.items() if n + counts.get((b, a), 0) == 1)

    def check_cracks(self, name, *extra):
        """Patches that share an edge share all vertices along it: what is left open are the edges that
        no other patch has."""
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
        counts = edge_counts(points, faces)
        open_edges = sum(1 for (a, b), n in counts.items() if n + counts.get((b, a), 0) == 1)
        self.assertEqual(open_edges, sum(nums[0] - 1 for nums in uses.values() if len(nums) == 1))
        self.assertGreater(sum(1 for nums in uses.values() if len(nums) == 2), 8)
        return sizes

    def test_no_cracks(self):
        for name in FILES:
            for extra in (("-n", "6"), ("-t", "0.5%"), ("-t", "0.003"), ("-t", "3px")):
                with self.subTest((name, extra)):
                    self.check_cracks(name, *extra)

    def test_tolerance_adapts(self):
        coarse, fine = self.check_cracks("teapot", "-t", "1%"), self.check_cracks("teapot", "-t", "0.01%")
        self.assertGreater(len(set(fine)), 4)
        ratio = sum(u * v for u, v in fine) / sum(u * v for u, v in coarse)
        self.assertTrue(30 < ratio < 150, ratio)  # 100 times as many cells

    def test_tolerance_on_random_patches(self):
        """The distance at equal parameters, at the middles of cells and of their sides, where the error
        of interpolation is largest; E and the rounding of vertices."""
        random.seed(1)
        for degree, tolerance in ((2, 0.1), (3, 0.03), (5, 0.01)):
            patch = [tuple(float32(random.uniform(-1, 1)) for _ in range(3)) for _ in range((degree + 1) ** 2)]
            with open(self.path("in.bv"), "w") as file:
                file.write("4 %d\n" % degree + "\n".join("%.9g %.9g %.9g" % p for p in patch))
            points, faces = read_obj(self.evaluate(self.path("in.bv"), "-t", str(tolerance)))
            (num_u, num_v), = grids(faces, [patch])
            worst = 0
            for a in range(num_u - 1):
                for b in range(num_v - 1):
                    p = [points[(a + i) * num_v + b + j] for i in (0, 1) for j in (0, 1)]
                    for some, du, dv in (((0, 3), 0.5, 0.5), ((1, 2), 0.5, 0.5), ((0, 1), 0, 0.5), ((0, 2), 0.5, 0)):
                        middle = [(p[some[0]][k] + p[some[1]][k]) / 2 for k in range(3)]
                        exact = surface_point(patch, degree, (a + du) / (num_u - 1), (b + dv) / (num_v - 1))
                        worst = max(worst, math.dist(middle, exact))
            self.assertLess(worst, tolerance + 16 * 2 ** -23)
            self.assertGreater(worst, tolerance / 20)

    def test_methods(self):
        """All methods keep the bound of 8 eps scale, so that two are within 16, here 2 eps a coordinate of
        at most about 2; the matrix method has its own bound, 4 (p + q + 2) 2^(p + q) eps scale."""
        teapot = os.path.join(DATA, "teapot.bv")
        expected = read_obj(self.evaluate(teapot, "-n", "7"))
        for method in ("auto", "separable", "multilevel", "matrix", "brute"):
            points, faces = read_obj(self.evaluate(teapot, "-n", "7", "--method", method))
            self.assertEqual(faces, expected[1])
            bound = (2048 if method == "matrix" else 16) * 2 * 2 ** -23
            for p, q in zip(points, expected[0]):
                self.assertLess(max(abs(a - b) for a, b in zip(p, q)), bound)

    def test_polyhedron(self):
        text = "1 5 2\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 2 0\n4 0 1 2 3\n3 3 2 4\n4 1\n0 0 1 0 1 1 1 0 1 1 1 1\n"
        with open(self.path("in.bv"), "w") as file:
            file.write(text)
        for ending, read in (("obj", read_obj), ("ply", read_ply), ("vtk", read_vtk)):
            path = self.path("out." + ending)
            self.assertEqual(run("bezier", self.path("in.bv"),
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
        text = "group 1 a\n4 1\n0 0 0 0 1 0 1 0 0 1 1 0\n5 1 2\n0 0 1 0 1 1 0 2 1 1 0 1 1 1 1 1 2 1\n"
        with open(self.path("in.bv"), "w") as file:
            file.write(text + text)
        path = self.path("out.obj")
        done = run("bezier", self.path("in.bv"), "-o", path, "-n", "3", "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        points, faces = read_obj(path)
        self.assertEqual((len(points), len(faces)), (36, 16))
        self.assertEqual([p[2] for p in points], [0] * 18 + [1] * 18)


class Formats(unittest.TestCase):
    """STL, glTF and texture coordinates."""
    SOURCES = ("teapot", "octahedron", "pn", "sphere")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def make(self, source, *extra):
        """All meshes of a file by their endings, in one run."""
        paths = {ending: os.path.join(self.folder.name, "a." + ending) for ending in ("obj", "ply", "stl", "glb")}
        outputs = [word for path in paths.values() for word in ("-o", path)]
        done = run("bezier", os.path.join(DATA, source + ".bv"), "-q", *outputs, *extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return paths

    @staticmethod
    def fan(faces):
        return [(face[0], face[i], face[i + 1]) for face in faces for i in range(1, len(face) - 1)]

    def test_stl(self):
        for source in self.SOURCES:
            with self.subTest(source):
                paths = self.make(source, "-n", "6")
                points, faces = read_ply(paths["ply"])
                expected = [[points[i] for i in corners] for corners in self.fan(faces)]
                expected = [corners for corners in expected if len(set(corners)) == 3]
                found = read_stl(paths["stl"])
                self.assertEqual([triangle[1:] for triangle in found], expected)
                for normal, a, b, c in found:
                    u, v = [[q - p for p, q in zip(a, other)] for other in (b, c)]
                    cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
                    for x, y in zip(normal, cross):
                        self.assertAlmostEqual(x * math.hypot(*cross), y, places=6)

    def test_glb(self):
        for source in self.SOURCES:
            with self.subTest(source):
                paths = self.make(source, "-n", "6")
                points, faces = read_ply(paths["ply"])
                found, primitive = read_glb(paths["glb"])
                self.assertEqual(sorted(primitive["attributes"]), ["NORMAL", "POSITION", "TEXCOORD_0"])
                self.assertEqual(found["POSITION"], points)
                corners = [index for index, in found["indices"]]
                self.assertEqual(list(zip(*[iter(corners)] * 3)), self.fan(faces))
                for normal in found["NORMAL"]:
                    self.assertAlmostEqual(math.hypot(*normal), 1, places=5)
                self.assertEqual(found["TEXCOORD_0"][:7], [(0, float32(i / 5)) for i in range(6)] + [(float32(0.2), 0)])
                self.assertEqual(len(found["TEXCOORD_0"]), len(points))

    def test_texture(self):
        """The same parameters in OBJ, PLY and glTF; in PLY also where it is streamed."""
        for source, extra in (("teapot", ()), ("octahedron", ("--normals",)), ("teapot", ("-t", "1%"))):
            with self.subTest((source, extra)):
                paths = self.make(source, "--texture", *extra)
                expected = read_glb(paths["glb"])[0]["TEXCOORD_0"]
                with open(paths["obj"]) as file:
                    lines = [line.split() for line in file]
                texture = [tuple(float32(float(x)) for x in words[1:]) for words in lines if words[0] == "vt"]
                self.assertEqual(texture, expected)
                self.assertEqual({value for pair in texture for value in pair} & {0, 1}, {0, 1})
                word = "%s/%s/%s" if extra == ("--normals",) else "%s/%s"
                for words in lines:
                    for corner in words[1:] if words[0] == "f" else ():
                        self.assertEqual(corner, word % ((corner.split("/")[0],) * word.count("%s")))
                with open(paths["ply"], "rb") as file:
                    body = file.read()
                head, body = body.split(b"end_header\n", 1)
                self.assertIn(b"property float s\nproperty float t\nelement face", head)
                width = head.count(b"property float")
                rows = struct.iter_unpack("<%df" % width, body[:4 * width * len(expected)])
                self.assertEqual([row[-2:] for row in rows], expected)
                alone = os.path.join(self.folder.name, "b.ply")
                done = run("bezier", os.path.join(DATA, source + ".bv"), "-q", "-o", alone, "--texture", *extra)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(alone, "rb") as file:
                    self.assertEqual(file.read().split(b"end_header\n", 1)[1], body)


class Pictures(unittest.TestCase):
    """A flat rectangle of 4 x 2, whose picture is known from all sides."""
    BACKGROUND = (0x20, 0xc0, 0xff)

    def draw(self, *extra):
        with tempfile.TemporaryDirectory() as folder:
            source, path = os.path.join(folder, "in.bv"), os.path.join(folder, "a.png")
            with open(source, "w") as file:
                file.write("1 4 1\n0 0 0 4 0 0 4 2 0 0 2 0\n4 0 1 2 3\n")
            done = run("bezier", source, "-q", "-o", path, "--up", "y", "--size", "240x180", "--background",
                       "%02x%02X%02x" % self.BACKGROUND, *extra)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return read_pixels(path)

    def extent(self, *extra):
        """Width and height of what is not background."""
        rows = self.draw(*extra)
        self.assertEqual((len(rows[0]), len(rows)), (240, 180))
        self.assertEqual(rows[0][0], self.BACKGROUND)
        seen = [(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel != self.BACKGROUND]
        return [max(p[k] for p in seen) - min(p[k] for p in seen) + 1 for k in (0, 1)]

    def test_views(self):
        for extra, expected in (((), (202, 101)), (("--zoom", "0.5"), (101, 50)), (("--azimuth=180",), (202, 101))):
            with self.subTest(extra):
                view = ("--azimuth", "0", "--elevation", "0") if "--azimuth=180" not in extra else ("--elevation", "0")
                for found, wanted in zip(self.extent(*view, *extra), expected):
                    self.assertLessEqual(abs(found - wanted), 2)
        wide, tall = self.extent("--azimuth", "60", "--elevation=-30")
        self.assertTrue(tall > 0.7 * wide)
        rows = self.draw("--azimuth", "0", "--elevation", "0", "--zoom", "9")
        self.assertNotIn(self.BACKGROUND, {pixel for row in rows for pixel in row})

    def test_usage(self):
        for word in ("--azimuth=361", "--azimuth=nan", "--elevation=91", "--elevation=", "--zoom=0", "--zoom=0x1",
                     "--size=15x15", "--size=100", "--size=100x", "--size=9000x100", "--size=-20x20",
                     "--background=red", "--background=#12345"):
            done = run("bezier", "a.bv", "-o", "a.png", word)
            self.assertEqual(done.returncode, 2, word)
            self.assertIn(word.split("=")[0] + " must be ", done.stderr)


class Info(unittest.TestCase):
    def info(self, *names, **options):
        done = run("info", "--json", *[os.path.join(DATA, name + ".bv") for name in names], **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_sphere(self):
        sphere, = self.info("sphere")
        self.assertAlmostEqual(sphere["area"], 4 * math.pi, places=4)
        for low, high in zip(*sphere["box"]):
            self.assertAlmostEqual(low, -1, places=6)
            self.assertAlmostEqual(high, 1, places=6)
        self.assertTrue(all(kind["rational"] for kind in sphere["patches"]))

    def test_patches(self):
        """Kinds and boxes, and areas against the triangles of a fine mesh."""
        files = self.info("teapot", "octahedron", "pn")
        self.assertEqual(files[0]["patches"], [{"form": "surface", "rational": False, "pn": False,
                                                "degrees": [3, 3], "count": 28}])
        controls = [point for patch in control_points("teapot") for point in patch]
        self.assertEqual(files[0]["control_box"], [[f(p[k] for p in controls) for k in range(3)] for f in (min, max)])
        self.assertEqual([(kind["form"], kind["pn"], kind["count"]) for kind in files[2]["patches"]],
                         [("triangle", True, 8), ("surface", True, 1)])
        for entry in files:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "a.stl")
                self.assertEqual(run("bezier", entry["file"], "-q", "-n", "40", "-o", path).returncode, 0)
                area = 0
                for _, a, b, c in read_stl(path):
                    u, v = [[q - p for p, q in zip(a, other)] for other in (b, c)]
                    area += math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                                       u[0] * v[1] - u[1] * v[0]) / 2
            self.assertAlmostEqual(entry["area"] / area, 1, places=2)

    def test_text(self):
        text = "1 4 1\n0 0 0 3 0 0 3 2 0 0 2 0\n4 0 1 2 3\n"
        done = run("info", "-", input=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "-\n  polyhedra    4 vertices, 1 faces\n"
                         "  control box  (0, 0, 0) to (3, 2, 0)\n  box          (0, 0, 0) to (3, 2, 0)\n"
                         "  area         6\n")
        done = run("info", os.path.join(DATA, "pn.bv"), "-", input=text)
        self.assertIn("  patches      8 PN triangles of degree ", done.stdout)
        done = run("info", "/nowhere/a.bv")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(run("info").returncode, 2)

    def test_range(self):
        """Numbers beyond float need a device with double precision."""
        large = "4 1 0 0 0 1e39 0 0 0 1 0 1e39 1 0\n"
        done = run("info", "-", input=large, env=dict(os.environ, CLSPLINE_LIMITS="fp64=0"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("1e+39 is not in the range of float", done.stderr)
        if has_fp64():
            self.assertEqual(run("info", "-", input=large).returncode, 0)


class Streams(unittest.TestCase):
    """A single PLY or VTK file is written while patches are evaluated, others from a mesh in memory."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_same_files(self):
        """The same bytes both ways."""
        with open(self.path("polyhedron.bv"), "w") as file:
            file.write("4 1\n0 0 0 0 1 0 1 0 0 1 1 0\n1 4 2\n0 0 1 1 0 1 1 1 1 0 1 1\n4 0 1 2 3\n3 0 1 2\n")
        sources = [self.path("polyhedron.bv")] + [os.path.join(DATA, name + ".bv")
                                                  for name in ("teapot", "sphere", "octahedron", "pn")]
        options = [("-n", "5", "--normals"), ("-t", "0.2%")]
        options += [("-n", "7", "-p", "f64")] if has_fp64() else []
        for source in sources:
            for extra in options:
                for ending in ("ply", "vtk"):
                    with self.subTest((source, extra, ending)):
                        alone, beside, other = [self.path("%s.%s" % (name, ending)) for name in "abc"]
                        for outputs in (("-o", alone), ("-o", beside, "-o", other)):
                            done = run("bezier", source, "-q", *outputs, *extra)
                            self.assertEqual((done.returncode, done.stderr), (0, ""))
                        self.assertEqual(self.read("a." + ending), self.read("b." + ending))
                        self.assertEqual(self.read("b." + ending), self.read("c." + ending))

    def test_standard_streams(self):
        """From standard input to standard output, the bytes are those of files."""
        teaspoon = os.path.join(DATA, "teaspoon.bv")
        for ending in ("obj", "ply", "vtk", "stl", "glb", "png"):
            with self.subTest(ending):
                done = run("bezier", teaspoon, "-q", "-o", self.path("a." + ending), "-n", "5")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                with open(teaspoon, "rb") as file:
                    done = subprocess.run([COMMAND, "bezier", "-", "-o", "-", "--format", ending, "-n", "5"],
                                          stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(b"standard input: 16 patches, ", done.stderr)
                self.assertEqual(done.stdout, self.read("a." + ending))

    def test_full_stdout(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for ending in ("obj", "ply", "vtk", "png"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([COMMAND, "bezier", os.path.join(DATA, "teapot.bv"), "-q", "-o-", "-f", ending],
                                      stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output: cannot write", done.stderr)

    def test_several_inputs(self):
        """Patches of all files come first, those of one type together, then polyhedra."""
        with open(self.path("in.bv"), "w") as file:
            file.write("1 3 1\n0 0 9 1 0 9 0 1 9\n3 0 1 2\n5 3 3\n" + "0 0 0\n" * 16)
        names = [self.path("in.bv"), os.path.join(DATA, "octahedron.bv"), os.path.join(DATA, "teacup.bv")]
        done = run("bezier", *names, self.path("in.bv"), "-o", self.path("a.ply"), "-n", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4 files: 36 patches, ", done.stderr)
        points, faces = read_ply(self.path("a.ply"))
        self.assertEqual(len(points), (1 + 26 + 1) * 16 + 8 * 10 + 6)
        self.assertEqual(points[:16], [(0, 0, 0)] * 16)
        self.assertEqual(points[27 * 16:28 * 16], [(0, 0, 0)] * 16)
        self.assertEqual(points[-6:], [(0, 0, 9), (1, 0, 9), (0, 1, 9)] * 2)
        first = len(points) - 6
        self.assertEqual(faces[-2:], [(first, first + 1, first + 2), (first + 3, first + 4, first + 5)])
        cup = run("bezier", names[2], "-o", self.path("b.ply"), "-n", "4")
        self.assertEqual(cup.returncode, 0, cup.stderr)
        self.assertEqual(points[16:27 * 16], read_ply(self.path("b.ply"))[0])
        done = run("bezier", names[0], self.path("none.bv"), "-o", self.path("c.ply"))
        self.assertEqual((done.returncode, os.path.exists(self.path("c.ply"))), (1, False))

    def resident(self, samples):
        """The largest memory of a run, in bytes."""
        process = subprocess.Popen([COMMAND, "bezier", os.path.join(DATA, "teapot.bv"), "-q", "-n", str(samples),
                                    "-o", "-", "-f", "ply"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        self.assertEqual(status, 0)
        process.returncode = 0
        return 1024 * usage.ru_maxrss

    @unittest.skipIf(os.environ.get("CLSPLINE_TEST_SIZE") == "tiny" or sys.platform != "linux", "too long, or no kB")
    def test_memory(self):
        """Memory does not grow with the points: from 4.5 to 7 million a mesh would take 120 MB more."""
        self.assertLess(self.resident(500) - self.resident(400), 40e6)


class Cooperation(unittest.TestCase):
    """Evaluations shared between processors. Points are within 8 eps scale by each of them, so that two
    are within 16, here 2 eps a coordinate of at most about 4."""
    SCHEDULES = ("svm", "dynamic", "static", "device", "host")
    HEAD = re.compile(r"patches (\d+) to (\d+): by (\w+), (\d+) tiles in [0-9.]+ ms "
                      r"\(preparing [0-9.]+ ms, measuring [0-9.]+ ms\)$")
    NOT = re.compile(r"  not (\w+): .+$")
    PART = re.compile(r"  (.+?)(?:, \d+ workers)?: (\d+) tiles \(\d+%\) in \d+ chunks, busy [0-9.]+ ms, "
                      r"moving [0-9.]+ ms$")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.teapot = os.path.join(DATA, "teapot.bv")
        self.env = dict(os.environ, CLSPLINE_SPEEDS="")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def evaluate(self, *extra):
        done = run("bezier", self.teapot, "-q", "-o", self.path("a.obj"), *extra, env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_obj(self.path("a.obj")), done.stderr

    def read_report(self, text):
        """The schedule of each evaluation, after a look at all lines: every tile is made once."""
        schedules, left, above = [], 0, ()
        for line in text.splitlines():
            head, why, part = self.HEAD.match(line), self.NOT.match(line), self.PART.match(line)
            if head:
                self.assertEqual(left, 0)
                schedules.append(head[3])
                left, above = int(head[4]), self.SCHEDULES[:self.SCHEDULES.index(head[3])]
            elif why:
                self.assertIn(why[1], above)
            else:
                self.assertTrue(part, line)
                left -= int(part[2])
        self.assertEqual(left, 0)
        return schedules

    def check_same(self, found, expected, eps):
        self.assertEqual(found[1], expected[1])
        self.assertEqual(len(found[0]), len(expected[0]))
        for p, q in zip(found[0], expected[0]):
            self.assertLess(max(abs(a - b) for a, b in zip(p, q)), 16 * 4 * eps)

    def test_schedules(self):
        expected, report = self.evaluate("-n", "90")
        self.assertEqual(report, "")
        for how in ("auto",) + self.SCHEDULES:
            with self.subTest(how):
                found, report = self.evaluate("-n", "90", "--cooperate", how, "--report")
                self.check_same(found, expected, 2 ** -23)
                schedule, = self.read_report(report)
                if how not in ("auto", "svm"):
                    self.assertEqual(schedule, how)

    def test_ratios(self):
        """The host's part of the tiles is what was asked for, to a tile."""
        expected, _ = self.evaluate("-n", "90")
        for ratio in (0, 0.25, 1):
            with self.subTest(ratio):
                found, report = self.evaluate("-n", "90", "--cooperate=static=%g" % ratio, "--report")
                self.check_same(found, expected, 2 ** -23)
                self.assertEqual(self.read_report(report), ["static"])
                parts = [self.PART.match(line) for line in report.splitlines()]
                tiles = {part[1]: int(part[2]) for part in parts if part}
                self.assertLessEqual(abs(tiles["host"] - ratio * sum(tiles.values())), 1)

    def test_processors(self):
        """No worker, with whom a device does not share, several, and the same device once more."""
        expected, _ = self.evaluate("-n", "90")
        device = os.environ.get("CLSPLINE_DEVICE") or "0"
        again = "--join=" + device
        for schedule, extra in (("device", ("--workers", "0")), ("dynamic", ("--workers=2",)),
                                ("dynamic", ("--join", device)), ("dynamic", (again, again, "--workers=0"))):
            with self.subTest(extra):
                found, report = self.evaluate("-n", "90", "-d", device, "--cooperate", "dynamic", "--report", *extra)
                self.check_same(found, expected, 2 ** -23)
                self.assertEqual(self.read_report(report), [schedule])

    def test_what_devices_make(self):
        """The host makes normals, but no grids of their own; the files are the same all the same."""
        for extra, by_host in ((("--normals", "-n", "9"), True), (("--tolerance", "0.01"), False)):
            with self.subTest(extra):
                expected, _ = self.evaluate(*extra)
                found, report = self.evaluate(*extra, "--cooperate", "host", "--report")
                self.check_same(found, expected, 2 ** -23)
                self.assertEqual("host" in self.read_report(report), by_host)

    def test_f64(self):
        if not has_fp64():
            self.skipTest("the device has no fp64")
        expected, _ = self.evaluate("-n", "90", "-p", "f64")
        found, report = self.evaluate("-n", "90", "-p", "f64", "--cooperate", "dynamic", "--report")
        self.check_same(found, expected, 2 ** -52)
        self.assertEqual(self.read_report(report), ["dynamic"])

    def test_formats(self):
        """The same files, ending by ending."""
        for ending in ("ply", "vtk", "png"):
            sizes = []
            for extra in ((), ("--cooperate", "auto")):
                path = self.path("a." + ending)
                done = run("bezier", self.teapot, "-q", "-o", path, *extra, env=self.env)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                sizes.append(os.path.getsize(path))
            if ending != "png":
                self.assertEqual(sizes[0], sizes[1])

    def test_tune(self):
        speeds = self.path("speeds")
        done = run("tune", "--quick", "--json", "--speeds", speeds)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = json.loads(done.stdout)
        self.assertEqual({line["degree"] for line in lines}, {3, 7, 11})
        self.assertIn("host", {line["processor"] for line in lines})
        self.assertEqual({line["precision"] for line in lines}, {"f32", "f64"} if has_fp64() else {"f32"})
        for line in lines:
            self.assertGreater(line["points_per_s"], 0, line)
        self.assertGreater(os.path.getsize(speeds), 0)
        self.env["CLSPLINE_SPEEDS"] = speeds
        _, report = self.evaluate("-n", "90", "--cooperate", "static", "--report")
        self.assertEqual(self.read_report(report), ["static"])

    def test_tune_in_cache_folder(self):
        """Speeds are kept in the cache folder, whatever the device, and found there by a later run."""
        cache = self.path("cache")
        env = dict(os.environ, CLSPLINE_CACHE_DIR=cache)
        env.pop("CLSPLINE_SPEEDS", None)
        done = run("tune", "--quick", "--json", env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(os.path.getsize(os.path.join(cache, "speeds")), 0)
        self.env = dict(env)
        _, report = self.evaluate("-n", "60", "--cooperate", "static", "--report")
        self.assertIn("measuring 0.000 ms", report)

    def test_damaged_speeds(self):
        """A warning, and the work is done."""
        speeds = self.path("speeds")
        with open(speeds, "wb") as file:
            file.write(bytes(random.Random(1).randrange(256) for _ in range(1000)))
        self.env["CLSPLINE_SPEEDS"] = speeds
        done = run("bezier", self.teapot, "-o", self.path("a.obj"), "--cooperate", "auto", env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning", done.stderr)


class Failures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.teapot = os.path.join(DATA, "teapot.bv")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def fails(self, code, expected, *args, **options):
        done = run(*args, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn(expected, done.stderr)
        self.assertTrue(done.stderr.startswith("clspline: "), done.stderr)
        self.assertNotIn("CLSP_", done.stderr)  # options and words, not names of the library's
        return done.stderr

    def test_usage(self):
        out = self.path("a.obj")
        for expected, args in (
                ("no command given", ()),
                ("unknown command 'spline', there are bezier, bspline, image, project, solid, info, tune and devices",
                 ("spline",)),
                ("unknown option '--what'", ("--what",)),
                ("no input file given", ("bezier", "-o", out)),
                ("no output given", ("bezier", self.teapot)),
                ("does not end in .obj", ("bezier", self.teapot, "-o", self.path("a.xyz"))),
                ("-o - needs --format", ("bezier", self.teapot, "-o", "-")),
                ("--format is for -o -", ("bezier", self.teapot, "-o", out, "-f", "obj")),
                ("--format must be obj, ply,", ("bezier", self.teapot, "-o", "-", "-f", ".obj")),
                ("input can be read once only", ("bezier", "-", "-", "-o", out)),
                ("output can be written once only", ("bezier", self.teapot, "-o", "-", "-o-", "-fobj")),
                ("--samples must be 2 to 16384, not '1'", ("bezier", self.teapot, "-o", out, "--samples", "1")),
                ("not '16385'", ("bezier", self.teapot, "-o", out, "-n16385")),
                ("not '-3'", ("bezier", self.teapot, "-o", out, "--samples=-3")),
                ("not '99999999999999999999'", ("bezier", self.teapot, "-o", out, "-n", "99999999999999999999")),
                ("exclude each other", ("bezier", self.teapot, "-o", out, "-n3", "-t1")),
                ("not of --tolerance", ("bezier", self.teapot, "-o", out, "-t1", "--method=brute")),
                ("not 'best'", ("bezier", self.teapot, "-o", out, "--method", "best")),
                ("not 'f16'", ("bezier", self.teapot, "-o", out, "--precision", "f16")),
                ("not 'w'", ("bezier", self.teapot, "-o", out, "--up", "w")),
                ("unknown option '--colour'", ("bezier", self.teapot, "--colour", "red")),
                ("a value is missing after '-o'", ("bezier", self.teapot, "-o")),
                ("no value is expected in '--quiet=1'", ("bezier", self.teapot, "--quiet=1")),
                ("--cooperate must be auto, svm,", ("bezier", self.teapot, "-o", out, "--cooperate", "all")),
                ("not 'statics=1'", ("bezier", self.teapot, "-o", out, "--cooperate", "statics=1")),
                ("must be 0 to 1, not '1.5'", ("bezier", self.teapot, "-o", out, "--cooperate=static=1.5")),
                ("must be 0 to 1, not ''", ("bezier", self.teapot, "-o", out, "--cooperate=static=")),
                ("must be 0 to 1, not 'nan'", ("bezier", self.teapot, "-o", out, "--cooperate=static=nan")),
                ("must be 0 to 1, not '-0.1'", ("bezier", self.teapot, "-o", out, "--cooperate=static=-0.1")),
                ("--workers must be 0 to 1024, not '-1'", ("bezier", self.teapot, "-o", out, "--workers=-1")),
                ("not '1025'", ("tune", "--workers", "1025")),
                ("need --cooperate", ("bezier", self.teapot, "-o", out, "--report")),
                ("need --cooperate", ("bezier", self.teapot, "-o", out, "--workers", "2")),
                ("need --cooperate", ("bezier", self.teapot, "-o", out, "--join", "0")),
                ("14 times at most", ("tune",) + ("--join=0",) * 15),
                ("unexpected argument 'all'", ("tune", "all")),
                ("unknown option '--fast'", ("tune", "--fast")),
                ("exclude each other", ("bezier", self.teapot, "-o", out, "-q", "-v")),
                ("--verbose is of the table", ("devices", "--json", "-v")),
                ("--device needs --kernels", ("devices", "--device", "0")),
                ("unexpected argument 'all'", ("devices", "all"))):
            with self.subTest(expected):
                text = self.fails(2, expected, *args)
                self.assertIn("--help)\n", text)
                self.assertEqual(text.count("\n"), 1)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_bad_input(self):
        bad = self.path("bad.bv")
        for expected, content in (
                ("bad.bv:1: the file holds no patch", b""),
                ("bad.bv:2: 'nan' is not a finite number", b"4 0\nnan 0 0\n"),
                ("bad.bv:1: the degree is 1000000000, above 65535", b"4 1000000000\n"),
                ("bad.bv:4: the weight -1 is not above 0", b"# t\n\n8 0 0\n0 0 0 -1\n"),
                ("bad.bv:1: zero byte", b"\0" * 1000)):
            with self.subTest(expected):
                with open(bad, "wb") as file:
                    file.write(content)
                text = self.fails(1, expected, "bezier", bad, "-o", self.path("a.obj"))
                self.assertEqual(text.count("\n"), 1)
        self.fails(
            1,
            "cannot open: No such file",
            "bezier",
            self.path("none.bv"),
            "-o",
            self.path("a.obj"))
        self.fails(1, "cannot read: Is a directory", "bezier",
                   self.folder.name, "-o", self.path("a.obj"))
        self.assertEqual(os.listdir(self.folder.name), ["bad.bv"])

    def test_float_range(self):
        for kind, number in (("4 0\n1e300 0 0\n", "1e300"), ("1 1 0\n0 0 -1e39\n", "-1e39")):
            with open(self.path("big.bv"), "w") as file:
                file.write(kind)
            self.fails(1, "big.bv:2: '%s' is too large for a float; use --precision f64" % number, "bezier",
                       self.path("big.bv"), "-q", "-o", self.path("a.obj"))

    def test_too_many_points(self):
        self.fails(
            1,
            "use fewer --samples",
            "bezier",
            self.teapot,
            "-o",
            self.path("a.ply"),
            "--samples",
            "16384")

    def test_bad_tolerance(self):
        for word in ("0", "-1", "nan", "inf", "abc", "", "%", "px", "1e999", "0x1p-3", "1 px", "1%%", "0%", "1pt",
                     "-1px", " 1"):
            with self.subTest(word):
                self.fails(2, "--tolerance must be a number above 0, alone or with % or px, not '" + word + "'",
                           "bezier", self.teapot, "-o", self.path("a.obj"), "--tolerance=" + word)
        for word in ("1e-30", "1e-12%", "1e-9px"):
            with self.subTest(word):
                text = self.fails(1, "use a larger --tolerance", "bezier", self.teapot, "-q", "-o",
                                  self.path("a.obj"), "--tolerance", word)
                self.assertEqual(text.count("\n"), 1)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_float_weights(self):
        for weight, expected in (("1e39", "in.bv:2: '1e39' is too large"),
                                 ("1e-50", "in.bv:2: the weight 1e-50 is too small")):
            with open(self.path("in.bv"), "w") as file:
                file.write("8 0 0\n0 0 0 %s\n" % weight)
            self.fails(1, expected, "bezier", self.path("in.bv"), "-q", "-o", self.path("a.obj"))

    def test_matrix_degree(self):
        """The matrix method has a bound on degrees, and the library's reason is shown."""
        with open(self.path("in.bv"), "w") as file:
            file.write("4 20\n" + "0 0 0\n" * 441)
        self.fails(1, "degrees 20 and 20: by the method matrix their sum is at most 22", "bezier",
                   self.path("in.bv"), "-q", "-o", self.path("a.obj"), "--method", "matrix")

    def test_unwritable(self):
        self.fails(1, "/nowhere/a.obj: cannot write: No such file",
                   "bezier", self.teapot, "-q", "-o", "/nowhere/a.obj")
        os.mkdir(self.path("x.ply"))
        self.fails(1, "not a regular file", "bezier", self.teapot, "-q", "-o", self.path("x.ply"))
        self.assertEqual(os.listdir(self.folder.name), ["x.ply"])

    def test_disk_full(self):
        """A limit on the size of files stands for a full disk; a polyhedron needs no compiler, which would meet it."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))

        with open(self.path("in.bv"), "w") as file:
            file.write("1 3000 1000\n")
            file.writelines("%d.25 %d 0.123456\n" % (i % 61, i % 17) for i in range(3000))
            file.writelines("3 %d %d %d\n" % (i, i + 1000, i + 2000) for i in range(1000))
        for ending in ("obj", "ply", "vtk", "stl", "glb", "png"):
            self.fails(1, "a.%s: cannot write: " % ending, "bezier", self.path("in.bv"), "-q", "-o",
                       self.path("a." + ending), preexec_fn=limit)
            self.assertEqual(os.listdir(self.folder.name), ["in.bv"])

    def test_no_such_device(self):
        text = self.fails(
            1,
            "no device fits 'no such:device'; there are: 0 '",
            "bezier",
            self.teapot,
            "-o",
            self.path("a.obj"),
            "--device",
            "no such:device")
        self.assertIn("clspline devices", text)
        self.assertNotIn("CLSPLINE_DEVICE", text)

    def test_environment(self):
        """What is wrong in a variable is said with its name and the words that it takes."""
        for variable, value, expected, word in (
                ("CLSPLINE_DEVICE", "no such", "CLSPLINE_DEVICE: no device fits 'no such'; there are: 0 '", "discrete"),
                ("CLSPLINE_LIMITS", "fp64=0, fp65=0", "CLSPLINE_LIMITS: 'fp65=0' is none of the words",
                 "class=cpu|integrated|")):
            with self.subTest(variable):
                text = self.fails(1, "clspline: " + expected, "bezier", self.teapot, "-q", "-o", self.path("a.obj"),
                                  env=dict(os.environ, **{variable: value}))
                self.assertIn(word, text)
        done = run("bezier", self.teapot, "-n2", "-o", self.path("a.obj"),
                   env=dict(os.environ, CLSPLINE_CACHE_DIR="/dev/null/below"))
        self.assertIn("warning: CLSPLINE_CACHE_DIR: /dev/null/below is not used: ", done.stderr)
        env = dict(os.environ, CLSPLINE_LIMITS="fp64=0, work_group=64")
        done = run("bezier", self.teapot, "-q", "-n2", "-o", self.path("a.obj"), env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_no_fp64(self):
        text = self.fails(
            1,
            "has no double precision; use single precision",
            "bezier",
            self.teapot,
            "-q",
            "-o",
            self.path("a.obj"),
            "--precision",
            "f64",
            env=dict(
                os.environ,
                CLSPLINE_LIMITS="fp64=0"))
        self.assertIn("--precision f32", text)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_interrupted(self):
        """SIGTERM in the middle of a long run leaves no file."""
        for delay in (1, 0.5, 0.2, 0.1, 0.05):  # until the run is longer
            process = subprocess.Popen([COMMAND, "bezier", self.teapot, "-q",
                                       "-n", "400", "-o", self.path("a.obj")])
            try:
                process.wait(timeout=delay)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM)
                process.wait()
            if process.returncode != 0:
                self.assertEqual(process.returncode, -signal.SIGTERM)
                self.assertEqual(os.listdir(self.folder.name), [])
                return
            os.remove(self.path("a.obj"))
        self.fail("no run was interrupted")


class Readme(unittest.TestCase):
    """The README's commands work as typed in the clone."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.clone = folder.name
        os.makedirs(os.path.join(self.clone, "build", "tools"))
        os.symlink(COMMAND, os.path.join(self.clone, "build", "tools", "clspline"))
        os.symlink(os.path.dirname(DATA), os.path.join(self.clone, "tests"))

    def typed(self, line):
        return subprocess.run(["sh", "-c", line], cwd=self.clone, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

    def test_commands(self):
        """A line is run, or where that takes long its options are read."""
        with open(os.path.join(os.path.dirname(DATA), os.pardir, "README.md")) as file:
            lines = re.findall(r"^    (\S*clspline (?:devices|tune|bezier|bspline|image|project|solid|info) ?[^#\n]*)",
                               file.read(), re.M)
        self.assertGreater(len(lines), 11)
        for line in map(str.strip, lines):
            with self.subTest(line):
                slow = "tune" in line or "--kernels" in line or ("f64" in line and not has_fp64())
                done = self.typed(line + " --help" if slow else line)
                self.assertEqual(done.returncode, 0, done.stderr)
                for path in re.findall(r"(?: -o|>) ([^-\s]\S*)", "" if slow else line):
                    self.assertGreater(os.path.getsize(os.path.join(self.clone, path)), 0)


class Outputs(unittest.TestCase):
    """What becomes of files that are there. A polyhedron needs no device."""
    SMALL = "1 3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    NOBODY = 65534

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.input = self.path("in.bv")
        with open(self.input, "w") as file:
            file.write(self.SMALL)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def refuse(self, expected, *args):
        before = sorted(os.listdir(self.folder.name))
        done = run("bezier", "-q", *args, cwd=self.folder.name)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(expected, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), before)

    def test_same_files(self):
        """However a file is called, it is read or written once."""
        source = self.path("in.obj")
        os.rename(self.input, source)
        os.symlink("in.obj", self.path("link.obj"))
        for name in (source, "in.obj", "./in.obj", "link.obj"):
            self.refuse("'%s' is an input too" % name, source, "-o", "a.obj", "-o", name)
            self.refuse("'%s' is an input too" % name, "-", "b.bv", source, "-o", name)
        for name in ("a.obj", "./a.obj", self.path("a.obj"), "../%s/a.obj" % os.path.basename(self.folder.name)):
            self.refuse("'%s' is given as output twice" % name, source, "-o", "a.obj", "-o", "a.ply", "-o", name)
        with open(self.path("b.obj"), "w"):
            os.symlink("b.obj", self.path("to_b.obj"))
        self.refuse("'to_b.obj' is given as output twice", source, "-o", "b.obj", "-o", "to_b.obj")
        with open(source) as file:
            self.assertEqual(file.read(), self.SMALL)
        os.mkdir(self.path("other"))
        done = run("bezier", "-q", source, "-o", "a.obj", "-o", "other/a.obj", "-o", "a.ply", cwd=self.folder.name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        os.rename(self.path("a.obj"), self.path("-")) # a file that is not standard output
        done = run("bezier", "-q", source, "-o", "./-.obj", "-o", "-", "-f", "obj", cwd=self.folder.name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_mode(self):
        out = self.path("a.obj")
        for mode in (0o600, 0o640, 0o666, 0o700):
            with open(out, "w"):
                os.chmod(out, mode)
            self.assertEqual(run("bezier", "-q", self.input, "-o", out).returncode, 0)
            self.assertEqual(os.stat(out).st_mode & 0o7777, mode)
            self.assertEqual(len(read_obj(out)[0]), 3)

    def test_not_to_be_written(self):
        """A file that the user may not write stays, although the folder would let it be replaced."""
        def drop_root():
            if os.geteuid() == 0:
                os.setuid(self.NOBODY)

        out = self.path("a.obj")
        with open(out, "w") as file:
            file.write("old")
        os.chmod(out, 0o444)
        os.chmod(self.folder.name, 0o777)
        try:
            done = run("bezier", "-q", self.input, "-o", out, preexec_fn=drop_root)
        except PermissionError:
            self.skipTest("another user cannot run the command")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a.obj: cannot write: Permission denied", done.stderr)
        with open(out) as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["a.obj", "in.bv"])

    def stop_while_writing(self, number):
        """Sends a signal to a run whose temporary file is open. One that was done before is made again."""
        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            # shells ignore some in the background, nohup another
            for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE):
                signal.signal(ignored, signal.SIG_DFL)

        for _ in range(50):
            process = subprocess.Popen([COMMAND, "bezier", self.path("large.bv"), "-q", "-o", self.path("a.obj")],
                                       preexec_fn=prepare)
            while process.poll() is None and not any(name.endswith(".tmp") for name in os.listdir(self.folder.name)):
                time.sleep(0.001)
            process.send_signal(number)
            if process.wait() != 0:
                break
            os.remove(self.path("a.obj"))
        self.assertEqual(process.returncode, -number)

    def test_stopped(self):
        """A run that is stopped leaves nothing behind, and what a killed one leaves the next one removes."""
        with open(self.path("large.bv"), "w") as file:
            file.write("1 300000 1\n")
            file.writelines("%d.25 %d 0.123456\n" % (i % 61, i % 17) for i in range(300000))
            file.write("3 0 1 2\n")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
            with self.subTest(number):
                self.stop_while_writing(number)
                self.assertEqual(sorted(os.listdir(self.folder.name)), ["in.bv", "large.bv"])
        self.stop_while_writing(signal.SIGKILL)
        self.assertEqual(len(os.listdir(self.folder.name)), 3)
        self.assertEqual(run("bezier", "-q", self.input, "-o", self.path("b.ply")).returncode, 0)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["b.ply", "in.bv", "large.bv"])

    def test_ignored_signals(self):
        """What a parent has ignored, as nohup does, stays ignored."""
        with open(self.path("large.bv"), "w") as file:
            file.write("1 300000 1\n" + "0 1 2\n" * 300000 + "3 0 1 2\n")
        process = subprocess.Popen([COMMAND, "bezier", self.path("large.bv"), "-q", "-o", self.path("a.obj")],
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        while process.poll() is None and not any(name.endswith(".tmp") for name in os.listdir(self.folder.name)):
            time.sleep(0.001)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(), 0)
        self.assertEqual(len(read_obj(self.path("a.obj"))[0]), 300000)


class Completions(unittest.TestCase):
    """The shells' completions know all commands and options, and no others."""

    @staticmethod
    def path(name):
        return os.path.join(os.path.dirname(os.path.dirname(DATA)), "tools", "completions", name)

    def options(self):
        """The long options of each command, from its help."""
        text = run("--help").stdout
        commands = re.findall(r"^  (\w+)  ", text[text.index("commands:"):text.index("options:")], re.M)
        found = {}
        for command in commands:
            text = run(command, "--help").stdout
            text = text[text.index("options:"):text.index("examples:")]
            found[command] = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.M))
        self.assertEqual(set(found), {"bezier", "bspline", "image", "project", "solid", "info",
                                      "tune", "devices"})
        return found

    def complete(self, *words):
        script = '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _clspline; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "bash", self.path("clspline.bash"), "clspline", *words],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return set(done.stdout.split())

    def test_bash(self):
        if not shutil.which("bash"):
            self.skipTest("no bash")
        options = self.options()
        self.assertEqual(self.complete(""), set(options) | {"--help", "--version"})
        for command, names in options.items():
            self.assertEqual(self.complete(command, "--"), {"--" + name for name in names})
        self.assertEqual(self.complete("bezier", "a.bv", "--format", "p"), {"ply", "png"})
        self.assertEqual(self.complete("bezier", "-p", ""), {"f32", "f64"})
        self.assertEqual(self.complete("project", "-f", ""), {"csv", "npy"})
        self.assertEqual(self.complete("project", "--method", "m"), {"mrep"})
        self.assertEqual(self.complete("bezier", "--method", "m"), {"matrix", "multilevel"})
        self.assertIn(os.path.join(DATA, "teapot.bv"), self.complete("info", os.path.join(DATA, "tea")))
        self.assertEqual(self.complete("bezier", "-n", ""), set())
        self.assertEqual(self.complete("image", "--mode", "grid"), {"grid-wrap", "grid-constant"})
        self.assertEqual(self.complete("image", "--type", "u"), {"u8", "u16"})
        self.assertIn(os.path.join(DATA, "raccoon.png"), self.complete("image", os.path.join(DATA, "ra")))
        self.assertEqual(self.complete("solid", "--format", "p"), {"ply", "png"})
        self.assertIn(os.path.join(DATA, "rod.vtk"), self.complete("solid", os.path.join(DATA, "ro")))
        self.assertEqual(self.complete("bspline", ""), {"eval", "bezier"})
        self.assertIn(os.path.join(DATA, "knot.g2"), self.complete("bspline", "eval", os.path.join(DATA, "kn")))
        self.assertIn(os.path.join(DATA, "points.csv"), self.complete("project", os.path.join(DATA, "po")))
        self.assertIn(os.path.join(DATA, "vase.json"), self.complete("info", os.path.join(DATA, "va")))

    def test_fish(self):
        if not shutil.which("fish"):
            self.skipTest("no fish")
        for command, names in self.options().items():
            script = "source %s; complete -C 'clspline %s --'" % (self.path("clspline.fish"), command)
            done = subprocess.run(["fish", "--private", "-c", script], stdout=subprocess.PIPE, text=True)
            self.assertEqual({line.split()[0] for line in done.stdout.splitlines()}, {"--" + name for name in names})

    def test_words(self):
        options = set().union(*self.options().values()) | {"version"}
        with open(self.path("_clspline")) as file:
            zsh = set(re.findall(r"--([a-z-]+)\b", file.read()))
        with open(self.path("clspline.fish")) as file:
            fish = set(re.findall(r" -l ([a-z-]+)\b", "\n".join(
                line for line in file if line.startswith("complete"))))
        self.assertEqual(zsh, options)
        self.assertEqual(fish, options)

    def test_syntax(self):
        for shell, option, name in (("bash", "-n", "clspline.bash"), ("zsh", "-n", "_clspline"),
                                    ("fish", "--no-execute", "clspline.fish")):
            if shutil.which(shell):
                done = subprocess.run([shell, option, self.path(name)], stderr=subprocess.PIPE, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


class Devices(unittest.TestCase):
    def test_table(self):
        done = run("devices")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        devices = json.loads(run("devices", "--json").stdout)
        lines = [line for line in done.stdout.splitlines()[1:] if line[0] == " "]
        self.assertEqual(len(lines), len(devices))
        for index, device in enumerate(devices):
            self.assertEqual(device["index"], index)
            self.assertIn(device["class"], ("cpu", "integrated", "discrete", "accelerator"))
            self.assertTrue(lines[index].endswith(device["device"]), lines[index])
            self.assertLessEqual(len(lines[index]) - len(device["device"]), 40)
            self.assertGreater(device["memory_bytes"], 0)
            self.assertIn("\n%s:\n" % device["platform"], done.stdout)
        wide = run("devices", "-v").stdout.splitlines()
        self.assertEqual(len(wide), len(devices) + 1)
        for line, device in zip(wide[1:], devices):
            for word in ("platform", "device", "class", "svm", "driver"):
                self.assertIn(device[word], line)

    def test_kernels(self):
        done = run("devices", "--kernels", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads(done.stdout)
        self.assertGreater(len(kernels), 0)
        for kernel in kernels:
            self.assertGreater(kernel["work_group_limit"], 0)
            self.assertTrue(kernel["program"] and kernel["kernel"])
        table = run("devices", "--kernels", "-d", "0")
        self.assertEqual(table.returncode, 0, table.stderr)
        self.assertIn("work-group", table.stdout)

    def test_no_devices(self):
        with tempfile.TemporaryDirectory() as empty:
            env = dict(os.environ, OCL_ICD_VENDORS=empty, OCL_ICD_FILENAMES="")
            done = run("devices", "--json", env=env)
        if done.returncode == 0:
            self.skipTest("this OpenCL loader finds devices by other ways")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout), [])
        self.assertIn("no OpenCL device was found: install", done.stderr)

    def test_help_and_version(self):
        for args in (("--help",), ("-h",), ("bezier", "--help"), ("bspline", "--help"), ("bspline", "eval", "-h"),
                     ("project", "-h"), ("tune", "--help"), ("devices", "-h"), ("info", "-h")):
            done = run(*args)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("examples:", done.stdout)
        self.assertRegex(run("--version").stdout, r"^clspline \d+\.\d+\.\d+\n$")

    def test_full_stdout(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([COMMAND, "--help"], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    COMMAND, DATA = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], "tests", "data")
    listed = run("devices", "--json")
    if listed.returncode == 1 and listed.stdout == "[]\n":
        print("no OpenCL device")
        sys.exit(SKIPPED)
    print("meshio %s" % ("is here" if meshio else "is not here: its checks are left out"))
    unittest.main(argv=sys.argv[:1], verbosity=2)
