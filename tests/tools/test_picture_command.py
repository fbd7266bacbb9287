#!/usr/bin/env python3
"""Pictures by the command: colours of curvature and data, edges, cuts, transparency, by chosen
pixels.

usage: test_picture_command.py CLSPLINE SOURCE_DIR
"""
import os

from command_fixture import DATA, Case, main, run
from image_files import read_png

SPHERE = os.path.join(DATA, "sphere.bv")  # of radius 1
MAGENTA = (255, 0, 255)


class Picture(Case):

    def draw(self, *words, size="80x60"):
        """Draws without a background and gives the pixels as (red, green, blue, alpha)."""
        path = self.path("out.png")
        done = run(*words, "-o", path, "--size", size, "--no-background", "-q")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        image = read_png(path)
        self.assertEqual((image.kind, image.channels), ("|u1", 4))
        return image

    def middle(self, *words):
        image = self.draw(*words)
        return tuple(image.at(image.shape[0] // 2, image.shape[1] // 2))

    def assert_hue(self, pixel, hue):
        red, _, blue, alpha = pixel
        self.assertEqual(alpha, 255)
        if hue == "white":
            self.assertLess(abs(red - blue), 25, pixel)
        else:
            self.assertGreater((red - blue) * (1 if hue == "red" else -1), 50, pixel)


class Surfaces(Picture):

    def test_curvature_of_a_sphere(self):
        """It bends away from the outside by 1 everywhere: the mean is -1, the product 1."""
        for what, low, high, hue in (("mean", -1, 1, "blue"), ("gauss", -1, 1, "red"),
                                     ("mean", -2, 0, "white"), ("gauss", 0.999, 1.5, "blue")):
            with self.subTest(what=what, low=low):
                pixel = self.middle("eval", SPHERE, "--colors", what, "--colormap",
                                    "diverging", "--range=%g,%g" % (low, high))
                self.assert_hue(pixel, hue)

    def test_distances(self):
        """All of a sphere is 1 away from its middle, a plane from a line and another plane."""
        point = self.write("point.csv", "0,0,0\n9,9,9\n")
        line = self.write("line.g2", "100 1 0 0\n3 0\n2 2\n0 0 1 1\n-5 0 0\n5 0 0\n")
        plane = self.write("plane.bv", "5 1 1\n-4 -4 1\n-4 4 1\n4 -4 1\n4 4 1\n")
        ground = self.write("ground.bv", "5 1 1\n-5 -5 0\n-5 5 0\n5 -5 0\n5 5 0\n")
        view = ("--direction", "0,0,-1")
        for low, high, hue in ((0, 2, "white"), (0, 1.01, "red"), (0.99, 2, "blue")):
            with self.subTest(low=low):
                words = ("--colors", "distance", "--colormap", "diverging",
                         "--range=%g,%g" % (low, high))
                self.assert_hue(self.middle("eval", SPHERE, *words, "--distance-to", point), hue)
                for other in (line, ground):
                    self.assert_hue(self.middle("eval", plane, *words, *view, "--distance-to",
                                                other, "-n", "3"), hue)

    def test_distances_to_format(self):
        vase = os.path.join(DATA, "vase.json")
        run("convert", vase, "-o", self.path("vase.g2"), "-p", "f64")
        pictures = [self.draw("eval", SPHERE, "--colors", "distance", "--distance-to", path, "-n",
                              "2") for path in (vase, self.path("vase.g2"))]
        self.assertEqual(*pictures)

    def test_range(self):
        """By itself it is symmetric and ends at the curvature that all points have."""
        for what in ("mean", "gauss"):
            own = self.draw("eval", SPHERE, "--colors", what)
            given = self.draw("eval", SPHERE, "--colors", what, "--range=-1,1")
            worst = max(abs(a - b) for a, b in zip(own.values, given.values))
            self.assertLessEqual(worst, 2)

    def test_curvature_of_a_cylinder(self):
        """A quarter of radius 2: k1 k2 is 0, and no rounding is shown as curvature."""
        control = [(x, y, z, w) for x, y, w in ((2, 0, 1), (2 ** 0.5, 2 ** 0.5, 0.5 ** 0.5),
                                                (0, 2, 1)) for z in (0, w)]
        path = self.write("cylinder.bv", "8\n2 1\n" + "".join("%.17g %.17g %.17g %.17g\n" % p
                                                            for p in control))
        view = ("eval", path, "--up", "z", "--azimuth", "45", "--elevation", "0", "--colors")
        self.assert_hue(self.middle(*view, "gauss"), "white")
        self.assert_hue(self.middle(*view, "mean", "--range=-0.25,0.25"), "blue")

    def test_curvature_of_b_splines(self):
        """The belly of a vase bends to one side, its neck to two."""
        path = os.path.join(DATA, "vase.json")
        image = self.draw("eval", path, "--up", "z", "--colors", "gauss",
                          "--elevation", "0", size="120x160")
        self.assert_hue(image.at(35, 60), "blue")
        red, _, blue, _ = image.at(110, 60)
        self.assertGreater(red, blue + 8)

    def test_patches(self):
        """Octants of the sphere have colours of their own, and borders of dark lines."""
        view = ("--azimuth", "45", "--elevation", "35", "--colors", "patch")
        image = self.draw("eval", SPHERE, *view)
        seen = {tuple(image.at(30, x)[:3]) for x in range(20, 60)}
        self.assertGreater(len(seen), 8)
        lined = self.draw("eval", SPHERE, *view, "--edges")
        darker = sum(a < b - 60 for a, b in zip(lined.values, image.values))
        self.assertGreater(darker, 100)

    def test_polyhedra_have_no_curvature(self):
        path = self.write("a.bv", "1 4 1\n0 0 0 4 0 0 4 2 0 0 2 0\n4 0 1 2 3\n")
        self.assert_hue(self.middle("eval", path, "--colors", "mean"), "white")

    def test_curves_stay_plain(self):
        """A curve has no value; it is not drawn in the colour of NaN."""
        image = self.draw("eval", os.path.join(DATA, "knot.g2"), "--colors", "mean")
        pixels = list(zip(*[iter(image.values)] * 4))
        self.assertGreater(sum(p[3] == 255 for p in pixels), 100)
        self.assertFalse(any(p[2] > p[1] + 40 for p in pixels))

    def test_bar(self):
        """The mesh makes room for it, and it has the map's colours."""
        image = self.draw("eval", SPHERE, "--colors", "mean", "--bar", "--colormap", "viridis",
                          size="300x200")
        dark = [i // 4 % 300 for i in range(0, len(image.values), 4)
                if image.values[i:i + 4] == [0x44, 0x02, 0x56, 255]]  # one but the lowest of 256
        self.assertTrue(dark and min(dark) > 150)

    def test_camera(self):
        """Looking down -z at a rectangle of 4 x 2 without perspective, and from its back."""
        path = self.write("a.bv", "1 4 1\n0 0 0 4 0 0 4 2 0 0 2 0\n4 0 1 2 3\n")
        for direction, wide in (("0,0,-1", 100), ("0,0,3", 100), ("-1,0,-1", 71)):
            image = self.draw("eval", path, "--up", "+Y", "--orthographic", "--zoom", "1",
                              "--direction=" + direction, size="119x200")
            row = [image.at(100, x)[3] for x in range(119)]
            self.assertLessEqual(abs(sum(a > 0 for a in row) - 100), 2)
            column = [image.at(y, 60)[3] for y in range(200)]
            self.assertLessEqual(abs(sum(a > 0 for a in column) - 100 * 50 / wide), 3)

    def test_usage(self):
        for words, expected in (
                (("--colors", "red"), "--colors must be plain, patch, mean, gauss or distance"),
                (("--colors", "mean", "--range=2,1"), "LO below HI"),
                (("--colors", "mean", "--range=1,1"), "LO below HI"),
                (("--colors", "mean", "--range=nan,1"), "LO below HI"),
                (("--colors", "mean", "--range=1"), "LO below HI"),
                (("--range=1,2",), "--range needs --colors"),
                (("--bar",), "--bar needs --colors"),
                (("--colors", "patch", "--bar"), "--bar is of --colors mean, gauss or"),
                (("--colors", "distance"), "distance needs --distance-to FILE"),
                (("--colors", "mean", "--distance-to", "a"), "is of --colors distance"),
                (("--distance-to", "a"), "--distance-to needs --colors"),
                (("--colors", "patch", "--range=1,2"), "--range is of --colors mean, gauss"),
                (("--colors", "mean", "--colormap", "jet"),
                 "--colormap must be auto, viridis, diverging or gray"),
                (("--direction=0,0,0",), "not all of them 0"),
                (("--direction=1,2",), "not all of them 0"),
                (("--direction=1,2,3", "--azimuth", "3"), "exclude each other"),
                (("--no-background", "--background", "ffffff"), "exclude each other"),
                (("--up", "w"), "--up must be auto, x, y, z, -x, -y, -z or X,Y,Z"),
                (("--up", "0,0,0"), "--up must be"), (("--up", "1,2"), "--up must be")):
            self.fails(2, expected, "eval", SPHERE, "-o", self.path("a.png"), *words)


class Solids(Picture):
    """A box of 2 x 1 x 1, of two cells side by side. With creases its limit is the box."""
    VIEW = ("--crease-angle", "30", "--orthographic", "--up", "y")

    def box(self):
        """Data of points: x, which is the first half of a vector, and z. Of cells: a material."""
        points = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)]
        cells = [[number + first for number in (0, 1, 4, 3, 6, 7, 10, 9)] for first in (0, 1)]
        text = ("# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                "POINTS 12 double\n" + "".join("%d %d %d\n" % p for p in points) + "CELLS 2 18\n"
                + "".join("8 %s\n" % " ".join(map(str, c)) for c in cells)
                + "CELL_TYPES 2\n12 12\nCELL_DATA 2\nFIELD c 1\nmaterial 1 2 int\n3 7\n"
                "POINT_DATA 12\nFIELD p 3\nalong 1 12 double\n%s\nhigh 1 12 double\n%s\n"
                "pair 2 12 double\n%s\n"
                % (" ".join(str(p[0]) for p in points), " ".join(str(p[2]) for p in points),
                   " ".join("%d 0" % p[0] for p in points)))
        return self.write("box.vtk", text)

    def front(self, *words):
        """The picture seen from z, where the box is 67 pixels wide and 33 tall."""
        return self.draw("eval", self.box(), *self.VIEW, "--direction=0,0,-1", *words)

    def inner(self, image):
        return [image.at(y, x) for y in range(15, 45) for x in range(8, 72)]

    def test_boundary(self):
        image = self.front()
        wide = sum(image.at(30, x)[3] > 127 for x in range(80))
        tall = sum(image.at(y, 40)[3] > 127 for y in range(60))
        self.assertTrue(66 <= wide <= 68 and 32 <= tall <= 35, (wide, tall))

    def test_edges_of_cells(self):
        """There is one in the middle, upright, and none beside it."""
        image = self.front("--edges")
        row = [image.at(30, x)[0] for x in range(80)]
        self.assertLess(min(row[39:41]), 130)
        self.assertGreater(min(row[15:37]), 150)

    def test_cut_shows_the_data_within(self):
        """Where data do not depend on z, the cut looks like the side that it takes away."""
        for name in ("along", "pair", "material"):
            whole = self.front("--array", name, "--colormap", "gray")
            cut = self.front("--array", name, "--colormap", "gray", "--cut", "z=0.4")
            pairs = list(zip(self.inner(whole), self.inner(cut)))
            worst = max(abs(a - b) for p, q in pairs for a, b in zip(p, q))
            self.assertLessEqual(worst, 3, name)
            self.assertGreater(max(p[0] for p, _ in pairs), min(p[0] for p, _ in pairs) + 60)

    def test_values_of_a_cut(self):
        """The data at the height of the cut: by range, the end or the middle of the map."""
        for height, share in ((0.25, 0.25), (0.75, 0.75)):
            image = self.front("--array", "high", "--cut", "z=%g" % height)
            flat = self.front("--array", "high", "--cut", "z=0.5",
                              "--range=%g,%g" % (0.5 - share, 1.5 - share))
            for p, q in zip(self.inner(image), self.inner(flat)):
                self.assertLessEqual(max(abs(a - b) for a, b in zip(p, q)), 3)

    def test_materials_have_steps(self):
        """No colour of the map is between those of two cells."""
        image = self.front("--array", "material", "--cut", "z=0.5")
        row = [tuple(image.at(30, x)) for x in range(10, 70) if not 39 <= x <= 40]
        self.assertEqual(len(set(row)), 2)

    def test_cut_without_data(self):
        """The face of the cut is paler than the boundary. Planes that miss leave all or none."""
        whole = self.front()
        self.assertGreater(self.front("--cut", "z=0.5").at(30, 40)[2], whole.at(30, 40)[2] + 30)
        self.assertEqual(self.front("--cut", "z=1.5"), whole)
        self.assertEqual(set(self.front("--cut", "z=-1").values[3::4]), {0})

    def test_distances(self):
        """The box's front, and a cut, from a plane before it and from points: by range, the end or
        the middle of the map."""
        plane = self.write("plane.bv", "5 1 1\n-9 -9 2\n-9 9 2\n9 -9 2\n9 9 2\n")
        far = self.write("far.csv", "1,0.5,1e6\n")
        for other, distance, cut in ((plane, 1, ()), (plane, 1.75, ("--cut", "z=0.25")),
                                     (far, 1e6 - 1, ())):
            words = ("--distance-to", other, "--colormap", "diverging", *cut)
            for low, high, hue in ((0, 2 * distance, "white"), (0, 1.01 * distance, "red"),
                                   (0.99 * distance, 2 * distance, "blue")):
                with self.subTest(other=other, cut=cut, low=low):
                    image = self.front(*words, "--range=%r,%r" % (low, high))
                    for y, x in ((30, 40), (20, 15), (40, 65)):
                        self.assert_hue(tuple(image.at(y, x)), hue)

    def test_distances_have_a_range(self):
        """From a plane along the box they go from 1 to 2, cut or whole, with data or without."""
        plane = self.write("plane.bv", "5 1 1\n-1 -9 -9\n-1 -9 9\n-1 9 -9\n-1 9 9\n")
        whole = self.front("--distance-to", plane, "--colormap", "gray")
        for words in (("--range=1,3",), ("--cut", "z=0.4"), ("--cut", "z=0.4", "--refine", "1")):
            other = self.front("--distance-to", plane, "--colormap", "gray", *words)
            worst = max(abs(a - b) for p, q in zip(self.inner(whole), self.inner(other))
                        for a, b in zip(p, q))
            self.assertLessEqual(worst, 3, words)
        self.assertGreater(whole.at(30, 70)[0], whole.at(30, 10)[0] + 60)

    def test_bar(self):
        image = self.front("--array", "along", "--bar")
        self.assertEqual(image.at(29, 79)[3], 190)  # the paper that it is on

    def test_refused(self):
        source, out = self.box(), self.path("out.png")
        for message, *words in (
                ("named 'mass'; there is 'along' of points, 'high' of points, 'pair' of points, "
                 "'material' of cells", "--array", "mass"),
                ("named 'mass'; there is 'along'", "--array", "mass", "--cut", "x=1")):
            self.fails(1, message, "eval", source, "-o", out, *words)
            self.assertFalse(os.path.exists(out))
        self.fails(1, "no data at all", "eval", os.path.join(DATA, "rod.vtk"), "-o", out,
                   "--array", "x")
        for message, *words in (
                ("--range must be LO,HI with LO below HI", "--array", "along", "--range=2,1"),
                ("--range must be LO,HI with LO below HI", "--array", "along", "--range=nan,1"),
                ("--range needs --array or --distance-to", "--range=1,2"),
                ("--bar needs --array", "--bar"),
                ("--colormap needs --array", "--colormap", "gray"),
                ("--cut must be as z=1.5", "--cut", "z"), ("--cut must be", "--cut", "z=nan"),
                ("exclude each other", "--distance-to", source, "--array", "along"),
                ("each 16 to 8192", "--size", "400"), ("each 16 to 8192", "--size", "9000x20")):
            self.fails(2, message, "eval", source, "-o", out, *words)
        self.fails(1, "nothing.csv", "eval", source, "-o", out, "--distance-to",
                   self.path("nothing.csv"))
        self.assertFalse(os.path.exists(out))
        for word in ("--edges", "--cut=z=1", "--distance-to=a.csv"):
            self.fails(2, "needs a picture", "eval", source, "-o", self.path("out.ply"), word)


class Projections(Picture):
    """A straight line of length 4, and points beside it at 0 and 1."""

    def draw_points(self, *words, points="1,0,0\n3,1,0\nnan,0,0\n", dim=3):
        line = self.write("line.g2", "100 1 0 0\n%d 0\n2 2\n0 0 1 1\n%s\n%s\n" % (
            dim, " ".join(["0"] * dim), " ".join(["4"] + ["0"] * (dim - 1))))
        return self.draw("project", line, self.write("p.csv", points), "--azimuth", "0",
                         "--elevation", "0", "--up", "y", "--orthographic", *words)

    def count(self, image, test):
        return sum(test(*p) for p in zip(*[iter(image.values)] * 4) if p[3] == 255)

    def test_distances(self):
        """The near point is dark blue, the far one yellow, the line reddish as curves are."""
        image = self.draw_points()
        yellow = self.count(image, lambda r, g, b, _: g > b + 60 and g > 0.8 * r)
        violet = self.count(image, lambda r, g, b, _: b > r and b > g + 20)
        line = self.count(image, lambda r, g, b, _: r > g + 30 and r > b + 30)
        self.assertTrue(9 <= yellow <= 30 and 9 <= violet <= 30 and line > 100,
                        (yellow, violet, line))

    def test_range(self):
        """With a range from 1 on, both points are at its low end."""
        image = self.draw_points("--range=1,2")
        self.assertEqual(self.count(image, lambda r, g, b, _: g > b + 60 and g > 0.8 * r), 0)
        self.assertGreater(self.count(image, lambda r, g, b, _: b > r and b > g + 20), 20)

    def test_none_found(self):
        """Beyond --max-dist there is no distance, so that the point is magenta."""
        image = self.draw_points("--max-dist", "0.5")
        self.assertGreater(self.count(image, lambda r, g, b, _: r > g + 80 and b > g + 80), 8)

    def test_plane(self):
        """Curves and points of two coordinates have z = 0; one point alone is a picture too."""
        image = self.draw_points("--bar", points="2,0.5\n", dim=2)
        self.assertGreater(self.count(image, lambda r, g, b, _: r > b + 30), 60)
        self.draw_points(points="", dim=2)

    def test_surface(self):
        """A surface below points is grey; signed, points within it are seen, in blue."""
        points = self.write("p.csv", "0,0,0.5\n0.3,0.2,0.4\n0.4,0.3,0.9\n")
        view = ("--direction", "0,0,-1", "--range=-1,1")
        for words, num in ((("--signed",), 20), ((), 0)):
            image = self.draw("project", SPHERE, points, *view, *words)
            self.assertEqual(self.count(image, lambda r, g, b, _: r > b + 60), 0)
            self.assertGreaterEqual(self.count(image, lambda r, g, b, _: b > r + 40), num)

    def test_refused(self):
        line = self.write("line.g2", "100 1 0 0\n1 0\n2 2\n0 0 1 1\n0\n4\n")
        points, out = self.write("p.csv", "1\n"), self.path("out.png")
        self.fails(1, "not of 2 or 3 coordinates", "project", line, points, "-o", out)
        self.assertFalse(os.path.exists(out))
        for word in ("--bar", "--range=0,1", "--size=20x20", "--colormap=gray"):
            self.fails(2, " needs a", "project", line, points, "-o", self.path("out.csv"), word)
        self.fails(2, "LO below HI", "project", line, points, "-o", out, "--range=3,1")


if __name__ == "__main__":
    main()
