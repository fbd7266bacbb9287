#!/usr/bin/env python3
"""Runs the command with evaluations that devices and the host's cores share.

usage: test_cooperate_command.py CLSPLINE SOURCE_DIR

Needs the standard library only. Exits with 77 (skipped) where there is no OpenCL device.
"""
import json
import os
import pty
import random
import re
import subprocess

from command_fixture import BESIDE_HOST, COMMAND, DATA, FULL, Case, has_fp64, main, run
from image_files import Image, read_npy, write_npy
from mesh_files import read_obj


os.environ.update(BESIDE_HOST)

# rows of a patch: three tiles, or two
SAMPLES = "90" if FULL else "34"


class Cooperation(Case):
    """Evaluations shared between processors. Points are within 8 eps scale by each of them, so that
    two are within 16, here 2 eps a coordinate of at most about 4."""
    SCHEDULES = ("svm", "dynamic", "static", "device", "host")
    HEAD = re.compile(r"patches (\d+) to (\d+): by (\w+), (\d+) tiles in [0-9.]+ ms "
                      r"\(building programs [0-9.]+ ms, preparing [0-9.]+ ms, "
                      r"measuring [0-9.]+ ms\)$")
    NOT = re.compile(r"  not (\w+): .+$")
    PART = re.compile(r"  (.+?)(?:, \d+ workers)?: (\d+) tiles \(\d+%\) in \d+ chunks, "
                      r"busy [0-9.]+ ms, moving [0-9.]+ ms$")

    def setUp(self):
        super().setUp()
        self.teapot = os.path.join(DATA, "teapot.bv")
        self.env = dict(os.environ, CLSPLINE_SPEEDS="")

    def evaluate(self, *extra):
        done = run("eval", self.teapot, "-q", "-o", self.path("a.obj"), *extra, env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_obj(self.path("a.obj")), done.stderr

    def read_report(self, text):
        """The schedule of each evaluation, after a look at all lines: every tile is made once."""
        schedules, left, above = [], 0, ()
        for line in text.splitlines():
            head, why, part = self.HEAD.match(line), self.NOT.match(line), self.PART.match(line)
            if head:
                self.assertEqual(left, 0)
                schedules.append(head[3])
                left, above = int(head[4]), self.SCHEDULES[:self.SCHEDULES.index(head[3])]
            elif why:
                self.assertIn(why[1], above)
            else:
                self.assertTrue(part, line)
                left -= int(part[2])
        self.assertEqual(left, 0)
        return schedules

    def check_same(self, found, expected, eps):
        self.assertEqual(found[1], expected[1])
        self.assertEqual(len(found[0]), len(expected[0]))
        for p, q in zip(found[0], expected[0]):
            self.assertLess(max(abs(a - b) for a, b in zip(p, q)), 16 * 4 * eps)

    def test_schedules(self):
        expected, report = self.evaluate("-n", SAMPLES)
        self.assertEqual(report, "")
        for how in ("auto",) + self.SCHEDULES:
            with self.subTest(how):
                found, report = self.evaluate("-n", SAMPLES, "--cooperate", how, "--report")
                self.check_same(found, expected, 2 ** -23)
                schedule, = self.read_report(report)
                if how not in ("auto", "svm"):
                    self.assertEqual(schedule, how)

    def test_ratios(self):
        """The host's part of the tiles is what was asked for, to a tile."""
        expected, _ = self.evaluate("-n", SAMPLES)
        for ratio in (0, 0.25, 1):
            with self.subTest(ratio):
                found, report = self.evaluate("-n", SAMPLES, "--cooperate=static=%g" % ratio,
                                              "--report")
                self.check_same(found, expected, 2 ** -23)
                self.assertEqual(self.read_report(report), ["static"])
                parts = [self.PART.match(line) for line in report.splitlines()]
                tiles = {part[1]: int(part[2]) for part in parts if part}
                self.assertLessEqual(abs(tiles["host"] - ratio * sum(tiles.values())), 1)

    def test_processors(self):
        """No worker, with whom a device does not share, several, and the same device once more."""
        expected, _ = self.evaluate("-n", SAMPLES)
        device = os.environ.get("CLSPLINE_DEVICE") or "0"
        again = "--join=" + device
        for schedule, extra in (("device", ("--workers", "0")), ("dynamic", ("--workers=2",)),
                                ("dynamic", ("--join", device)),
                                ("dynamic", (again, again, "--workers=0"))):
            with self.subTest(extra):
                found, report = self.evaluate("-n", SAMPLES, "-d", device, "--cooperate", "dynamic",
                                              "--report", *extra)
                self.check_same(found, expected, 2 ** -23)
                self.assertEqual(self.read_report(report), [schedule])

    def test_what_the_host_makes(self):
        """Normals, and grids of each patch's own; the files are the device's."""
        for extra in (("--normals", "-n", "9"), ("--tolerance", "0.01")):
            with self.subTest(extra):
                expected, _ = self.evaluate(*extra)
                found, report = self.evaluate(*extra, "--cooperate", "host", "--report")
                self.check_same(found, expected, 2 ** -23)
                self.assertIn("host", self.read_report(report))

    def test_f64(self):
        if not has_fp64():
            self.skipTest("the device has no fp64")
        expected, _ = self.evaluate("-n", SAMPLES, "-p", "f64")
        found, report = self.evaluate("-n", SAMPLES, "-p", "f64", "--cooperate", "dynamic",
                                      "--report")
        self.check_same(found, expected, 2 ** -52)
        self.assertEqual(self.read_report(report), ["dynamic"])

    def test_formats(self):
        """The same files, ending by ending."""
        for ending in ("ply", "vtk", "png"):
            sizes = []
            for extra in ((), ("--cooperate", "auto")):
                path = self.path("a." + ending)
                done = run("eval", self.teapot, "-q", "-o", path, *extra, env=self.env)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                sizes.append(os.path.getsize(path))
            if ending != "png":
                self.assertEqual(sizes[0], sizes[1])

    def test_images(self):
        """By every schedule the values of the device, to rounding, and in parts."""
        path, out = self.path("in.npy"), self.path("out.npy")
        chance = random.Random(3)
        write_npy(path, Image((70, 90, 3), "<f4", [chance.uniform(-1, 1) for _ in range(18900)]))

        def make(*extra):
            done = run("image", path, "-q", "-o", out, "-r", "10", "--directions", "2", *extra,
                       env=self.env)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr

        def check(expected):
            self.assertLess(max(abs(a - b) for a, b in zip(read_npy(out).values, expected)),
                            64 * 2 ** -23)

        self.assertEqual(make(), "")
        expected = read_npy(out).values
        head = re.compile(r"^(coefficients|values): by (\w+), \d+ tiles in ", re.M)
        for how in ("auto",) + self.SCHEDULES:
            found = head.findall(make("--cooperate", how, "--report"))
            self.assertEqual([what for what, _ in found], ["coefficients", "values"])
            if how not in ("auto", "svm"):
                self.assertEqual([schedule for _, schedule in found], [how] * 2)
            check(expected)
        for part in "12":
            report = make("--cooperate", "host", "--workers=2", "--report", "--report=" +
                          self.path("a.json"), "--part", part + "/2")
        self.assertEqual(run("join", out, "-q").returncode, 0)
        check(expected)
        with open(self.path("a.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["shared_calls"], len(head.findall(report)))
        self.fails(2, "--join needs --cooperate", "image", path, "-o", out, "--join", "0")

    def test_tune(self):
        speeds = self.path("speeds")
        done = run("tune", "--quick", "--json", "--speeds", speeds)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = json.loads(done.stdout)
        self.assertEqual({line["degree"] for line in lines}, {3, 7, 11})
        self.assertIn("host", {line["processor"] for line in lines})
        self.assertEqual({line["precision"] for line in lines},
                         {"f32", "f64"} if has_fp64() else {"f32"})
        for line in lines:
            self.assertGreater(line["points_per_s"], 0, line)
        self.assertGreater(os.path.getsize(speeds), 0)
        self.env["CLSPLINE_SPEEDS"] = speeds
        _, report = self.evaluate("-n", SAMPLES, "--cooperate", "static", "--report")
        self.assertEqual(self.read_report(report), ["static"])

    def test_tune_in_cache_folder(self):
        """Speeds are kept in the cache folder, whatever the device, and found there by a later
        run."""
        cache = self.path("cache")
        env = dict(os.environ, CLSPLINE_CACHE_DIR=cache)
        env.pop("CLSPLINE_SPEEDS", None)
        done = run("tune", "--quick", "--json", env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(os.path.getsize(os.path.join(cache, "speeds")), 0)
        self.env = dict(env)
        _, report = self.evaluate("-n", "60", "--cooperate", "static", "--report")
        self.assertIn("measuring 0.000 ms", report)

    def test_damaged_speeds(self):
        """A warning, and the work is done."""
        speeds = self.path("speeds")
        with open(speeds, "wb") as file:
            file.write(bytes(random.Random(1).randrange(256) for _ in range(1000)))
        self.env["CLSPLINE_SPEEDS"] = speeds
        done = run("eval", self.teapot, "-o", self.path("a.obj"), "--cooperate", "auto",
                   env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning", done.stderr)


class Reports(Case):
    """Reports of runs as JSON."""

    def commands(self):
        """Of each command its arguments, and what it makes how many of."""
        def data(name):
            return os.path.join(DATA, name)
        return [(["eval", data("teapot.bv"), "-n", "5"], "ply", "points", 700),
                (["eval", data("vase.json"), "-n", "9"], "obj", "points", 81),
                (["convert", data("vase.json")], "bv", "pieces", 16),
                (["image", data("raccoon.png"), "--rotate", "10", "--size", "32x16"], "png",
                 "values", 32 * 16 * 3),
                (["project", data("knot.g2"), data("points.csv")], "npy", "points", 300),
                (["eval", data("rod.vtk"), "-n", "2"], "vtu", "cells", 1280)]

    def test_commands(self):
        for args, ending, things, num in self.commands():
            with self.subTest(args[0]):
                out = self.path("out." + ending)
                done = run(*args, "-o", out, "-q", "--report=json")
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
                report = json.loads(done.stderr)
                self.assertEqual((report["of"], report["num"]), (things, num))
                self.assertEqual(report["command"].split(), args[:len(report["command"].split())])
                self.assertEqual(report["outputs"], [out])
                self.assertIn(report["inputs"][0], args)
                self.assertGreater(report["rate"], 0)
                stages = dict(report["seconds"])
                self.assertGreaterEqual(stages.pop("all") * 1.001, sum(stages.values()))
                self.assertIn("driver", report["device"])
                self.assertNotIn("processors", report)
                self.assertNotIn("part", report)

    def test_processors(self):
        """Tiles of all calls together, in a file, beside the report in words."""
        file = self.path("report.json")
        done = run("eval", os.path.join(DATA, "teapot.bv"), "-n", SAMPLES, "-q", "-o",
                   self.path("a.ply"), "--part", "2/3", "--cooperate", "dynamic", "--report",
                   "--report=" + file)
        self.assertEqual(done.returncode, 0, done.stderr)
        tiles = [int(num) for num in re.findall(r"by \w+, (\d+) tiles in", done.stderr)]
        with open(file, encoding="utf-8") as made:
            report = json.load(made)
        self.assertEqual((report["part"], report["parts"]), (2, 3))
        self.assertEqual(report["shared_calls"], len(tiles))
        self.assertEqual(sum(p["tiles"] for p in report["processors"]), sum(tiles))
        self.assertEqual(report["num"], 9 * int(SAMPLES) ** 2)
        self.assertGreaterEqual(report["building_seconds"], 0)
        schedules = {s["name"]: s for s in report["schedules"]}
        self.assertEqual(sum(s["calls"] for s in schedules.values()), len(tiles))
        self.assertEqual(schedules["svm"], {"name": "svm", "calls": 0,
                                            "why_not": "dynamic was asked for"})

    def test_host_alone(self):
        """What the host's cores search, since the device has no doubles, is reported as theirs."""
        env = dict(os.environ, CLSPLINE_LIMITS="class=integrated,fp64=0")
        done = run("project", os.path.join(DATA, "teapot.bv"), os.path.join(DATA, "points.csv"),
                   "-q", "-o", self.path("a.csv"), "--cooperate", "host", "--report", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"by host, (\d+) tiles in")
        self.assertRegex(done.stderr, r"\n  host(, \d+ workers)?: \d+ tiles \(100%\)")

    def test_refused(self):
        vase, out = os.path.join(DATA, "vase.json"), self.path("out.json")
        for text, *args in (("is an input or an output too", "-o", out, "--report=" + out),
                            ("is an input or an output too", "-o", out, "--report=" + vase),
                            ("must be json, or a file that ends in .json, not 'x'", "-o", out,
                             "--report=x"),
                            ("must be json, or a file that ends in .json", "-o", out, "--report")):
            self.fails(2, text, "convert", vase, *args)
        self.fails(1, "cannot write", "convert", vase, "-q", "-o", out,
                   "--report=" + self.path("no/where.json"))

    def test_rate(self):
        """On a terminal a long job says how fast it goes and how long it will take."""
        if not FULL:
            self.skipTest("takes seconds: of a full run")
        reader, writer = pty.openpty()
        with subprocess.Popen([COMMAND, "eval", os.path.join(DATA, "teapot.bv"), "-n", "1000",
                               "-o", self.path("a.ply")], stderr=writer) as job:
            os.close(writer)
            text = ""
            try:
                while more := os.read(reader, 4096).decode():
                    text += more
            except OSError:  # the other end is closed
                pass
            self.assertEqual(job.wait(), 0, text)
        os.close(reader)
        if float(re.search(r"write ([0-9.]+) ms", text)[1]) > 1500:
            self.assertRegex(text, r"\rwriting +\[#+ *\] +\d+%, [\d.e+]+ points/s, \d+ s left")


if __name__ == "__main__":
    main()
