#!/usr/bin/env python3
"""Runs the command on images and volumes and compares what it wrote with the definition.

usage: test_image_command.py CLSPLINE SOURCE_DIR

Needs the standard library only; where zarr can be imported, its own stores are read as well, and
it reads ours. Exits with 77 (skipped) where there is no OpenCL device.
"""
import itertools
import math
import os
import random
import shutil
import struct
import subprocess
import unittest

from command_fixture import COMMAND, DATA, Case, has_fp64, lacks, main, run, some
from image_files import (Image, nifti_bytes, png_chunk, read_npy, read_png, tiff_bytes, tiff_tags,
                         write_npy, write_png)

try:
    import numcodecs
    import numpy
    import zarr
except ImportError:
    zarr = None

NAMES = {"u8": "|u1", "u16": "<u2", "s16": "<i2", "f32": "<f4", "f64": "<f8"}


def noise(shape, name, channels=1, seed=1):
    chance = random.Random(seed)
    make = {"u8": lambda: chance.randrange(256), "u16": lambda: chance.randrange(65536),
            "s16": lambda: chance.randrange(-32768, 32768),
            "f32": lambda: chance.randrange(-4096, 4096) / 16,
            "f64": lambda: chance.uniform(-1, 1)}[name]
    return Image(shape, NAMES[name], [make() for _ in range(math.prod(shape) * channels)], channels)


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


class ImageCase(Case):
    def put(self, image, name="in.npy"):
        (write_png if name.endswith("png") else write_npy)(self.path(name), image)
        return self.path(name)

    def get(self, source, *options, channels=1, ending="npy"):
        """What the command makes of a file or an image."""
        if isinstance(source, Image):
            channels = source.channels
            source = self.put(source)
        path = self.path("out." + ending)
        done = run("image", source, "-o", path, "-q", *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        if ending == "npy":
            return read_npy(path, channels)
        return read_png(path) if ending == "png" else path

    def check_near(self, found, expected, bound):
        self.assertEqual(len(found), len(expected))
        self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), bound)


class Motion(ImageCase):
    def test_identity(self):
        """Without a motion samples are copied, to the bit, and nothing spreads."""
        for name in NAMES:
            for channels in (1, 3):
                image = noise((5, 7), name, channels)
                self.assertEqual(self.get(image), image)
        image = noise((9, 30), "f32")
        image.values[100] = math.nan
        for motion in (), ("-z", "1"), ("-r", "360", "-n", "3"), ("-s", "0,0", "-m", "wrap"):
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
        self.assertEqual(self.get(square, "-r", "90", "-n", "4"), square)
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
            found = self.get(plain, "-r", str(angle), "-z", str(zoom), "--fit", "--order", "1")
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
        found = self.get(image, "-r", "25", "-z", "1.5", "-s", "1.25,-0.75", "-m", "mirror")
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
            self.assertEqual(set(self.get(plain, "-z", zoom).values), {100})
        image = noise((4, 5), "u8")
        self.assertEqual(self.get(image, "-z", "3"), self.get(image, "-z", "3", "-m", "reflect"))
        for motion, mode in ((("-z", "2"), "reflect"), (("-r", "180"), "reflect"),
                             (("-r", "30", "--size", "9x9"), "constant"), (("-z", "2", "-s", "1,0"),
                                                          "constant,reflect"),
                             (("-z", "2", "-m", "wrap,nearest"), "wrap,nearest")):
            done = run("image", self.put(image), "-o", self.path("out.npy"), *motion)
            self.assertIn(", mode " + mode + ", on ", done.stderr)
        self.assertEqual(self.get(image, "-z", "2", "-s", "1,0"),
                         self.get(image, "-z", "2", "-s", "1,0", "-m", "constant,reflect"))

    def test_orders(self):
        image = noise((3, 4), "u8")
        twice = self.get(image, "--zoom", "2", "--order", "0", "--mode", "nearest")
        self.assertEqual([twice.at(y, x) for y in range(6) for x in range(8)],
                         [image.at(y // 2, x // 2) for y in range(6) for x in range(8)])
        image = noise((1, 5), "f32")
        between = self.get(image, "--shift", "-0.5,0", "--order", "1", "--mode", "nearest").values
        self.check_near(between, [(a + b) / 2 for a, b in zip(image.values,
                                                              image.values[1:]
                                                              + image.values[-1:])],
                        1e-3)
        for order in some(range(6), 2):
            same = self.get(noise((9, 9), "u8"), "--order", str(order), "--mode", "mirror", "-r",
                            "180", "-n", "2")
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
        self.assertEqual(count_red(self.get(png, "-r", "20", "-n", "2", ending="png")), 0)
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
        motion = "-r", "20", "-z", "1.5"
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

        turn = "-r", "10", "-n", "36", "-m", "mirror", "--type", "f32"
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
        twice = self.get(volume, "-z", "2", "--order", "0", "-m", "nearest")
        self.assertEqual(twice.shape, (10, 12, 14))
        self.assertEqual(twice.at(9, 0, 7), volume.at(4, 0, 3))
        thin = noise((6, 7, 3), "u8")
        self.assertEqual(self.get(self.put(thin), "--directions", "3", "-r", "180").at(0, 0, 0),
                         thin.at(0, 6, 2))


class Files(ImageCase):
    def test_png(self):
        """8 and 16 bits, with alpha and without."""
        for name, channels in some(itertools.product(("u8", "u16"), (1, 2, 3, 4)), 3):
            image = noise((6, 5), name, channels)
            self.put(image, "in.png")
            self.assertEqual(self.get(self.path("in.png"), "-m", "mirror", ending="png"), image)
            self.assertEqual(self.get(self.path("in.png"), "-m", "mirror", channels=channels),
                             image)

    def test_tiff(self):
        if lacks("tif"):
            self.skipTest("no libtiff")
        for name in ("u8", "u16", "s16", "f32"):
            image = noise((6, 5), name, 3 if name == "u8" else 1)
            path = self.get(image, "-m", "mirror", "--order", "1", ending="tif")
            os.replace(path, self.path("in.tif"))
            self.assertEqual(self.get(self.path("in.tif"), "--order", "1", channels=image.channels),
                             image)
        volume = noise((4, 6, 5), "u8")
        os.replace(self.get(self.put(volume), "--directions", "3", ending="tif"),
                   self.path("in.tif"))
        self.assertEqual(self.get(self.path("in.tif")), volume)

    def test_zarr(self):
        """Images and volumes, and colours with alpha, which OME-Zarr's channels need not be."""
        for shape, channels in (((6, 5), 4), ((4, 6, 5), 1), ((4, 6, 5), 2)):
            image = noise(shape, "u8", channels)
            path = self.get(self.put(image), "--directions", str(len(shape)), ending="zarr")
            self.assertEqual(self.get(path, channels=channels), image)
            shutil.rmtree(path)

    @unittest.skipIf(zarr is None, "no zarr")
    def test_zarr_package(self):
        """What Python's package writes is read, packed or not, and it reads what is written."""
        image = noise((37, 41), "s16")
        version = {} if zarr.__version__.startswith("2") else {"zarr_format": 2}
        for packing, separator in ((None, "/"), (numcodecs.Zlib(6), "."), (numcodecs.GZip(1), "/")):
            array = zarr.open_array(self.path("in.zarr"), mode="w", shape=(37, 41), chunks=(16, 9),
                                    dtype="<i2", compressor=packing, fill_value=3,
                                    dimension_separator=separator, **version)
            array[:] = numpy.array(image.values, "i2").reshape(37, 41)
            self.assertEqual(self.get(self.path("in.zarr")), image)
            shutil.rmtree(self.path("in.zarr"))
        path = self.get(self.put(image), ending="zarr")
        found = zarr.open_group(path, mode="r")["0"][:]
        self.assertEqual(found.ravel().tolist(), image.values)

    def check_tiff(self, body, expected, kind="|u1", channels=1):
        with open(self.path("in.tif"), "wb") as file:
            file.write(body)
        found = self.get(self.path("in.tif"), channels=channels)
        self.assertEqual((found.kind, found.values), (kind, expected))
        return found

    def test_tiff_types(self):
        """Bits, signs, halves, white as 0 and palettes, in both byte orders."""
        if lacks("tif"):
            self.skipTest("no libtiff")
        bits = b"\xa0\x40"  # 101, 010
        self.check_tiff(tiff_bytes(3, 2, 1, bits), [255, 0, 255, 0, 255, 0])
        self.check_tiff(tiff_bytes(3, 2, 1, bits, photometric=0), [0, 255, 0, 255, 0, 255])
        self.check_tiff(tiff_bytes(3, 1, 2, b"\x1b"), [0, 85, 170])
        self.check_tiff(tiff_bytes(3, 1, 4, b"\x0f\x10"), [0, 255, 17])
        self.check_tiff(tiff_bytes(2, 1, 8, b"\x01\xff", photometric=0), [254, 0])
        colors = [i * 257 for i in (1, 2, 3, 4)] + [i * 257 for i in (5, 6, 7, 8)] + [
            i * 257 for i in (9, 10, 11, 12)]
        for shift in 0, 8:
            self.check_tiff(tiff_bytes(3, 1, 2, b"\x1b", photometric=3,
                                       tags={320: (3, [c >> shift for c in colors])}),
                            [1, 5, 9, 2, 6, 10, 3, 7, 11], channels=3)
        for order in "<>":
            def signed(kind, bits, form, values):
                body = struct.pack("%s%d%s" % (order, len(values), kind), *values)
                return tiff_bytes(len(values), 1, bits, body, order, {339: (3, [form])})
            self.check_tiff(signed("b", 8, 2, [-128, 5]), [-128, 5], "<i2")
            self.check_tiff(signed("I", 32, 1, [4294967295, 7]), [4294967295, 7], "<f8")
            self.check_tiff(signed("i", 32, 2, [-2147483648, 7]), [-2147483648, 7], "<f8")
            self.check_tiff(signed("e", 16, 3, [-1.5, 6e-8, 65504, math.inf]),
                            [-1.5, 2 ** -24, 65504, math.inf], "<f4")
            self.check_tiff(signed("H", 16, 1, [1, 65535]), [1, 65535], "<u2")
            self.check_tiff(signed("d", 64, 3, [0.1, 1e300]), [0.1, 1e300], "<f8")

    def test_tiff_layout(self):
        """Tiles that stand out beyond the image, and the orientations."""
        if lacks("tif"):
            self.skipTest("no libtiff")
        image = noise((20, 21), "u8")
        tiles = [bytes(image.at(y, x)[0] if y < 20 and x < 21 else 99 for y in range(j, j + 16)
                       for x in range(i, i + 16)) for j in (0, 16) for i in (0, 16)]
        self.check_tiff(tiff_bytes(21, 20, 8, tiles, tile=(16, 16)), image.values)
        stored = [[1, 2, 3], [4, 5, 6]]
        flipped, mirrored = stored[::-1], [row[::-1] for row in stored]
        both = [row[::-1] for row in flipped]
        turned = [[list(c) for c in zip(*rows)] for rows in (stored, flipped, mirrored, both)]
        for number, seen in enumerate([stored, mirrored, both, flipped, turned[0], turned[1],
                                       turned[3], turned[2]], 1):
            found = self.check_tiff(tiff_bytes(3, 2, 8, bytes(range(1, 7)),
                                               tags={274: (3, [number]), 282: (5, [300, 1]),
                                                     283: (5, [150, 1])}),
                                    sum(seen, []))
            self.assertEqual(found.shape, (len(seen), len(seen[0])))
            tags = tiff_tags(open(self.get(self.path("in.tif"), ending="tif"), "rb").read())
            self.assertEqual(struct.unpack("<II", tags[282]), (300 if number < 5 else 150, 1))

    def test_tiff_warning(self):
        """What libtiff calls an error and reads all the same is none, and messages are one line."""
        if lacks("tif"):
            self.skipTest("no libtiff")
        inks = {334: (3, [3])}  # a number of inks that is not that of channels
        self.check_tiff(tiff_bytes(3, 1, 8, b"abc", tags=inks), list(b"abc"))
        with open(self.path("in.tif"), "wb") as file:
            file.write(tiff_bytes(3, 9, 8, b"abc", tags=inks))
        self.assertEqual(self.fails(1, "in.tif: ", "image", self.path("in.tif"), "-o",
                                    self.path("b.npy")).count("\n"), 1)

    def test_resolution(self):
        """Pixels of a length, which --zoom makes shorter."""
        if lacks("tif"):
            self.skipTest("no libtiff")
        with open(self.path("in.tif"), "wb") as file:
            file.write(tiff_bytes(3, 2, 8, b"abcdef", tags={282: (5, [300, 1]),
                                                            283: (5, [200, 1])}))
        tags = tiff_tags(open(self.get(self.path("in.tif"), "-z", "2", ending="tif"), "rb").read())
        self.assertEqual([struct.unpack("<II", tags[t]) for t in (282, 283)], [(600, 1), (400, 1)])
        self.assertEqual(struct.unpack("<H", tags[296]), (2,))
        self.get(self.path("in.tif"), ending="png")
        body = open(self.path("out.png"), "rb").read()
        self.assertEqual(struct.unpack(">IIB", png_chunk(body, b"pHYs")), (11811, 7874, 1))
        os.replace(self.path("out.png"), self.path("in.png"))
        self.get(self.path("in.png"), "-z", "0.5", ending="png")
        body = open(self.path("out.png"), "rb").read()
        self.assertEqual(struct.unpack(">IIB", png_chunk(body, b"pHYs")), (5906, 3937, 1))
        self.put(noise((2, 2), "u8"), "in.png")
        self.get(self.path("in.png"), ending="png")
        self.assertIsNone(png_chunk(open(self.path("out.png"), "rb").read(), b"pHYs"))

    def test_tiff_alpha(self):
        """Colours that are multiplied by alpha stay so in TIFF, and are divided into PNG."""
        if lacks("tif"):
            self.skipTest("no libtiff")
        with open(self.path("in.tif"), "wb") as file:
            file.write(tiff_bytes(2, 1, 8, bytes((50, 100, 0, 0)),
                                  tags={277: (3, [2]), 338: (3, [1])}))
        self.assertEqual(self.get(self.path("in.tif"), channels=2).values, [50, 100, 0, 0])
        tags = tiff_tags(open(self.get(self.path("in.tif"), ending="tif"), "rb").read())
        self.assertEqual(tags[338], b"\1\0")
        self.assertEqual(self.get(self.path("in.tif"), ending="png").values, [128, 100, 0, 0])

    def test_nifti(self):
        """A volume keeps where it is in the world."""
        if lacks("nii"):
            self.skipTest("no zlib")
        volume = noise((4, 6, 5), "s16")
        for ending in ("nii", "nii.gz"):
            os.replace(self.get(self.put(volume), "--directions", "3", ending=ending),
                       self.path("in." + ending))
            self.assertEqual(self.get(self.path("in." + ending)), volume)
        with open(self.path("in.nii"), "rb") as file:
            body = bytearray(file.read())
        struct.pack_into("<8f", body, 76, 1, 2, 3, 4, 0, 0, 0, 0)
        struct.pack_into("<h", body, 254, 1)
        struct.pack_into("<12f", body, 280, 2, 0, 0, 10, 0, 3, 0, 20, 0, 0, 4, 30)
        with open(self.path("placed.nii"), "wb") as file:
            file.write(body)
        with open(self.get(self.path("placed.nii"), "-z", "2", ending="nii"), "rb") as file:
            body = file.read()
        self.assertEqual(struct.unpack_from("<8h", body, 40)[:4], (3, 10, 12, 8))
        self.assertEqual(struct.unpack_from("<8f", body, 76)[1:4], (1, 1.5, 2))
        self.assertEqual(struct.unpack_from("<12f", body, 280),
                         (1, 0, 0, 9.5, 0, 1.5, 0, 19.25, 0, 0, 2, 29))

    def put_bytes(self, name, body):
        with open(self.path(name), "wb") as file:
            file.write(body)
        return self.path(name)

    def get_bytes(self, *args, **options):
        with open(self.get(*args, **options), "rb") as file:
            return file.read()

    def test_nifti_kept(self):
        """What a header says beside the image: words, units, both forms, and extensions."""
        if lacks("nii"):
            self.skipTest("no zlib")
        for order in "<>":
            note = struct.pack(order + "ii", 32, 6) + b"a note".ljust(24, b"\0")
            turn = 0.5, 0.5, 0.5
            body = nifti_bytes((4, 6, 5), bytes(120), order=order, extensions=note, fields=(
                ("80s", 148, b"a description"), ("24s", 228, b"other.nii"), ("h", 68, 3),
                ("16s", 328, b"a name"), ("B", 123, 10), ("8f", 76, -1, 2, 3, 4, 1.5, 0, 0, 0),
                ("hh3f3f", 252, 1, 2, *turn, 7, 8, 9),
                ("12f", 280, 2, 0, 0, 10, 0, 3, 0, 20, 0, 0, 4, 30)))
            found = self.get_bytes(self.put_bytes("in.nii", body), "-z", "2", "--order", "0",
                                   ending="nii")
            self.assertEqual(found[148:170].rstrip(b"\0"), b"a description")
            self.assertEqual(found[228:252].rstrip(b"\0"), b"other.nii")
            self.assertEqual(found[328:344].rstrip(b"\0"), b"a name")
            self.assertEqual((found[123], struct.unpack_from("<h", found, 68)), (10, (3,)))
            self.assertEqual(struct.unpack_from("<5f", found, 76), (-1, 1, 1.5, 2, 1.5))
            self.assertEqual(struct.unpack_from("<hh3f", found, 252), (1, 2, *turn))
            # this turn takes x to y, y to z, z to x; the first sample moves by a quarter of each
            self.assertEqual(struct.unpack_from("<3f", found, 268), (7 + 1, 8 - 0.5, 9 - 0.75))
            self.assertEqual(struct.unpack_from("<12f", found, 280),
                             (1, 0, 0, 9.5, 0, 1.5, 0, 19.25, 0, 0, 2, 29))
            self.assertEqual(found[348:384], b"\1\0\0\0" + struct.pack("<ii", 32, 6) + note[8:])
            self.assertEqual(struct.unpack_from("<f", found, 108), (384,))
            self.assertEqual(len(found), 384 + 8 * 120)

    def test_jpeg(self):
        """In and out: colours within the loss of a high quality, Exif's orientation, density."""
        if lacks("jpg"):
            self.skipTest("no libjpeg")
        for channels in 1, 3:
            image = Image((19, 33), "|u1", [(5 * x + 7 * y + 40 * c) % 256 if channels == 1 else
                                            2 * x + 3 * y + 40 * c for y in range(19)
                                            for x in range(33) for c in range(channels)], channels)
            jpg = self.get_bytes(image, "--quality", "100", ending="jpg")
            back = self.get(self.put_bytes("in.jpg", jpg), channels=channels)
            self.assertEqual((back.shape, back.channels), (image.shape, channels))
            self.check_near(back.values, image.values, 4)
            self.assertLess(len(self.get_bytes(image, "--quality", "5", ending="jpeg")), len(jpg))
        density = jpg[:13] + struct.pack(">BHH", 1, 300, 150) + jpg[18:]
        for number, order in (6, ">"), (8, "<"):
            exif = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(
                order + "IHHHIHHI", 8, 1, 274, 3, 1, number, 0, 0)
            segment = b"\xff\xe1" + struct.pack(">H", 8 + len(exif)) + b"Exif\0\0" + exif
            path = self.put_bytes("in.jpg", density[:20] + segment + density[20:])
            turned = self.get(path, channels=3)
            self.assertEqual(turned.shape, (33, 19))
            for y, x in (0, 0), (5, 7), (32, 18):
                self.assertEqual(turned.at(y, x), back.at(18 - x, y) if number == 6
                                 else back.at(x, 32 - y))
            written = self.get_bytes(path, "-z", "2", ending="jpg")
            self.assertEqual(struct.unpack_from(">BHH", written, 13), (1, 300, 600))
        for words, image in (("u8, this image has u16", noise((3, 3), "u16")),
                             ("one or three channels", noise((3, 3), "u8", 4))):
            self.fails(1, words, "image", self.put(image), "-o", self.path("b.jpg"))
        path = self.put_bytes("in.jpg", jpg[:-20])
        self.fails(1, "in.jpg: the file ends", "image", path, "-o", self.path("b.npy"))

    def test_left_out(self):
        """A note names what the output has no room for."""
        if lacks("nii"):
            self.skipTest("no zlib")
        body = nifti_bytes((4, 6), bytes(24), fields=(("8f", 76, 1, 1, 1, 1, 1, 1, 1, 1),
                                                      ("80s", 148, b"words"), ("h", 254, 1)))
        path = self.put_bytes("in.nii", body)
        for ending, lost in (("nii", ""), ("png", "where it is in the world, the description"), (
                "npy", "the lengths of pixels, where it is in the world, the description")):
            done = run("image", path, "-o", self.path("out." + ending))
            note = "clspline: note: %s: left out: %s\n" % (path, lost)
            self.assertEqual(done.stderr.startswith(note), lost != "", done.stderr)

    def test_nifti_kinds(self):
        """Version 2, pairs of files, and whole numbers of other widths, in both byte orders."""
        if lacks("nii"):
            self.skipTest("no zlib")
        kinds = ("b", 256), ("H", 512), ("i", 8), ("I", 768), ("q", 1024), ("Q", 1280), ("d", 64)
        for version, order, (letter, number) in some(itertools.product((1, 2), "<>", kinds), 3):
            values = [i * 9 % 100 for i in range(24)]
            data = struct.pack(order + "24" + letter, *values)
            kind = number, 8 * len(data) // 24
            body = nifti_bytes((4, 3, 2), data, version, order, kind)
            self.assertEqual(self.get(self.put_bytes("in.nii", body)).values, values)
        head = nifti_bytes((4, 3, 2), b"", kind=kind, version=version, order=order, pair=True)
        self.put_bytes("pair.hdr", head)
        self.fails(1, "pair.img, cannot be opened", "image", self.path("pair.hdr"), "-o",
                   self.path("b.npy"))
        self.put_bytes("pair.img", data)
        for name in "pair.hdr", "pair.img":
            self.assertEqual(self.get(self.path(name)).values, values)
        written = self.get_bytes(self.path("pair.hdr"), ending="nii")
        self.assertEqual((len(written), written[4:8]), (544 + 24 * 8, b"n+2\0"))
        self.put_bytes("pair.img", data[:-1])
        self.fails(1, "pair.img: the file ends", "image", self.path("pair.hdr"), "-o",
                   self.path("b.npy"))
        self.fails(1, "ANALYZE", "image", self.put_bytes("old.hdr", head[:4] + bytes(600)), "-o",
                   self.path("b.npy"))

    def test_nifti_series(self):
        """Four dimensions: each volume by itself."""
        if lacks("nii"):
            self.skipTest("no zlib")
        frames = [noise((2, 4, 5), "u8", seed=i) for i in range(3)]
        body = nifti_bytes((5, 4, 2, 3), bytes(sum((f.values for f in frames), [])),
                           fields=(("8f", 76, 1, 1, 1, 1, 2.5, 0, 0, 0),))
        path = self.put_bytes("in.nii", body)
        motion = "-s", "0.5,1,0", "-n", "2"
        expected = sum((self.get(f, "--directions", "3", *motion).values for f in frames), [])
        found = self.get(path, *motion)
        self.assertEqual((found.shape, found.values), ((3, 2, 4, 5), expected))
        written = self.get_bytes(path, *motion, ending="nii")
        self.assertEqual(struct.unpack_from("<5h", written, 40), (4, 5, 4, 2, 3))
        self.assertEqual(struct.unpack_from("<f", written, 92), (2.5,))
        self.assertEqual(list(written[352:]), expected)
        self.fails(1, "3 images in a row go into NIfTI, .npy or .zarr", "image", path, "-o",
                   self.path("b.tif"))

    def test_pipe(self):
        source = os.path.join(DATA, "raccoon.png")
        with open(source, "rb") as file:
            done = subprocess.run([COMMAND, "image", "-", "-o", "-", "-f", "npy", "-q", "-z",
                                   "0.5"], stdin=file,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        piped = read_npy(done.stdout, 3)
        self.assertEqual(piped, self.get(source, "-z", "0.5", channels=3))
        self.assertEqual(piped.shape, (96, 128))

    def test_report(self):
        done = run("image", self.put(noise((5, 6), "u8")), "-o", self.path("out.png"), "-z", "2")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr,
                         r"in\.npy: 6 x 5 to 12 x 10, 1 channel of u8, mode reflect, on .*\n"
                         r"read .* ms, plan .* ms, interpolate .* ms, write .* ms\n")


class Failures(ImageCase):
    def test_usage(self):
        a = self.put(noise((4, 5), "u8"))
        b = self.path("b.png")
        for words, args in (
                ("no image given", ("-o", b)), ("one image at a time", (a, a, "-o", b)),
                ("no output given", (a,)),
                ("does not end in", (a, "-o", self.path("b.bmp"))),
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
                ("--zoom must be", (a, "-o", b, "-z", "0")),
                ("--shift must be", (a, "-o", b, "-s", "1,,2")),
                ("--shift must be", (a, "-o", b, "-s", "1,2,3,4")),
                ("--shift has 3", (a, "-o", b, "-s", "1,2,3")),
                ("--affine must be", (a, "-o", b, "--affine", "1,2,3")),
                ("--affine must be", (a, "-o", b, "--affine", "1,2,3,4,5,x")),
                ("--affine has 12", (a, "-o", b, "--affine", ",".join("1" * 12))),
                ("--affine and --zoom exclude each other",
                 (a, "-o", b, "--affine", "1,0,0,0,1,0", "-z", "2")),
                ("--size must be", (a, "-o", b, "--size", "0x4")),
                ("--size must be", (a, "-o", b, "--size", "4x")),
                ("--size must be", (a, "-o", b, "--size", "4.5x3")),
                ("--size has 1", (a, "-o", b, "--size", "4")),
                ("--repeat must be", (a, "-o", b, "-n", "0")),
                ("--order must be", (a, "-o", b, "--order", "6")),
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
                ("--type must be", (a, "-o", b, "--type", "u32")),
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
                            ("a folder that is no OME-Zarr image", (self.folder, "-o", b)),
                            ("known format", (os.path.join(DATA, "teapot.bv"), "-o", b)),
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
        self.fails(1, "use --precision f32", "image", source, "-o", self.path("b.npy"), "-z", "2",
                   env=env)
        done = run("image", source, "-o", self.path("b.npy"), "-q", "-z", "2", "-p", "f32",
                   env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_large(self):
        self.fails(1, "too large", "image", self.put(noise((3, 1000), "u8")), "-o",
                   self.path("b.npy"), "-z", "1000000")


if __name__ == "__main__":
    main()
