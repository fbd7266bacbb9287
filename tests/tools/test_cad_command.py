"""CAD files: what clspline-cad makes of parts that Open CASCADE has written, and what the command
does with them.

Called as TEST CLSPLINE SOURCE_DIR [MAKE_PARTS CLSPLINE_CAD].
"""
import collections
import csv
import json
import math
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

from command_fixture import Case, DATA, FULL, main, run
from image_files import read_png
from mesh_files import float32, read_glb, read_obj, read_ply_data, read_stl
from spline_fixture import de_boor

MAKE_PARTS, CLSPLINE_CAD = sys.argv[3:5] if len(sys.argv) > 4 else (None, None)
BRACKET = 60 * 40 * 20 - (1 - math.pi / 4) * 25 * 60 - math.pi * 64 * 20


def bezier_height(t):
    """The radius of the swept profile; its height is 15 t."""
    return 10 * ((1 - t) ** 3 + t ** 3) + 3 * t * (1 - t) * (14 * (1 - t) + 6 * t)


def swept_volume(count=1000):
    """The turned profile and the moved one, by Simpson's rule, and the quarter of a ring."""
    weights = [1 if i in (0, count) else 4 if i % 2 else 2 for i in range(count + 1)]
    radii = [bezier_height(i / count) for i in range(count + 1)]
    mean = lambda values: sum(w * v for w, v in zip(weights, values)) / 3 / count
    bend = math.pi / 2 * 20 * math.pi * 9
    return 15 * (math.pi * mean([r * r for r in radii]) + 7 * mean(radii)) + bend


def box_distance(x, y, z):
    """The signed distance of the bracket without its hole."""
    across, up = abs(y - 20) - 20, abs(z - 10) - 10
    profile = math.hypot(max(across, 0), max(up, 0)) + min(max(across, up), 0)
    if y < 5 and z > 15:
        profile = math.hypot(y - 5, z - 15) - 5
    along = abs(x - 30) - 30
    return math.hypot(max(profile, 0), max(along, 0)) + min(max(profile, along), 0)


def cross_volume(count=2000):
    """The rod without the hole, whose chords are integrated over sin(angle)."""
    angles = [math.pi * ((i + 0.5) / count - 0.5) for i in range(count)]
    hole = sum(4 * math.sqrt(100 - 25 * math.sin(a) ** 2) * 25 * math.cos(a) ** 2 for a in angles)
    return math.pi * 100 * 40 - hole * math.pi / count


ROUND = 4 / 3 * math.pi * 9 ** 3 + 2 * math.pi ** 2 * 20 * 25 + math.pi * 36 * 10 / 3


def controls(item):
    net = item["control_points"]
    weights = net.get("weights", [1] * len(net["points"]))
    return [[w * x for x in point] + [w] for point, w in zip(net["points"], weights)]


def curve_point(item, part):
    """A curve's point at a part of its domain, from 0 to 1."""
    knots, degree = item["knotvector"], item["degree"]
    begin, end = knots[degree], knots[-degree - 1]
    point = de_boor(knots, degree, controls(item), begin + part * (end - begin))
    return [x / point[-1] for x in point[:-1]]


def surface_point(face, u, v):
    points, nv = controls(face), face["size_v"]
    rows = [de_boor(face["knotvector_v"], face["degree_v"], points[i * nv:(i + 1) * nv], v)
            for i in range(face["size_u"])]
    point = de_boor(face["knotvector_u"], face["degree_u"], rows, u)
    return [x / point[-1] for x in point[:-1]]


def open_sides(triangles):
    """How many directed sides have not their opposite exactly once."""
    sides = collections.Counter((t[i], t[(i + 1) % 3]) for t in triangles for i in range(3))
    return sum(n != 1 or sides[b, a] != 1 for (a, b), n in sides.items())


def volume(triangles):
    return sum(a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3])
               for a, b, c in triangles for i in range(3)) / 6


class Missing(Case):
    def test_missing(self):
        path = self.write("a.step", "ISO-10303-21;\n")
        nothing = dict(os.environ, CLSPLINE_CAD=self.path("nothing"))
        for args in (("info", path), ("eval", path, "-o", self.path("a.stl")),
                     ("convert", path, "-o", self.path("a.g2")),
                     ("project", path, os.path.join(DATA, "points.csv"), "-o", self.path("a.csv"))):
            self.fails(1, "a.step: STEP, IGES and BREP files need clspline-cad, which is neither "
                       "beside clspline nor on PATH; it is built where", *args, env=nothing)
        self.assertEqual(os.listdir(self.folder), ["a.step"])

    def test_block(self):
        """What clspline-cad has written is read without it."""
        block = os.path.join(DATA, "block.json")
        done = run("eval", block, "-q", "-o", self.path("a.stl"), "-o", self.path("a.png"),
                   "--edges")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        corners = [triangle[1:] for triangle in read_stl(self.path("a.stl"))]
        self.assertEqual((len(corners), open_sides(corners)), (12, 0))
        self.assertAlmostEqual(volume(corners), 24)
        done = run("info", "--json", block)
        cad = json.loads(done.stdout)[0]["cad"]
        self.assertEqual(cad, {"solids": 1, "bodies": 1, "closed": 1, "faces_in_file": 6,
                               "faces_read": 6, "kinds": {"plane": 6}, "file_unit": "INCH",
                               "area": cad["area"], "volume": cad["volume"]})
        self.assertAlmostEqual(cad["area"], 52)
        self.assertAlmostEqual(cad["volume"], 24)
        self.assertIn("  bodies       1 solids, 0 other bodies, 1 closed\n"
                      "  faces        6 of 6 faces of the file: 6 plane\n"
                      "  file's unit  INCH\n"
                      "  measures     area 52 mm2, volume 24 mm3, of a mesh\n",
                      run("info", block).stdout)
        for option, value in (("samples", "9"), ("part", "1/2")):
            self.fails(1, "a CAD file's mesh has neither --" + option, "eval", block, "-o",
                       self.path("a.ply"), "--" + option, value)
        self.fails(1, "vase.json: --deflection is of CAD files", "eval",
                   os.path.join(DATA, "vase.json"), "--deflection", "1", "-o", self.path("a.ply"))
        done = run("eval", block, os.path.join(DATA, "vase.json"), "-n5", "-o", self.path("a.obj"))
        self.assertIn("warning: 2 files: 1 trimmed splines are taken whole\n", done.stderr)

    def test_only(self):
        """Every job takes the faces that are chosen alone."""
        block, knot = (os.path.join(DATA, name) for name in ("block.json", "knot.g2"))
        only = ("--only", "side 2")
        self.assertIn("  bodies       1 solids, 0 other bodies, 0 closed\n"
                      "  faces        6 of 6 faces of the file, 4 left out: 2 plane\n",
                      run("info", block, *only).stdout)
        for args, name, read in (
                (("eval", block, "-q", *only), "a.stl", lambda path: len(read_stl(path)) // 2),
                (("convert", block, "-q", *only), "a.g2", lambda path: self.count(path, "200 ")),
                (("convert", block, "-q", "--only", "surfaces"), "a.g2",
                 lambda path: self.count(path, "200 ") - 4)):
            done = run(*args, "-o", self.path(name))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(read(self.path(name)), 2)
        points = self.write("p.csv", "1,1,9\n1,1,-1\n-1,1,1\n1,1,2.5\n")
        for extra, distances in (((), (5, 1, 2 ** 0.5, 1.5)), (("-s",), (5, 1, math.nan, -1.5))):
            done = run("project", block, points, "-q", *only, *extra, "-o", self.path("a.csv"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(self.path("a.csv"), encoding="ascii", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([row["surface"] for row in rows], ["5", "4", "4", "5"])
            for row, distance in zip(rows, distances):
                got = float(row["distance"])
                self.assertTrue(got == distance or abs(got - distance) < 1e-6
                                or math.isnan(got) and math.isnan(distance))
        small = self.write("p.csv", "0,0,0\n0.8,0,0\n")
        for args, noted in (((), True), (only, False)):
            done = run("project", block, small, *args, "-o", self.path("a.csv"))
            self.assertEqual("is their unit cm?" in done.stderr, noted)
        self.fails(1, "block.json: --only: no face has the name or the colour 'sid'; names: "
                   "'block' 'side 0' 'side 1' 'side 2'; colours: '#0000ff'", "eval", block,
                   "--only", "block,sid", "-o", self.path("a.stl"))
        for args in (("info", knot), ("info", os.path.join(DATA, "points.csv")),
                     ("eval", knot, "-o", self.path("a.obj")),
                     ("project", knot, points, "-o", self.path("a.csv"))):
            self.fails(1, "--only is of CAD files", *args, "--only", "x")

    def test_colors(self):
        """Meshes and pictures have the file's colours: here a face without one, and one whose body
        has one."""
        with open(os.path.join(DATA, "block.json"), encoding="ascii") as file:
            model = json.load(file)
        faces, body = model["shape"]["data"], model["bodies"][0]
        faces[0]["color"], faces[3]["color"] = "#0ad020", "#ffff00"
        del faces[5]["color"]
        for given, last in (("#ff0000", (255, 0, 0)), (None, (197, 115, 82))):
            body.pop("color")
            body.update({"color": given} if given else {})
            path, small = self.write("a.json", json.dumps(model)), ("-q", "--size", "48x36")
            done = run("eval", path, *small, *(part for name in ("a.ply", "a.obj", "a.glb", "a.png")
                                               for part in ("-o", self.path(name))))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            expected = [color for color in ((10, 208, 32), (0, 0, 255), (0, 0, 255), (255, 255, 0),
                                            (0, 0, 255), last) for _ in range(4)]
            data = read_ply_data(self.path("a.ply"))[2]
            self.assertEqual(list(zip(data["red"], data["green"], data["blue"])), expected)
            found = read_glb(self.path("a.glb"))[0]["COLOR_0"]
            for vertex, color, linear in zip(read_obj(self.path("a.obj"))[0], expected, found):
                for one, two, three in zip(vertex[3:], color, linear):
                    self.assertAlmostEqual(one, two / 255, delta=1e-4)
                    coded = two / 255
                    self.assertAlmostEqual(three, coded / 12.92 if coded < 0.04045
                                           else ((coded + 0.055) / 1.055) ** 2.4, delta=1e-6)
            colors = set(zip(*3 * [iter(read_png(self.path("a.png")).values)]))
            seen = {tuple(2 * x > max(c) for x in c) for c in colors if max(c) > 80 + 3 * min(c)}
            self.assertEqual(seen, {(False, True, False), (True, True, False)}
                             | ({(True, False, False)} if given else set()))
            body["color"] = ""
        done = run("eval", path, *small, "-o", self.path("b.png"), "--colors", "plain")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        colors = set(zip(*3 * [iter(read_png(self.path("b.png")).values)]))
        self.assertTrue(all(red >= blue - 12 for red, _, blue in colors))

    def test_by_face(self):
        """What is told of each face are the rows that are nearest to it."""
        block, points = os.path.join(DATA, "block.json"), os.path.join(DATA, "points.csv")
        for model, args in ((block, ()), (block, ("-s", "--only", "side [02]")),
                            (os.path.join(DATA, "knot.g2"), ())):
            args = ("project", model, points, "-q", "-o", self.path("a.csv"), "--by-face", *args)
            faces = json.loads(run(*args, "--json").stdout)["faces"]
            with open(self.path("a.csv"), encoding="ascii", newline="") as file:
                rows = list(csv.DictReader(file))
            found = collections.defaultdict(list)
            for row in rows:
                found[int(row.get("surface", row.get("curve")))].append(float(row["distance"]))
            numbers = ([0, 1] if model != block else [0, 1, 4, 5] if "-s" in args else range(6))
            self.assertEqual([face["face"] for face in faces], list(numbers))
            self.assertEqual(sum(face["points"] for face in faces), 300)
            lines = run(*args).stderr.splitlines()
            self.assertEqual(len(lines), 1 + len(faces))
            for face, line in zip(faces, lines[1:]):
                all_rows = found[face["face"]]
                known = [d for d in all_rows if not math.isnan(d)]
                self.assertEqual((face["points"], face.get("open", 0)),
                                 (len(all_rows), len(all_rows) - len(known)))
                side = "side %d" % (face["face"] // 2)
                self.assertEqual((face["kind"], face["name"]),
                                 ("plane", side) if model == block else (None, None))
                if model == block:
                    self.assertTrue(line.endswith("  plane, " + side))
                if not known:
                    self.assertIsNone(face["mean"])
                    self.assertEqual(line.split()[2:6], 4 * ["-"])
                    continue
                expected = (min(known), sum(known) / len(known),
                            math.sqrt(sum(d * d for d in known) / len(known)), max(known))
                names = ("min", "mean", "rms", "max")
                for one, two, text in zip(expected, map(face.get, names), line.split()[2:6]):
                    self.assertAlmostEqual(one, two, delta=1e-6)
                    self.assertAlmostEqual(one, float(text), delta=1e-5)
                self.assertEqual(line.split()[:2], [str(face["face"]), str(len(all_rows))])
            if "-s" in args:
                self.assertGreater(sum(face["open"] for face in faces), 0)

    def test_edges(self):
        """Rows have the file's number of the edge that a point is on, CSV, .npy and its parts."""
        block, points = os.path.join(DATA, "block.json"), os.path.join(DATA, "points.csv")
        with open(block, encoding="ascii") as file:
            edges = [edge["control_points"]["points"] for edge in json.load(file)["edges"]]
        for args in ((), ("--only", "side 2"), ("-s", "--only", "side 1")):
            args = ("project", block, points, "-q", *args)
            self.assertEqual(run(*args, "-o", self.path("a.csv")).returncode, 0)
            with open(self.path("a.csv"), encoding="ascii", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(list(rows[0])[-4:], ["bound", "edge", "tolerance", "status"])
            self.assertTrue(any(row["edge"] == "-1" for row in rows))
            self.assertTrue(any(row["edge"] != "-1" for row in rows))
            for row in rows:
                edge, place = int(row["edge"]), [float(row[k]) for k in "xyz"]
                self.assertEqual(float(row["tolerance"]), 0 if edge < 0 else 0.002)
                beyond = [math.dist(place, one) + math.dist(place, two) - math.dist(one, two)
                          for one, two in edges]
                on = [k for k, more in enumerate(beyond) if abs(more) < 1e-6]
                self.assertTrue(edge in on if edge >= 0 else not on, (row, on))
            self.assertEqual(run(*args, "-o", self.path("a.npy")).returncode, 0)
            for part in "12":
                self.assertEqual(run(*args, "-o", self.path("b.npy"), "--part", part + "/2")
                                 .returncode, 0)
            self.assertEqual(run("join", "-q", self.path("b.npy")).returncode, 0)
            with open(self.path("a.npy"), "rb") as one, open(self.path("b.npy"), "rb") as two:
                body = one.read()
                self.assertEqual(body, two.read())
            os.remove(self.path("b.npy"))
            head = body[:body.index(b"\n") + 1]
            size = (len(body) - len(head)) // 300
            self.assertIn(b"'bound', '<f4'), ('edge', '<i4'), ('tolerance', '<f4'), ('st", head)
            for k, row in enumerate(rows):
                end = len(head) + (k + 1) * size - 9
                edge, tolerance = struct.unpack_from("<if", body, end)
                self.assertEqual((edge, tolerance),
                                 (int(row["edge"]), float32(float(row["tolerance"]))))

    def count(self, path, begin):
        with open(path, encoding="ascii") as file:
            return sum(line.startswith(begin) for line in file)

    def test_values(self):
        """Colours by face, and by curvature, which a turned face has with its sign turned."""
        block = os.path.join(DATA, "block.json")
        for colors in "patch", "mean", "gauss":
            done = run("eval", block, "-q", "-o", self.path(colors + ".png"), "--colors", colors)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run("eval", block, "-q", "--normals", "-p", "f64", "-o", self.path("a.ply"))
        if done.returncode == 0:  # with double precision
            points, faces, data = read_ply_data(self.path("a.ply"))
            self.assertEqual((len(points), len(faces)), (24, 12))
            for k, normal in enumerate(zip(data["nx"], data["ny"], data["nz"])):
                axis, side = divmod(k // 4, 2)
                self.assertEqual(normal[axis], 1 if side else -1)


@unittest.skipUnless(CLSPLINE_CAD, "built without clspline-cad")
class Parts(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.parts = folder.name
        subprocess.run([MAKE_PARTS, cls.parts], check=True, stdout=subprocess.DEVNULL)

    def part(self, name):
        return os.path.join(self.parts, name)

    def convert(self, path, *args, code=0):
        done = subprocess.run([CLSPLINE_CAD, path, *args], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        self.said = done.stderr
        return json.loads(done.stdout) if done.stdout else None

    def check_loop(self, loop, face, edges, size):
        """Curves are head to tail, and on their edges."""
        ends = [[curve_point(curve, end) for end in (0, 1)] for curve in loop]
        domain = [face["knotvector_" + k][-1] - face["knotvector_" + k][0] for k in "uv"]
        for k, curve in enumerate(loop):
            for one, two, length in zip(ends[k - 1][1], ends[k][0], domain):
                self.assertAlmostEqual((one - two) / length, 0, delta=1e-7)
            if "edge" not in curve:
                continue
            edge = edges[curve["edge"]]
            # curves that are fitted keep the parameter of their edge
            for part in (0, 0.13, 0.4, 0.6, 0.87, 1) if curve["degree"] == 3 else (0, 1):
                found = surface_point(face, *curve_point(curve, part))
                place = curve_point(edge, part if curve["forward"] else 1 - part)
                self.assertLess(math.dist(found, place), edge["tolerance"] + 1e-8 * size)

    def check(self, model, num, closed):
        """Faces, loops, edges, mesh and bodies of a model."""
        faces, edges, nodes = model["shape"]["data"], model["edges"], model["nodes"]
        self.assertEqual((model["format"], model["version"], model["unit"]),
                         ("clspline-cad", 1, "mm"))
        self.assertEqual((model["shape"]["type"], model["shape"]["count"], len(faces)),
                         ("surface", num, num))
        size = math.dist([min(x) for x in zip(*nodes)], [max(x) for x in zip(*nodes)])
        uses = collections.Counter()
        for number, face in enumerate(faces):
            self.assertEqual(face["trims"]["count"], len(face["trims"]["data"]))
            self.assertEqual(sum(loop["reversed"] for loop in face["trims"]["data"]), 1)
            for loop in face["trims"]["data"]:
                self.check_loop(loop["data"], face, edges, size)
                uses.update((curve["edge"], number) for curve in loop["data"] if "edge" in curve)
            uv = face["mesh"]["uv"]
            for k, node in list(enumerate(face["mesh"]["nodes"]))[::11]:
                found = surface_point(face, *uv[2 * k:2 * k + 2])
                self.assertLess(math.dist(found, nodes[node]), 1e-6 * size)
        for number, edge in enumerate(edges):
            listed = collections.Counter(edge["faces"])
            self.assertEqual(listed, {f: n for (e, f), n in uses.items() if e == number})
            self.assertEqual(len(edge["faces"]), 2)
        self.assertEqual([shell["closed"] for body in model["bodies"] for shell in body["shells"]],
                         [True] * closed)

    def measure(self, model):
        """The volume within the mesh, each shell of which must be closed."""
        faces, nodes, total = model["shape"]["data"], model["nodes"], 0
        for body in model["bodies"]:
            for shell in body["shells"]:
                triangles = []
                for face in shell["faces"]:
                    mesh = faces[face]["mesh"]
                    at = [mesh["nodes"][k] for k in mesh["triangles"]]
                    triangles += [at[i:i + 3] for i in range(0, len(at), 3)]
                self.assertEqual(open_sides(triangles), 0)
                total += volume([[nodes[i] for i in t] for t in triangles])
        return total

    def test_models(self):
        for name, num, closed, kinds, expected in (
                ("bracket.step", 8, 1, {"plane": 6, "cylinder": 2}, BRACKET),
                ("bracket.igs", 8, 1, {"plane": 6, "revolution": 2}, BRACKET),
                ("round.step", 4, 3, {"sphere": 1, "torus": 1, "cone": 1, "plane": 1}, ROUND),
                ("cross.step", 4, 1, {"cylinder": 2, "plane": 2}, cross_volume()),
                ("swept.brep", 12, 3, {"plane": 9, "revolution": 1, "extrusion": 1, "torus": 1},
                 swept_volume())):
            with self.subTest(name):
                model = self.convert(self.part(name))
                self.assertEqual(self.said, "")
                self.assertIn(model["file_unit"].lower(),
                              {"step": ("mm", "millimetre"), "iges": ("mm",),
                               "brep": ("",)}[model["file_format"]])
                self.assertEqual((model["faces_in_file"], model["faces_read"], model["notes"]),
                                 (num, num, []))
                self.check(model, num, closed)
                self.assertAlmostEqual(self.measure(model) / expected, 1, delta=0.01)
                self.assertEqual(collections.Counter(face["kind"] for face in
                                                     model["shape"]["data"]), kinds)
                finer = self.convert(self.part(name), "--deflection", "1e-4", "--angle", "8")
                self.assertAlmostEqual(self.measure(finer) / expected, 1, delta=2e-3)
                bare = self.convert(self.part(name), "--no-mesh")
                self.assertEqual(bare["nodes"], [])
                self.assertFalse(any("mesh" in face for face in bare["shape"]["data"]))

    def test_assembly(self):
        """Placements, units, names and colours."""
        path = self.part("assembly.step")
        with open(path, encoding="ascii") as file:
            radius = 25.4 * float(re.search(r"CYLINDRICAL_SURFACE\('',#\d+,([^)]*)\)",
                                            file.read()).group(1))
        model = self.convert(path)
        self.assertIn("INCH", model["file_unit"].upper())
        self.check(model, 6, 2)
        self.assertAlmostEqual(self.measure(model) / (4 * math.pi * radius ** 3), 1, delta=0.01)
        self.assertEqual((model["faces_in_file"], model["faces_read"]), (3, 3))
        self.assertEqual([(body["name"], body["part"]) for body in model["bodies"]],
                         [("first", "pin"), ("second", "pin")])
        for only, bodies in (("sec*", 1), ("pin", 2), ("first,#ff0000", 2), ("first", 1)):
            cad = json.loads(run("info", "--json", path, "--only", only).stdout)[0]["cad"]
            self.assertEqual((cad["bodies"], cad["closed"], cad["kinds"]),
                             (bodies, bodies, {"cylinder": bodies, "plane": 2 * bodies}))
        self.assertEqual({body.get("color") for body in model["bodies"]}
                         | {face["color"] for face in model["shape"]["data"]}, {"#ff0000"})
        low, high = ([f(x) / radius for x in zip(*model["nodes"])] for f in (min, max))
        for one, two in zip(low + high, [-1, -2, -1, 6, 1, 2]):
            self.assertAlmostEqual(one, two, delta=0.02)

    def test_seat(self):
        """A face with a name and a colour of its own, in a part with others."""
        path = self.part("seat.step")
        for face in self.convert(path)["shape"]["data"]:
            is_seat = all(point[2] == 5 for point in face["control_points"]["points"])
            self.assertEqual((face.get("name", ""), face["color"]),
                             ("seat", "#3366ff") if is_seat else ("", "#00ff00"))
        for only, count in (("seat", 1), ("#3366FF", 1), ("#00ff00", 5), ("box", 6)):
            cad = json.loads(run("info", "--json", path, "--only", only).stdout)[0]["cad"]
            self.assertEqual(cad["kinds"], {"plane": count})

    def test_command(self):
        """Closed meshes of closed shells, in any precision and format."""
        for name, expected in (("bracket.step", BRACKET), ("round.step", ROUND),
                               ("swept.brep", swept_volume())):
            done = run("eval", self.part(name), "-q", "--normals", "-o", self.path("a.stl"),
                       "-o", self.path("a.ply"), "-o", self.path("a.glb"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            corners = [triangle[1:] for triangle in read_stl(self.path("a.stl"))]
            self.assertEqual(open_sides(corners), 0)
            self.assertAlmostEqual(volume(corners) / expected, 1, delta=0.01)
            run("eval", self.part(name), "-q", "-o", self.path("b.stl"), "--deflection", "0.002")
            self.assertGreater(len(read_stl(self.path("b.stl"))), len(corners))
            points, faces, data = read_ply_data(self.path("a.ply"))
            normals = list(zip(data["nx"], data["ny"], data["nz"]))
            for face in faces:
                p = [points[k] for k in face]
                one, two = ([y - x for x, y in zip(p[0], q)] for q in p[1:])
                across = [one[k - 2] * two[k - 1] - one[k - 1] * two[k - 2] for k in range(3)]
                for k in face:  # the tip of the cone has one normal of many
                    self.assertTrue(sum(x * y for x, y in zip(across, normals[k])) > 0
                                    or points[k] == (50, 0, 10))
            done = run("info", "--json", self.part(name))
            cad = json.loads(done.stdout)[0]["cad"]
            self.assertAlmostEqual(cad["volume"] / expected, 1, delta=0.01)
            self.assertEqual(cad["solids"], cad["closed"])

    def project(self, name, points, *args):
        """The nearest points of a part, as rows of texts; those on standard error."""
        text = "".join("%r,%r,%r\n" % p for p in points)
        done = run("project", self.part(name), self.write("points.csv", text), "-p", "f64", "-o",
                   self.path("near.csv"), *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("near.csv"), encoding="ascii", newline="") as file:
            return list(csv.DictReader(file)), done.stderr

    def test_projection(self):
        """Distances and sides of a part with a hole and a rounded edge are known."""
        rng = random.Random(5)
        points = [(rng.uniform(-10, 70), rng.uniform(-10, 50), rng.uniform(-10, 30))
                  for _ in range(2000)]
        for name in ("bracket.step", "bracket.igs"):
            rows, sides = (self.project(name, points, *args)[0] for args in ((), ("--signed",)))
            self.assertEqual([len(rows), len(sides)], 2 * [len(points)])
            for point, row, side in zip(points, rows, sides):
                got, box = float(row["distance"]), box_distance(*point)
                beside = math.hypot(point[0] - 20, point[1] - 20) - 8  # the hole
                if abs(box) < beside:
                    self.assertAlmostEqual(got, abs(box), delta=1e-12 * 60, msg=point)
                elif beside < 0 < point[2] < 20:
                    self.assertAlmostEqual(got, -beside, delta=1e-12 * 60, msg=point)
                self.assertLessEqual(float(row["bound"]), got * (1 + 1e-12))
                signed = float(side["distance"])
                self.assertEqual(abs(signed), got)
                self.assertEqual(signed < 0, max(box, -beside) < 0, point)

    def test_units(self):
        """Points in another unit than the part's are noted, and turned into it."""
        points = [(30.0, 20.0, 25.0), (0.0, 0.0, -3.0), (60.0, 40.0, 10.0)]
        wanted, said = self.project("bracket.step", points)
        self.assertNotIn("--unit", said)
        inches = [tuple(x / 25.4 for x in p) for p in points]
        _, said = self.project("bracket.step", inches)
        self.assertIn("is their unit in? (--unit in)", said)
        rows, said = self.project("bracket.step", inches, "--unit", "in")
        self.assertNotIn("--unit", said)
        for row, other in zip(rows, wanted):
            self.assertAlmostEqual(float(row["distance"]), float(other["distance"]), delta=1e-9)
        self.fails(1, "--unit is of CAD files", "project", os.path.join(DATA, "knot.g2"),
                   os.path.join(DATA, "points.csv"), "-o", self.path("a.csv"), "--unit", "in")

    def test_whole(self):
        """Trimmed faces are taken whole where they are kept as splines."""
        done = run("convert", self.part("round.step"), "-o", self.path("a.json"))
        self.assertIn("warning: %s: 1 trimmed splines are taken whole" % self.part("round.step"),
                      done.stderr)
        with open(self.part("round.step"), "rb") as file:
            self.assertEqual(run("info", "-", stdin=file).stdout.split("\n", 1)[1],
                             run("info", self.part("round.step")).stdout.split("\n", 1)[1])

    def spoil(self, name, change):
        with open(self.part(name), encoding="ascii") as file:
            text = file.read()
        return self.write("bad" + os.path.splitext(name)[1], change(text))

    def test_lost(self):
        """A face that Open CASCADE drops is counted."""
        path = self.spoil("bracket.step", lambda text: re.sub(r"PLANE\('',#\d+\)",
                                                              "PLANE('',#99999)", text, count=1))
        model = self.convert(path, code=4)
        self.assertEqual((self.said, model["faces_in_file"], model["faces_read"]),
                         (path + ": 7 of 8 faces\n", 8, 7))
        self.assertFalse(any(shell["closed"] for body in model["bodies"]
                             for shell in body["shells"]))
        done = run("eval", path, "-o", self.path("a.stl"))
        self.assertIn("clspline: warning: %s: 7 of 8 faces are read\n" % path, done.stderr)
        self.assertIn("  faces        7 of 8 faces of the file: ", run("info", path).stdout)
        points = os.path.join(DATA, "points.csv")
        self.fails(1, "7 of 8 faces are read; --signed needs all", "project", path, points, "-o",
                   self.path("a.csv"), "--signed")
        done = run("project", path, points, "-o", self.path("a.csv"))
        self.assertIn("clspline: warning: %s: 7 of 8 faces are read\n" % path, done.stderr)

    def test_refused(self):
        half = lambda text: text[:len(text) // 2]
        for path, words in (
                (self.spoil("bracket.step", half), "not a whole STEP file"),
                (self.spoil("swept.brep", half), "not a whole BREP file"),
                (self.spoil("swept.brep", lambda text: re.sub(
                    "\nSurfaces .*", "\nSurfaces 2000000000", text)), "not a whole BREP file"),
                (self.part("wire.brep"), "it has no faces"),
                (self.write("a.igs", "nothing"), "neither STEP, IGES nor BREP"),
                (self.path("none.step"), "cannot open")):
            self.assertEqual(self.fails(1, words, "info", path).count("\n"), 1)

    def test_spoiled(self):
        """Changed bytes give a model, in part or whole, or one line."""
        chance = random.Random(1)
        for name in ["bracket.step", "bracket.igs", "swept.brep"] * (20 if FULL else 4):
            def change(text):
                at = [chance.randrange(len(text)) for _ in range(4)]
                return "".join(chance.choice("0#(,;'.A") if i in at else c
                               for i, c in enumerate(text))
            done = run("info", self.spoil(name, change))
            self.assertIn(done.returncode, (0, 1))
            if done.returncode == 1:
                self.assertRegex(done.stderr, r"\Aclspline: .*bad\.[^\n]*\n\Z")

    def test_limits(self):
        fine = [CLSPLINE_CAD, self.part("round.step"), "--deflection", "1e-6", "--angle", "0.1"]
        done = subprocess.run(fine + ["--seconds", "1"], stdout=subprocess.DEVNULL)
        self.assertEqual(done.returncode, -signal.SIGXCPU)
        done = subprocess.run(fine + ["--memory", "300"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        self.assertIn(done.returncode, (1, 4, -signal.SIGABRT))
        for args in ((), ("a", "b"), ("a", "--angle"), ("a", "--angle", "0"), ("a", "--new"),
                     ("a", "--memory", "1x")):
            done = subprocess.run([CLSPLINE_CAD, *args], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("usage: clspline-cad", done.stderr)
        with open("/dev/full", "w") as full:
            done = subprocess.run([CLSPLINE_CAD, self.part("round.step")], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(": cannot write: ", done.stderr)


if __name__ == "__main__":
    main()
