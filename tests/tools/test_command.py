#!/usr/bin/env python3
"""Runs the commands that write no meshes, and the completions of shells.

usage: test_command.py CLSPLINE SOURCE_DIR

Needs the standard library only. Exits with 77 (skipped) where there is no OpenCL device.
"""
import functools
import gzip
import json
import math
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from command_fixture import (COMMAND, DATA, FULL, NO_METHODS, ON_OPENCL, Case, has_fp64,
                             has_methods, has_opencl, lacks, main, run)
from image_files import nifti_bytes, npy_bytes, read_png
from mesh_files import control_points, read_stl, turned_area

FAKE = os.path.join(os.path.dirname(os.path.dirname(COMMAND)), "tests", "libfake_platform.so")


class Info(unittest.TestCase):
    def info(self, *names, **options):
        done = run("info", "--json", *[os.path.join(DATA, name + ".bv") for name in names],
                   **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_sphere(self):
        sphere, = self.info("sphere")
        self.assertAlmostEqual(sphere["area"], 4 * math.pi, places=4)
        for low, high in zip(*sphere["box"]):
            self.assertAlmostEqual(low, -1, places=6)
            self.assertAlmostEqual(high, 1, places=6)
        self.assertTrue(all(kind["rational"] for kind in sphere["patches"]))

    def test_patches(self):
        """Kinds and boxes, and areas against the triangles of a fine mesh."""
        files = self.info("teapot", "octahedron", "pn")
        self.assertEqual(files[0]["patches"], [{"form": "surface", "rational": False, "pn": False,
                                                "degrees": [3, 3], "count": 28}])
        controls = [point for patch in control_points("teapot") for point in patch]
        self.assertEqual(files[0]["control_box"],
                         [[f(p[k] for p in controls) for k in range(3)] for f in (min, max)])
        self.assertEqual([(kind["form"], kind["pn"], kind["count"])
                          for kind in files[2]["patches"]],
                         [("triangle", True, 8), ("surface", True, 1)])
        for entry in files:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "a.stl")
                self.assertEqual(run("eval", entry["file"], "-q", "-n", "40", "-o",
                                     path).returncode, 0)
                area = 0
                for _, a, b, c in read_stl(path):
                    area += math.hypot(*turned_area(a, b, c)) / 2
            self.assertAlmostEqual(entry["area"] / area, 1, places=2)

    def test_text(self):
        text = "1 4 1\n0 0 0 3 0 0 3 2 0 0 2 0\n4 0 1 2 3\n"
        done = run("info", "-", input=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "-\n  polyhedra    4 vertices, 1 faces\n"
                         "  control box  (0, 0, 0) to (3, 2, 0)\n"
                         "  box          (0, 0, 0) to (3, 2, 0)\n"
                         "  area         6\n")
        done = run("info", os.path.join(DATA, "pn.bv"), "-", input=text)
        self.assertIn("  patches      8 PN triangles of degree ", done.stdout)
        done = run("info", "/nowhere/a.bv")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(run("info").returncode, 2)

    def test_range(self):
        """Numbers beyond float need a device with double precision."""
        large = "4 1 0 0 0 1e39 0 0 0 1 0 1e39 1 0\n"
        done = run("info", "-", input=large, env=dict(os.environ, CLSPLINE_LIMITS="fp64=0"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("1e+39 is not in the range of float", done.stderr)
        if has_fp64():
            self.assertEqual(run("info", "-", input=large).returncode, 0)


class SplineInfo(Case):
    def test_text(self):
        done = run("info", os.path.join(DATA, "knot.g2"), os.path.join(DATA, "vase.json"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("  curves       1 rational of degree 2, 9 control points, "
                      "4 spans over [0, 1]\n", done.stdout)
        self.assertIn("  curves       1 of degree 3, 39 control points, 36 spans over [0, 36]\n",
                      done.stdout)
        self.assertIn("  surfaces     1 rational of degree 2 x 3, 9 x 7 control points, "
                      "4 x 4 spans over [0, 1] x [0, 4]\n"
                      "  control box  (-2, -2, 0) to (2, 2, 4.4)\n",
                      done.stdout)

    def test_json(self):
        done = run("info", "--json", os.path.join(DATA, "knot.g2"), os.path.join(DATA, "teapot.bv"),
                   os.path.join(DATA, "vase.json"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        knot, teapot, vase = json.loads(done.stdout)
        self.assertEqual(knot["splines"][1], {"form": "curve", "rational": False, "dim": 3,
                                              "degrees": [3],
                                              "controls": [39], "spans": [36], "domain": [[0, 36]],
                                              "count": 1})
        self.assertEqual(vase["control_box"], [[-2, -2, 0], [2, 2, 4.4]])
        self.assertEqual((vase["trimmed"], teapot["patches"][0]["count"]), (0, 28))

    def test_bad(self):
        self.fails(1, "a.g2:1: the file holds no spline", "info", self.write("a.g2", ""))


class FileInfo(Case):
    """Every file that any subcommand reads."""

    def told(self, *paths, **options):
        done = run("info", "--json", *paths, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_cells(self):
        rod = os.path.join(DATA, "rod.vtk")
        self.assertEqual(run("eval", rod, "-o", self.path("a.vtu"), "-q", "-n", "2").returncode, 0)
        mesh = self.write("a.mesh", "# words\nMeshVersionFormatted 2\nDimension 3\nVertices 5\n"
                          "0 0 0 0 1 0 0 0 0 1 0 0 0 0 2 0 9 9 9 0\nTetrahedra 1\n1 2 3 4 7\n"
                          "Ridges 1\n1\nEdges 1\n1 2 0\nEnd\n")
        rods, vtus, tetrahedron = self.told(rod, self.path("a.vtu"), mesh)
        self.assertEqual((rods["points"], rods["cells"]["hexahedra"]), (1815, 1280))
        self.assertEqual(rods["box"][1], [18.6250671, 3.38334, 6.42097026])
        self.assertEqual(vtus["cells"]["hexahedra"], 1280)
        self.assertEqual((tetrahedron["points"], tetrahedron["left_out"], tetrahedron["box"]),
                         (4, 1, [[0, 0, 0], [1, 1, 2]]))
        done = run("info", mesh)
        self.assertEqual(done.stdout, mesh + "\n  points       4\n  cells        1 tetrahedra\n"
                         "  creases      1 edges\n  left out     1 points that no cell has\n"
                         "  data         medit:ref, 1 number of each cell\n"
                         "  box          (0, 0, 0) to (1, 1, 2)\n")
        with open(self.path("a.vtu"), encoding="latin-1") as file:
            self.assertEqual(self.told("-", stdin=file)[0]["points"], vtus["points"])

    def test_images(self):
        self.assertEqual(run("info", os.path.join(DATA, "raccoon.png")).stdout.split("\n", 1)[1],
                         "  image        256 x 192, 3 channels of u8\n")
        numbers = npy_bytes("<i4", (2, 5, 6), range(60))
        lengths = ("8f", 76, 1, 2, 0.5, 3, 1, 0, 0, 0), ("b", 123, 2)
        volumes = nifti_bytes((5, 6, 4, 3), bytes(360), fields=lengths)
        told = [5, 6, 4], "u8", 3, [2, 0.5, 3], "millimeter"
        cases = (("a.npy", numbers, ([6, 5, 2], "s32", 1, None, None)), ("a.nii", volumes, told),
                 ("a.NII.gz", gzip.compress(volumes), told))
        for name, body, expected in cases[:1 if lacks("nii") else 3]:
            with open(self.path(name), "wb") as file:
                file.write(body)
            found, = self.told(self.path(name))
            self.assertEqual((found["size"], found["type"], found["frames"], found["spacing"],
                              found["unit"]), expected)

    def test_points(self):
        rows = npy_bytes("<f8", (2, 3), (1, 2, 3, 4, 5, -6))
        with open(self.path("a.npy"), "wb") as file:
            file.write(rows)
        for path, num, box in (
                (self.path("a.npy"), 2, [[1, 2, -6], [4, 5, 3]]),
                (self.write("a.txt", "1 2\n3 nan\n-1 0\n"), 3, [[-1, 0], [3, 2]]),
                (self.write("a", "z,x,y\n1,2,3\n"), 1, [[2, 3, 1]] * 2),
                (self.write("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
                            "property float y\nproperty float z\nend_header\n7 8 9\n"), 1,
                 [[7, 8, 9]] * 2)):
            found, = self.told(path)
            self.assertEqual((found["points"], found["box"]), (num, box))
        self.assertEqual(run("info", "-", input="x,y\n1,2\n").stdout, "-\n  points       1 of 2 "
                         "coordinates\n  box          (1, 2) to (1, 2)\n")


@functools.lru_cache(maxsize=None)
def tables():
    """The options of each job, as the command has them: {job: {name: option}}."""
    done = run("--dump-options")
    assert (done.returncode, done.stderr) == (0, "")
    found = {}
    for table in json.loads(done.stdout):
        for option in table["options"]:
            found.setdefault(table["name"], {}).setdefault(option["name"], option)
    return found


class Completions(Case):
    """The shells' completions know all jobs and options, and no others."""

    def script(self, shell):
        done = run("completions", shell)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.write(shell, done.stdout)

    def complete(self, *words):
        script = ('. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _clspline "$1"; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        os.makedirs(self.path("empty"), exist_ok=True)
        done = subprocess.run(["bash", "-c", script, "bash", self.script("bash"), COMMAND, *words],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=self.path("empty"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return set(done.stdout.split("\n")) - {""}

    def test_bash(self):
        if not shutil.which("bash"):
            self.skipTest("no bash")
        self.assertEqual(self.complete(""), set(tables()) | {"help", "version", "completions"})
        self.assertEqual(self.complete("help", "e"), {"eval"})
        self.assertEqual(self.complete("completions", ""), {"bash", "zsh", "fish"})
        for job, options in tables().items():
            self.assertEqual(self.complete(job, "--"), {"--" + name for name in options})
        self.assertEqual(self.complete("eval", "a.bv", "--format", "p"), {"ply", "png"})
        self.assertEqual(self.complete("eval", "-p", ""), {"f32", "f64"})
        self.assertEqual(self.complete("project", "-f", ""), {"csv", "npy", "png", "ply"})
        self.assertEqual(self.complete("project", "--method", "m"),
                         {"mrep"} if has_methods() else set())
        self.assertEqual(self.complete("eval", "--method", "m"),
                         {"matrix", "multilevel"} if has_methods() else set())
        self.assertIn(os.path.join(DATA, "teapot.bv"),
                      self.complete("info", os.path.join(DATA, "tea")))
        self.assertEqual(self.complete("eval", "-n", ""), set())
        self.assertEqual(self.complete("image", "--mode", "grid"),
                         {"grid-wrap", "grid-constant", "grid-mirror"})
        self.assertEqual(self.complete("image", "-m", "grid"),
                         {"grid-wrap", "grid-constant", "grid-mirror"})
        self.assertEqual(self.complete("project", "-m", ""), set())
        self.assertEqual(self.complete("image", "--type", "u"),
                         {"u8", "u16", "u32", "u64"})
        self.assertIn(os.path.join(DATA, "raccoon.png"),
                      self.complete("image", os.path.join(DATA, "ra")))
        self.assertIn(os.path.join(DATA, "raccoon.png"),
                      self.complete("eval", "-o", os.path.join(DATA, "ra")))
        self.assertIn(os.path.join(DATA, "rod.vtk"),
                      self.complete("eval", os.path.join(DATA, "ro")))
        self.assertEqual(self.complete("convert", "-f", ""), {"bv", "g2", "json"})
        self.assertIn(os.path.join(DATA, "knot.g2"),
                      self.complete("eval", os.path.join(DATA, "kn")))
        self.assertIn(os.path.join(DATA, "points.csv"),
                      self.complete("project", os.path.join(DATA, "po")))
        self.assertIn(os.path.join(DATA, "vase.json"),
                      self.complete("info", os.path.join(DATA, "va")))

    def test_blanks(self):
        """Names with blanks are completed, quoted in each way, by Tab and where the function is
        called without readline."""
        if not shutil.which("bash"):
            self.skipTest("no bash")
        os.mkdir(self.path("my models"))
        name = self.write("my models/a cup.bv", "")
        for typed in (name[:-4].replace(" ", "\\ "), '"' + name[:-4], "'" + name[:-4], name[:-4]):
            for words in (("info",), ("eval", "-o"), ("eval", "--distance-to")):
                self.assertEqual(self.complete(*words, typed), {name})
        script = self.script("bash")
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            path = os.path.dirname(COMMAND) + os.pathsep + os.environ["PATH"]
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"],
                       dict(os.environ, PS1="", PATH=path))
        text = ""
        os.write(terminal, b". %s\nclspline info my\ta\t-- #\nprintf '%%s\\n' the end; exit\n"
                 % script.encode())
        while "the\r\nend" not in text:
            text += os.read(terminal, 4096).decode()
        self.assertIn("clspline info my\\ models/a\\ cup.bv -- #", text)
        os.close(terminal)
        os.waitpid(process, 0)

    def test_fish(self):
        if not shutil.which("fish"):
            self.skipTest("no fish")
        path = os.path.dirname(COMMAND) + os.pathsep + os.environ["PATH"]
        for job, options in tables().items():
            script = "source %s; complete -C 'clspline %s --'" % (self.script("fish"), job)
            done = subprocess.run(["fish", "--private", "-c", script], stdout=subprocess.PIPE,
                                  text=True, env=dict(os.environ, PATH=path))
            self.assertEqual({line.split()[0] for line in done.stdout.splitlines()},
                             {"--" + name for name in options})

    def test_syntax(self):
        for shell, option in (("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")):
            script = self.script(shell)
            if shutil.which(shell):
                done = subprocess.run([shell, option, script], stderr=subprocess.PIPE, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(run("completions", "tcsh").returncode, 2)


class Jobs(Case):
    """Files say which of a job's subcommands is meant."""

    def test_file_alone(self):
        """A file alone: what it has, and the jobs that take it."""
        for name, jobs in (("teapot.bv", "eval project view"), ("rod.vtk", "eval convert locate"),
                           ("raccoon.png", "convert image"), ("knot.g2", "eval convert project"),
                           ("points.csv", "project locate probe")):
            done = run(os.path.join(DATA, name))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(run("info", os.path.join(DATA, name)).stdout, done.stdout)
            found = re.findall(r"^  clspline (\w+) .*%s" % re.escape(name), done.stdout, re.M)
            self.assertLessEqual(set(jobs.split()), set(found))

    def test_convert(self):
        """Formats of splines, meshes of cells and images: what is written is what was read."""
        for name, out, words in (("vase.json", "a.g2", ""), ("rod.vtk", "a.vtu", "1280 hexahedra"),
                                 ("raccoon.png", "a.npy", "256 x 192")):
            done = run("convert", os.path.join(DATA, name), "-o", self.path(out), "-q")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(words, run("info", self.path(out)).stdout)
        self.assertEqual(run("convert", self.path("a.npy"), "-o", self.path("b.png"),
                             "-q").returncode, 0)
        self.assertEqual(read_png(self.path("b.png")).values,
                         read_png(os.path.join(DATA, "raccoon.png")).values)

    def test_spelling(self):
        """Names that are cut, and letters that are joined."""
        teapot, out = os.path.join(DATA, "teapot.bv"), self.path("a.obj")
        self.assertEqual(run("eval", "-qn5", teapot, "--out", out).returncode, 0)
        whole = open(out).read()
        self.assertEqual(run("eval", teapot, "-qo" + out, "--samp=5").returncode, 0)
        self.assertEqual(open(out).read(), whole)
        for message, *words in (("'--no' may be --normals or --no-background", "--no"),
                                ("unknown option '-qx'", "-qx"),
                                ("a value is missing after '-qn'", "-qn"),
                                ("'--orient' is of a mesh of cells, not of Bezier", "--orient")):
            self.fails(2, message, "eval", teapot, "-o", out, *words)
        self.fails(2, "one kind at a time", "eval", teapot, os.path.join(DATA, "rod.vtk"), "-o",
                   out)

    def test_piped(self):
        """The kind of standard input is told by how it begins."""
        for name, out in (("teapot.bv", "obj"), ("knot.g2", "obj"), ("rod.vtk", "obj")):
            source = os.path.join(DATA, name)
            with open(source) as file:
                text = file.read()
            piped = run("eval", "-", "-o", "-", "-f", out, "-q", "-n", "3", input=text)
            self.assertEqual((piped.returncode, piped.stderr), (0, ""))
            self.assertEqual(run("eval", source, "-o", self.path("a." + out), "-q", "-n",
                                 "3").returncode, 0)
            self.assertEqual(open(self.path("a." + out)).read(), piped.stdout)


class Manual(unittest.TestCase):
    def test_options(self):
        """The manual page has all options of each job."""
        page = COMMAND + ".1"
        if not os.path.exists(page):
            self.skipTest("no page was made")
        with open(page, encoding="utf-8") as file:
            sections = re.findall(r"^\.Ss The job (\w+)\n(.*?)(?=^\.S[sh])", file.read(),
                                  re.M | re.S)
        self.assertEqual([name for name, _ in sections], list(tables()))
        for job, text in sections:
            found = re.findall(r"^\.It (?:Fl (\w) , )?Fl -([a-z-]+)", text, re.M)
            self.assertEqual({(option["letter"], name) for name, option in tables()[job].items()},
                             set(found))


class Help(Case):
    def test_examples(self):
        """Without arguments the command shows what it can do: of each subcommand an example, whose
        options it knows."""
        done = run()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 2 + 2 * len(tables()))
        self.assertLessEqual(max(map(len, lines)), 100)
        examples = [line.split() for line in lines if line.startswith("  clspline ")]
        self.assertEqual(len(examples), len(tables()))
        for example, command in zip(examples, tables()):
            self.assertEqual(example[1], command)
            self.assertEqual(run(*example[1:], "--help").returncode, 0)

    def test_options(self):
        """A subcommand's --help names all its options with their values, in lines that a terminal
        holds."""
        for command, options in tables().items():
            text = run("help", command).stdout
            self.assertEqual(run(command, "--help").stdout, text)
            text = text[text.index("\noptions:"):text.index("\nexamples:")]
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertEqual(set(re.findall(r"^  (?:-(\w),|   ) --([a-z-]+)", text, re.M)),
                             {(option["letter"], name) for name, option in options.items()})
            plain = " ".join(text.split())
            for name, option in options.items():
                self.assertIn(option["help"], plain)
                words = " --%s%s %s" % (name, option["glued"] or "", option["argument"] or "")
                self.assertIn(" ".join(words.split()) + " " + option["help"], plain)


class Start(unittest.TestCase):
    @unittest.skipUnless(shutil.which("ldd") and shutil.which("true"), "no ldd")
    def test_start(self):
        """At most 20 libraries are loaded, and the rest of a start is short beside that."""
        listed = subprocess.run(["ldd", COMMAND], stdout=subprocess.PIPE, text=True).stdout
        libraries = re.findall(r"=> (/\S+)", listed)
        if not libraries or "san.so" in listed:
            self.skipTest("a static command, or one with sanitizers")
        self.assertLessEqual(len(libraries), 20, listed)
        seconds = {"true": [], COMMAND: []}
        for _ in range(40):
            for command, found in seconds.items():
                start = time.perf_counter()
                subprocess.run([command, "--version"], stdout=subprocess.DEVNULL, check=True,
                               env=dict(os.environ, LD_PRELOAD=" ".join(libraries)))
                found.append(time.perf_counter() - start)
        self.assertLess(min(seconds[COMMAND]) - min(seconds["true"]), 0.003)


class Devices(unittest.TestCase):
    def test_table(self):
        done = run("devices")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr == "", has_opencl(), done.stderr)
        devices = json.loads(run("devices", "--json").stdout)
        lines = [line for line in done.stdout.splitlines()[1:] if line[0] == " "]
        self.assertEqual(len(lines), len(devices))
        for index, device in enumerate(devices):
            self.assertEqual(device["index"], index)
            self.assertIn(device["class"], ("cpu", "integrated", "discrete", "accelerator",
                                             "host"))
            self.assertEqual(device["class"] == "host", device is devices[-1])
            self.assertTrue(lines[index].endswith(device["device"]), lines[index])
            self.assertLessEqual(len(lines[index]) - len(device["device"]), 40)
            self.assertGreater(device["memory_bytes"], 0)
            self.assertIn("\n%s:\n" % device["platform"], done.stdout)
        wide = run("devices", "-v").stdout.splitlines()
        self.assertEqual(len(wide), len(devices) + 1)
        for line, device in zip(wide[1:], devices):
            for word in ("platform", "device", "class", "svm", "driver"):
                self.assertIn(device[word], line)

    @unittest.skipUnless(has_opencl(), "no OpenCL device")
    def test_kernels_stopped(self):
        """While kernels are compiled, which may take minutes, as is said, a bar on a terminal shows
        how many programs are, and SIGQUIT ends the run at once, though LLVM has a handler."""
        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            signal.signal(signal.SIGQUIT, signal.SIG_DFL)

        reader, writer = pty.openpty()
        with tempfile.TemporaryDirectory() as folder:
            env = dict(ON_OPENCL, POCL_CACHE_DIR=folder, CLSPLINE_CACHE_DIR=folder)
            done = subprocess.Popen([COMMAND, "devices", "--kernels"], env=env,
                                    stdout=subprocess.DEVNULL, stderr=writer, preexec_fn=prepare)
            os.close(writer)
            text = ""
            while not re.search(r"\r\d+ of \d+ +\[#* *\] +\d+%", text):
                text += os.read(reader, 4096).decode()  # an error where the run has ended
            start = time.monotonic()
            done.send_signal(signal.SIGQUIT)
            self.assertEqual(done.wait(60), -signal.SIGQUIT)
            self.assertLess(time.monotonic() - start, 1)
        os.close(reader)
        self.assertIn("which takes minutes where none is cached", text)

    @unittest.skipUnless(FULL, "compiles every kernel")
    def test_kernels(self):
        done = run("devices", "--kernels", "--json", env=ON_OPENCL)
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads(done.stdout)
        self.assertGreater(len(kernels), 0)
        for kernel in kernels:
            self.assertGreater(kernel["work_group_limit"], 0)
            self.assertTrue(kernel["program"] and kernel["kernel"])
        table = run("devices", "--kernels", "-d", "0")
        self.assertEqual(table.returncode, 0, table.stderr)
        self.assertIn("work-group", table.stdout)

    def test_no_devices(self):
        with tempfile.TemporaryDirectory() as empty:
            env = dict(os.environ, OCL_ICD_VENDORS=empty, OCL_ICD_FILENAMES="")
            done = run("devices", "--json", env=env)
            kernels = run("devices", "--kernels", env=env)
        devices = json.loads(done.stdout)
        if len(devices) > 1:
            self.skipTest("this OpenCL loader finds devices by other ways")
        self.assertEqual((done.returncode, devices[0]["class"]), (0, "host"))
        self.assertIn("no OpenCL device was found", done.stderr)
        self.assertIn("install an OpenCL driver", done.stderr)
        self.assertEqual(kernels.returncode, 0, kernels.stderr)
        self.assertIn("is the host, which has no kernels", kernels.stderr)

    def test_reasons(self):
        """Why drivers that are installed have no device is said, each with what can be done."""
        if not os.path.exists(FAKE):
            self.skipTest("the tests' driver was not built")
        with open(FAKE, "rb") as file:
            driver = file.read()
        with tempfile.TemporaryDirectory() as folder:
            def listed(*args, library=FAKE, **variables):
                with open(os.path.join(folder, "a.icd"), "w") as file:
                    file.write(library + "\n")
                env = {key: value for key, value in os.environ.items()
                       if key not in ("RUSTICL_ENABLE", "POCL_CACHE_DIR", "XDG_CACHE_HOME")}
                env.update(OCL_ICD_VENDORS=folder, OCL_ICD_FILENAMES="", **variables)
                return run(*args or ("devices",), env=env)

            done = listed(FAKE_PLATFORM="rusticl")
            if "no OpenCL device" not in done.stderr:
                self.skipTest("this OpenCL loader finds drivers by other ways")
            pocl, other = "Portable Computing Language", os.path.join(folder, "other.so")
            with open(other, "wb") as file:  # which needs what there is not
                file.write(driver.replace(b"libc.so.6", b"libq.so.6"))
            for expected, done in (  # the host is listed all the same
                    ("rusticl: no device: set RUSTICL_ENABLE", done),
                    ("rusticl: no device\n",
                     listed(FAKE_PLATFORM="rusticl", RUSTICL_ENABLE="iris")),
                    ("no device, as where it can write no cache: set HOME, or POCL_CACHE_DIR",
                     listed(FAKE_PLATFORM=pocl)),
                    ("HOME is empty, which aborts it: set HOME, or POCL_CACHE_DIR",
                     listed(FAKE_PLATFORM=pocl, HOME="")),
                    ("a.icd: its driver libnone.so cannot be loaded: libnone.so: ",
                     listed(library="libnone.so")),
                    ("cannot be loaded: libnone.so: ",
                     listed("eval", os.path.join(DATA, "pn.bv"), "-o", other + ".obj",
                            "-d", "cpu", library="libnone.so")),
                    ("other.so cannot be loaded: libq.so.6: ", listed(library=other))):
                self.assertEqual(done.returncode, 0 if done.stdout else 1)
                self.assertIn(expected, done.stderr)
                self.assertIn("no OpenCL device was found: ", done.stderr)

    def test_platform_alone(self):
        """A platform that words name is the only one whose driver is asked for devices."""
        vendors = os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")
        if not os.path.exists(FAKE) or not os.path.isdir(vendors):
            self.skipTest("the tests' driver, or a folder of drivers, is not there")
        with tempfile.TemporaryDirectory() as folder:
            for name in os.listdir(vendors):
                shutil.copy(os.path.join(vendors, name), folder)
            with open(os.path.join(folder, "0.icd"), "w") as file:
                file.write(FAKE)
            env = dict(os.environ, OCL_ICD_VENDORS=folder, FAKE_PLATFORM_ABORTS="1",
                       OCL_ICD_PLATFORM_SORT="none")  # ocl-icd sorts by what it asks itself
            mesh = os.path.join(folder, "a.obj")
            if not has_opencl():
                self.skipTest("no OpenCL device")
            platform = json.loads(run("devices", "--json").stdout)[0]["platform"]
            for words, aborts in (("fake:", True), (platform + ":", False)):
                done = run("eval", os.path.join(DATA, "teapot.bv"), "-n", "2", "-q", "-o", mesh,
                           "--device", words, env=env)
                self.assertEqual(done.returncode, -signal.SIGABRT if aborts else 0, done.stderr)

    def test_help_and_version(self):
        for args in (("--help",), ("-h",), ("eval", "--help"), ("help",),
                     ("help", "eval"), ("eval", "-h"), ("project", "-h"), ("tune", "--help"),
                     ("devices", "-h"), ("info", "-h")):
            done = run(*args)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("examples:", done.stdout)
        self.assertEqual(run("version").stdout, run("--version").stdout)
        self.assertRegex(run("--version").stdout, r"^clspline \d+\.\d+\.\d+\n$")

    def test_full_stdout(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([COMMAND, "--help"], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    main()
