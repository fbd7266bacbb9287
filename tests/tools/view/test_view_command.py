#!/usr/bin/env python3
"""Draws pictures by `clspline view --output`, and asks for what cannot be.

usage: test_view_command.py CLSPLINE SOURCE_DIR

Needs the standard library only. Exits with 77 (skipped) where there is no OpenCL device. Pictures
are compared with those in tests/data where there is EGL with a driver; `--update` behind the
arguments writes these anew.
"""
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

UPDATE = "--update" in sys.argv and sys.argv.remove("--update") is None
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

from command_fixture import COMMAND, DATA, Case, main, run, some  # noqa: E402
from image_files import Image, read_png, write_png  # noqa: E402

TEAPOT, ROD, VASE = (os.path.join(DATA, name) for name in ("teapot.bv", "rod.vtk", "vase.json"))
SMALL = ("--size", "200x150")
NO_DRIVER = dict(os.environ, __EGL_VENDOR_LIBRARY_FILENAMES="/nonexistent")
# the pictures that are kept, and the share of pixels that may differ: where there are lines and
# letters, their edges fall on other pixels of other drivers
KEPT = {"view_teapot": ((TEAPOT,), 0.0002),
        "view_mean": ((VASE, "--colors", "mean", "--bar", "--edges", "--up", "z"), 0.001),
        "view_rod": ((ROD, "--wireframe", "--edges", "--samples", "3", "--orthographic"),
                     0.001),
        "view_pn": ((os.path.join(DATA, "pn.bv"), "--control-points", "--zebra"), 0.001)}


def draw(path, *args):
    return run("view", "--output", path, *SMALL, *args)


def words(stderr):
    """What a command said but for one line: that a GPU shares no buffer with OpenGL."""
    return re.sub("^clspline: note: vertices go through host memory: [^\\n]*\\n", "", stderr)


def has_driver():
    with tempfile.TemporaryDirectory() as folder:
        done = draw(os.path.join(folder, "a.png"), TEAPOT, "--samples", "2")
    if done.returncode == 0:
        return True
    assert "EGL" in done.stderr or "OpenGL" in done.stderr, done.stderr
    return False


def differs(found, expected, share):
    """Why two pictures are not the same one, or None: more than this share of the pixels differ by
    more than 8 in a channel, or all differ by more than 0.5 in the root of the mean square."""
    if (found.shape, found.channels) != (expected.shape, expected.channels):
        return "they have different sizes"
    away = [abs(a - b) for a, b in zip(found.values, expected.values)]
    pixels = len(away) // found.channels
    far = sum(max(away[i:i + found.channels]) > 8
              for i in range(0, len(away), found.channels)) / pixels
    rms = math.sqrt(sum(x * x for x in away) / len(away))
    return "%.4f %% differ, rms %.3f" % (100 * far, rms) if far > share or rms > 0.5 else None


class Pictures(Case):
    @classmethod
    def setUpClass(cls):
        if not has_driver():
            raise unittest.SkipTest("no EGL with OpenGL 3.3")

    def picture(self, *args):
        done = draw(self.path("a.png"), *args)
        self.assertEqual((done.returncode, done.stdout, words(done.stderr)), (0, "", ""))
        return read_png(self.path("a.png"))

    def keep(self, name, found, expected):
        """Leaves the picture and its differences for who looks into a failure."""
        folder = tempfile.mkdtemp(prefix="clspline-view-")
        away = [min(255, 8 * abs(a - b)) for a, b in zip(found.values, expected.values)]
        write_png(os.path.join(folder, name + ".png"), found)
        write_png(os.path.join(folder, name + "_away.png"),
                  Image(found.shape, found.kind, away, found.channels))
        return folder

    def test_kept(self):
        for name, (args, share) in KEPT.items():
            path = os.path.join(DATA, name + ".png")
            with self.subTest(name):
                found = self.picture(*args)
                if UPDATE:
                    shutil.copy(self.path("a.png"), path)
                expected = read_png(path)
                why = differs(found, expected, share)
                self.assertIsNone(why, why and self.keep(name, found, expected))

    def test_planted(self):
        """What is wrong by a little is another picture."""
        expected = read_png(os.path.join(DATA, "view_teapot.png"))
        self.assertIsNone(differs(self.picture(TEAPOT), expected, 0.0002))
        for args in some((("--samples", "4"), ("--colors", "patch"), ("--edges",),
                          ("--zoom", "1.004"), ("--azimuth", "30.1")), 3):
            with self.subTest(args):
                self.assertIsNotNone(differs(self.picture(TEAPOT, *args), expected, 0.001))

    def test_transparent(self):
        """Beside the model all is transparent, and edges have the model's colour, not black."""
        found = self.picture(TEAPOT, "--no-background")
        self.assertEqual(found.channels, 4)
        self.assertEqual(found.at(0, 0), [0, 0, 0, 0])
        self.assertEqual(found.at(75, 100)[3], 255)
        edges = [found.values[i:i + 4] for i in range(0, len(found.values), 4)
                 if 0 < found.values[i + 3] < 255]
        self.assertGreater(len(edges), 200)
        self.assertLess(sum(red < 60 for red, _, _, _ in edges), len(edges) / 20)

    def test_camera(self):
        """Options do what they say."""
        front = self.picture(TEAPOT, "--direction", "0,0,-1")
        for args in (("--direction", "0,0,-7"),
                     ("--azimuth", "0", "--elevation", "0")):
            self.assertIsNone(differs(self.picture(TEAPOT, *args), front, 0.001), args)
        aslant = "--direction", "-1,-1,-2"
        plain = self.picture(TEAPOT, *aslant)
        for args in some((("--up", "-y"), ("--up", "+Z"), ("--orthographic",),
                          ("--zoom", "1.1")), 2):
            self.assertIsNotNone(differs(self.picture(TEAPOT, *aslant, *args), plain, 0.001), args)

    def test_sizes(self):
        for width, height in some(((16, 16), (16, 300), (301, 17)), 2):
            done = draw(self.path("a.png"), TEAPOT, "--size", "%dx%d" % (width, height),
                        "--bar", "--colors", "gauss")
            self.assertEqual((done.returncode, words(done.stderr)), (0, ""))
            self.assertEqual(read_png(self.path("a.png")).shape, (height, width))

    def test_standard_output(self):
        with open(TEAPOT, "rb") as file:
            done = subprocess.run([COMMAND, "view", "-", "--output", "-", *SMALL], stdin=file,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, words(done.stderr.decode())), (0, ""))
        with open(self.path("b.png"), "wb") as file:
            file.write(done.stdout)
        self.assertIsNone(differs(self.picture(TEAPOT), read_png(self.path("b.png")), 0))

    def test_kinds(self):
        """Every kind of model is more than the background."""
        empty = self.picture(self.write("a.bv", "5 0 0 1 2 3\n"))
        for name in some(("knot.g2", "pn.bv", "rod.vtk", "vase.json"), 2):
            found = self.picture(os.path.join(DATA, name), "--samples", "3", "--edges", "--zebra")
            self.assertIsNotNone(differs(found, empty, 0.02), name)

    def test_part(self):
        """Faces of a CAD file that are chosen have its colours, as in the command's pictures."""
        with open(os.path.join(DATA, "block.json"), encoding="ascii") as file:
            path = self.write("a.json", file.read().replace("#0000ff", "#ff8020", 2))
        for args in ((), ("--colors", "plain"), ("--only", "side [01]")):
            args = (path, "--no-background", *args)
            done = run("eval", *args, *SMALL, "-q", "-o", self.path("b.png"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            away = [abs(a - b) > 8 for a, b in zip(self.picture(*args).values,
                                                   read_png(self.path("b.png")).values)]
            self.assertLess(sum(away), 0.02 * len(away), args)  # along edges


class Refused(Case):
    def refused(self, expected, *args, **options):
        return self.fails(1, expected, "view", "-o", self.path("a.png"), *args, **options)

    def test_usage(self):
        for expected, args in (("no input file given", ()),
                               ("does not end in .png", (TEAPOT, "-o", "a.jpg")),
                               ("can be given once", (TEAPOT, "-o", "a.png", "-o", "b.png")),
                               ("--range must be", (TEAPOT, "--range", "2,1")),
                               ("not all of them 0", (TEAPOT, "--direction", "0,0,0")),
                               ("--size must be", (TEAPOT, "--size", "0x5")),
                               ("--size must be", (TEAPOT, "--size", "9000x5")),
                               ("--up must be", (TEAPOT, "--up", "w"))):
            with self.subTest(expected):
                self.fails(2, expected, "view", *args)

    def test_files(self):
        self.refused("/nowhere/a.bv: cannot open", "/nowhere/a.bv")
        self.refused("holds no patch", self.write("a.bv", ""))
        self.refused("there is nothing to show", self.write("b.bv", "1 1 0 0 0 0"))
        self.refused("one solid at a time", ROD, ROD)
        self.refused("files of one kind", TEAPOT, VASE)
        self.refused("curvatures are of patches", ROD, "--colors", "mean")
        self.refused("has no data", TEAPOT, "--colors", "data")
        self.refused("--crease-angle is of solids", TEAPOT, "--crease-angle", "9")
        self.refused("no data named 'density'", ROD, "--array", "density", "--colors", "data")
        large = self.write("c.bv", "")
        os.truncate(large, 3 << 30)  # which takes no room
        self.refused("it has 3.0 GiB, view shows files of up to 0.5 GiB", large)
        self.assertFalse(os.path.exists(self.path("a.png")))

    def test_no_driver(self):
        self.refused("EGL", TEAPOT, env=NO_DRIVER)

    def test_no_display(self):
        """Without a display there is no window, and pictures are named as the way out."""
        env = {name: value for name, value in os.environ.items()
               if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        text = self.fails(1, "view needs a display", "view", TEAPOT, env=env)
        self.assertIn("--output OUT.png", text)

    def test_no_device(self):
        env = dict(os.environ, OCL_ICD_VENDORS=self.folder, OCL_ICD_FILENAMES="")
        if run("devices", env=env).returncode == 0:
            self.skipTest("this OpenCL loader finds devices by other ways")
        self.refused("device", TEAPOT, env=env)

    def test_no_program(self):
        """Where clspline-view is missing, the command says what to do."""
        command = shutil.copy(COMMAND, self.path("clspline"))
        libraries = [os.path.join(os.path.dirname(COMMAND), os.pardir, "src"),
                     *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        env = dict(os.environ, PATH=self.folder, LD_LIBRARY_PATH=os.pathsep.join(libraries))
        done = subprocess.run([command, "view", TEAPOT], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=env)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("view needs clspline-view", done.stderr)
        self.assertIn("eval IN -o OUT.png", done.stderr)


if __name__ == "__main__":
    main()
