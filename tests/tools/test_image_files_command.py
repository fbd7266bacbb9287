#!/usr/bin/env python3
"""Runs the command on images of all formats and compares what it wrote with what they hold.

usage: test_image_files_command.py CLSPLINE SOURCE_DIR

Needs the standard library only. Exits with 77 (skipped) where there is no OpenCL device.
"""
import itertools
import math
import os
import struct
import subprocess

from command_fixture import COMMAND, DATA, has_fp64, lacks, main, run, some
from image_files import Image, nifti_bytes, png_chunk, read_npy, tiff_bytes, tiff_tags
from image_fixture import ImageCase, noise


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
            self.check_tiff(signed("I", 32, 1, [4294967295, 7]), [4294967295, 7], "<u4")
            self.check_tiff(signed("i", 32, 2, [-2147483648, 7]), [-2147483648, 7], "<i4")
            self.check_tiff(signed("Q", 64, 1, [2 ** 64 - 1, 7]), [2 ** 64 - 1, 7], "<u8")
            self.check_tiff(signed("q", 64, 2, [-2 ** 63, 7]), [-2 ** 63, 7], "<i8")
            self.check_tiff(signed("e", 16, 3, [-1.5, 6e-8, 65504, math.inf]),
                            [-1.5, 2 ** -24, 65504, math.inf], "<f4")
            self.check_tiff(signed("H", 16, 1, [1, 65535]), [1, 65535], "<u2")
            self.check_tiff(signed("d", 64, 3, [0.1, 1e300]), [0.1, 1e300], "<f8")

    def test_labels(self):
        """Whole numbers of 32 and 64 bits keep type and bits by order 0, on any device, whole and
        in parts; other orders round them to the type."""
        limits = dict(os.environ, CLSPLINE_LIMITS="fp64=0")
        endings = "npy", *("nii", "tif")[:0 if lacks("tif") else 2]
        for name, cval, ending in some(itertools.product(("u32", "s32", "u64", "s64"), (
                0, -1, 1000003, 16777217), endings), 7):
            image, made = noise((4, 5), name, seed=9), self.path("made." + ending)
            low = -2 ** (int(name[1:]) - 1) if name[0] == "s" else 0
            expected = [image.at(y - 1, x - 2)[0] if y > 0 and x > 1 else max(cval, low)
                        for y in range(4) for x in range(5)]
            self.get_file(self.put(image), made, "--order", "0", "-s", "2,1", "--cval", str(cval),
                          env=limits)
            self.assertEqual(self.get(made), Image((4, 5), image.kind, expected))
        for name, other in ("u64", "s64"), ("s64", "u64"), ("s32", "u64"):
            self.assertEqual(self.get(noise((4, 5), name), "--type", other).values,
                             [min(max(v, 0), 2 ** 63 - 1) for v in noise((4, 5), name).values])
        self.fails(1, "--clip: whole numbers of 32", "image", self.put(image), "-o",
                   self.path("b.npy"), "--clip", "--order", "0")
        image = noise((64, 70), "u64")
        whole = self.get(self.put(image), "-r", "30", "--order", "0")
        for part in "12":
            run("image", self.path("in.npy"), "-o", self.path("b.npy"), "-r", "30", "--order", "0",
                "--part", part + "/2")
        self.assertEqual(run("join", self.path("b.npy"), "-q").returncode, 0)
        self.assertEqual(read_npy(self.path("b.npy")), whole)
        if has_fp64():
            twice = self.get(Image((1, 4), "<i4", [0, 10, 2 ** 31 - 1, 2 ** 31 - 1]), "--scale",
                             "2",
                             "--order", "1", "--size", "8x1")
            self.assertEqual(twice, Image((1, 8), "<i4", [0, 2, 8, 536870919, 1610612738] +
                                          [2 ** 31 - 1] * 3))

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
        """Pixels of a length, which --scale makes shorter."""
        if lacks("tif"):
            self.skipTest("no libtiff")
        with open(self.path("in.tif"), "wb") as file:
            file.write(tiff_bytes(3, 2, 8, b"abcdef", tags={282: (5, [300, 1]),
                                                            283: (5, [200, 1])}))
        tags = tiff_tags(open(self.get(self.path("in.tif"), "--scale", "2", ending="tif"),
                              "rb").read())
        self.assertEqual([struct.unpack("<II", tags[t]) for t in (282, 283)], [(600, 1), (400, 1)])
        self.assertEqual(struct.unpack("<H", tags[296]), (2,))
        self.get(self.path("in.tif"), ending="png")
        body = open(self.path("out.png"), "rb").read()
        self.assertEqual(struct.unpack(">IIB", png_chunk(body, b"pHYs")), (11811, 7874, 1))
        os.replace(self.path("out.png"), self.path("in.png"))
        self.get(self.path("in.png"), "--scale", "0.5", ending="png")
        body = open(self.path("out.png"), "rb").read()
        self.assertEqual(struct.unpack(">IIB", png_chunk(body, b"pHYs")), (5906, 3937, 1))
        with open(self.path("in.tif"), "wb") as file: # as GDAL writes it
            file.write(tiff_bytes(3, 2, 8, b"abcdef", tags={
                270: (2, b"words\0"), 33550: (12, [30, 30, 0]), 33922: (12, [0, 0, 0, 5e5, 4e6, 0]),
                34735: (3, [1, 1, 0, 1, 1024, 0, 1, 1]), 42113: (2, b"-9999\0")}))
        done = run("image", self.path("in.tif"), "-o", self.path("b.tif"))
        self.assertIn("left out: where it is in the world, which value stands for no data, the "
                      "description\n", done.stderr)
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
        with open(self.get(self.path("placed.nii"), "--scale", "2", ending="nii"), "rb") as file:
            body = file.read()
        self.assertEqual(struct.unpack_from("<8h", body, 40)[:4], (3, 10, 12, 8))
        self.assertEqual(struct.unpack_from("<8f", body, 76)[1:4], (1, 1.5, 2))
        self.assertEqual(struct.unpack_from("<12f", body, 280),
                         (1, 0, 0, 9.5, 0, 1.5, 0, 19.25, 0, 0, 2, 29))

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
            found = self.get_bytes(self.put_bytes("in.nii", body), "--scale", "2", "--order", "0",
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
            written = self.get_bytes(path, "--scale", "2", ending="jpg")
            self.assertEqual(struct.unpack_from(">BHH", written, 13), (1, 300, 600))
        for jfif, order, unit, expected in (
                (b"", ">", 2, (1, 600, 300)), (jpg[2:20], "<", 3, (1, 1524, 762)),
                (jpg[2:13] + struct.pack(">BHH", 1, 72, 96) + jpg[18:20], "<", 2, (1, 144, 192))):
            exif = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(
                order + "IH HHII HHII HHIHH I 4I", 8, 3, 282, 5, 1, 50, 283, 5, 1, 58, 296, 3, 1,
                unit, 0, 0, 600, 2, 300, 2)
            segment = b"\xff\xe1" + struct.pack(">H", 8 + len(exif)) + b"Exif\0\0" + exif
            path = self.put_bytes("in.jpg", jpg[:2] + jfif + segment + jpg[20:])
            written = self.get_bytes(path, "--scale", "2", ending="jpg")
            self.assertEqual(struct.unpack_from(">BHH", written, 13), expected)
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
        motion = "-s", "0.5,1,0", "--repeat", "2"
        expected = sum((self.get(f, "--directions", "3", *motion).values for f in frames), [])
        found = self.get(path, *motion)
        self.assertEqual((found.shape, found.values), ((3, 2, 4, 5), expected))
        written = self.get_bytes(path, *motion, ending="nii")
        self.assertEqual(struct.unpack_from("<5h", written, 40), (4, 5, 4, 2, 3))
        self.assertEqual(struct.unpack_from("<f", written, 92), (2.5,))
        self.assertEqual(list(written[352:]), expected)
        self.fails(1, "3 images in a row go into NIfTI or .npy", "image", path, "-o",
                   self.path("b.tif"))

    def test_pipe(self):
        source = os.path.join(DATA, "raccoon.png")
        with open(source, "rb") as file:
            done = subprocess.run([COMMAND, "image", "-", "-o", "-", "-f", "npy", "-q", "--scale",
                                   "0.5"], stdin=file,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        piped = read_npy(done.stdout, 3)
        self.assertEqual(piped, self.get(source, "--scale", "0.5", channels=3))
        self.assertEqual(piped.shape, (96, 128))

    def test_report(self):
        done = run("image", self.put(noise((5, 6), "u8")), "-o", self.path("out.png"), "--scale",
                   "2")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr,
                         r"in\.npy: 6 x 5 to 12 x 10, 1 channel of u8, mode reflect, on .*\n"
                         r"read .* ms, plan .* ms, interpolate .* ms, write .* ms\n")


if __name__ == "__main__":
    main()
