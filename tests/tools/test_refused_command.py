#!/usr/bin/env python3
"""Gives the command arguments and files that are wrong.

usage: test_refused_command.py CLSPLINE SOURCE_DIR

Needs the standard library only. Exits with 77 (skipped) where there is no OpenCL device.
"""
import os
import re
import resource
import signal
import subprocess
import unittest

from command_fixture import (COMMAND, DATA, NO_METHODS, Case, has_fp64, has_methods, has_opencl,
                             main, run)


class Failures(Case):
    def setUp(self):
        super().setUp()
        self.teapot = os.path.join(DATA, "teapot.bv")

    def test_usage(self):
        out = self.path("a.obj")
        for expected, args in (
                ("'spline' is no job and no file; jobs are info, eval, convert, "
                 "project, locate, probe, slice, image, view, join, devices and tune",
                 ("spline",)),
                ("unknown option '--what'", ("--what",)),
                ("no input file given", ("eval", "-o", out)),
                ("no output given", ("eval", self.teapot)),
                ("does not end in .obj", ("eval", self.teapot, "-o", self.path("a.xyz"))),
                ("-o - needs --format", ("eval", self.teapot, "-o", "-")),
                ("--format is for -o -", ("eval", self.teapot, "-o", out, "-f", "obj")),
                ("--format must be obj, ply,", ("eval", self.teapot, "-o", "-", "-f", ".obj")),
                ("input can be read once only", ("eval", "-", "-", "-o", out)),
                ("output can be written once only",
                 ("eval", self.teapot, "-o", "-", "-o-", "-fobj")),
                ("--samples must be 2 to 16384, not '1'",
                 ("eval", self.teapot, "-o", out, "--samples", "1")),
                ("not '16385'", ("eval", self.teapot, "-o", out, "-n16385")),
                ("not '-3'", ("eval", self.teapot, "-o", out, "--samples=-3")),
                ("not '99999999999999999999'",
                 ("eval", self.teapot, "-o", out, "-n", "99999999999999999999")),
                ("exclude each other", ("eval", self.teapot, "-o", out, "-n3", "-t1")),
                ("--tolerance and --method exclude each other",
                 ("eval", self.teapot, "-o", out, "-t1", "--method=brute")),
                ("not 'best'", ("eval", self.teapot, "-o", out, "--method", "best")),
                ("not 'f16'", ("eval", self.teapot, "-o", out, "--precision", "f16")),
                ("not 'w'", ("eval", self.teapot, "-o", out, "--up", "w")),
                ("unknown option '--colour'", ("eval", self.teapot, "--colour", "red")),
                ("a value is missing after '-o'", ("eval", self.teapot, "-o")),
                ("no value is expected in '--quiet=1'", ("eval", self.teapot, "--quiet=1")),
                ("--cooperate must be auto, svm,",
                 ("eval", self.teapot, "-o", out, "--cooperate", "all")),
                ("not 'statics=1'", ("eval", self.teapot, "-o", out, "--cooperate", "statics=1")),
                ("static=RATIO (0 to 1), device or host, not 'static=1.5'",
                 ("eval", self.teapot, "-o", out, "--cooperate=static=1.5")),
                ("not 'static='", ("eval", self.teapot, "-o", out, "--cooperate=static=")),
                ("not 'static=nan'", ("eval", self.teapot, "-o", out, "--cooperate=static=nan")),
                ("not 'static=-0.1'", ("eval", self.teapot, "-o", out,
                                       "--cooperate=static=-0.1")),
                ("--workers must be 0 to 1024, not '-1'",
                 ("eval", self.teapot, "-o", out, "--workers=-1")),
                ("not '1025'", ("tune", "--workers", "1025")),
                ("--report needs --cooperate", ("eval", self.teapot, "-o", out, "--report")),
                ("--workers needs --cooperate",
                 ("eval", self.teapot, "-o", out, "--workers", "2")),
                ("--join needs --cooperate", ("eval", self.teapot, "-o", out, "--join", "0")),
                ("14 times at most", ("tune",) + ("--join=0",) * 15),
                ("unexpected argument 'all'", ("tune", "all")),
                ("unknown option '--fast'", ("tune", "--fast")),
                ("exclude each other", ("eval", self.teapot, "-o", out, "-q", "-v")),
                ("--verbose and --json exclude each other", ("devices", "--json", "-v")),
                ("--device needs --kernels", ("devices", "--device", "0")),
                ("unexpected argument 'all'", ("devices", "all"))):
            if "--method" in " ".join(args) and not has_methods():
                continue
            with self.subTest(expected):
                text = self.fails(2, expected, *args)
                self.assertRegex(text, r"\(see clspline help( \w+)?\)\n$")
                self.assertEqual(text.count("\n"), 1)
        self.assertEqual(os.listdir(self.folder), [])

    def test_idle_options(self):
        """An option that does nothing where it stands is refused, and nothing is computed."""
        obj, png, npy = self.path("a.obj"), self.path("a.png"), self.path("a.npy")
        vase, knot = os.path.join(DATA, "vase.json"), os.path.join(DATA, "knot.g2")
        rod, image = os.path.join(DATA, "rod.vtk"), os.path.join(DATA, "raccoon.png")
        points, camera = os.path.join(DATA, "points.csv"), (
            "--up=z", "--azimuth=1", "--elevation=1", "--direction=1,0,0",
            "--orthographic", "--zoom=2", "--size=90x90")
        backgrounds = ("--background=ffffff", "--no-background")
        for word in camera + backgrounds + ("--edges", "--colors=mean"):
            self.fails(2, "needs a picture (.png)", "eval", self.teapot, "-o", obj, word)
            self.fails(2, "needs a picture (.png)", "eval", vase, "-o", obj, word)
        for word in camera + backgrounds:
            self.fails(2, "needs a picture (.png)", "project", knot, points, "-o", npy, word)
        for word in camera[:-1] + backgrounds:
            self.fails(2, "needs a picture (.png)", "eval", rod, "-o", obj, word)
        for expected, *args in (
                ("--background needs", "eval", self.teapot, "-o", obj, "-t9px", backgrounds[0]),
                ("--colormap is of", "eval", self.teapot, "-o", png, "--colors=patch",
                 "--colormap=gray"),
                ("--normals needs an output in .obj, .ply, .vtk or .glb", "eval", self.teapot,
                 "-o", self.path("a.stl"), "--normals"),
                ("--texture needs", "eval", self.teapot, "-o", self.path("a.vtk"), "--texture"),
                ("--join is of --cooperate auto, ", "eval", self.teapot, "-o", obj,
                 "--cooperate=host", "--join=0"),
                ("--normals needs", "eval", rod, "-o", self.path("a.vtu"), "--normals"),
                ("--bezier needs", "eval", rod, "-o", obj, "--bezier"),
                ("--samples needs", "eval", rod, "--classes", "--samples=3"),
                ("--range needs a picture (.png)", "slice", rod, "-o", npy, "--at=z=1",
                 "--range=0,1"),
                ("unknown option '--cooperate=host'", "locate", rod, points, "-o", npy,
                 "--cooperate=host"),
                ("--colormap needs an output in .png or .ply", "project", knot, points, "-o", npy,
                 "--colormap=gray"),
                ("--quality needs", "image", image, "-o", png, "--quality=9"),
                ("--taps is of --order 2", "image", image, "-o", png, "--order=1", "--taps=15"),
                ("--cval is of --mode", "image", image, "-o", png, "--mode=wrap", "--cval=1"),
                ("--no-background needs --output", "view", rod, "--no-background"),
                ("--bar needs --colors", "view", rod, "-o", png, "--bar"),
                ("--colormap needs --colors", "view", rod, "-o", png, "--colormap=gray"),
                ("--array is of --colors data", "view", rod, "-o", png, "--array=x"),
                ("--distance-to is of", "view", rod, "-o", png, "--distance-to", points)):
            with self.subTest(args):
                self.fails(2, expected, *args)
        self.fails(1, "--directions is of .npy", "image", image, "-o", png, "--directions=2")
        self.fails(1, "--normals is of surfaces", "eval", knot, "-o", obj, "--normals")
        self.assertEqual(os.listdir(self.folder), [])
        done = run("eval", self.teapot, "-q", "-o", obj, "-t", "9px", "--zoom", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))  # pixels are seen by the camera

    def test_control_characters(self):
        """Names from the command line do not reach the terminal as commands."""
        name = self.write("a\x1b[31m\n\x9bb.bv", "1 3 1 0 0 0 1 0 0 0 1 0 3 0 1 2\n")
        shown = os.path.basename(name).translate({0x1b: "?", 10: "?", 0x9b: "?"})
        cases = [(1, (name + "c", "-o", "a.obj")), (2, (name, "-o", name + "c")),
                 (2, (name, "-o", "a.obj", "--\x1b[31m\n\x9bb.bv")),
                 (2, ("-o", "a.obj", name, "--up", "\x1b[31m\n\x9bb.bv"))]
        if has_opencl():
            cases += [(1, (self.teapot, "-o", "a.obj", "--device", "\x1b[31m\n\x9bb.bv"))]
        for code, args in cases:
            text = self.fails(code, shown[1:], "eval", *args)
            self.assertEqual(re.findall("[\0-\x09\x0b-\x1f\x7f-\x9f]", text), [])
        done = run("eval", name, "-o", self.path("a.obj"))
        self.assertTrue(done.stderr.startswith(self.path(shown) + ": 0 patches"), done.stderr)

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
                text = self.fails(1, expected, "eval", bad, "-o", self.path("a.obj"))
                self.assertEqual(text.count("\n"), 1)
        self.fails(1, "cannot open: No such file", "eval", self.path("none.bv"), "-o",
                   self.path("a.obj"))
        self.fails(1, "a folder; one of Zarr is read in Python", "eval",
                   self.folder, "-o", self.path("a.obj"))
        self.assertEqual(os.listdir(self.folder), ["bad.bv"])

    def test_known_formats(self):
        """Files that a job does not read are told by name, and so is which jobs do."""
        quads = "# a cube\n\nmtllib a.mtl\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n"
        stl = b"made by hand".ljust(80) + b"\1\0\0\0" + bytes(50)
        vtk = '<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid">'
        image, mesh = ("image", "-o", self.path("b.npy")), ("eval", "-o", self.path("b.obj"))
        cells, curves = "a mesh of cells, which is for info", "B-splines, which is for info, eval"
        for code, expected, body, commands in (
                (1, ": an OBJ file of Wavefront; convert it to ", quads, (mesh, image)),
                (1, ": an STL file; convert it to ", stl, (mesh, image)),
                (1, ": an STL file; convert it to ", "solid a\nfacet normal 0 0 1\n", (mesh,
                                                                                       image)),
                (2, cells, vtk, (image,)), (2, cells, "MeshVersionFormatted 2\n", (image,)),
                (2, curves, "ISO-10303-21;\n", (image,)), (2, curves, '\n{"shape": 1}', (image,)),
                (2, "an image, which is for info, convert and image", b"MM\0*\0\0", (mesh,)),
                (2, "an image, which is for info", b"\x5c\1\0\0\0", (mesh,)),
                (2, "an image, which is for info", b"\x93NUMPY\1\0", (mesh,))):
            path = self.write("bad", body) if isinstance(body, str) else self.path("bad")
            if isinstance(body, bytes):
                with open(path, "wb") as file:
                    file.write(body)
            for command in commands:
                with self.subTest((expected, command)):
                    self.fails(code, expected, *command, path)
        for name, body, expected in (("bad.g2", vtk, "a VTK file"), ("bad.bv", '{"a": 1}', "JSON")):
            self.fails(1, "which its name should say", *mesh, self.write(name, body))
        rows = self.write("rows.xyz", "100 1 0 0\n1 2 3\n")  # which may be points
        self.assertEqual(run("project", self.teapot, rows, "-o", self.path("b.csv"),
                             "-q").returncode, 0)

    def test_float_range(self):
        for kind, number in (("4 0\n1e300 0 0\n", "1e300"), ("1 1 0\n0 0 -1e39\n", "-1e39")):
            with open(self.path("big.bv"), "w") as file:
                file.write(kind)
            self.fails(1, "big.bv:2: '%s' is too large for a float; use --precision f64" % number,
                       "eval",
                       self.path("big.bv"), "-q", "-o", self.path("a.obj"))

    def test_coarse_floats(self):
        """Floats that are coarse beside coordinates are told, near the origin and in double not."""
        points = self.write("points.csv", "1000000,1,2\n")
        for far, expected in (("1000000", True), ("100", False)):
            patch = self.write("a.bv", "4 1 " + " ".join("%s %d 0" % (far, x) for x in range(4)))
            curve = self.write("a.g2", "100 1 0 0\n3 0\n2 2\n0 0 1 1\n%s 0 0\n%s 3 4\n"
                               % (far, far))
            for args in (("eval", patch, "-o", self.path("a.obj")),
                         ("eval", curve, "-o", self.path("a.obj")),
                         ("convert", curve, "-o", self.path("b.g2"), "-p", "f32"),
                         ("project", curve, points, "-o", self.path("out.csv"))):
                done = run(*args)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("floats round coordinates" in done.stderr, expected, done.stderr)
                if expected:
                    self.assertNotIn("floats round", run(*args, "-q").stderr)
                if expected and has_fp64():
                    self.assertNotIn("floats round", run(*args, "-p", "f64").stderr)

    def test_too_many_points(self):
        self.fails(1, "use fewer --samples", "eval", self.teapot, "-o", self.path("a.ply"),
                   "--samples", "16384")

    def test_bad_tolerance(self):
        for word in ("0", "-1", "nan", "inf", "abc", "", "%", "px", "1e999", "0x1p-3", "1 px",
                     "1%%", "0%", "1pt",
                     "-1px", " 1"):
            with self.subTest(word):
                self.fails(2, "--tolerance must be a number above 0, alone or with % or px, not '"
                           + word + "'",
                           "eval", self.teapot, "-o", self.path("a.obj"), "--tolerance=" + word)
        for word in ("1e-30", "1e-12%", "1e-9px"):
            with self.subTest(word):
                text = self.fails(1, "use a larger --tolerance", "eval", self.teapot, "-q", "-o",
                                  self.path("a.obj"), "--tolerance", word)
                self.assertEqual(text.count("\n"), 1)
        self.assertEqual(os.listdir(self.folder), [])

    def test_float_weights(self):
        for weight, expected in (("1e39", "in.bv:2: '1e39' is too large"),
                                 ("1e-50", "in.bv:2: the weight 1e-50 is too small")):
            with open(self.path("in.bv"), "w") as file:
                file.write("8 0 0\n0 0 0 %s\n" % weight)
            self.fails(1, expected, "eval", self.path("in.bv"), "-q", "-o", self.path("a.obj"))

    def test_matrix_degree(self):
        """The matrix method has a bound on degrees, and the library's reason is shown."""
        if not has_methods():
            self.skipTest(NO_METHODS)
        with open(self.path("in.bv"), "w") as file:
            file.write("4 20\n" + "0 0 0\n" * 441)
        self.fails(1, "degrees 20 and 20: by the method matrix their sum is at most 22", "eval",
                   self.path("in.bv"), "-q", "-o", self.path("a.obj"), "--method", "matrix")

    def test_unwritable(self):
        self.fails(1, "/nowhere/a.obj: cannot write: No such file",
                   "eval", self.teapot, "-q", "-o", "/nowhere/a.obj")
        os.mkdir(self.path("x.ply"))
        self.fails(1, "not a regular file", "eval", self.teapot, "-q", "-o", self.path("x.ply"))
        self.assertEqual(os.listdir(self.folder), ["x.ply"])

    def test_disk_full(self):
        """A limit on the size of files stands for a full disk; a polyhedron needs no compiler,
        which would meet it."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))

        with open(self.path("in.bv"), "w") as file:
            file.write("1 3000 400\n")
            file.writelines("%d.25 %d 0.123456\n" % (i % 61, i % 17) for i in range(3000))
            file.writelines("3 %d %d %d\n" % (i, i + 1000, i + 2000) for i in range(400))
        for ending in ("obj", "ply", "vtk", "stl", "glb", "png"):
            self.fails(1, "a.%s: cannot write: " % ending, "eval", self.path("in.bv"), "-q", "-o",
                       self.path("a." + ending), preexec_fn=limit)
            self.assertEqual(os.listdir(self.folder), ["in.bv"])

    @unittest.skipUnless(has_opencl(), "no OpenCL device")
    def test_no_such_device(self):
        text = self.fails(1, "no device fits 'no such:device'; there are: 0 '", "eval",
                          self.teapot, "-o",
                          self.path("a.obj"), "--device", "no such:device")
        self.assertIn("clspline devices", text)
        self.assertNotIn("CLSPLINE_DEVICE", text)

    def test_environment(self):
        """What is wrong in a variable is said with its name and the words that it takes."""
        for variable, value, expected, word in (
                ("CLSPLINE_DEVICE", "no such",
                 "CLSPLINE_DEVICE: no device fits 'no such'; there are: 0 '", "discrete"),
                ("CLSPLINE_LIMITS", "fp64=0, fp65=0",
                 "CLSPLINE_LIMITS: 'fp65=0' is none of the words",
                 "class=cpu|integrated|")):
            with self.subTest(variable):
                if variable == "CLSPLINE_DEVICE" and not has_opencl():
                    continue
                text = self.fails(1, "clspline: " + expected, "eval", self.teapot, "-q", "-o",
                                  self.path("a.obj"),
                                  env=dict(os.environ, **{variable: value}))
                self.assertIn(word, text)
        done = run("eval", self.teapot, "-n2", "-o", self.path("a.obj"),
                   env=dict(os.environ, CLSPLINE_CACHE_DIR="/dev/null/below"))
        self.assertIn("warning: CLSPLINE_CACHE_DIR: /dev/null/below is not used: ", done.stderr)
        env = dict(os.environ, CLSPLINE_LIMITS="fp64=0, work_group=64")
        done = run("eval", self.teapot, "-q", "-n2", "-o", self.path("a.obj"), env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_no_fp64(self):
        text = self.fails(1, "has no double precision; use single precision", "eval", self.teapot,
                          "-q", "-o",
                          self.path("a.obj"), "--precision", "f64",
                          env=dict(os.environ, CLSPLINE_LIMITS="fp64=0"))
        self.assertIn("--precision f32", text)
        self.assertEqual(os.listdir(self.folder), [])

    def test_interrupted(self):
        """SIGTERM in the middle of a long run leaves no file."""
        for delay in (1, 0.5, 0.2, 0.1, 0.05):  # until the run is longer
            process = subprocess.Popen([COMMAND, "eval", self.teapot, "-q",
                                       "-n", "400", "-o", self.path("a.obj")])
            try:
                process.wait(timeout=delay)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM)
                process.wait()
            if process.returncode != 0:
                self.assertEqual(process.returncode, -signal.SIGTERM)
                self.assertEqual(os.listdir(self.folder), [])
                return
            os.remove(self.path("a.obj"))
        self.fail("no run was interrupted")


if __name__ == "__main__":
    main()
