#!/usr/bin/env python3
"""Checks the formats that the command writes, streams, and what becomes of files that are there.

usage: test_output_command.py CLSPLINE SOURCE_DIR

Needs the standard library only. Exits with 77 (skipped) where there is no OpenCL device.
"""
import itertools
import math
import os
import resource
import signal
import struct
import subprocess
import sys
import time
import unittest

from command_fixture import COMMAND, DATA, Case, has_fp64, main, run, some
from mesh_files import float32, read_glb, read_obj, read_ply, read_stl, turned_area


class Formats(Case):
    """STL, glTF and texture coordinates."""
    SOURCES = ("teapot", "octahedron", "pn", "sphere")

    def make(self, source, *extra):
        """All meshes of a file by their endings, in one run."""
        paths = {ending: os.path.join(self.folder, "a." + ending)
                 for ending in ("obj", "ply", "stl", "glb")}
        outputs = [word for path in paths.values() for word in ("-o", path)]
        done = run("eval", os.path.join(DATA, source + ".bv"), "-q", *outputs, *extra)
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
                    cross = turned_area(a, b, c)
                    for x, y in zip(normal, cross):
                        self.assertAlmostEqual(x * math.hypot(*cross), y, places=6)

    def test_glb(self):
        for source in self.SOURCES:
            with self.subTest(source):
                paths = self.make(source, "-n", "6")
                points, faces = read_ply(paths["ply"])
                found, primitive = read_glb(paths["glb"])
                self.assertEqual(sorted(primitive["attributes"]),
                                 ["NORMAL", "POSITION", "TEXCOORD_0"])
                self.assertEqual(found["POSITION"], points)
                corners = [index for index, in found["indices"]]
                self.assertEqual(list(zip(*[iter(corners)] * 3)), self.fan(faces))
                for normal in found["NORMAL"]:
                    self.assertAlmostEqual(math.hypot(*normal), 1, places=5)
                self.assertEqual(found["TEXCOORD_0"][:7],
                                 [(0, float32(i / 5)) for i in range(6)] + [(float32(0.2), 0)])
                self.assertEqual(len(found["TEXCOORD_0"]), len(points))

    def test_texture(self):
        """The same parameters in OBJ, PLY and glTF."""
        for source, extra in (("teapot", ()), ("octahedron", ("--normals",)),
                              ("teapot", ("-t", "1%"))):
            with self.subTest((source, extra)):
                paths = self.make(source, "--texture", *extra)
                expected = read_glb(paths["glb"])[0]["TEXCOORD_0"]
                with open(paths["obj"]) as file:
                    lines = [line.split() for line in file]
                texture = [tuple(float32(float(x)) for x in words[1:]) for words in lines
                           if words[0] == "vt"]
                self.assertEqual(texture, expected)
                self.assertEqual({value for pair in texture for value in pair} & {0, 1}, {0, 1})
                word = "%s/%s/%s" if extra == ("--normals",) else "%s/%s"
                for words in lines:
                    for corner in words[1:] if words[0] == "f" else ():
                        self.assertEqual(corner,
                                         word % ((corner.split("/")[0],) * word.count("%s")))
                with open(paths["ply"], "rb") as file:
                    body = file.read()
                head, body = body.split(b"end_header\n", 1)
                self.assertIn(b"property float s\nproperty float t\nelement face", head)
                width = head.count(b"property float")
                rows = struct.iter_unpack("<%df" % width, body[:4 * width * len(expected)])
                self.assertEqual([row[-2:] for row in rows], expected)


class Streams(Case):
    """A single PLY or VTK file is written while patches are evaluated, others from a mesh in
    memory."""

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_same_files(self):
        """The same bytes both ways."""
        with open(self.path("polyhedron.bv"), "w") as file:
            file.write("4 1\n0 0 0 0 1 0 1 0 0 1 1 0\n"
                       "1 4 2\n0 0 1 1 0 1 1 1 1 0 1 1\n4 0 1 2 3\n3 0 1 2\n")
        sources = [self.path("polyhedron.bv")] + [os.path.join(DATA, name + ".bv")
                                                  for name in ("teapot", "sphere", "octahedron",
                                                               "pn")]
        options = [("-n", "5", "--normals"), ("-t", "0.2%")]
        options += [("-n", "7", "-p", "f64")] if has_fp64() else []
        textures = [("--texture",), ("--texture", "--normals"), ("--texture", "-t", "1%")]
        forms = [(ending, extra) for ending in ("ply", "vtk") for extra in options]
        forms += [("ply", extra) for extra in textures]
        for source, (ending, extra) in some(itertools.product(sources, forms), 4):
            with self.subTest((source, extra, ending)):
                alone, beside, other = [self.path("%s.%s" % (name, ending)) for name in "abc"]
                for outputs in (("-o", alone), ("-o", beside, "-o", other)):
                    done = run("eval", source, "-q", *outputs, *extra)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(self.read("a." + ending), self.read("b." + ending))
                self.assertEqual(self.read("b." + ending), self.read("c." + ending))

    def test_standard_streams(self):
        """From standard input to standard output, the bytes are those of files."""
        teaspoon = os.path.join(DATA, "teaspoon.bv")
        for ending in ("obj", "ply", "vtk", "stl", "glb", "png"):
            with self.subTest(ending):
                done = run("eval", teaspoon, "-q", "-o", self.path("a." + ending), "-n", "5")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                with open(teaspoon, "rb") as file:
                    done = subprocess.run([COMMAND, "eval", "-", "-o", "-", "--format", ending,
                                           "-n", "5"],
                                          stdin=file, stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(b"standard input: 16 patches, ", done.stderr)
                self.assertEqual(done.stdout, self.read("a." + ending))

    def test_stdout_by_name(self):
        """The names of standard output are it, whatever it is, and need a format as - does."""
        source = os.path.join(DATA, "octahedron.bv")
        expected = run("eval", source, "-q", "-o-", "-f", "obj").stdout
        for name in ("/dev/stdout", "/dev/fd/1"):
            done = run("eval", source, "-q", "-o", name, "-f", "obj")
            self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", expected))
            with open(self.path("b.obj"), "w") as file:
                done = subprocess.run([COMMAND, "eval", source, "-q", "-o", name, "-fobj"],
                                      stdout=file)
            self.assertEqual((done.returncode, self.read("b.obj")), (0, expected.encode()))
        done = run("eval", source, "-q", "-o", "/dev/stdout")
        self.assertEqual(done.returncode, 2)
        self.assertIn("-o - needs --format", done.stderr)

    def test_full_stdout(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for ending in ("obj", "ply", "vtk", "png"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([COMMAND, "eval", os.path.join(DATA, "teapot.bv"), "-q",
                                       "-o-", "-f", ending],
                                      stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output: cannot write", done.stderr)

    def test_several_inputs(self):
        """Patches of all files come first, those of one type together, then polyhedra."""
        with open(self.path("in.bv"), "w") as file:
            file.write("1 3 1\n0 0 9 1 0 9 0 1 9\n3 0 1 2\n5 3 3\n" + "0 0 0\n" * 16)
        names = [self.path("in.bv"), os.path.join(DATA, "octahedron.bv"),
                 os.path.join(DATA, "teacup.bv")]
        done = run("eval", *names, self.path("in.bv"), "-o", self.path("a.ply"), "-n", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4 files: 36 patches, ", done.stderr)
        points, faces = read_ply(self.path("a.ply"))
        self.assertEqual(len(points), (1 + 26 + 1) * 16 + 8 * 10 + 6)
        self.assertEqual(points[:16], [(0, 0, 0)] * 16)
        self.assertEqual(points[27 * 16:28 * 16], [(0, 0, 0)] * 16)
        self.assertEqual(points[-6:], [(0, 0, 9), (1, 0, 9), (0, 1, 9)] * 2)
        first = len(points) - 6
        self.assertEqual(faces[-2:], [(first, first + 1, first + 2),
                                      (first + 3, first + 4, first + 5)])
        cup = run("eval", names[2], "-o", self.path("b.ply"), "-n", "4")
        self.assertEqual(cup.returncode, 0, cup.stderr)
        self.assertEqual(points[16:27 * 16], read_ply(self.path("b.ply"))[0])
        done = run("eval", names[0], self.path("none.bv"), "-o", self.path("c.ply"))
        self.assertEqual((done.returncode, os.path.exists(self.path("c.ply"))), (1, False))

    def resident(self, samples):
        """The largest memory of a run, in bytes."""
        process = subprocess.Popen([COMMAND, "eval", os.path.join(DATA, "teapot.bv"), "-q", "-n",
                                    str(samples),
                                    "-o", "-", "-f", "ply"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        self.assertEqual(status, 0)
        process.returncode = 0
        return 1024 * usage.ru_maxrss

    @unittest.skipIf(os.environ.get("CLSPLINE_TEST_SIZE") == "tiny" or sys.platform != "linux",
                     "too long, or no kB")
    def test_memory(self):
        """Memory does not grow with the points: from 4.5 to 7 million a mesh would take 120 MB
        more."""
        self.assertLess(self.resident(500) - self.resident(400), 40e6)


class Outputs(Case):
    """What becomes of files that are there. A polyhedron needs no device."""
    SMALL = "1 3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    NOBODY = 65534

    def setUp(self):
        super().setUp()
        self.input = self.write("in.bv", self.SMALL)

    def refuse(self, expected, *args):
        before = sorted(os.listdir(self.folder))
        done = run("eval", "-q", *args, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(expected, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_same_files(self):
        """However a file is called, it is read or written once."""
        source = self.path("in.obj")
        os.rename(self.input, source)
        os.symlink("in.obj", self.path("link.obj"))
        for name in (source, "in.obj", "./in.obj", "link.obj"):
            self.refuse("'%s' is an input too" % name, source, "-o", "a.obj", "-o", name)
            self.refuse("'%s' is an input too" % name, "-", "b.bv", source, "-o", name)
        for name in ("a.obj", "./a.obj", self.path("a.obj"),
                     "../%s/a.obj" % os.path.basename(self.folder)):
            self.refuse("'%s' is given as output twice" % name, source, "-o", "a.obj", "-o",
                        "a.ply", "-o", name)
        with open(self.path("b.obj"), "w"):
            os.symlink("b.obj", self.path("to_b.obj"))
        self.refuse("'to_b.obj' is given as output twice", source, "-o", "b.obj", "-o", "to_b.obj")
        with open(source) as file:
            self.assertEqual(file.read(), self.SMALL)
        os.mkdir(self.path("other"))
        done = run("eval", "-q", source, "-o", "a.obj", "-o", "other/a.obj", "-o", "a.ply",
                   cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        os.rename(self.path("a.obj"), self.path("-")) # a file that is not standard output
        done = run("eval", "-q", source, "-o", "./-.obj", "-o", "-", "-f", "obj", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_mode(self):
        out = self.path("a.obj")
        for mode in (0o600, 0o640, 0o666, 0o700):
            with open(out, "w"):
                os.chmod(out, mode)
            self.assertEqual(run("eval", "-q", self.input, "-o", out).returncode, 0)
            self.assertEqual(os.stat(out).st_mode & 0o7777, mode)
            self.assertEqual(len(read_obj(out)[0]), 3)

    def test_not_to_be_written(self):
        """A file that the user may not write stays, although the folder would let it be
        replaced."""
        def drop_root():
            if os.geteuid() == 0:
                os.setuid(self.NOBODY)

        out = self.path("a.obj")
        with open(out, "w") as file:
            file.write("old")
        os.chmod(out, 0o444)
        os.chmod(self.folder, 0o777)
        try:
            done = run("eval", "-q", self.input, "-o", out, preexec_fn=drop_root)
        except PermissionError:
            self.skipTest("another user cannot run the command")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a.obj: cannot write: Permission denied", done.stderr)
        with open(out) as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.obj", "in.bv"])

    def stop_while_writing(self, number):
        """Sends a signal to a run whose temporary file is open. One that was done before is made
        again."""
        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            # shells ignore some in the background, nohup another
            for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM,
                            signal.SIGPIPE):
                signal.signal(ignored, signal.SIG_DFL)

        for _ in range(50):
            process = subprocess.Popen([COMMAND, "eval", self.path("large.bv"), "-q", "-o",
                                        self.path("a.obj")],
                                       preexec_fn=prepare)
            while process.poll() is None and not any(name.endswith(".tmp")
                                                     for name in os.listdir(self.folder)):
                time.sleep(0.001)
            process.send_signal(number)
            if process.wait() != 0:
                break
            os.remove(self.path("a.obj"))
        self.assertEqual(process.returncode, -number)

    def test_stopped(self):
        """A run that is stopped leaves nothing behind, and what a killed one leaves the next one
        removes."""
        with open(self.path("large.bv"), "w") as file:
            file.write("1 300000 1\n")
            file.writelines("%d.25 %d 0.123456\n" % (i % 61, i % 17) for i in range(300000))
            file.write("3 0 1 2\n")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT,
                       signal.SIGPIPE):
            with self.subTest(number):
                self.stop_while_writing(number)
                self.assertEqual(sorted(os.listdir(self.folder)), ["in.bv", "large.bv"])
        self.stop_while_writing(signal.SIGKILL)
        self.assertEqual(len(os.listdir(self.folder)), 3)
        self.assertEqual(run("eval", "-q", self.input, "-o", self.path("b.ply")).returncode, 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["b.ply", "in.bv", "large.bv"])

    def test_ignored_signals(self):
        """What a parent has ignored, as nohup does, stays ignored."""
        with open(self.path("large.bv"), "w") as file:
            file.write("1 300000 1\n" + "0 1 2\n" * 300000 + "3 0 1 2\n")
        process = subprocess.Popen([COMMAND, "eval", self.path("large.bv"), "-q", "-o",
                                    self.path("a.obj")],
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        while process.poll() is None and not any(name.endswith(".tmp")
                                                 for name in os.listdir(self.folder)):
            time.sleep(0.001)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(), 0)
        self.assertEqual(len(read_obj(self.path("a.obj"))[0]), 300000)


if __name__ == "__main__":
    main()
