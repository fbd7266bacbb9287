#!/usr/bin/env python3
"""Runs the command on images and volumes and compares what it wrote with the definition.

usage: test_image_command.py CLSPLINE SOURCE_DIR

Needs the standard library only. Exits with 77 (skipped) where there is no OpenCL device.
"""
import math
import os
import struct
import subprocess

from command_fixture import COMMAND, DATA, has_fp64, lacks, main, run, some
from image_files import Image, nifti_bytes, read_png
from image_fixture import NAMES, ImageCase, noise

# ---- the definition ----

def basis(x):
    """The cubic B-spline."""
    x = abs(x)
    return 2 / 3 - x * x + x ** 3 / 2 if x < 1 else (2 - x) ** 3 / 6 if x < 2 else 0


def mirrored(k, size):
    period = max(2 * size - 2, 1)
    k %= period
    return min(k, period - k) if size > 1 else 0


def coefficients(samples):
    """Of a line, by elimination: sum_k c_k B(i - k) = s_i with c mirrored about both ends."""
    n = len(samples)
    rows = [[0.0] * n + [s] for s in samples]
    for i in range(n):
        for k in (i - 1, i, i + 1):
            rows[i][mirrored(k, n)] += basis(i - k)
    for i in range(n):
        for j in range(n):
            if j != i:
                factor = rows[j][i] / rows[i][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


class Spline:
    """An image of one channel and two directions, mirrored at its edges."""

    def __init__(self, image):
        self.height, self.width = image.shape
        rows = [coefficients(image.values[y * self.width:(y + 1) * self.width])
                for y in range(self.height)]
        self.columns = [coefficients(list(column)) for column in zip(*rows)]

    def value(self, x, y):
        near_x, near_y = math.floor(x), math.floor(y)
        return sum(basis(x - i) * basis(y - j) *
                   self.columns[mirrored(i, self.width)][mirrored(j, self.height)]
                   for i in range(near_x - 1, near_x + 3) for j in range(near_y - 1, near_y + 3))


class Motion(ImageCase):
    def test_identity(self):
        """Without a motion samples are copied, to the bit, and nothing spreads."""
        for name in NAMES:
            for channels in (1, 3):
                image = noise((5, 7), name, channels)
                self.assertEqual(self.get(image), image)
        image = noise((9, 30), "f32")
        image.values[100] = math.nan
        for motion in (), ("--scale", "1"), ("-r", "360", "--repeat", "3"), ("-s", "0,0", "-m",
                                                                             "wrap"):
            found = self.get(image, *motion)
            self.assertTrue(math.isnan(found.values[100]))
            self.assertEqual(found.values[:100] + found.values[101:],
                             image.values[:100] + image.values[101:])

    def test_converted(self):
        """A copy into another type: to the nearest, ties to even, saturated."""
        image = Image((1, 8), "<f8", [-1, 0.5, 1.5, 254.5, 254.6, 1e9, math.nan, -math.inf])
        self.assertEqual(self.get(image, "--type", "u8").values, [0, 0, 2, 254, 255, 255, 0, 0])
        self.assertEqual(self.get(image, "--type", "s16").values,
                         [-1, 0, 2, 254, 255, 32767, 0, -32768])
        image.values[0] = 1e30
        for name, least, most in (("u32", 0, 2 ** 32 - 1), ("s32", -2 ** 31, 2 ** 31 - 1), (
                "u64", 0, 2 ** 64 - 1), ("s64", -2 ** 63, 2 ** 63 - 1)):
            self.assertEqual(self.get(image, "--type", name).values,
                             [most, 0, 2, 254, 255, 10 ** 9, 0, least])
        image = noise((4, 5), "s16")
        self.assertEqual(self.get(image, "--type", "f64").values, image.values)

    def test_quarter_turns(self):
        """Turns by 90 degrees are permutations, counterclockwise, and four of them are none."""
        image = noise((6, 9), "u8", 3)
        turned = self.get(image, "--rotate", "90", "--size", "6x9", "--mode", "mirror")
        self.assertEqual(turned.shape, (9, 6))
        for y in range(9):
            for x in range(6):
                self.assertEqual(turned.at(y, x), image.at(x, 8 - y))
        around = self.get(image, "--rotate", "180")
        self.assertEqual([around.at(y, x) for y in range(6) for x in range(9)],
                         [image.at(5 - y, 8 - x) for y in range(6) for x in range(9)])
        square = noise((8, 8), "u16")
        self.assertEqual(self.get(square, "-r", "90", "--repeat", "4"), square)
        self.assertEqual(self.get(square, "-r", "-270"), self.get(square, "-r", "90"))

    def test_fit(self):
        """All that is turned is there: quarter turns to the sample, others with their corners."""
        image = noise((6, 9), "u8", 3)
        turned = self.get(image, "--rotate", "90", "--fit")
        self.assertEqual(turned.shape, (9, 6))
        self.assertEqual([turned.at(y, x) for y in range(9) for x in range(6)],
                         [image.at(x, 8 - y) for y in range(9) for x in range(6)])
        plain = Image((25, 50), "<f4", [1.0] * 1250)
        for angle, zoom in (-30, 2), (100, 0.5):
            found = self.get(plain, "-r", str(angle), "--scale", str(zoom), "--fit", "--order", "1")
            ways = [(abs(math.cos(math.radians(t))) * zoom, abs(math.sin(math.radians(t))) * zoom)
                    for t in (angle, angle + 90)]
            self.assertEqual(found.shape, tuple(math.ceil(c * 25 + s * 50) for c, s in ways))
            edge = [found.at(y, x)[0] for y in range(found.shape[0]) for x in range(found.shape[1])
                    if x in (0, found.shape[1] - 1) or y in (0, found.shape[0] - 1)]
            self.assertLess(sum(edge), 0.1 * len(edge))
        volume = noise((3, 4, 5), "u8")
        self.assertEqual(self.get(self.put(volume), "--directions", "3", "-r", "90", "--axis", "x",
                                  "--fit").shape, (4, 3, 5))

    def test_spacing(self):
        """Samples of a given distance, of directions with distances of their own."""
        if lacks("nii"):
            self.skipTest("no zlib")
        volume = noise((4, 6, 5), "u8")
        path = self.path("in.nii")
        with open(path, "wb") as file:
            file.write(nifti_bytes((5, 6, 4), bytes(volume.values), fields=(
                ("8f", 76, 1, 2, 0.1, 3, 0, 0, 0, 0), ("h", 254, 1),
                ("12f", 280, 2, 0, 0, 10, 0, 0.1, 0, 20, 0, 0, 3, 30))))
        motion = "-m", "mirror", "--order", "1", "--type", "f32"
        found = self.get(path, "--spacing", "1,0.1,1.5", *motion)
        self.assertEqual(found.shape, (8, 6, 10))
        expected = self.get(path, "--affine", "0.5,0,0,-0.25,0,1,0,0,0,0,0.5,-0.25", "--size",
                            "10x6x8", *motion)
        self.assertEqual(found, expected)
        self.assertEqual(self.get(path, "--spacing", "2,0.1,3"), volume)
        body = open(self.get(path, "--spacing", "1,0.1,1.5", ending="nii"), "rb").read()
        self.assertEqual(struct.unpack_from("<4f", body, 76)[1:],
                         struct.unpack("<3f", struct.pack("<3f", 1, 0.1, 1.5)))
        for found, exact in zip(struct.unpack_from("<12f", body, 280),
                                (1, 0, 0, 9.5, 0, 0.1, 0, 20, 0, 0, 1.5, 29.25)):
            self.assertAlmostEqual(found, exact, places=5)
        self.fails(1, "does not say how far apart", "image", self.put(volume), "-o",
                   self.path("b.npy"), "--spacing", "1")

    def test_definition(self):
        """A turn, a zoom and a shift at once, and a map, against the spline."""
        image = noise((7, 8), "f32")
        spline = Spline(image)
        angle, zoom, (dx, dy) = math.radians(25), 1.5, (1.25, -0.75)
        found = self.get(image, "-r", "25", "--scale", "1.5", "-s", "1.25,-0.75", "-m", "mirror")
        self.assertEqual(found.shape, (11, 12))
        expected = []
        for y in range(11):
            for x in range(12):
                u, v = (x - 5.5 - dx) / zoom, (y - 5 - dy) / zoom
                expected.append(spline.value(3.5 + math.cos(angle) * u - math.sin(angle) * v,
                                             3 + math.sin(angle) * u + math.cos(angle) * v))
        self.check_near(found.values, expected, 256 * 9 * 16 * 2 ** -23)
        found = self.get(image, "--affine", "0.5,0.25,1,-0.125,0.75,2", "--size", "5x4", "-m",
                         "mirror")
        expected = [spline.value(0.5 * x + 0.25 * y + 1, -0.125 * x + 0.75 * y + 2)
                    for y in range(4) for x in range(5)]
        self.check_near(found.values, expected, 256 * 9 * 16 * 2 ** -23)

    def test_double(self):
        """Images of f64 are computed in f64."""
        if not has_fp64():
            self.skipTest("no double precision")
        image = noise((5, 6), "f64")
        spline = Spline(image)
        found = self.get(image, "--shift", "0.5,0.25", "-m", "mirror")
        expected = [spline.value(x - 0.5, y - 0.25) for y in range(5) for x in range(6)]
        self.check_near(found.values, expected, 1e-13)
        narrow = self.get(image, "--shift", "0.5,0.25", "-m", "mirror", "-p", "f32")
        self.assertEqual(narrow.kind, "<f8")
        self.check_near(narrow.values, expected, 1e-4)

    def test_edges(self):
        """What lies outside: a value, and each direction's own mode."""
        image = noise((4, 5), "u8")
        moved = self.get(image, "--shift", "2,1", "--cval", "7")
        for y in range(4):
            for x in range(5):
                self.assertEqual(moved.at(y, x), image.at(y - 1, x - 2) if y > 0 and x > 1 else [7])
        moved = self.get(image, "--shift", "2,1", "--mode", "grid-wrap,nearest")
        for y in range(4):
            for x in range(5):
                self.assertEqual(moved.at(y, x), image.at(max(y - 1, 0), (x - 2) % 5))
        moved = self.get(noise((4, 5), "f32"), "--shift", "9,0", "--cval", "nan")
        self.assertTrue(all(map(math.isnan, moved.values)))

    def test_outer_halves(self):
        """An enlarged image goes on in its outer half samples, and the report has the mode."""
        plain = Image((6, 5), "|u1", [100] * 30)
        for zoom in "2", "8", "1.3", "0.4":
            self.assertEqual(set(self.get(plain, "--scale", zoom).values), {100})
        image = noise((4, 5), "u8")
        self.assertEqual(self.get(image, "--scale", "3"), self.get(image, "--scale", "3", "-m",
                                                                   "reflect"))
        for factor in (3, 7) if has_fp64() else ():  # no edge is outside by rounding
            edge = noise((4, 5), "f64")
            large = self.get(edge, "--scale", str(factor), "-m", "constant", "--order", "1")
            self.assertEqual([large.at(y, x) for y in range(factor // 2, 4 * factor, factor)
                              for x in range(factor // 2, 5 * factor, factor)],
                             [edge.at(y, x) for y in range(4) for x in range(5)])
        for motion, mode in ((("--scale", "2"), "reflect"), (("-r", "180"), "reflect"),
                             (("-r", "30", "--size", "9x9"), "constant"), (("--scale", "2", "-s",
                                                                            "1,0"),
                                                          "constant,reflect"),
                             (("--scale", "2", "-m", "wrap,nearest"), "wrap,nearest")):
            done = run("image", self.put(image), "-o", self.path("out.npy"), *motion)
            self.assertIn(", mode " + mode + ", on ", done.stderr)
        self.assertEqual(self.get(image, "--scale", "2", "-s", "1,0"),
                         self.get(image, "--scale", "2", "-s", "1,0", "-m", "constant,reflect"))

    def test_orders(self):
        image = noise((3, 4), "u8")
        twice = self.get(image, "--scale", "2", "--order", "0", "--mode", "nearest")
        self.assertEqual([twice.at(y, x) for y in range(6) for x in range(8)],
                         [image.at(y // 2, x // 2) for y in range(6) for x in range(8)])
        image = noise((1, 5), "f32")
        between = self.get(image, "--shift", "-0.5,0", "--order", "1", "--mode", "nearest").values
        self.check_near(between, [(a + b) / 2 for a, b in zip(image.values,
                                                              image.values[1:]
                                                              + image.values[-1:])],
                        1e-3)
        for order in some(range(8), 2):
            same = self.get(noise((9, 9), "u8"), "--order", str(order), "--mode", "mirror", "-r",
                            "180", "--repeat", "2")
            self.assertEqual(same, noise((9, 9), "u8"))

    def test_taps(self):
        """More taps are nearer to the exact prefilter, and least squares nearer than cutting
        off."""
        image = noise((24, 24), "u8")
        exact = self.get(image, "-r", "30", "-m", "mirror", "--type", "f32", "--taps",
                         "exact").values
        errors = {}
        for options in ((7,), (15,), (27,), (7, "--truncated"), (15, "--truncated")):
            found = self.get(image, "-r", "30", "-m", "mirror", "--type", "f32", "--taps",
                             *map(str, options)).values
            errors[options] = math.dist(found, exact) / 24
        self.assertLess(errors[(7,)], errors[(7, "--truncated")])
        self.assertLess(errors[(15,)], errors[(15, "--truncated")])
        self.assertLess(errors[(15,)], 0.01 * errors[(7,)])
        self.assertLess(errors[(27,)], 1e-3)

    def test_fetch(self):
        """Values made from image objects are those made from buffers, or nearly so."""
        image = noise((24, 25), "f32")
        env = dict(os.environ, CLSPLINE_LIMITS="class=discrete")
        turn = ("-r", "30", "-m", "mirror")
        if run("image", self.put(image), "-o", self.path("a.npy"), "-q", env=env).returncode:
            self.skipTest("no OpenCL device")
        want = self.get(image, *turn, env=env).values
        size = max(map(abs, want))
        for how, eps in (("buffers", 0), ("texels", 2e-6), ("lerps", 0.05)):
            found = self.get(image, *turn, "--fetch", how, env=env).values
            self.assertLessEqual(math.dist(found, want), eps * size * math.sqrt(len(want)))

    def test_overshoot(self):
        """Splines overshoot at an edge: whole numbers saturate, and --clip keeps reals within."""
        values = [0.0, 0.0, 0.0, 0.0, 255.0, 255.0, 255.0, 255.0]
        step = Image((1, 8), "<f4", values)
        free = self.get(step, "-s", "0.5,0", "-m", "mirror").values
        self.assertLess(min(free), -10)
        self.assertGreater(max(free), 265)
        self.assertEqual(self.get(step, "-s", "0.5,0", "-m", "mirror", "--type", "u8").values,
                         [min(max(round(v), 0), 255) for v in free])
        clipped = self.get(step, "-s", "0.5,0", "-m", "mirror", "--clip").values
        self.check_near(clipped, [min(max(v, 0), 255) for v in free], 1e-3)

    def test_alpha(self):
        """Colours are weighted by alpha: white on transparent red turns into nothing red, and
        values are quotients of splines, with what lies outside of the image too."""
        inner = range(6, 14)
        white = Image((20, 20), "|u1", [v for y in range(20) for x in range(20) for v in
                                        ([255] * 4 if x in inner and y in inner
                                         else [255, 0, 0, 0])], 4)
        def count_red(image):
            pixels = [image.at(y, x) for y in range(20) for x in range(20)]
            return sum(p[3] > 0 and p[1] < 247 for p in pixels)
        self.put(white, "in.png")
        png = self.path("in.png")
        self.assertEqual(count_red(self.get(png, "-r", "20", ending="png")), 0)
        self.assertEqual(count_red(self.get(png, "-r", "20", "--repeat", "2", ending="png")), 0)
        self.assertGreater(count_red(self.get(png, "-r", "20", "--alpha", "straight",
                                              ending="png")), 9)
        self.assertEqual(self.get(png, channels=4), white)
        image = noise((7, 8), "f32", 2)
        image.values[1::2] = [0.6 + abs(v) / 1024 for v in image.values[1::2]]
        image.values[3] = 0.0
        weighted = Spline(Image((7, 8), "<f8", [c * a for c, a in zip(image.values[::2],
                                                                      image.values[1::2])]))
        alpha = Spline(Image((7, 8), "<f8", image.values[1::2]))
        found = self.get(image, "-s", "0.5,-1.25", "-m", "mirror", "--alpha", "weighted").values
        places = [(x - 0.5, y + 1.25) for y in range(7) for x in range(8)]
        self.check_near(found[::2], [weighted.value(*p) / alpha.value(*p) for p in places], 5e-3)
        found = self.get(image, "-s", "0.5,-1.25", "--cval", "2", "--alpha", "weighted").at(6, 0)
        self.assertEqual(found, [2, 2])
        straight = self.get(image, "-s", "0.5,-1.25", "-m", "mirror")
        self.assertEqual(straight, self.get(image, "-s", "0.5,-1.25", "-m", "mirror", "--alpha",
                                            "straight"))

    def test_opaque(self):
        """Where all is opaque, weights change nothing."""
        image = noise((9, 9), "u8", 4)
        image.values[3::4] = [255] * 81
        self.put(image, "in.png")
        motion = "-r", "20", "--scale", "1.5"
        self.assertEqual(self.get(self.path("in.png"), *motion, ending="png"),
                         self.get(self.path("in.png"), *motion, "--alpha", "straight",
                                  ending="png"))

    def test_repeated(self):
        """36 turns by 10 degrees of a photograph: root mean squares in a disc, from the original
        and from what the exact prefilter gives, within 1 per cent of those that scipy.ndimage has
        in double."""
        source = os.path.join(DATA, "raccoon.png")
        first = read_png(source)
        disc = [number * 3 + c for number in range(192 * 256) for c in range(3)
                if math.hypot(number % 256 - 127.5, number // 256 - 95.5) <= 0.45 * 192]

        def distance(a, b):
            return math.sqrt(sum((a.values[i] - b.values[i]) ** 2 for i in disc) / len(disc))

        turn = "-r", "10", "--repeat", "36", "-m", "mirror", "--type", "f32"
        exact = self.get(source, *turn, channels=3)
        self.assertEqual(exact.shape, first.shape)
        self.assertAlmostEqual(distance(exact, first), 11.107, delta=0.11)
        for options, from_first, from_exact in ((("11", "--truncated"), 11.071, 2.1211),
                                                (("15", "--truncated"), 11.092, 0.17001),
                                                (("15",), 11.107, 0.010581)):
            taps = self.get(source, *turn, "--taps", *options, channels=3)
            self.assertAlmostEqual(distance(taps, first), from_first, delta=0.01 * from_first)
            self.assertAlmostEqual(distance(taps, exact), from_exact, delta=0.01 * from_exact)

    def test_lines_and_volumes(self):
        line = noise((9,), "f32")
        self.check_near(self.get(line, "--shift", "3", "--mode", "grid-wrap").values,
                        line.values[-3:] + line.values[:-3], 256 * 3 * 16 * 2 ** -23)
        volume = noise((5, 6, 7), "u16")
        self.assertEqual(self.get(volume, "--shift", "0,0,0"), volume)
        about_z = self.get(volume, "-r", "180")
        about_x = self.get(volume, "-r", "180", "--axis", "x")
        for z in range(5):
            for y in range(6):
                for x in range(7):
                    self.assertEqual(about_z.at(z, y, x), volume.at(z, 5 - y, 6 - x))
                    self.assertEqual(about_x.at(z, y, x), volume.at(4 - z, 5 - y, x))
        twice = self.get(volume, "--scale", "2", "--order", "0", "-m", "nearest")
        self.assertEqual(twice.shape, (10, 12, 14))
        self.assertEqual(twice.at(9, 0, 7), volume.at(4, 0, 3))
        thin = noise((6, 7, 3), "u8")
        self.assertEqual(self.get(self.put(thin), "--directions", "3", "-r", "180").at(0, 0, 0),
                         thin.at(0, 6, 2))


class Failures(ImageCase):
    def test_usage(self):
        a = self.put(noise((4, 5), "u8"))
        b = self.path("b.png")
        for words, args in (
                ("no image given", ("-o", b)), ("one image at a time", (a, a, "-o", b)),
                ("no output given", (a,)),
                ("does not end in", (a, "-o", self.path("b.bmp"))),
                ("b.zarr' is written in Python, by clspline.write", (a, "-o", self.path("b.zarr"))),
                ("is the input too", (a, "-o", a)),
                ("-o - needs --format", (a, "-o", "-")),
                ("--format must be", (a, "-o", "-", "-f", "bmp")),
                ("--format is for -o -", (a, "-o", b, "-f", "png")),
                ("once only", (a, "-o", b, "-o", b)),
                ("--rotate must be", (a, "-o", b, "-r", "ten")),
                ("--axis must be", (a, "-o", b, "--axis", "w")),
                ("--axis needs --rotate", (a, "-o", b, "--axis", "z")),
                ("--fit needs --rotate", (a, "-o", b, "--fit")),
                ("--fit and --size exclude", (a, "-o", b, "-r", "9", "--fit", "--size", "9x9")),
                ("--spacing must be", (a, "-o", b, "--spacing", "0")),
                ("--spacing has 3", (a, "-o", b, "--spacing", "1,1,1")),
                ("--scale must be", (a, "-o", b, "--scale", "0")),
                ("--shift must be", (a, "-o", b, "-s", "1,,2")),
                ("--shift must be", (a, "-o", b, "-s", "1,2,3,4")),
                ("--shift has 3", (a, "-o", b, "-s", "1,2,3")),
                ("--affine must be", (a, "-o", b, "--affine", "1,2,3")),
                ("--affine must be", (a, "-o", b, "--affine", "1,2,3,4,5,x")),
                ("--affine has 12", (a, "-o", b, "--affine", ",".join("1" * 12))),
                ("--affine and --scale exclude each other",
                 (a, "-o", b, "--affine", "1,0,0,0,1,0", "--scale", "2")),
                ("--size must be", (a, "-o", b, "--size", "0x4")),
                ("--size must be", (a, "-o", b, "--size", "4x")),
                ("--size must be", (a, "-o", b, "--size", "4.5x3")),
                ("--size has 1", (a, "-o", b, "--size", "4")),
                ("--repeat must be", (a, "-o", b, "--repeat", "0")),
                ("--order must be", (a, "-o", b, "--order", "8")),
                ("--mode must be", (a, "-o", b, "-m", "mirrored")),
                ("--mode has 3", (a, "-o", b, "-m", "mirror,wrap,wrap")),
                ("--mode must be", (a, "-o", b, "-m", "mirror,")),
                ("--cval must be", (a, "-o", b, "--cval", "x")),
                ("--taps must be", (a, "-o", b, "--taps", "8")),
                ("--taps must be", (a, "-o", b, "--taps", "129")),
                ("--truncated needs --taps", (a, "-o", b, "--truncated")),
                ("--truncated is of --taps N", (a, "-o", b, "--truncated", "--taps", "exact")),
                ("--quality must be", (a, "-o", b, "--quality", "0")),
                ("--alpha must be", (a, "-o", b, "--alpha", "none")),
                ("--type must be", (a, "-o", b, "--type", "u128")),
                ("--directions must be", (a, "-o", b, "--directions", "4")),
                ("--precision must be", (a, "-o", b, "-p", "f16")),
                ("exclude each other", (a, "-o", b, "-q", "-v")),
                ("unknown option", (a, "-o", b, "--turn")), ("a value is missing", (a, "-o"))):
            with self.subTest(args[1:]):
                self.fails(2, words, "image", *args)
                self.assertFalse(os.path.exists(b))

    def test_files(self):
        """A file that is none, or whose image the output cannot hold: the name, and nothing is
        written."""
        volume, reals = self.put(noise((5, 6, 7), "u8"), "v.npy"), self.put(noise((5, 6), "f32"),
                                                                            "r.npy")
        b = self.path("b.png")
        with open(self.path("a.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\nnothing of the kind")
        with open(b, "w") as file:
            file.write("kept")
        for words, args in ((b + ": a PNG has two directions", (volume, "-o", b)),
                            (b + ": a PNG has u8 or u16", (reals, "-o", b)),
                            (b + ": a PNG has u8 or u16",
                             (self.put(noise((3, 3), "u8")), "-o", b, "--type", "s16")),
                            (self.path("a.png") + ": ", (self.path("a.png"), "-o", b)),
                            ("cannot open", (self.path("none.png"), "-o", b)),
                            ("a folder; one of Zarr is read in Python, by clspline.read",
                             (self.folder, "-o", b)),
                            ("known format", (self.write("a.txt.png", "no image"), "-o", b)),
                            ("cannot write: No such file",
                             (self.put(noise((3, 3), "u8")), "-o", "/nowhere/b.png"))):
            with self.subTest(words):
                self.fails(1, words, "image", *args)
                with open(b) as file:
                    self.assertEqual(file.read(), "kept")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".")], [])

    def test_damaged(self):
        """Files that end early, of every format."""
        image = noise((6, 7), "u8")
        for ending in ("png", "npy", "tif", "nii", "nii.gz"):
            if ending not in ("png", "npy") and lacks(ending):
                continue
            path = self.get(self.put(image), "--order", "1", ending=ending)
            path = self.path("out." + ending)
            with open(path, "rb") as file:
                body = file.read()
            with open(path, "wb") as file:
                file.write(body[:len(body) - 20])
            self.fails(1, path + ": ", "image", path, "-o", self.path("b.npy"))

    def test_disk_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            source = os.path.join(DATA, "raccoon.png")
            done = subprocess.run([COMMAND, "image", source, "-o", "-", "-f", "npy", "-q"],
                                  stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output: cannot write: No space left on device", done.stderr)

    def test_no_fp64(self):
        env = dict(os.environ, CLSPLINE_LIMITS="fp64=0")
        source = self.put(noise((3, 3), "f64"))
        self.fails(1, "use --precision f32", "image", source, "-o", self.path("b.npy"), "--scale",
                   "2",
                   env=env)
        done = run("image", source, "-o", self.path("b.npy"), "-q", "--scale", "2", "-p", "f32",
                   env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_large(self):
        self.fails(1, "too large", "image", self.put(noise((3, 1000), "u8")), "-o",
                   self.path("b.npy"), "--scale", "1000000")


if __name__ == "__main__":
    main()
