#!/usr/bin/env python3
"""Runs the command on meshes of cells and checks what it wrote by its definition.

usage: test_solid_command.py CLSPLINE SOURCE_DIR

Needs the standard library only. Exits with 77 (skipped) where there is no OpenCL device.
"""
import base64
import json
import math
import os
import pty
import random
import re
import struct
import subprocess
import zlib
from xml.etree import ElementTree

from command_fixture import (BESIDE_HOST, COMMAND, DATA, Case, has_fp64, main,
                             precisions, run)
from image_files import read_npy, read_png
from mesh_files import (edge_counts, read_glb, read_normals, read_obj, read_ply, read_ply_data,
                        read_stl)

TYPES = {"Float32": "f", "Float64": "d", "Int32": "i", "Int64": "q", "UInt8": "B"}
HEXAHEDRON = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1),
              (0, 1, 1))

# Hundredths by which the points of a box of 3 x 1 x 3 are moved: folds at its smooth bottom.
MOVES = [int(x) for x in (
    "4 6 -7 -3 -1 -8 1 -6 -1 -10 2 3 -5 2 -1 2 5 -7 7 5 0 -6 5 2 5 -7 1 6 1 "
    "3 -1 -2 -7 -9 3 4 -4 5 -5 4 2 3 4 -9 -5 -2 -3 -1 9 -4 6 3 6 8 -4 -6 0 "
    "4 0 10 3 -8 2 -6 -10 -7 -6 9 -4 6 -6 5 2 -10 5 7 2 8 9 -2 -7 -8 3 -8 4 "
    "9 6 3 2 3 -1 -8 3 -3 10 -3 ").split()]


# ---- files ----

def read_vtu(path):
    """The arrays of a file with raw data behind its head."""
    with open(path, "rb") as file:
        body = file.read()
    head, data = body.split(b'<AppendedData encoding="raw">\n_', 1)
    assert data.rstrip().endswith(b"</VTKFile>")
    found = {}
    for tag in ElementTree.fromstring(head + b"</VTKFile>").iter("DataArray"):
        values = tag.attrib
        at = int(values["offset"])
        size, = struct.unpack_from("<Q", data, at)
        kind = TYPES[values["type"]]
        found[values["Name"]] = struct.unpack_from("<%d%s" % (size // struct.calcsize(kind), kind),
                                                   data, at + 8)
    return found


def triples(values):
    return [tuple(values[i:i + 3]) for i in range(0, len(values), 3)]


def box(nx, ny, nz, move=lambda p: p):
    """Points and hexahedra of a box of unit cells."""
    number = {}
    for k in range(nz + 1):
        for j in range(ny + 1):
            for i in range(nx + 1):
                number[i, j, k] = len(number)
    cells = [[number[i + a, j + b, k + c] for a, b, c in HEXAHEDRON]
             for k in range(nz) for j in range(ny) for i in range(nx)]
    return [move(p) for p in number], cells


def write_vtk(path, points, cells, arrays=None, kind=12):
    with open(path, "w") as file:
        file.write("# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                   "POINTS %d double\n" % len(points))
        file.writelines("%r %r %r\n" % tuple(p) for p in points)
        file.write("CELLS %d %d\n" % (len(cells), sum(1 + len(c) for c in cells)))
        file.writelines("%d %s\n" % (len(c), " ".join(map(str, c))) for c in cells)
        file.write("CELL_TYPES %d\n%s\n" % (len(cells), "\n".join([str(kind)] * len(cells))))
        if arrays:
            file.write("POINT_DATA %d\nFIELD all %d\n" % (len(points), len(arrays)))
        for name, values in (arrays or {}).items():
            each = len(values) // len(points)
            file.write("%s %d %d double\n%s\n"
                       % (name, each, len(points), " ".join(map(repr, values))))


def ball(steps):
    """An octahedron whose triangles become four again and again."""
    corners = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1)]
    faces = [(a, b, c) for a in (0, 3) for b in (1, 4) for c in (2, 5)]
    for _ in range(steps):
        middle, next_faces = {}, []
        for face in faces:
            e = []
            for i in range(3):
                key = tuple(sorted((face[i], face[(i + 1) % 3])))
                if key not in middle:
                    middle[key] = len(corners)
                    corners.append(tuple((corners[key[0]][k] + corners[key[1]][k]) / 2
                                         for k in range(3)))
                e.append(middle[key])
            next_faces += [(face[0], e[0], e[2]), (e[0], face[1], e[1]), (e[2], e[1], face[2]),
                           tuple(e)]
        faces = next_faces
    return corners, faces


def gmsh_box(points, cell, edges, groups):
    """Gmsh's files of versions 2, 4.0 and 4.1 of a hexahedron and lines of one curve, number 7, in
    so many physical groups."""
    rows = "".join("%d %r %r %r\n" % (i + 1, *p) for i, p in enumerate(points))
    cell = " ".join(str(v + 1) for v in cell)
    lines = ["%d %d" % (a + 1, b + 1) for a, b in edges]
    yield ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n%s$EndNodes\n$Elements\n13\n"
           "1 5 2 9 1 %s\n%s$EndElements\n" % (rows, cell, "".join(
               "%d 1 2 %d 7 %s\n" % (i + 2, groups, line) for i, line in enumerate(lines))))
    for early in True, False:
        node = "7 3" if early else "3 7"
        body = "".join("%d %s\n" % (i + 2, line) for i, line in enumerate(lines))
        entities = ("1 2 0 1\n5 0 0 0 %s0\n" % ("0 0 0 " if early else "") +
                    "6 0 0 0 1 1 1 0 2 5 5\n7 0 0 0 1 1 1 %s 2 5 5\n1 0 0 0 1 1 1 0 0\n"
                    % " ".join(["%d" % groups] + ["3"] * groups))
        nodes = ("%s\n%s 0 8\n" % ("1 8" if early else "1 8 1 8", node) + (
            rows if early else "".join("%d\n" % (i + 1) for i in range(8)) +
            "".join(row.split(" ", 1)[1] for row in rows.splitlines(True))))
        elements = "%s\n%s 5 1\n1 %s\n%s 1 12\n%s" % (
            "2 13" if early else "2 13 1 13", "1 3" if early else "3 1", cell,
            "7 1" if early else "1 7", body)
        yield ("$MeshFormat\n%s 0 8\n$EndMeshFormat\n$Entities\n%s$EndEntities\n$Nodes\n%s"
               "$EndNodes\n$Elements\n%s$EndElements\n" % (
                   "4" if early else "4.1", entities, nodes, elements))


def sizes(faces):
    return {len(face) for face in faces}


JOBS = ("eval", "convert", "slice", "locate", "probe")


def run_solid(*arguments, **options):
    """Runs a job on a mesh: the one that comes first, else eval."""
    return run(*([] if arguments[0] in JOBS else ["eval"]), *arguments, **options)


class Command(Case):
    def make(self, *arguments, code=0):
        done = run_solid(*arguments, "--quiet")
        self.assertEqual((done.returncode, done.stderr), (code, ""))
        return done.stdout

    def refused(self, message, *arguments, code=1):
        done = run_solid(*arguments, "--quiet")
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith("out")])


class Samples(Command):
    def plain_box(self, size, arrays=True):
        """A box that is refined as it is: with creases at its edges all cells are regular, and the
        limit is that of B-splines with their ends continued, which is the identity on such a
        box."""
        points, cells = box(*size)
        path = self.path("box.vtk")
        density = [1 + 2 * x - y + 3 * z for x, y, z in points]
        vector = [c for x, y, z in points for c in (x, 2 * y, -z)]
        write_vtk(path, points, cells, {"density": density, "vector": vector} if arrays else None)
        return path, points

    def test_names(self):
        """Names of data keep all characters, from legacy files and from VTU."""
        points, cells = box(1, 1, 1)
        name = "heat 100% <&\"\u03bc'>"
        coded = "".join("%%%02x" % byte for byte in name.encode())
        write_vtk(self.path("a.vtk"), points, cells, {coded: [float(i) for i in range(8)]})
        self.make(self.path("a.vtk"), "-o", self.path("a.vtu"), "-n", "2")
        self.make(self.path("a.vtu"), "-o", self.path("b.vtu"), "-n", "2")
        for file in "a.vtu", "b.vtu":
            self.assertEqual(list(read_vtu(self.path(file)))[:2], ["Points", name])
        self.make("slice", self.path("b.vtu"), "--at", "z=0.5", "--array", name, "--size", "4",
                  "-o", self.path("a.npy"))

    def test_box(self):
        """Samples are where parameters are, with their data, in every precision."""
        source, _ = self.plain_box((2, 3, 1))
        for precision, bound in [("f32", 1e-6)] + [("f64", 1e-13)] * has_fp64():
            out = self.path("box.vtu")
            self.make(source, "-o", out, "-n", "3", "--crease-angle", "30", "-p", precision)
            found = read_vtu(out)
            points = triples(found["Points"])
            self.assertEqual(len(points), 6 * 27)
            for n, p in enumerate(points):
                cell, i = divmod(n, 27)
                exact = (cell % 2 + i // 9 / 2, cell // 2 + i // 3 % 3 / 2, i % 3 / 2)
                for a, b in zip(p, exact):
                    self.assertAlmostEqual(a, b, delta=4 * bound)
                x, y, z = exact
                self.assertAlmostEqual(found["density"][n], 1 + 2 * x - y + 3 * z, delta=9 * bound)
                for a, b in zip(found["vector"][3 * n:], (x, 2 * y, -z)):
                    self.assertAlmostEqual(a, b, delta=9 * bound)
            self.assertEqual(set(found["types"]), {12})
            self.assertEqual(found["offsets"], tuple(range(8, 8 * 48 + 1, 8)))
            corners = found["connectivity"]
            for cell in range(48):
                first = points[corners[8 * cell]]
                for place, corner in zip(HEXAHEDRON, corners[8 * cell:8 * cell + 8]):
                    for axis in range(3):
                        self.assertAlmostEqual(points[corner][axis] - first[axis], place[axis] / 2,
                                               delta=1e-5)

    def test_far(self):
        """Far from the origin doubles are taken; where there are none, or floats are asked for, a
        warning says that these are coarse."""
        places, volumes = {}, {}
        for far in 0, 1e6:
            source, out = self.path("box.vtk"), self.path("a.vtu")
            points, cells = box(2, 2, 2, lambda p: [x / 2 + far for x in p])
            write_vtk(source, points, cells)
            for name, *more in (("plain",), ("float", "-p", "f32")):
                done = run("eval", source, "--crease-angle", "30", "-o", out, *more)
                self.assertEqual(done.returncode, 0, done.stderr)
                warned = "beside which floats are coarse" in done.stderr
                self.assertEqual(warned, far > 0 and (name == "float" or not has_fp64()))
                self.assertEqual("doubles are taken" in done.stderr,
                                 far > 0 and name == "plain" and has_fp64(), done.stderr)
                found = read_vtu(out)
                places[far, name] = triples(found["Points"])
                corners = [[places[far, name][v] for v in found["connectivity"][i:i + 8]]
                           for i in range(0, len(found["connectivity"]), 8)]
                volumes[far, name] = [math.prod(c[6][k] - c[0][k] for k in range(3))
                                      for c in corners]
            stl = run("eval", source, "-o", self.path("a.stl"), "-o", self.path("a.ply"))
            self.assertEqual("a.stl: this format has floats alone" in stl.stderr, far > 0)
            quiet = run("eval", source, "-o", self.path("a.stl"), "-p", "f32", "-q")
            self.assertEqual((quiet.returncode, quiet.stderr), (0, ""))
        limited = dict(os.environ, CLSPLINE_LIMITS="fp64=0")
        self.assertIn("and the device has no doubles",
                      run("eval", source, "-o", out, env=limited).stderr)
        self.assertGreater(max(volumes[1e6, "float"]) / min(volumes[1e6, "float"]), 2)
        if has_fp64():
            self.assertLess(max(volumes[1e6, "plain"]) / min(volumes[1e6, "plain"]), 1 + 1e-8)
            for p, q in zip(places[0, "plain"], places[1e6, "plain"]):
                for a, b in zip(p, q):
                    self.assertAlmostEqual(a + 1e6, b, delta=1e-6)

    def test_reading_back(self):
        """What was written is read, and refining the samples' mesh keeps its data."""
        source, _ = self.plain_box((2, 1, 1))
        one, two = self.path("one.vtu"), self.path("two.vtu")
        self.make(source, "-o", one, "--refine", "1", "--crease-angle", "30")
        self.make(one, "-o", two, "--refine", "0")
        first, second = read_vtu(one), read_vtu(two)
        self.assertEqual(first, second)
        self.assertEqual(len(first["types"]), 16)
        self.assertEqual(len(first["Points"]), 3 * 45)

    def add_data(self, source, cells, arrays):
        """Adds data of so many cells, by name: a type and numbers."""
        with open(source, "a") as file:
            file.write("CELL_DATA %d\nFIELD cells %d\n" % (cells, len(arrays)))
            for name, (kind, values) in arrays.items():
                file.write("%s %d %d %s\n%s\n" % (name, len(values) // cells, cells, kind,
                                                 " ".join(map(repr, values))))

    def test_cell_data(self):
        """All parts of a cell have its data, whole numbers as such; NaN is data."""
        source, _ = self.plain_box((2, 1, 1))
        out = self.path("a.vtu")
        self.add_data(source, 2, {"material": ("int", [7, -2 ** 31]), "id": ("long", [2 ** 40, 1]),
                                  "load": ("double", [0.5, 2.0, math.nan, 4.0])})
        for extra, parts in (("-n", "3"), 8), (("--bezier",), 1), (("--refine", "2"), 64), \
                (("--refine", "1", "-n", "2"), 8):
            self.make(source, "-o", out, *extra)
            found = read_vtu(out)
            self.assertEqual(len(found["types"]), 2 * parts)
            self.assertEqual(found["material"], (7,) * parts + (-2 ** 31,) * parts)
            self.assertEqual(found["id"], (2 ** 40,) * parts + (1,) * parts)
            self.assertEqual(found["load"][:2 * parts], (0.5, 2.0) * parts)
            self.assertEqual(found["load"][2 * parts + 1::2], (4.0,) * parts)
            self.assertTrue(all(map(math.isnan, found["load"][2 * parts::2])))
            self.assertIn("density", found)
        self.make(out, "-o", self.path("b.vtu"), "-n", "2")
        self.assertEqual(read_vtu(self.path("b.vtu"))["id"], found["id"])
        done = run("eval", source, "-o", self.path("a.stl"))
        self.assertIn("data of cells are left out, .vtu has them", done.stderr)

    def test_parts_data(self):
        """Cells of all kinds become as many as they have vertices, which have their data."""
        points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.2, -1), (0, 0, 1), (1, 0, 1), (0, 1, 1),
                  (0, 0, 2), (1, 0, 2), (0, 1, 2)]
        prism = [5, 3, 4, 6, 5, 3, 7, 8, 9, 4, 4, 5, 8, 7, 4, 5, 6, 9, 8, 4, 6, 4, 7, 9]
        source, out = self.path("a.vtk"), self.path("a.vtu")
        with open(source, "w") as file:
            file.write("# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                       "POINTS 10 double\n%s\nCELLS 4 %d\n%d %s\n1 0\n6 0 2 1 4 6 5\n4 0 2 1 3\n"
                       "CELL_TYPES 4\n42\n1\n13\n10\n" % (
                           "\n".join("%g %g %g" % p for p in points), len(prism) + 15,
                           len(prism), " ".join(map(str, prism))))
        self.add_data(source, 4, {"layer": ("short", [2, 0, 1, -1])})
        for refine, each in ("1", 1), ("2", 8):
            self.make(source, "--refine", refine, "-o", out)
            found = read_vtu(out)
            self.assertEqual(found["layer"], (2,) * 6 * each + (1,) * 6 * each + (-1,) * 4 * each)
            places = triples(found["Points"])
            for i, layer in enumerate(found["layer"]):
                middle = sum(places[n][2] for n in found["connectivity"][8 * i:8 * i + 8]) / 8
                self.assertLess(abs(middle - (layer - 0.5 if layer > 0 else -0.5)), 0.5, (i, layer))

    def test_shared(self):
        """The host makes the same samples and slices, to rounding, and the report says who made
        them."""
        source = os.path.join(DATA, "rod.vtk")
        alone, shared = self.path("alone.vtu"), self.path("shared.vtu")
        self.make(source, "-o", alone)
        for how in "auto", "dynamic", "static=0.5", "host":
            done = run("eval", source, "-o", shared, "--quiet", "--cooperate", how, "--workers",
                       "1", "--report", env=BESIDE_HOST)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("%s: by %s" % (source, how.split("=")[0] if how != "auto" else ""),
                          done.stderr)
            first, second = read_vtu(alone)["Points"], read_vtu(shared)["Points"]
            scale = max(map(abs, first))
            self.assertLess(max(abs(a - b) for a, b in zip(first, second)), 3e-7 * scale)
        one, two = self.path("one.npy"), self.path("two.npy")
        slicing = "slice", source, "--at", "z=0.5", "--size", "50", "-p", "f32"
        self.make(*slicing, "-o", one)
        self.make(*slicing, "-o", two, "--cooperate", "host")
        self.assertEqual(os.path.getsize(one), os.path.getsize(two))

    def test_pipes(self):
        source, _ = self.plain_box((1, 1, 1))
        with open(source, "rb") as file:
            done = subprocess.run([COMMAND, "eval", "-", "-o", "-", "-f", "vtu", "-q"], stdin=file,
                                  stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0)
        self.make(source, "-o", self.path("a.vtu"))
        with open(self.path("a.vtu"), "rb") as file:
            self.assertEqual(file.read(), done.stdout)

    def test_compressed(self):
        """A file of zlib's blocks in base64, as VTK writes by default."""
        points, cells = box(1, 1, 1)

        def array(kind, name, values, components=1):
            body = struct.pack("<%d%s" % (len(values), TYPES[kind]), *values)
            packed = [zlib.compress(body[i:i + 40]) for i in range(0, len(body), 40)]
            head = struct.pack("<%dI" % (3 + len(packed)), len(packed), 40, len(body) % 40,
                               *map(len, packed))
            text = b"".join(base64.b64encode(part) for part in (head, b"".join(packed))).decode()
            return ("<DataArray type='%s' Name='%s' NumberOfComponents='%d' format='binary'>%s"
                    "</DataArray>" % (kind, name, components, text))

        source = self.path("box.vtu")
        with open(source, "w") as file:
            file.write("<VTKFile type='UnstructuredGrid' compressor='vtkZLibDataCompressor'>"
                       "<UnstructuredGrid><Piece NumberOfPoints='8' NumberOfCells='1'>"
                       "<Points>%s</Points><Cells>%s%s%s</Cells></Piece>"
                       "</UnstructuredGrid></VTKFile>" % (
                           array("Float64", "p", [c for p in points for c in p], 3),
                           array("Int64", "connectivity", cells[0]), array("Int64", "offsets", [8]),
                           array("UInt8", "types", [12])))
        self.make(source, "-o", self.path("a.vtu"), "--refine", "0")
        self.assertEqual(triples(read_vtu(self.path("a.vtu"))["Points"]),
                         [tuple(map(float, p)) for p in points])

    def test_bezier(self):
        """Cubic cells through the samples: their corners, and the cubic along an edge, are the
        limit's."""
        source = os.path.join(DATA, "rod.vtk")
        self.make(source, "-o", self.path("s.vtu"), "-n", "4",
                  *(["-p", "f64"] if has_fp64() else []))
        self.make(source, "-o", self.path("b.vtu"), "--bezier")
        samples = triples(read_vtu(self.path("s.vtu"))["Points"])
        bezier = read_vtu(self.path("b.vtu"))
        points = triples(bezier["Points"])
        self.assertEqual(set(bezier["types"]), {79})
        self.assertEqual(len(points), 1280 * 64)
        for cell in range(0, 1280, 61):
            corners = [points[n] for n in bezier["connectivity"][64 * cell:64 * cell + 64]]
            made = {place: corners[n] for n, place in enumerate(bezier_places())}
            self.assertEqual(len(made), 64)
            for place in ((0, 0, 0), (3, 0, 0), (1, 2, 3), (2, 2, 1), (0, 1, 1), (3, 3, 2),
                          (1, 0, 3)):
                weights = [[math.comb(3, i) * (t / 3) ** i * (1 - t / 3) ** (3 - i)
                            for i in range(4)] for t in place]
                value = [sum(weights[0][i] * weights[1][j] * weights[2][k] * p[axis]
                             for (i, j, k), p in made.items()) for axis in range(3)]
                expected = samples[64 * cell + 16 * place[0] + 4 * place[1] + place[2]]
                for a, b in zip(value, expected):
                    self.assertAlmostEqual(a, b, delta=2e-4 if not has_fp64() else 1e-12)

    def test_boundary(self):
        """The boundary is closed, in every format, and encloses the volume."""
        for extra, volume in (["--crease-angle", "30"], 6), ([], None), (["--refine", "1"], None):
            for size in ("2", "5"):
                if extra[:1] == ["--refine"] and size == "5":
                    continue
                source, _ = self.plain_box((1, 2, 3))
                names = [self.path("a." + ending) for ending in ("obj", "ply", "stl")]
                samples = [] if extra[:1] == ["--refine"] else ["-n", size]
                self.make(source, *[word for name in names for word in ("-o", name)], *samples,
                          *extra)
                points, faces = read_obj(names[0])[:2]
                self.assertEqual(sizes(faces), {4})
                self.assertEqual(set(edge_counts(points, faces).values()), {1})
                total = sum(signed_volume(points, face) for face in faces)
                if volume:
                    self.assertAlmostEqual(total, volume, places=5)
                else:
                    self.assertTrue(0 < total < 6)
                self.assertEqual(len(read_ply(names[1])[1]), len(faces))
                self.assertEqual(len(read_stl(names[2])), 2 * len(faces))

    def check_surface(self, source, extra):
        """The boundary's vertices are samples of cells, as many as lie on faces of one cell."""
        solid, surface, alone = (self.path(name) for name in ("a.vtu", "a.ply", "alone.ply"))
        self.make(source, "-o", solid, "-o", surface, *extra)
        self.make(source, "-o", alone, *extra)
        for path in surface, alone:
            self.check_surface_file(read_vtu(solid), path)

    def check_surface_file(self, found, surface):
        points = triples(found["Points"])
        places, faces = read_ply(surface)
        off = 4e-7 * max(map(abs, found["Points"]))
        near = {}
        for n, place in enumerate(places):
            for key in corners_of(place, 1e3):
                near[key] = near.get(key, []) + [n]
        at = [next((n for n in near.get(tuple(math.floor(1e3 * x) for x in p), [])
                    if math.dist(p, places[n]) < off), None) for p in points]
        self.assertEqual(set(at) - {None}, set(range(len(places))))
        cells = found["connectivity"]
        outer = set()
        for i in range(0, len(cells), 8):
            corners = [at[n] for n in cells[i:i + 8]]
            for loop in (0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), \
                    (3, 0, 4, 7):
                face = frozenset(corners[k] for k in loop)
                if None not in face:
                    outer.add(face)
        self.assertTrue({frozenset(face) for face in faces} <= outer)

    def test_boundary_samples(self):
        """The boundary of tetrahedra, wedges and prisms of five sides is that of their cells, with
        creases of every kind, whether or not the cells are written too."""
        base = [(0, 0, 0), (1.03, 0, 0.1), (1.4, 0.9, -0.1), (0.5, 1.6, 0), (-0.4, 0.9, 0.07)]
        points = base + [(x, y, z + 1 + x / 7) for x, y, z in base] + [
            (0.1, -0.9, 0.5), (1, -0.8, 0.4), (-0.8, -0.5, 0.6)]
        prism = [7, 5, 4, 3, 2, 1, 0, 5, 5, 6, 7, 8, 9] + [
            n for i in range(5) for n in (4, i, (i + 1) % 5, 5 + (i + 1) % 5, 5 + i)]
        source = self.path("a.vtk")
        write_vtk(source, points, [prism, [0, 5, 10, 1, 6, 11], [0, 10, 5, 12]])
        with open(source) as file:
            head, _ = file.read().split("CELL_TYPES")
        with open(source, "w") as file:
            file.write(head + "CELL_TYPES 3\n42\n13\n10\n")
        for extra in ([], ["--crease-angle", "60"], ["--refine", "2", "-n", "2"],
                      ["--crease-angle", "30", "--crease-steps", "1.5", "-n", "3"]):
            self.check_surface(source, extra)

    def test_boundary_refined(self):
        """The boundary of many tetrahedra, which is refined without what is within, with corners
        that stay in place and creases."""
        draw = random.Random(3)
        points, cells = box(5, 4, 4, lambda p: tuple(x + draw.uniform(-0.2, 0.2) for x in p))
        parts = (0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)
        source = self.path("a.mesh")
        with open(source, "w") as file:
            file.write("MeshVersionFormatted 2\nDimension 3\nVertices %d\n" % len(points))
            file.writelines("%r %r %r 0\n" % p for p in points)
            file.write("Tetrahedra %d\n" % (6 * len(cells)))
            file.writelines("%d %d %d %d 1\n" % tuple(cell[i] + 1 for i in part)
                            for cell in cells for part in parts)
            file.write("Corners 2\n1 10\nEnd\n")
        for extra in (["-n", "2"], ["--refine", "2", "--crease-angle", "60"],
                      ["-n", "2", "--crease-angle", "60", "--crease-steps", "0.7"]):
            self.check_surface(source, extra)
        done = run("eval", source, "-o", self.path("a.stl"))
        self.assertIn("480 cells, refined 1 time: 672 on the boundary", done.stderr)

    def test_boundary_alone(self):
        """What is within is not looked at for the boundary: around a vertex of 512 tetrahedra it is
        as around one of fewer."""
        corners, faces = ball(3)
        source = self.path("a.vtk")
        write_vtk(source, corners + [(0, 0, 0)], [[*face, len(corners)] for face in faces], kind=10)
        self.make(source, "-o", self.path("a.obj"))
        points, quads = read_obj(self.path("a.obj"))[:2]
        self.assertEqual(len(quads), 512 * 3 * 9)
        self.assertEqual(set(edge_counts(points, quads).values()), {1})
        self.assertTrue(1.2 < sum(signed_volume(points, quad) for quad in quads) < 4 / 3)

    def test_unlike(self):
        """Cells that are all unlike, some around a vertex of many: samples that two numbers of them
        have in common are the same."""
        draw = random.Random(2)
        corners, faces = ball(3)
        for k in range(0, len(faces), 2):
            if draw.random() < 0.7:  # one becomes three
                a, b, c = faces[k]
                corners.append(tuple(1.1 * (corners[a][i] + corners[b][i] + corners[c][i]) / 3
                                     for i in range(3)))
                faces[k] = a, b, len(corners) - 1
                faces += [(b, c, len(corners) - 1), (c, a, len(corners) - 1)]
        source = self.path("a.vtk")
        write_vtk(source, corners + [(0, 0, 0)], [[*face, len(corners)] for face in faces], kind=10)
        few, many = self.path("3.vtu"), self.path("5.vtu")
        self.make(source, "-o", few, "-n", "3")
        self.make(source, "-o", many, "-n", "5")
        few, many = read_vtu(few)["Points"], read_vtu(many)["Points"]
        self.assertEqual(len(few), 3 * 27 * 4 * len(faces))
        for i in range(0, len(few), 3):
            cell, sample = divmod(i // 3, 27)
            a, b, c = sample // 9, sample // 3 % 3, sample % 3
            j = 3 * (125 * cell + 50 * a + 10 * b + 2 * c)
            self.assertLess(math.dist(few[i:i + 3], many[j:j + 3]), 1e-6)

    def test_boundary_data(self):
        """PLY has data of points, under names that are words of it."""
        points, cells = box(1, 2, 2)
        source, out = self.path("a.vtk"), self.path("a.ply")
        heat = [1 + 2 * x - y + 3 * z for x, y, z in points]
        write_vtk(source, points, cells, {
            "heat%20(%C2%B0C)": heat, "x": [p[0] for p in points], "x_2": [p[1] for p in points],
            "move": [c for x, y, z in points for c in (z, -x)]})
        for extra in ("-n", "4"), ("--refine", "1"), ("-n", "3", "--normals"):
            self.make(source, "-o", out, "--crease-angle", "30", *extra)
            places, _, data = read_ply_data(out)
            self.assertEqual(list(data)[-5:], ["heat____C_", "x_2", "x_2_2", "move_0", "move_1"])
            self.assertEqual(len(data), 8 if "--normals" in extra else 5)
            for i, (x, y, z) in enumerate(places):
                expected = 1 + 2 * x - y + 3 * z, x, y, z, -x
                for name, value in zip(list(data)[-5:], expected):
                    self.assertAlmostEqual(data[name][i], value, places=5)

    def test_normals(self):
        """glTF has the boundary too, and normals look away from a smooth box's middle."""
        source, _ = self.plain_box((2, 2, 2), arrays=True)
        names = [self.path("a." + ending) for ending in ("glb", "obj", "stl")]
        done = run("eval", source, *[word for name in names for word in ("-o", name)],
                   "--normals", "--bezier", "--crease-steps", "1")
        self.assertEqual(done.returncode, 2)
        done = run("eval", source, *[word for name in names for word in ("-o", name)],
                   "--normals", "--crease-steps", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("there are no creases, so --crease-steps only refines", done.stderr)
        self.assertEqual(done.stderr.count("data of points are left out"), 3)
        points, normals = read_obj(names[1])[0], read_normals(names[1])
        self.assertEqual(len(points), len(normals))
        for p, n in zip(points, normals):
            self.assertGreater(sum((a - 1) * b for a, b in zip(p, n)), 0)
        found = read_glb(names[0])
        self.assertTrue(found)
        done = run("eval", source, "-o", names[2], "-o", self.path("a.vtu"), "--bezier")
        self.assertIn("--bezier is of .vtu", done.stderr)


def corners_of(point, scale):
    """The boxes of a grid that have or nearly have a point."""
    low, high = ([math.floor(scale * x + off) for x in point] for off in (-0.01, 0.01))
    return {tuple((low, high)[i >> k & 1][k] for k in range(3)) for i in range(8)}


def signed_volume(points, face):
    """Six times it of the tetrahedra from the origin, over six."""
    total = 0
    for i in range(1, len(face) - 1):
        (a, b, c), (d, e, f), (g, h, k) = points[face[0]], points[face[i]], points[face[i + 1]]
        total += a * (e * k - f * h) - b * (d * k - f * g) + c * (d * h - e * g)
    return total / 6


def bezier_places():
    """VTK's order of a cubic hexahedron's points: corners, edges, faces, the inside."""
    places = [(3 * a, 3 * b, 3 * c) for a, b, c in HEXAHEDRON]
    for w in (0, 3):
        for a, b in ((0, 1), (1, 2), (3, 2), (0, 3)):
            p, q = HEXAHEDRON[a], HEXAHEDRON[b]
            places += [(p[0] * (3 - t) + q[0] * t, p[1] * (3 - t) + q[1] * t, w) for t in (1, 2)]
    for a in range(4):
        places += [(3 * HEXAHEDRON[a][0], 3 * HEXAHEDRON[a][1], t) for t in (1, 2)]
    for axis in range(3):
        for end in (0, 3):
            for b in (1, 2):
                for a in (1, 2):
                    place = [a, b]
                    place.insert(axis, end)
                    places.append(tuple(place))
    return places + [(a, b, c) for c in (1, 2) for b in (1, 2) for a in (1, 2)]


class Meshes(Command):
    def test_classes(self):
        """The rows of Altenhofen's table for a box of 2 x 2 x 6 cells, whose corners and edges are
        smooth; of its regular cells those within the solid and those at its boundary are counted
        apart there."""
        points, cells = box(2, 2, 6)
        write_vtk(self.path("box.vtk"), points, cells)
        lines = self.make(self.path("box.vtk"), "--classes", "--refine", "2").splitlines()
        self.assertEqual(lines[0].split()[:6],
                         ["refined", "cells", "regular", "layered", "irregular", "split"])
        self.assertEqual([list(map(int, line.split()[:6])) for line in lines[1:]],
                         [[0, 24, 0, 16, 8, 0], [1, 192, 40 + 88, 56, 8, 0],
                          [2, 1536, 792 + 600, 136, 8, 0]])

    def test_creases(self):
        """Creases by an angle keep a box's edges; for some steps only, they lie between both."""
        points, cells = box(1, 1, 1)
        source = self.path("box.vtk")
        write_vtk(source, points, cells)
        volumes = []
        once = ["--refine", "1"]
        angle = ["--crease-angle", "45"]
        for k in "0", "10", "-1":
            done = run("eval", source, "-o", self.path("a.obj"), *angle, "--crease-steps", k)
            self.assertEqual(done.returncode, 2)
            self.assertIn("above 0 and below 10", done.stderr)
        steps = [angle + ["--crease-steps", k] for k in ("1e-6", "0.5", "1", "1.5", "3")]
        for extra in (once, [], *steps, angle):
            out = self.path("a.obj")
            self.make(source, "-o", out, "-n", "5", *extra)
            found, faces = read_obj(out)[:2]
            volumes.append(sum(signed_volume(found, face) for face in faces))
        smooth = volumes.pop(0)
        self.assertEqual(volumes, sorted(volumes))
        self.assertAlmostEqual(volumes[1], smooth, places=5)
        self.assertAlmostEqual(volumes[-1], 1, places=5)
        self.assertLess(volumes[0], 0.6)
        self.assertGreater(volumes[5] - volumes[3], 0.02)
        self.assertGreater(volumes[4] - volumes[3], 0.002)
        self.assertGreater(volumes[3] - volumes[2], 0.002)

    def test_kinds(self):
        """Tetrahedra and wedges are refined once; a box made of either keeps its volume with
        creases."""
        points, (h,) = box(1, 1, 1)
        tetrahedra = [[h[0], h[1], h[2], h[6]], [h[0], h[2], h[3], h[6]], [h[0], h[3], h[7], h[6]],
                      [h[0], h[7], h[4], h[6]], [h[0], h[4], h[5], h[6]], [h[0], h[5], h[1], h[6]]]
        wedges = [[h[0], h[1], h[2], h[4], h[5], h[6]], [h[0], h[2], h[3], h[4], h[6], h[7]]]
        loops = (0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)
        poly = [[6] + [v for loop in loops for v in [4] + [h[i] for i in loop]]]
        for kind, cells, children in (10, tetrahedra, 24), (13, wedges, 12), (42, poly, 8):
            write_vtk(self.path("a.vtk"), points, cells, kind=kind)
            text = self.make(self.path("a.vtk"), "--classes", "-o", self.path("a.obj"),
                             "--crease-angle", "45")
            self.assertEqual(int(text.splitlines()[-1].split()[1]), children)
            found, faces = read_obj(self.path("a.obj"))[:2]
            self.assertAlmostEqual(sum(signed_volume(found, face) for face in faces), 1, places=4)

    def test_progress(self):
        """On a terminal a line says that a plan is made, of hundreds of unlike cells, where that
        takes more than a second; elsewhere there is none."""
        n = 10
        points, cells = box(n, n, n)
        place = {p: i for i, p in enumerate(points)}
        draw = random.Random(1)
        lines = [(i, place[q]) for p, i in place.items() for a in range(3)
                 for q in [tuple(c + (k == a) for k, c in enumerate(p))]
                 if q in place and sum(c in (0, n) and p[k] == q[k] for k, c in enumerate(p))
                 and draw.random() < 0.5]
        source = self.path("a.vtk")
        with open(source, "w") as file:
            file.write("# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                       "POINTS %d double\n" % len(points))
            file.writelines("%d %d %d\n" % p for p in points)
            file.write("CELLS %d %d\n" % (len(cells) + len(lines),
                                          9 * len(cells) + 3 * len(lines)))
            file.writelines("%d %s\n" % (len(c), " ".join(map(str, c))) for c in cells + lines)
            file.write("CELL_TYPES %d\n%s\n" % (len(cells) + len(lines), "12 " * len(cells) +
                                                "3 " * len(lines)))
        reader, writer = pty.openpty()
        arguments = [COMMAND, "eval", source, "-n", "9", "-o"]
        shown = subprocess.Popen([*arguments, self.path("a.vtu")], stderr=writer)
        plain = subprocess.Popen([*arguments, self.path("b.vtu")], stderr=subprocess.PIPE,
                                 text=True)
        os.close(writer)
        text = ""
        try:
            while more := os.read(reader, 4096).decode():
                text += more
        except OSError:  # the other end is closed
            pass
        os.close(reader)
        self.assertEqual(shown.wait(), 0, text)
        if float(re.search(r"plan ([0-9.]+) ms", text).group(1)) > 1200:
            self.assertRegex(text, r"\rmaking the plan of 1000 cells \.\.\. 1 s")
        self.assertNotIn("making", plain.communicate()[1])
        self.assertEqual(plain.returncode, 0)

    def test_lines(self):
        """Lines among VTK's cells, and Gmsh's in physical groups, are creases: with all 12 edges a
        box stays a box. Others are left out."""
        points, (h,) = box(1, 1, 1)
        edges = [(h[a], h[b]) for a, b in ((0, 1), (1, 2), (3, 2), (0, 3), (4, 5), (5, 6), (7, 6),
                                           (4, 7), (0, 4), (1, 5), (2, 6), (3, 7))]
        cells = [h] + edges[1:] + [[h[0], h[1]], [h[3], h[0], h[1]]]
        kinds = [12] + [3] * 12 + [4]
        source, out = self.path("a.vtk"), self.path("a.obj")

        def volume():
            self.make(source, "-o", out, "-n", "5")
            found, faces = read_obj(out)[:2]
            return sum(signed_volume(found, face) for face in faces)

        write_vtk(source, points, [h])
        smooth = volume()
        self.assertLess(smooth, 0.6)
        write_vtk(source, points, cells)
        with open(source) as file:
            text = file.read()
        head = text[:text.index("CELL_TYPES")]
        with open(source, "w") as file:
            file.write(head + "CELL_TYPES 14\n%s\n" % "\n".join(map(str, kinds)))
        self.assertAlmostEqual(volume(), 1, places=5)
        with open(source, "w") as file:
            file.write(head.replace("2 %d %d\n" % edges[1], "2 %d %d\n" % (h[0], h[6])) +
                       "CELL_TYPES 14\n%s\n" % "\n".join(map(str, kinds)))
        done = run("eval", source, "-o", out, "-n", "5")
        self.assertIn("warning: %s: 1 of 14 lines are no edges of the boundary" % source,
                      done.stderr)
        source = self.path("a.msh")
        for groups, expected in (1, 1), (0, smooth):
            for text in gmsh_box(points, h, edges, groups):
                with open(source, "w") as file:
                    file.write(text)
                self.assertAlmostEqual(volume(), expected, places=5)

    def test_bad(self):
        points, (h,) = box(1, 1, 1)
        source, out = self.path("a.vtk"), self.path("out.vtu")
        write_vtk(source, points, [h[:5]], kind=14)
        self.refused(source + ": cell 0: not three of its faces meet in vertex 4", source, "-o",
                     out)
        write_vtk(source, points, [h, h])
        self.refused(source + ": cell 1 is cell 0 again", source, "-o", out)
        far = [(x, y, z + k) for k in (1, 2) for x, y, z in [points[v] for v in h[4:]]]
        write_vtk(source, points + far, [h] + [h[4:] + [k, k + 1, k + 2, k + 3] for k in (8, 12)])
        self.refused(source + ": the face of vertices", source, "-o", out)
        write_vtk(source, points, [h[:7] + [8]])
        self.refused(source + ": cell 0 has vertex 8, and there are 8 points", source, "-o", out)
        write_vtk(source, points, [h[:7] + h[:1]])
        self.refused(source + ": a face of cell 0 has vertex 0 twice", source, "-o", out)
        write_vtk(source, points, [])
        self.refused(source + ": there are no solid cells", source, "-o", out)
        write_vtk(source, points, [h])
        self.refused("refined 20 times it would have 1.15e+18 cells, too many", source, "-o", out,
                     "--refine", "20")
        two = [(x + 1, y + 1, z + 1) for x, y, z in points[:7]]
        write_vtk(source, points + two, [h, [7, 8, 10, 9, 11, 12, 14, 13]])
        self.refused(source + ": the cells at vertex 7 are not as around a point of a solid",
                     source, "-o", out)
        self.refused("cannot open", self.path("none.vtk"), "-o", out)
        with open(source, "w") as file:
            file.write("# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                       "POINTS 8 float\n1 2 x\n")
        self.refused(source + ":6: 'x' where a number was expected", source, "-o", out)

    def test_isolated(self):
        """Points that no cell has are left out with a warning, and numbers follow."""
        points, cells = box(1, 1, 1)
        source = self.path("a.vtk")
        write_vtk(source, [(9.0, 9.0, 9.0)] + points, [[v + 1 for v in c] for c in cells])
        done = run("eval", source, "-o", self.path("a.vtu"), "--refine", "0")
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 points that no cell has are left out", done.stderr)
        self.assertEqual(triples(read_vtu(self.path("a.vtu"))["Points"]),
                         [tuple(map(float, p)) for p in points])

    def test_merge(self):
        """Points that lie on others are counted and told, or become one: then the mesh is as with
        points that cells share, at the means of places and data."""
        points, cells = box(2, 2, 1, lambda p: tuple(x * 0.7 for x in p))
        whole, apart = self.path("whole.vtk"), self.path("apart.vtk")
        own = [[8 * i + k for k in range(8)] for i in range(len(cells))]
        plain = "--refine", "0", "-o"
        for moved in 0, 3e-8:
            all_points = [tuple(x + moved * (i % 3) for x in points[v])
                          for i, h in enumerate(cells) for v in h]
            write_vtk(whole, points, cells)
            write_vtk(apart, all_points, own, {"cell": [float(i // 8) for i in range(32)]})
            done = run("eval", apart, *plain, self.path("a.vtu"))
            self.assertIn("%s: 14 of 32 points lie on others" % apart, done.stderr)
            self.assertEqual(len(read_vtu(self.path("a.vtu"))["Points"]), 96)
            done = run("eval", apart, "--merge", "1e-6", *plain, self.path("a.vtu"))
            self.assertIn("%s: 14 of 32 points become one with others" % apart, done.stderr)
            self.make(whole, *plain, self.path("b.vtu"))
            self.check_merged(cells, moved)
        stderr = run("eval", apart, "--merge", "0", "--refine", "0", "--classes").stderr
        self.assertIn("2 of 32 points become one", stderr)  # of the cells that were not moved
        self.assertIn("12 of 30 points lie on others", stderr)
        self.assertIn("0 of 18 points", run("eval", whole, "--merge", "0", "--classes").stderr)
        self.refused("cell 0 would lose a corner", apart, "--merge", "0.7", "--classes")
        self.assertNotIn("lie on others", run("eval", whole, "--classes").stderr)

    def check_merged(self, cells, moved):
        """Compares the merged mesh of a.vtu with that of b.vtu, whose cells have these vertices."""
        merged, shared = read_vtu(self.path("a.vtu")), read_vtu(self.path("b.vtu"))
        places = triples(merged["Points"])
        where = {tuple(round(x, 5) for x in p): i for i, p in enumerate(places)}
        order = [where[tuple(round(x, 5) for x in p)] for p in triples(shared["Points"])]
        self.assertEqual(sorted(order), list(range(18)))
        self.assertEqual([order[int(v)] for v in shared["connectivity"]],
                         [int(v) for v in merged["connectivity"]])
        for v, i in enumerate(order):
            of = [k for k, h in enumerate(cells) if v in h]
            self.assertAlmostEqual(merged["cell"][i], sum(of) / len(of))
            mean = sum(moved * (k % 3) for k in of) / len(of)
            for a, b in zip(places[i], triples(shared["Points"])[v]):
                self.assertAlmostEqual(a, b + mean, delta=1e-15)

    def test_merged_ridges(self):
        """Tetrahedra that become neighbours, and ridges of either, which become one."""
        text = ("MeshVersionFormatted 2\nDimension 3\nVertices\n8\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
                "0 0 1 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\nTetrahedra\n2\n1 2 3 4 0\n"
                "5 6 7 8 0\nEdges\n2\n2 3 0\n5 6 0\nRidges\n2\n1\n2\nEnd\n")
        shared = text.replace("5 6 7 8 0", "2 3 4 8 0").replace("5 6 0", "2 3 0")
        volumes = []
        for mesh, more in ((text, ()), (text, ("--merge", "0")), (shared, ())):
            source = self.write("a.mesh", mesh)
            self.make(source, *more, "-o", self.path("m.stl"))
            volumes.append(sum(signed_volume(row[1:], (0, 1, 2))
                               for row in read_stl(self.path("m.stl"))))
        self.assertAlmostEqual(volumes[1], volumes[2], delta=1e-6)
        self.assertGreater(volumes[1], 1.2 * volumes[0])

    def test_odd_cells(self):
        """Inverted and flat cells are taken as they are, with a warning; inverted ones are turned
        where that is asked for."""
        points, cells = box(2, 1, 1)
        turned = [h[4:] + h[:4] for h in cells]
        for source, num in ((turned, 2), (turned[:1] + cells[1:], 1)):
            write_vtk(self.path("a.vtk"), points, source)
            stderr = run("eval", self.path("a.vtk"), "-o", self.path("a.vtu")).stderr
            self.assertIn("warning: %s: %d of 2 cells are flat or inside out; --orient turns them" %
                          (self.path("a.vtk"), num), stderr)
            done = run("eval", self.path("a.vtk"), "-o", self.path("a.vtu"), "--orient",
                       "--refine", "0")
            self.assertIn("%d of 2 cells were inside out and are turned" % num, done.stderr)
            self.assertNotIn("warning", done.stderr)
            written = [int(i) for i in read_vtu(self.path("a.vtu"))["connectivity"]]
            for h in (written[:8], written[8:]):
                self.assertEqual(sorted(h[4:]), sorted(v for v in h if points[v][2] == 1))
        moved = [(x - (2 if x == 2 else 0), y, z)
                 for x, y, z in points]  # the second cell's far end to x = 0
        write_vtk(self.path("a.vtk"), moved, cells)
        done = run("eval", self.path("a.vtk"), "-o", self.path("a.vtu"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: %s: 1 of 2 cells are flat or inside out" % self.path("a.vtk"),
                      done.stderr)
        write_vtk(self.path("a.vtk"), [(x, y, 0) for x, y, z in points], cells)
        done = run("eval", self.path("a.vtk"), "-o", self.path("b.vtu"))
        self.assertIn("2 of 2 cells are flat or inside out", done.stderr)
        self.assertEqual(max(abs(p[2]) for p in triples(read_vtu(self.path("b.vtu"))["Points"])), 0)

    def test_sizes(self):
        """What the disk cannot hold is refused before it is made; what is estimated is right."""
        points, cells = box(4, 4, 4)
        source = self.path("a.vtk")
        write_vtk(source, points, cells)
        for ending in "vtu", "stl", "ply", "obj", "glb":
            out = self.path("out." + ending)
            refine = ["--refine", "7"]
            self.refused("%s: it would have" % out, source, "-o", out, "-n", "100", *refine)
        self.refused("it would have", "slice", source, "-o", self.path("out.npy"), "--at",
                     "z=0:4:0.0001", "--size", "32768")
        done = run_solid("slice", source, "-o", self.path("out.png"), "--at", "z=1", "--size", "9")
        self.assertNotIn("note:", done.stderr)
        os.remove(self.path("out.png"))
        self.check_sum(source)
        out = self.path("big.vtu")
        done = run("eval", source, "-o", out, "-n", "33")
        told = re.search("about ([0-9.e+]+) bytes will be written", done.stderr)
        self.assertAlmostEqual(float(told.group(1)) / os.path.getsize(out), 1, delta=0.01)

    def check_sum(self, source):
        """Two files of which each alone would have room."""
        disk = os.statvfs(self.folder)
        room = disk.f_bavail * disk.f_frsize
        for refine in range(5):
            for n in range(2, 101):
                parts = 64 * 8 ** refine * (n - 1) ** 3
                each = 37 if 8 * parts < 2 ** 31 else 73
                one = 12 * 64 * 8 ** refine * n ** 3 + each * parts
                if 0.6 * room < one < 0.9 * room:
                    self.refused(" behind the others", source, "-o", self.path("out.vtu"), "-o",
                                 self.path("out2.vtu"), "-n", str(n), "--refine", str(refine))
                    return

    def test_usage(self):
        source = os.path.join(DATA, "rod.vtk")
        for message, *arguments in (
                ("no mesh given", "slice", "-o", "a.png", "--at", "z=1"), ("no output given",
                                                                           source),
                ("--samples must be", source, "-o", "a.vtu", "-n", "1"),
                ("--refine must be", source, "-o", "a.vtu", "--refine", "21"),
                ("--crease-angle must be", source, "-o", "a.vtu", "--crease-angle", "200"),
                ("--at must be", "slice", source, "-o", "a.png", "--at", "w=1"),
                ("no plane given: use --at", "slice", source, "-o", "a.png"),
                ("does not end in", source, "-o", "a.npy"),
                ("--size needs a picture", source, "-o", "a.vtu", "--size", "20x20"),
                ("--size must be 1 to", "slice", source, "-o", "a.png", "--at", "z=1", "--size",
                 "9x9"),
                ("does not end in .png", "slice", source, "-o", "a.vtu", "--at", "z=1"),
                ("does not end in", source, "-o", "a.txt"),
                ("'a.vtkhdf' is written in Python, by clspline.write", source, "-o", "a.vtkhdf"),
                ("is the input too", "a.vtu", "-o", "a.vtu"),
                ("-o - needs --format", source, "-o", "-"),
                ("--samples and --bezier exclude", source, "-o", "a.vtu", "--bezier", "-n", "3"),
                ("unknown option '--pixel'", source, "-o", "a.vtu", "--pixel", "1"),
                ("--range must be", "slice", source, "-o", "a.png", "--at", "z=1", "--range",
                 "2,1"),
                ("--report needs --cooperate", source, "-o", "a.vtu", "--report"),
                ("--cooperate must be", source, "-o", "a.vtu", "--cooperate", "all"),
                ("--size must be", "slice", source, "-o", "a.png", "--at", "z=1", "--size", "0"),
                ("unknown option '--frobnicate'", source, "--frobnicate"),
                ("--format must be vtu, ply,", source, "-o", "-", "-f", "gif"),
                ("--format is for -o -", source, "-o", "a.vtu", "-f", "vtu")):
            self.refused(message, *arguments, code=2)


def read_json(path):
    with open(path) as file:
        return json.load(file)


def segments(points, faces, axis, height):
    """Where a plane cuts quads, each taken as two triangles."""
    above = [p[axis] - height for p in points]
    found = []
    for quad in faces:
        signs = sum(above[i] > 0 for i in quad)
        if signs in (0, len(quad)):
            continue
        for triangle in (quad[:3], [quad[0]] + list(quad[2:])):
            ends = []
            for i, j in zip(triangle, list(triangle[1:]) + [triangle[0]]):
                if (above[i] > 0) != (above[j] > 0):
                    t = above[i] / (above[i] - above[j])
                    ends.append([a + t * (b - a) for a, b in zip(points[i], points[j])])
            if ends:
                found.append(ends)
    return found


def crossings(lines, up, height, right):
    """Where a line across at a height meets segments, in order."""
    return sorted(a[right] + (height - a[up]) / (b[up] - a[up]) * (b[right] - a[right])
                  for a, b in lines if (a[up] > height) != (b[up] > height))


def tiff_tags(body):
    """Texts, fractions and short numbers of the first page."""
    order = "<" if body[:2] == b"II" else ">"
    at, = struct.unpack_from(order + "I", body, 4)
    found = {}
    for i in range(struct.unpack_from(order + "H", body, at)[0]):
        tag, kind, count, where = struct.unpack_from(order + "HHII", body, at + 2 + 12 * i)
        if kind == 2:
            found[tag] = body[where:where + count].rstrip(b"\0").decode()
        elif kind == 5:
            top, bottom = struct.unpack_from(order + "II", body, where)
            found[tag] = top / bottom
        elif kind == 3:
            found[tag], = struct.unpack_from(order + "H", body, at + 10 + 12 * i)
    return found


class Places(Command):
    """Points that are looked for."""

    def box(self):
        """A box of three cells, linear in each, and its data."""
        points, cells = box(3, 1, 1)
        source = self.path("box.vtk")
        write_vtk(source, points, cells, {"density": [p[0] + 10 * p[1] for p in points],
                                          "a,b": [float(v) for p in points for v in p]})
        return source

    def points(self):
        return self.write("points.csv", "name,x,y,z\na,0.5,0.25,0.75\nb,2.5,1,0\nc,5,0.5,0.5\n"
                                        "d,nan,0,0\ne,1,0.5,0.5\n")

    def test_locate(self):
        source, points = self.box(), self.points()
        sharp = "--crease-angle", "30"
        for precision in precisions():
            rows = [row.split(",") for row in self.make("locate", source, points, *sharp, "-o", "-",
                                                        "-f", "csv", "-p", precision).splitlines()]
            self.assertEqual(rows[0], "point,cell,u,v,w,source,residual,bound,status".split(","))
            self.assertEqual([row[-1] for row in rows[1:]],
                             ["found", "found", "none", "invalid", "found"])
            self.assertEqual([row[1] for row in rows[1:]], ["0", "2", "-1", "-1", "0"])
            for row, wanted in zip(rows[1:], ((0.5, 0.25, 0.75), (0.5, 1, 0))):
                for value, exact in zip(row[2:5], wanted):
                    self.assertAlmostEqual(float(value), exact, delta=1e-6)
            self.assertTrue(1.9 < float(rows[3][7]) <= 2)
            self.make("locate", source, points, *sharp, "-o", self.path("a.npy"), "-p", precision)
            with open(self.path("a.npy"), "rb") as file:
                body = file.read()
            self.assertIn(b"'shape': (5,)", body[:384])
            real = "f" if precision == "f32" else "d"
            records = list(struct.iter_unpack("<qq3%sq2%sB" % (real, real), body[384:]))
            self.assertEqual([r[0] for r in records], [0, 1, 2, 3, 4])
            self.assertEqual([r[-1] for r in records], [0, 0, 2, 3, 0])
            self.assertEqual([r[1] for r in records], [int(row[1]) for row in rows[1:]])

    def test_nearest(self):
        """Where points are outside, the nearest point, and how far away it is."""
        text = self.make("locate", self.box(), self.points(), "--crease-angle", "30", "--nearest",
                         "-o", "-", "-f", "csv")
        rows = [row.split(",") for row in text.splitlines()[1:]]
        self.assertEqual([row[-1] for row in rows], ["found", "found", "none", "invalid", "found"])
        self.assertEqual([row[1] for row in rows], ["0", "2", "2", "-1", "0"])
        for value, exact in zip(rows[2][2:5] + rows[2][6:8], (1, 0.5, 0.5, 2, 2)):
            self.assertAlmostEqual(float(value), exact, delta=1e-5)

    def test_tolerance(self):
        """Points of the solid's own file of floats are found within a tolerance, and data there;
        those farther away are outside, where --nearest gives the nearest point's data."""
        points, cells = box(2, 2, 2, lambda p: (1.1 * p[0] + 0.3 * p[1], p[1] / 3, p[2] / 7))
        source, own, out = self.path("box.vtk"), self.path("own.vtu"), self.path("out.csv")
        write_vtk(source, points, cells, {"x": [p[0] for p in points]})
        sharp = source, "--crease-angle", "30"
        self.make(*sharp, "-o", own, "-p", "f32", "-n", "3")
        places = triples(read_vtu(own)["Points"])
        far = (5.0, 0.3, 0.1)
        listed = self.write("own.csv", "".join("%.9g,%.9g,%.9g\n" % p for p in places + [far]))
        for precision in precisions():
            states = {}
            for name, *more in (("plain",), ("within", "--tolerance", "1e-6"),
                                ("nearest", "--tolerance", "1e-6", "--nearest")):
                done = run_solid("probe", *sharp, listed, "-o", out, "-p", precision, *more)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("rounding to floats" in done.stderr,
                                 name == "plain" and precision == "f64", done.stderr)
                with open(out, encoding="ascii") as file:
                    rows = [line.strip().split(",") for line in file][1:]
                states[name] = [row[-1] for row in rows]
                self.assertEqual(states[name][-1], "none")
                self.assertEqual(rows[-1][1] == "nan", name != "nearest")
                for row, p in zip(rows[:-1], places):
                    if row[-1] == "found":
                        self.assertAlmostEqual(float(row[1]), p[0], delta=3e-6)
            if precision == "f64":
                self.assertIn("none", states["plain"][:-1])
            self.assertEqual(set(states["within"][:-1]) | set(states["nearest"][:-1]), {"found"})

    def test_refined(self):
        """Of refined meshes the file's cell is told too; of tetrahedra as well."""
        source = self.box()
        points = self.write("some.csv", "0.9,0.9,0.9\n1.6,0.1,0.1\n2.9,0.4,0.4\n")
        text = self.make("locate", source, points, "--crease-angle", "30", "--refine", "1", "-o",
                         "-", "-f", "csv")
        rows = [row.split(",") for row in text.splitlines()[1:]]
        self.assertEqual([row[5] for row in rows], ["0", "1", "2"])
        self.assertEqual([row[1] for row in rows], ["7", "9", "17"])
        write_vtk(self.path("t.vtk"), [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)],
                  [(0, 1, 2, 3), (1, 2, 3, 4)], kind=10)
        points = self.write("two.csv", "0.25,0.25,0.25\n0.45,0.45,0.45\n")
        text = self.make("locate", self.path("t.vtk"), points, "-o", "-", "-f", "csv")
        rows = [row.split(",") for row in text.splitlines()[1:]]
        self.assertEqual([(row[5], row[-1]) for row in rows], [("0", "found"), ("1", "found")])

    def test_probe(self):
        source, points = self.box(), self.points()
        text = self.make("probe", source, points, "--crease-angle", "30", "-o", "-", "-f", "csv")
        rows = [row.split(",") for row in text.splitlines()]
        self.assertEqual(rows[0], ["point", "density", "a_b_0", "a_b_1", "a_b_2", "status"])
        for row, wanted in ((1, (3, 0.5, 0.25, 0.75)), (2, (12.5, 2.5, 1, 0))):
            for value, exact in zip(rows[row][1:5], wanted):
                self.assertAlmostEqual(float(value), exact, delta=1e-5)
        self.assertEqual(rows[3], ["2"] + ["nan"] * 4 + ["none"])
        out = self.path("density.npy")
        self.make("probe", source, points, "--crease-angle", "30", "--array", "density", "-o", out)
        image = read_npy(out)
        self.assertEqual(image.shape, (5, 1))
        self.assertAlmostEqual(image.values[0], 3, delta=1e-5)
        self.assertTrue(math.isnan(image.values[2]) and math.isnan(image.values[3]))

    def test_bad(self):
        source, points = self.box(), self.points()
        plain = self.path("plain.vtk")
        write_vtk(plain, *box(1, 1, 1))
        out = self.path("out.csv")
        self.refused("no data of points", "probe", plain, points, "-o", out)
        self.refused("named 'none'", "probe", source, points, "--array", "none", "-o", out)
        self.refused("cannot open", "locate", source, self.path("no.csv"), "-o", out)
        self.refused("known of .npy input only", "locate", source, points, "-o", "-", "-f", "npy")
        self.refused("", "locate", source, self.write("x.csv", "1,2\n"), "-o", out)
        done = run_solid("probe", "-", "-", "-o", out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard input can be read once only", done.stderr)
        for message, *arguments in (
                ("does not end in .csv", "locate", source, points, "-o", out + ".vtu"),
                ("is the input too", "locate", source, points, "-o", points),
                ("given once only", "locate", source, points, "-o", out, "-o",
                 self.path("out.npy")),
                ("no file of points given", "probe", source, "-o", out),
                ("one mesh at a time", "probe", source, source, points, "-o", out),
                ("unknown option '--columns'", source, "--columns", "1,2,3", "-o",
                 self.path("out.vtu")),
                ("a length, 0 or more", "probe", source, points, "--tolerance", "-1", "-o", out),
                ("unknown option '--array'", "locate", source, points, "--array", "density", "-o",
                 out)):
            self.refused(message, *arguments, code=2)


class Slices(Command):
    """Each pixel has the data at its middle."""

    def test_linear(self):
        """On a box that is turned and sheared with linear data, the slice is that linear
        function."""
        points, cells = box(2, 2, 2, lambda p: (2 * p[0] + 0.3 * p[1], p[1] - 0.1 * p[2],
                                                p[2] + 0.2 * p[0]))
        source, out = self.path("a.vtk"), self.path("a.npy")
        data = [1 + 2 * x - y + 3 * z for x, y, z in points]
        write_vtk(source, points, cells, {"density": data})
        for axis, height in (2, 1.05), (0, 1.9), (1, 0.7):
            self.make("slice", source, "--at", "xyz"[axis] + "=%r" % height, "-o", out, "--size",
                      "40", "--crease-angle", "30")
            image = read_npy(out)
            low, high = [[f(p[k] for p in points) for k in range(3)] for f in (min, max)]
            right, up = [k for k in range(3) if k != axis]
            pixel = max(high[right] - low[right], high[up] - low[up]) / 40
            inside = 0
            for i in range(image.shape[0]):
                for j in range(image.shape[1]):
                    p = [0.0] * 3
                    p[axis] = height
                    p[right], p[up] = low[right] + (j + 0.5) * pixel, high[up] - (i + 0.5) * pixel
                    # the box's own coordinates, of which the map above is linear
                    w = (p[2] - 0.1 * p[0] + 0.03 * p[1]) / (1 - 0.003)
                    v = p[1] + 0.1 * w
                    u = (p[0] - 0.3 * v) / 2
                    value, = image.at(i, j)
                    depth = min(min(c, 2 - c) for c in (u, v, w))
                    if abs(depth) < 1e-6:
                        continue
                    self.assertEqual(math.isnan(value), depth < 0, (axis, i, j, depth))
                    if depth > 0:
                        inside += 1
                        self.assertAlmostEqual(value, 1 + 2 * p[0] - p[1] + 3 * p[2],
                                               delta=1e-4 if image.kind == "<f4" else 1e-10)
            self.assertGreater(inside, 100)

    def test_rod(self):
        """With coordinates as data, each pixel gives its own middle back, in curved and irregular
        cells."""
        with open(os.path.join(DATA, "rod.vtk")) as file:
            text = file.read()
        head, body = text.split("FLOAT\n", 1)
        points = list(map(float, body[:body.index("CELLS")].split()))
        source, out = self.path("rod.vtk"), self.path("a.npy")
        with open(source, "w") as file:
            file.write(text + "\nPOINT_DATA %d\nVECTORS place double\n%s\n" % (
                len(points) // 3, " ".join(map(repr, points))))
        done = run_solid("slice", source, "--at", "z=2.3", "-o", out, "--pixel", "0.125")
        self.assertEqual(done.returncode, 0, done.stderr)
        off = float(re.search(r"off by ([0-9.e+-]+)", done.stderr).group(1))
        self.assertLessEqual(off, 1e-6 if has_fp64() else 4e-5)
        image = read_npy(out, 3)
        with open(out + ".json") as file:
            first = json.load(file)["origin"]
        inside = 0
        for i in range(image.shape[0]):
            for j in range(image.shape[1]):
                x, y, z = image.at(i, j)
                if math.isnan(x):
                    continue
                inside += 1
                for a, b in (x, first[0] + j * 0.125), (y, first[1] - i * 0.125), (z, 2.3):
                    self.assertAlmostEqual(a, b, delta=off + 1e-4)
        self.assertGreater(inside, 1000)
        # no holes within: a pixel outside has not pixels within on all four sides right beside it
        for i in range(1, image.shape[0] - 1):
            for j in range(1, image.shape[1] - 1):
                if math.isnan(image.at(i, j)[0]):
                    around = [image.at(i + a, j + b)[0]
                              for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))]
                    self.assertTrue(any(map(math.isnan, around)), (i, j))

    def check_inside(self, source, slicing, samples, precision):
        """Pixels are filled where a line through them has crossed a fine mesh of the boundary an
        odd number of times, but for those that the boundary itself passes; so none is void. The
        frame is that of the boundary."""
        out, boundary = self.path("a.npy"), self.path("a.obj")
        self.make("slice", source, *slicing, "-o", out, "-p", precision)
        self.make(source, "-o", boundary, "-n", str(samples), "-p", precision)
        image, frame = read_npy(out), read_json(out + ".json")
        points, faces = read_obj(boundary)[:2]
        right, up, across = ["xyz".index(frame[name]) for name in (
            "columns_along", "rows_against", "slices_along")]
        pixel, origin, columns, rows = [frame[name] for name in (
            "pixel", "origin", "columns", "rows")]
        edge = [(origin[right] - pixel / 2, min), (origin[right] + (columns - 0.5) * pixel, max),
                (origin[up] + pixel / 2, max)]
        for (at, extreme), axis in zip(edge, (right, right, up)):
            self.assertAlmostEqual(at, extreme(p[axis] for p in points), delta=0.1 * pixel)
        inside = 0
        for k in range(frame["slices"]):
            lines = segments(points, faces, across, origin[across] + k * frame.get("step", 0))
            for i in range(rows):
                cuts = crossings(lines, up, origin[up] - i * pixel, right)
                first, passed = (k * rows + i) * columns, 0
                for j in range(columns):
                    x, filled = origin[right] + j * pixel, image.values[first + j] == 1
                    while passed < len(cuts) and cuts[passed] < x:
                        passed += 1
                    if filled != (passed % 2 == 1):
                        self.assertLess(min((abs(x - cut) for cut in cuts), default=1),
                                        0.5 * pixel, (k, i, j))
                    inside += filled
        return inside

    def test_voids(self):
        """Smooth edges and corners of coarse cages, where the map of a cell has no inverse; a plane
        in which cells meet."""
        for size, slicing in (((1, 1, 1), ("--at", "z=0.13:0.93:0.4", "--size", "100")),
                              ((4, 4, 4), ("--at", "z=1.64", "--size", "512")),
                              ((2, 2, 6), ("--at", "x=1", "--size", "150"))):
            source = self.path("box.vtk")
            write_vtk(source, *box(*size))
            for precision in precisions():
                inside = self.check_inside(source, slicing, 48 // size[0], precision)
                self.assertGreater(inside, 5000)

    def test_located(self):
        """Pixels are those whose middles locate finds: of boxes that are shaken, whose cells meet
        in the plane or near to it, on devices of floats; in gaps between folds there are none."""
        seed, limits = random.Random(9), dict(os.environ, CLSPLINE_LIMITS="fp64=0")
        moves = iter(MOVES)
        source, out, points = self.path("b.vtk"), self.path("b.npy"), self.path("p.csv")

        def shaken(by):
            return lambda p: [x + by * (seed.random() - 0.5) for x in p]
        for size, move, plane, pixels in (
                ((2, 2, 6), shaken(0), "x=1", "60"), ((3, 1, 3), shaken(0.2), "y=0.5", "60"),
                ((2, 3, 1), shaken(0.5), "z=0.5", "60"), ((2, 2, 3), shaken(0.2), "x=1", "60"),
                ((3, 1, 3), lambda p: [x + next(moves) / 100 for x in p], "y=0", "150")):
            write_vtk(source, *box(*size, move))
            done = run_solid("slice", source, "--at", plane, "--size", pixels, "-o", out, "--quiet",
                             "-p", "f32", env=limits)
            self.assertEqual(done.returncode, 0, done.stderr)
            image, frame = read_npy(out), read_json(out + ".json")
            along = ["xyz".index(frame[k]) for k in ("columns_along", "rows_against")]
            with open(points, "w") as file:
                for i in range(frame["rows"]):
                    for j in range(frame["columns"]):
                        middle = list(frame["origin"])
                        middle[along[0]] += j * frame["pixel"]
                        middle[along[1]] -= i * frame["pixel"]
                        file.write("%r,%r,%r\n" % tuple(middle))
            rows = self.make("locate", source, points, "-o", "-", "-f", "csv").splitlines()[1:]
            self.assertEqual(len(rows), len(image.values))
            for row, value in zip(rows, image.values):
                *_, bound, status = row.split(",")
                if status == "found" or float(bound) > 1e-3 * frame["pixel"]:
                    self.assertEqual(status == "found", value == 1, (size, plane, row))

    def test_unlike(self):
        """Tetrahedra of which hardly two are alike, in a cube that stays one: each pixel is within,
        and gives its own middle back."""
        points = [[i & 1, i >> 1 & 1, i >> 2] for i in range(8)]
        cells = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7],
                 [0, 5, 1, 7]]
        seed = random.Random(5)
        for _ in range(60):
            split = cells.pop(seed.randrange(len(cells)))
            points.append([sum(points[i][k] for i in split) / 4 for k in range(3)])
            cells += [split[:i] + [len(points) - 1] + split[i + 1:] for i in range(4)]
        source, out = self.path("a.vtk"), self.path("a.npy")
        with open(source, "w") as file:
            file.write("# vtk DataFile Version 2.0\ncube\nASCII\nDATASET UNSTRUCTURED_GRID\n")
            file.write("POINTS %d double\n" % len(points))
            file.writelines("%r %r %r\n" % tuple(p) for p in points)
            file.write("CELLS %d %d\n" % (len(cells), 5 * len(cells)))
            file.writelines("4 %d %d %d %d\n" % tuple(c) for c in cells)
            file.write("CELL_TYPES %d\n%s" % (len(cells), "10\n" * len(cells)))
            file.write("POINT_DATA %d\nVECTORS place double\n" % len(points))
            file.writelines("%r %r %r\n" % tuple(p) for p in points)
        for precision in precisions():
            self.make("slice", source, "--at", "z=0.53", "--size", "60", "--crease-angle", "30",
                      "-p", precision, "-o", out)
            image = read_npy(out, 3)
            self.assertEqual(tuple(image.shape[:2]), (60, 60))
            for i in range(60):
                for j in range(60):
                    for value, wanted in zip(image.at(i, j), ((j + 0.5) / 60, 1 - (i + 0.5) / 60,
                                                              0.53)):
                        self.assertAlmostEqual(value, wanted, delta=2e-6)

    def test_faces(self):
        """Planes in which faces, edges and vertices lie, of a box that stays one: they are its own
        at the ends."""
        source, out = self.path("box.vtk"), self.path("a.npy")
        write_vtk(source, *box(2, 2, 3))
        for precision in precisions():
            for plane in "x=0", "x=1", "x=2", "z=0", "z=1", "z=3":
                self.make("slice", source, "--at", plane, "--size", "60", "-o", out, "-p",
                          precision, "--crease-angle", "30")
                self.assertEqual(set(read_npy(out).values), {1.0}, (plane, precision))

    def test_far(self):
        """A box a million of its sizes away from the origin, turned: it is as at the origin, the
        numbers of its points being the same but for their rounding there."""
        def turned(far):
            return box(2, 2, 3, lambda p: (far + p[0] - 0.5 * p[1], far + 0.5 * p[0] + p[1],
                                           far + p[2] + 0.25 * p[0]))
        for precision in precisions():
            images = []
            for far in 0, 2 ** 20:
                source, out = self.path("box.vtk"), self.path("a.npy")
                write_vtk(source, *turned(far))
                self.make("slice", source, "--at", "y=%r" % (far + 1.375), "--size", "90", "-o",
                          out, "-p", precision)
                images.append((read_npy(out).values, read_json(out + ".json")["origin"]))
            (near, first), (away, second) = images
            self.assertEqual(list(map(math.isnan, near)), list(map(math.isnan, away)))
            self.assertIn(1, near)
            for a, b in zip(first, second):
                self.assertAlmostEqual(a + 2 ** 20, b, delta=1e-9)

    def test_outside(self):
        """A slice beside the solid is an error that says where the solid is, one of several and a
        cut are noted."""
        source, out = self.path("box.vtk"), self.path("a.npy")
        write_vtk(source, *box(2, 1, 1, lambda p: (p[0], p[1], p[2] + 100)))
        sharp = source, "--crease-angle", "30", "--size", "8", "-o", out
        where = "in the solid, which is from z=100 to z=101"
        for plane in "z=0", "z=101.001":
            for quiet in (), ("-q",):
                self.refused("the slice %s has no pixel %s" % (plane, where), "slice", *sharp,
                             "--at", plane, *quiet)
        self.refused("3 of 3 slices have no pixel " + where, "slice", *sharp, "--at", "z=0:2:1")
        self.assertFalse(os.path.exists(out))
        for plane in "z=100", "z=101", "x=0":
            self.assertNotIn("no pixel", run_solid("slice", *sharp, "--at", plane).stderr)
        noted = run_solid("slice", *sharp, "--at", "z=99.5:101.5:0.5")
        self.assertEqual(noted.returncode, 0)
        self.assertIn("note: %s: 2 of 5 slices have no pixel %s" % (source, where), noted.stderr)
        picture = source, "-o", self.path("a.png"), "--size", "64x64", "--cut"
        self.assertIn("the cut z=99 is beside the solid", run("eval", *picture, "z=99").stderr)
        self.assertNotIn("beside", run("eval", *picture, "z=100.5").stderr)

    def test_stack(self):
        """A stack has the slices that are made one by one, in every format."""
        points, cells = box(2, 1, 1)
        source, out = self.path("a.vtk"), self.path("a.npy")
        write_vtk(source, points, cells, {"density": [p[0] + p[2] for p in points]})
        size = "--size", "24"
        self.make("slice", source, "--at", "z=0.2:0.8:0.3", *size, "-o", out)
        stack, frame = read_npy(out), read_json(out + ".json")
        self.assertEqual(stack.shape, (3, frame["rows"], frame["columns"]))
        self.assertEqual((frame["slices"], frame["step"], frame["slices_along"]), (3, 0.3, "z"))
        self.assertEqual(frame["channels"], [{"name": "density", "components": 1}])
        each = len(stack.values) // 3
        for k, height in enumerate((0.2, 0.5, 0.8)):
            self.make("slice", source, "--at", "z=%r" % height, *size, "-o", self.path("one.npy"))
            one = read_npy(self.path("one.npy"))
            for a, b in zip(stack.values[k * each:], one.values):
                self.assertEqual(math.isnan(a), math.isnan(b))
                if not math.isnan(a):
                    self.assertAlmostEqual(a, b, delta=1e-5 if one.kind == "<f4" else 1e-11)
        self.refused("several slices are written as .npy", "slice", source, "--at", "z=0:1:0.5",
                     "-o", self.path("out.png"), code=2)
        for bad in "z=0:1", "z=1:0:0.1", "z=0:1:0", "z=0:1:1e-9", "w=0:1:0.1", "z=0:1:0.1:2":
            self.refused("--at must be as", "slice", source, "--at", bad, "-o", out + "x.npy",
                         code=2)

    def test_places(self):
        """Files tell the resolution and where pixels are."""
        points, cells = box(2, 1, 1)
        source = self.path("a.vtk")
        write_vtk(source, points, cells)
        slicing = "slice", source, "--at", "z=0.5", "--pixel", "0.1", "--crease-angle", "30"
        self.make(*slicing, "-o", self.path("a.png"), "--unit", "cm")
        with open(self.path("a.png"), "rb") as file:
            body = file.read()
        self.assertEqual(struct.unpack_from(">IIB", body, body.index(b"pHYs") + 4),
                         (1000, 1000, 1))
        text = body[body.index(b"Description\0") + 12:]
        note = json.loads(text[:text.index(b"}") + 1])
        self.assertEqual((note["unit"], note["pixel"], note["columns"]), ("cm", 0.1, 20))
        for a, b in zip(note["origin"], (0.05, 0.95, 0.5)):
            self.assertAlmostEqual(a, b, delta=1e-5)
        done = run(*slicing, "-o", self.path("a.npy"))
        self.assertIn("1 slice of 20 x 10 pixels of 0.1, the first one's middle at (0.05, 0.95, "
                      "0.5), columns along x, rows against y", done.stderr)
        done = run(*slicing, "-o", self.path("a.tif"), "--quiet")
        if "built without" in done.stderr:
            return
        with open(self.path("a.tif"), "rb") as file:
            tags = tiff_tags(file.read())
        self.assertEqual((tags[282], tags[283], tags[296]), (100.0, 100.0, 3))
        self.assertEqual(json.loads(tags[270])["unit"], "mm")

    def test_cell_data(self):
        """Pixels have the data of the cell that they are in, where these are asked for; data of
        points of that name come first."""
        points, cells = box(2, 1, 1)
        source, out = self.path("a.vtk"), self.path("a.npy")
        write_vtk(source, points, cells, {"density": [p[2] for p in points]})
        with open(source, "a") as file:
            file.write("CELL_DATA 2\nFIELD cells 3\nmaterial 1 2 int\n16777217 2\n"
                       "pair 2 2 float\n1 0.5 3 -2\ndensity 1 2 int\n8 9\n")
        cut = "slice", source, "--at", "z=0.25", "--size", "20", "--crease-angle", "30"
        for precision in precisions():
            self.make(*cut, "--array", "material", "-o", out, "-p", precision)
            image = read_npy(out)
            self.assertEqual((image.shape, image.kind), ((10, 20), "<f8"))
            self.assertEqual(list(image.values), ([16777217.0] * 10 + [2.0] * 10) * 10)
            self.assertEqual(read_json(out + ".json")["channels"],
                             [{"name": "material", "components": 1}])
            self.make(*cut, "--array", "pair", "-o", out, "-p", precision)
            self.assertEqual(list(read_npy(out, 2).values),
                             ([1.0, 0.5] * 10 + [3.0, -2.0] * 10) * 10)
            self.make(*cut, "--array", "density", "-o", out, "-p", precision)
            for value in read_npy(out).values:
                self.assertAlmostEqual(value, 0.25, places=5)
        self.make(*cut, "-o", out, "--refine", "1", "--array", "material")
        self.assertEqual(list(read_npy(out).values), ([16777217.0] * 10 + [2.0] * 10) * 10)
        self.make(*cut, "-o", self.path("a.png"), "--array", "material")
        image = read_png(self.path("a.png"))
        self.assertEqual((image.at(3, 2), image.at(3, 12)), ([255, 255], [0, 255]))

    def test_pictures(self):
        points, cells = box(2, 1, 1)
        source, out = self.path("a.vtk"), self.path("a.png")
        write_vtk(source, points, cells, {"density": [p[0] for p in points], "pair": [0.0] * 24})
        self.make("slice", source, "--at", "z=0.5", "-o", out, "--size", "20", "--crease-angle",
                  "30", "--array", "density")
        image = read_png(out)
        self.assertEqual((image.shape, image.channels), ((10, 20), 2))
        for j in range(20):
            gray, alpha = image.at(4, j)
            self.assertEqual(alpha, 255)
            self.assertAlmostEqual(gray, 255 * (j + 0.5) / 20, delta=0.51)
        self.make("slice", source, "--at", "z=0.5", "-o", out, "--size", "20", "--array", "density")
        self.assertEqual(read_png(out).at(0, 0), [0, 0])
        self.refused("no pixel in the solid", "slice", source, "--at", "z=7", "-o",
                     self.path("out.png"))
        self.refused("there is no data of points or cells named 'mass'", "slice", source, "--at",
                     "z=0.5", "-o", self.path("out.png"), "--array", "mass")
        done = run_solid("slice", source, "--at", "z=0.5", "-o", self.path("out.png"), "--array",
                         "mass", env=dict(os.environ, OCL_ICD_VENDORS=self.path("none")))
        self.assertEqual(done.returncode, 1)  # before a device is looked for
        self.assertIn("there is no data of points or cells named 'mass'", done.stderr)
        self.refused("a PNG shows 1 or 3 numbers, not 2", "slice", source, "--at", "z=0.5", "-o",
                     self.path("out.png"), "--array", "pair")


if __name__ == "__main__":
    main()
