#!/usr/bin/env python3
"""Makes files in parts with the command, in any order and at once, and joins them: the bytes are
those of one run. What cannot be joined is named, and left as it is.

usage: test_parts_command.py CLSPLINE SOURCE_DIR [AT_CALL]

AT_CALL, without which some are skipped, kills and stops the command at its system calls. Needs the
standard library only. Exits with 77 (skipped) where there is no OpenCL device.
"""
import math
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import unittest

from command_fixture import COMMAND, DATA, FULL, SKIPPED, Case, lacks, main, run, some
from image_files import Image, write_npy

AT_CALL = sys.argv[3] if len(sys.argv) > 3 else None


def limit_files():
    """Files may have 20000 bytes, as where a disk is full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


class Parts(Case):

    def setUp(self):
        super().setUp()
        chance = random.Random(4)
        self.image = self.path("in.npy")
        write_npy(self.image, Image((210, 190), "<f4", [chance.uniform(-1, 1)
                                                       for _ in range(210 * 190)]))
        self.out = self.path("out.npy")

    def part(self, k, n, *options, **how):
        return run("image", self.image, "-o", self.out, "--part", f"{k}/{n}", "-q", *options, **how)

    def made(self, *options):
        """The bytes of one run."""
        whole = self.path("whole" + os.path.splitext(self.out)[1])
        self.assert_done(run("image", self.image, "-o", whole, "-q", *options))
        with open(whole, "rb") as file:
            return file.read()

    def joined(self):
        with open(self.out, "rb") as file:
            return file.read()

    def assert_done(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def assert_refused(self, done, *words, status=1):
        self.assertEqual(done.returncode, status, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def others(self):
        return self.others_of("out.npy")

    def others_of(self, name):
        return sorted(other for other in os.listdir(self.folder) if other.startswith(name))

    def test_bytes(self):
        cases = [((), 3), (("--rotate", "20", "--mode", "mirror"), 4), (("--scale", "1.3"), 7),
                 (("--rotate", "9", "--repeat", "2", "--type", "u8"), 2),
                 (("--affine", "0.1,0,20,0,0.1,30", "--size", "300x211", "--taps", "15"), 8),
                 (("--rotate", "5", "--clip"), 2), (("--shift", "300,0", "--cval", "nan"), 1)]
        for options, n in some(cases, 3):
            with self.subTest(options=options, n=n):
                for k in random.Random(n).sample(range(1, n + 1), n):
                    self.assert_done(self.part(k, n, *options))
                self.assertFalse(os.path.exists(self.out))
                self.assert_done(run("join", self.out, "-q"))
                self.assertEqual(self.joined(), self.made(*options))
                self.assertEqual(self.others(), ["out.npy"])
                os.remove(self.out)

    def test_volume(self):
        chance = random.Random(5)
        write_npy(self.image, Image((20, 31, 33), "|u1", [chance.randrange(256) for _ in
                                                          range(20 * 31 * 33)]))
        for k in (2, 1, 3):
            self.assert_done(self.part(k, 3, "--rotate", "30"))
        self.assert_done(run("join", self.out, "-q"))
        self.assertEqual(self.joined(), self.made("--rotate", "30"))

    def test_nifti(self):
        """Volumes and colours, with what the header of the one that was read says; some of which
        have an alpha to be looked at."""
        if lacks("nii"):
            self.skipTest("no zlib")
        chance = random.Random(9)
        array, self.image = self.path("in.npy"), self.path("in.nii")
        self.out = self.path("out.nii")
        for size, options in (((9, 31, 33), ("--rotate", "30", "--type", "f32")),
                              ((40, 33, 3), ("--scale", "1.4")),
                              ((40, 33, 4), ("--scale", "1.4"))):
            num = size[0] * size[1] * size[2]
            write_npy(array, Image(size, "|u1", [chance.randrange(256) for _ in range(num)]))
            directions = "2" if size[2] < 5 else "3"
            self.assert_done(run("image", array, "-o", self.image, "-q", "--directions",
                                 directions))
            for k in (3, 1, 2):
                self.assert_done(self.part(k, 3, *options))
            self.assert_done(run("join", self.out, "-q"))
            self.assertEqual(self.joined(), self.made(*options))

    def test_tiff(self):
        """Pages of a volume, and rows with alpha, whose colours are weighted."""
        if lacks("tif"):
            self.skipTest("no libtiff")
        chance = random.Random(11)
        self.out = self.path("out.tif")
        for shape, channels, options in (((20, 31, 33), 1, ("--scale", "1.2", "--type", "f32")),
                                         ((300, 211), 4, ("--rotate", "9"))):
            size = (*shape, channels) if channels > 1 else shape
            write_npy(self.image, Image(size, "<u2", [chance.randrange(1 << 16) for _ in
                                                      range(math.prod(size))]))
            for k in (3, 1, 2):
                self.assert_done(self.part(k, 3, *options))
            self.assert_done(run("join", self.out, "-q"))
            self.assertEqual(self.joined(), self.made(*options))

    def test_project(self):
        """Nearest points in parts, of points in .npy and in text, whose lines are counted."""
        curve = self.path("curve.g2")
        with open(curve, "w", encoding="utf-8") as file:
            file.write("100 1 0 0\n2 0\n5 4\n0 0 0 0 1 2 2 2 2\n0 0\n1 2\n2 -1\n3 2\n4 0\n")
        chance = random.Random(6)
        points, whole = self.path("points.npy"), self.path("all.npy")
        write_npy(points, Image((1001, 2), "<f8", [chance.uniform(-1, 4) for _ in range(2002)]))
        for options in some([("-k", "1"), ("-k", "2"), ("--precision", "f32")], 2):
            self.assert_done(run("project", curve, points, "-o", whole, "-q", *options))
            for k in (3, 1, 4, 2):
                self.assert_done(run("project", curve, points, "-o", self.out, "-q", "--part",
                                     f"{k}/4", *options))
            self.assert_done(run("join", self.out, "-q"))
            with open(whole, "rb") as file:
                self.assertEqual(self.joined(), file.read())
        done = run("project", curve, points, "-o", self.out, "--part", "1/1002")
        self.assert_refused(done, "1002 parts, but only 1001 points")
        text = self.write("points.csv", "# by hand\nx,y\n" + "".join(
            f"{chance.uniform(-1, 4)},{chance.uniform(-1, 4)}\n\n" for _ in range(5)))
        self.check_parts(3, "npy", "project", curve, text)
        self.write("points.csv", "1,2\n3,4\n5\n")
        self.assert_refused(run("project", curve, text, "-o", self.out, "--part", "1/2"),
                            "points.csv:3")
        os.remove(text)
        os.mkfifo(text)
        with subprocess.Popen(["sh", "-c", f"echo 1,2 > '{text}'"]):
            self.assert_refused(run("project", curve, text, "-o", self.out, "--part", "1/2"),
                                "pipe")
        done = run("project", curve, points, "-o", self.path("a.csv"), "--part", "1/2")
        self.assert_refused(done, "a.csv", ".npy can", status=2)
        self.assertEqual(self.others(), [])

    def check_parts(self, n, ending, *args):
        """That parts of a command, made from the last to the first, are the bytes of one run."""
        whole, out = self.path("whole." + ending), self.path("out." + ending)
        self.assert_done(run(*args, "-o", whole, "-q"))
        for k in range(n, 0, -1):
            self.assert_done(run(*args, "-o", out, "-q", "--part", f"{k}/{n}"))
        self.assert_done(run("join", out, "-q"))
        with open(whole, "rb") as file, open(out, "rb") as made:
            self.assertTrue(made.read() == file.read(), (n, ending, args))
        os.remove(out)

    def test_patches(self):
        """Patches whose edges follow those of others' parts, triangles, and polyhedra behind."""
        def data(name):
            return os.path.join(DATA, name)
        polyhedron = self.write("poly.bv", "1\n4 3\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n"
                                "4 0 1 2 3\n3 1 2 3\n")
        cases = [(3, "ply", data("pn.bv"), data("octahedron.bv"), polyhedron, "-n", "7"),
                 (4, "ply", data("teapot.bv"), "-t", "1%", "--texture"),
                 (2, "ply", data("pn.bv"), "--normals", "-n", "5"),
                 (7, "vtk", data("teapot.bv"), "-n", "5"),
                 (5, "vtk", data("pn.bv"), data("sphere.bv"), polyhedron, "-n", "4")]
        for n, ending, *args in some(cases, 3):
            self.check_parts(n, ending, "eval", *args)

    def test_splines(self):
        """Curves, surfaces, and sides of volumes."""
        volume = "700 1 0 0\n3 0\n" + 3 * "2 2\n0 0 1 1\n" + "".join(
            f"{i % 2} {i // 2 % 2} {i // 4}\n" for i in range(8))
        files = [self.write("volumes.g2", volume + volume), os.path.join(DATA, "knot.g2"),
                 os.path.join(DATA, "vase.json")]
        for n, ending, *options in some([(5, "vtk", "-n", "9"), (14, "ply", "-n", "6"),
                                         (3, "ply", "--normals", "-n", "7")], 2):
            self.check_parts(n, ending, "eval", *files, *options)

    def test_cells(self):
        """Samples, Bezier cells and cells as they are, with data of points and of cells."""
        bars = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in range(6)]
        cells = [[i, i + 1, i + 7, i + 6, i + 12, i + 13, i + 19, i + 18] for i in range(5)]
        file = self.write("bar.vtk", "# vtk DataFile Version 3.0\nbar\nASCII\n"
                          "DATASET UNSTRUCTURED_GRID\nPOINTS 24 double\n" +
                          "".join(f"{x} {y} {z}\n" for x, y, z in bars) + "CELLS 5 45\n" +
                          "".join(f"8 {' '.join(map(str, cell))}\n" for cell in cells) +
                          "CELL_TYPES 5\n" + 5 * "12\n" + "POINT_DATA 24\n"
                          "SCALARS heat double 1\nLOOKUP_TABLE default\n" +
                          "".join(f"{x * y + z}\n" for x, y, z in bars) + "CELL_DATA 5\n"
                          "SCALARS part int 1\nLOOKUP_TABLE default\n1\n2\n3\n4\n5\n")
        for n, *options in some([(3, "-n", "3"), (7, "--refine", "1"), (2, "--bezier"),
                                 (5, "--refine", "1", "-n", "2", "--precision", "f32")], 2):
            self.check_parts(n, "vtu", "eval", file, *options)

    def test_at_once(self):
        runs = [subprocess.Popen([COMMAND, "image", self.image, "-o", self.out, "-q", "--scale",
                                  "2",
                                  f"--part={k}/3"]) for k in (1, 2, 3)]
        self.assertEqual([one.wait() for one in runs], [0, 0, 0])
        done = run("join", self.out)
        self.assertEqual((done.returncode, done.stderr), (0, f"{self.out}: 3 parts joined\n"))
        self.assertEqual(self.joined(), self.made("--scale", "2"))

    def test_slurm(self):
        """The script of an array job, with what Slurm tells each task."""
        script = os.path.join(os.path.dirname(os.path.dirname(DATA)), "examples", "slurm_array.sh")
        path = os.path.dirname(COMMAND) + os.pathsep + os.environ["PATH"]
        for k in (2, 1):
            done = subprocess.run(["sh", script, self.image, self.out], stderr=subprocess.PIPE,
                                  env=dict(os.environ, PATH=path, SLURM_ARRAY_TASK_ID=str(k),
                                           SLURM_ARRAY_TASK_COUNT="2", SLURM_CPUS_PER_TASK="1"))
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_done(run("join", self.out, "-q"))
        self.assertEqual(self.joined(), self.made("--scale", "2"))

    def test_killed(self):
        """A part that was killed has no record, and is made again; others stay."""
        self.assert_done(self.part(1, 2))
        with open(self.out + ".part", "r+b") as file:
            file.truncate(0)
            file.truncate(128 + 300)  # as another job's, or a broken one
        for refused in (self.part(2, 2), run("join", self.out)):
            self.assert_refused(refused, "out.npy.part: does not say which job it is of")
        self.assertIn("begins anew", self.part(1, 2, "--resume").stderr)
        os.remove(self.out + ".part")
        os.remove(self.out + ".part-1-of-2")
        self.assert_done(self.part(1, 2))
        self.assert_refused(run("join", self.out), "of 2 parts 1 is missing: 2")
        one = subprocess.Popen([COMMAND, "image", self.image, "-o", self.out, "--part", "2/2"],
                               stderr=subprocess.DEVNULL)
        one.kill()
        one.wait()
        if not os.path.exists(self.out + ".part-2-of-2"):
            self.assert_refused(run("join", self.out), "of 2 parts 1 is missing: 2")
        before = os.stat(self.out + ".part-1-of-2").st_mtime_ns
        for k in (1, 2):
            self.assert_done(self.part(k, 2, "--resume"))
        self.assertEqual(os.stat(self.out + ".part-1-of-2").st_mtime_ns, before)
        self.assert_done(run("join", self.out, "-q"))
        self.assertEqual(self.joined(), self.made())

    def job(self, n, *options):
        """Runs a job in parts, as one that goes on. Returns its complaints."""
        done = [self.part(k, n, "--resume", *options) for k in range(1, n + 1)]
        done.append(run("join", self.out, "-q"))
        return "".join(one.stderr for one in done if one.returncode != 0)

    def content(self):
        """The bytes of the output; None: it is not there."""
        return self.joined() if os.path.exists(self.out) else None

    def clear(self):
        for name in self.others_of("out."):
            os.remove(self.path(name))

    def test_lost(self):
        """A part belongs to the NAME.part in which it is: where that is lost, to none."""
        expected = self.made()
        for lost in ("", "-1-of-2"):
            for k in (1, 2):
                self.assert_done(self.part(k, 2))
            os.remove(self.out + ".part")
            if lost:
                os.remove(self.out + ".part" + lost)
            else:
                self.assert_refused(run("join", self.out), "there are no parts of it")
            self.assert_done(self.part(1, 2, "--resume"))
            self.assert_refused(run("join", self.out), "of 2 parts 1 is missing: 2")
            self.assert_done(self.part(2, 2))
            self.assert_done(run("join", self.out, "-q"))
            self.assertEqual(self.joined(), expected)
            os.remove(self.out)
        for k in (1, 2, 3):
            self.assert_done(self.part(k, 3))
        os.remove(self.out + ".part")
        self.assertEqual(self.job(2), "")  # of another number of parts
        self.assertEqual((self.joined(), self.others()), (expected, ["out.npy"]))

    def test_other_files(self):
        """Neither links are followed nor pipes opened, whichever file of a job they stand for; a
        file of the user's own stays."""
        own = self.write("own", "mine\n")
        self.assert_done(self.part(1, 2))
        for name in (".part", ".part-1-of-2", ".part-2-of-2"):
            path = self.out + name
            kept = None
            if os.path.exists(path):
                kept = self.path("kept")
                os.rename(path, kept)
            for make in (os.mkfifo, lambda to: os.symlink(own, to), os.mkdir):
                make(path)
                for done in (self.part(2, 2, timeout=20), run("join", self.out, timeout=20)):
                    self.assertEqual(done.returncode, 1, (name, done.stderr))
                    self.assertIn(name, done.stderr)
                os.rmdir(path) if os.path.isdir(path) else os.remove(path)
            if kept:
                os.rename(kept, path)
        self.write("out.npy.part-0", "")
        shutil.copy(own, self.out + ".part")
        self.assert_refused(self.part(2, 2), "out.npy.part: does not say")
        with open(own, encoding="utf-8") as file, open(self.out + ".part",
                                                       encoding="utf-8") as part:
            self.assertEqual((file.read(), part.read()), ("mine\n", "mine\n"))

    def test_inputs(self):
        """An input is another one by its file, whatever its bytes and times."""
        self.assert_done(self.part(1, 2))
        when, other = os.stat(self.image).st_mtime_ns, self.path("other.npy")
        shutil.copy(self.image, other)
        os.utime(other, ns=(when, when))
        os.replace(other, self.image)
        self.assert_refused(self.part(2, 2), "was made otherwise")

    def test_two_jobs(self):
        """A job of which there are no parts yet has its file; another one does not get into it."""
        self.assert_done(self.part(1, 2))
        os.remove(self.out + ".part-1-of-2")
        self.assert_refused(self.part(2, 2, "--shift", "1,0"), "is of another job")
        self.assertEqual(self.job(2), "")
        self.assertEqual(self.joined(), self.made())

    def at_call(self, calls, number, action, *args):
        options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # of what is not traced
        done = subprocess.run([AT_CALL, calls, str(number), action, COMMAND, *args],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, ASAN_OPTIONS=options))
        if done.returncode == SKIPPED:
            self.skipTest("nothing can be traced")
        return done

    def part_line(self, k, n):
        return "image", self.image, "-o", self.out, "-q", "--part", f"{k}/{n}"

    def check_kills(self, calls, choose, fails):
        """Kills each command of a job of two parts before some of its calls, and runs the job
        again: there are the bytes of the whole, or at most so many times a complaint and no
        file."""
        self.assertEqual(self.job(2), "")
        expected, complaints = self.content(), 0
        lines = [self.part_line(1, 2), self.part_line(2, 2), ("join", self.out, "-q")]

        def at_call(step, number, action):
            self.clear()
            for line in lines[:step]:
                self.assert_done(run(*line))
            return self.at_call(calls, number, action, *lines[step])

        for step in range(3):
            for number in choose(int(at_call(step, 0, "").stdout)):
                at_call(step, number, "kill")
                self.assertIn(self.content(), (None, expected), (lines[step], number))
                complaint = self.job(2)
                self.assertIn(self.content(), (None, expected), (lines[step], number))
                if self.content() is None:
                    complaints += 1
                    self.assertIn(f"'rm {self.out}.part*' begins anew", complaint)
                else:
                    self.assertEqual(complaint, "")
                    self.assertEqual(self.others_of("out."), [os.path.basename(self.out)])
        self.clear()
        self.assertLessEqual(complaints, fails)

    @unittest.skipUnless(AT_CALL, "nothing traces calls")
    def test_killed_at_names(self):
        """Jobs that are killed before each call that gives, takes or cuts a file's name. Between
        cutting the whole and its name a job has to begin anew."""
        self.check_kills("names", lambda count: range(1, count + 1), 1)

    @unittest.skipUnless(AT_CALL and FULL, "of a full run")
    def test_killed_anywhere(self):
        chance = random.Random(2)
        self.check_kills("all", lambda count: chance.sample(range(1, count + 1), 70), 1)

    @unittest.skipUnless(AT_CALL, "nothing traces calls")
    def test_requeued(self):
        """A second process of a part that ends when all is joined has bytes for no file and leaves
        no record; one that was left belongs to nothing."""
        self.assert_done(self.part(1, 2))
        shutil.copy(self.out + ".part-1-of-2", self.path("record"))
        part, join = (shlex.join((COMMAND, *line)) for line in (self.part_line(2, 2),
                                                                ("join", self.out, "-q")))
        done = self.at_call("fsync", 1, f"{part} && {join}", *self.part_line(2, 2))
        self.assert_refused(done, "out.npy.part: has been joined or removed meanwhile")
        expected = self.made()
        self.assertEqual((self.joined(), self.others()), (expected, ["out.npy"]))
        os.remove(self.out)
        shutil.copy(self.path("record"), self.out + ".part-1-of-2")
        self.assertEqual(self.job(2), "")
        self.assertEqual((self.joined(), self.others()), (expected, ["out.npy"]))
        for action in (join, f"{join} && {part}"):  # a second process that joins
            for k in (1, 2):
                self.assert_done(self.part(k, 2))
            self.assert_refused(self.at_call("names", 1, action, "join", self.out), "out.npy")
            self.assertEqual(self.joined(), expected)
        self.assertEqual(self.job(2), "")

    def test_mixed_jobs(self):
        self.assert_done(self.part(1, 2, "--rotate", "10"))
        self.assert_refused(self.part(2, 2, "--rotate", "11"), "was made otherwise", "--rotate=10",
                            "--rotate=11", "begins anew")
        self.assert_refused(self.part(2, 3, "--rotate", "10"), "there are parts of 3 and of 2")
        self.assert_refused(self.part(1, 2, "--rotate", "10"), "part 1 of 2 is there already",
                            "--resume")
        self.assert_refused(run("join", self.out), "of 2 parts 1 is missing: 2")
        os.utime(self.image, ns=(5, 5))  # another input
        self.assert_refused(self.part(2, 2, "--rotate", "10"), "was made otherwise")
        self.assertFalse(os.path.exists(self.out))

    def test_records(self):
        for k in (1, 2):
            self.assert_done(self.part(k, 2))
        record = self.out + ".part-2-of-2"
        with open(record, encoding="utf-8") as file:
            text = file.read()

        def change(old, new):
            with open(record, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))

        change("clspline 0", "clspline 9")
        self.assert_refused(run("join", self.out), "was made otherwise")
        change("\nbytes ", "\nbytes 1")
        self.assert_refused(run("join", self.out), "of other sizes")
        change("made by ", "made by another, ")
        self.assert_refused(run("join", self.out), "another", "--mixed")
        for damage in ("", "clspline part 3\n", text[:40], "\0" * 4000):
            with open(record, "w", encoding="utf-8") as file:
                file.write(damage)
            self.assert_refused(run("join", self.out), "part-2-of-2: not a record of a part")
        change("made by ", "made by another, ")
        self.assert_done(run("join", self.out, "--mixed", "-q"))
        self.assertEqual(self.joined(), self.made())

    def test_wrong(self):
        for part in ("0/2", "3/2", "1", "1/", "/2", "1/0", "1/2/3", "1.5/2", "a/b", "1/99999999"):
            self.assert_refused(run("image", self.image, "-o", self.out, "--part", part), "K/N",
                                status=2)
        self.assert_refused(self.part(1, 211), "211 parts, but only 210 rows")
        self.assert_refused(run("image", self.image, "-o", self.path("a.png"), "--part", "1/2"),
                            "a.png", ".npy, .nii and .tif can", status=2)
        self.assert_refused(run("convert", "a.g2", "-o", "a.bv", "--part", "1/2"),
                            "'--part' is of a mesh of cells, not of B-splines",
                            status=2)
        teapot = os.path.join(DATA, "teapot.bv")
        for ending in ("stl", "obj", "glb", "png"):
            self.assert_refused(run("eval", teapot, "-o", self.path("a." + ending), "--part",
                                    "1/2"), "a." + ending, ".ply and .vtk can", status=2)
        self.assert_refused(run("eval", teapot, "-o", self.path("a.vtk"), "--part", "1/2",
                                "--normals"), "with --normals, .ply can", status=2)
        self.assert_refused(run("eval", teapot, "-o", self.path("a.vtk"), "-o",
                                self.path("a.ply"), "--part", "1/2"), "one output at a time",
                            status=2)
        rod = os.path.join(DATA, "rod.vtk")
        self.assert_refused(run("eval", rod, "-o", self.path("a.ply"), "--part", "1/2"), "a.ply",
                            ".vtu can", status=2)
        self.assert_refused(run("eval", rod, "--classes", "--part", "1/2"), "one output at a time",
                            status=2)
        self.assert_refused(run("eval", teapot, "-o", self.path("a.ply"), "--part", "1/29"),
                            "29 parts, but only 28 patches")
        self.assert_refused(run("image", self.image, "-o", "-", "-f", "npy", "--part", "1/2"),
                            "not of '-'", status=2)
        self.assert_refused(run("image", self.image, "-o", self.out, "--resume"), "needs --part",
                            status=2)
        self.assert_refused(run("join", self.out), "there are no parts of it")
        self.assert_refused(run("join", self.path("no/where.npy")), "cannot read its folder")
        self.assert_refused(run("join"), "no output file given", status=2)
        self.assert_refused(run("image", self.image, "-o", self.path("no/where.npy"), "--part",
                                "1/2"), "cannot write")
        self.assertEqual(self.others(), [])

    def test_full_disk(self):
        self.assert_done(self.part(1, 2))
        self.assert_refused(self.part(2, 2, preexec_fn=limit_files), "cannot write")
        self.assertNotIn("out.npy.part-2-of-2", self.others())
        self.assert_refused(run("join", self.out), "missing: 2")
        self.assert_done(self.part(2, 2, "--resume"))
        self.assert_done(run("join", self.out, "-q"))
        self.assertEqual(self.joined(), self.made())


if __name__ == "__main__":
    main()
