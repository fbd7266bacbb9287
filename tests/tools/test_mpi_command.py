#!/usr/bin/env python3
"""Runs clspline-mpi: by any number of ranks it makes the bytes that one process makes. Where a rank
fails or is killed there is one message, no file, and the way on.

usage: test_mpi_command.py CLSPLINE SOURCE_DIR CLSPLINE_MPI [MPIRUN]

Needs the standard library only. Exits with 77 (skipped) without mpirun or an OpenCL device.
"""
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import unittest

from command_fixture import DATA, FULL, SKIPPED, Case, lacks, main, run, some
from image_files import Image, write_npy

PROGRAM = os.path.abspath(sys.argv[3])
MPIRUN = sys.argv[4] if len(sys.argv) > 4 else None
# Root, more ranks than cores, and containers without the right to read each other's memory. MPI's
# libraries leak in builds with sanitizers, where the command without them is looked at.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1",
                   PRTE_MCA_rmaps_default_mapping_policy=":OVERSUBSCRIBE",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none",
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
# A shell's words for the number of the rank.
RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"


def command(n, *args, before=()):
    return [MPIRUN, "-n", str(n), *before, PROGRAM, *args]


def mpirun(n, *args, before=(), **more):
    """Runs so many ranks. What mpirun says itself, of a rank's exit status, is left out."""
    done = subprocess.run(command(n, *args, before=before), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=200, stdin=subprocess.DEVNULL,
                          env=dict(ENVIRONMENT, **more))
    done.said = [line for line in done.stderr.splitlines() if line.startswith("clspline: ")]
    return done


def ranks_that_write(path):
    """Processes of clspline-mpi that have a file open, by their rank."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe") != os.path.realpath(PROGRAM):
                continue
            files = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
            with open(f"/proc/{pid}/environ", "rb") as file:
                rank = re.search(rb"(?:OMPI_COMM_WORLD_RANK|PMI_RANK)=(\d+)", file.read())
        except OSError:
            continue
        if path in files and rank:
            found[int(rank[1])] = int(pid)
    return found


class Mpi(Case):

    def setUp(self):
        super().setUp()
        self.name("npy")

    def name(self, ending):
        self.out = os.path.realpath(self.path("out." + ending))

    def image(self, *size):
        chance = random.Random(7)
        path, num = self.path("in.npy"), 1
        for side in size:
            num *= side
        write_npy(path, Image(size, "|u1", list(chance.randbytes(num))))
        return path

    def points(self, num, spans):
        """A curve of so many spans, and points around it."""
        chance = random.Random(8)
        path = self.path("points.npy")
        write_npy(path, Image((num, 2), "<f8", [chance.uniform(-1, 4) for _ in range(2 * num)]))
        knots = [0] * 3 + list(range(spans + 1)) + [spans] * 3
        control = "".join(f"{chance.uniform(0, 3)} {chance.uniform(0, 3)}\n"
                          for _ in range(spans + 3))
        return self.write("curve.g2", f"100 1 0 0\n2 0\n{spans + 3} 4\n"
                          f"{' '.join(map(str, knots))}\n{control}"), path

    def files(self):
        return sorted(name for name in os.listdir(self.folder) if name.startswith("out."))

    @staticmethod
    def read(path):
        with open(path, "rb") as file:
            return file.read()

    def check_bytes(self, args, counts, ending="npy"):
        self.name(ending)
        whole = self.path("whole." + ending)
        done = run(*args, "-o", whole, "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        expected = self.read(whole)
        for n in counts:
            with self.subTest(args=args[2:], n=n):
                done = mpirun(n, *args, "-o", self.out, "-q")
                self.assertEqual((done.returncode, done.said, done.stdout), (0, [], ""),
                                 done.stderr)
                self.assertEqual(self.files(), ["out." + ending])
                self.assertTrue(self.read(self.out) == expected)
                os.remove(self.out)

    def test_image(self):
        self.check_bytes(["image", self.image(211, 190), "--scale", "1.5"], some((3, 1, 2, 4), 4))

    @unittest.skipUnless(FULL, "of a full run")
    def test_volume(self):
        self.check_bytes(["image", self.image(23, 31, 33), "--rotate", "30"],
                         some((4, 1, 2, 3), 4))

    def test_project(self):
        curve, points = self.points(1003, 2)
        self.check_bytes(["project", curve, points], some((2, 1, 3, 4), 4))

    def test_patches(self):
        self.check_bytes(["eval", os.path.join(DATA, "teapot.bv"), "-n", "5"],
                         some((3, 1, 2, 4), 4), "ply")

    @unittest.skipUnless(FULL, "of a full run")
    def test_cells(self):
        self.check_bytes(["eval", os.path.join(DATA, "rod.vtk"), "-n", "2"],
                         some((3, 1, 2, 4), 4), "vtu")

    def test_eight(self):
        """More ranks than cores, with parts that are not even, of every family into every format
        that there is: files of one process."""
        volume = "700 1 0 0\n3 0\n" + 3 * "2 2\n0 0 1 1\n" + "".join(
            f"{i % 2} {i // 2 % 2} {i // 4}\n" for i in range(8))
        splines = [self.write("volumes.g2", volume + volume), os.path.join(DATA, "knot.g2"),
                   os.path.join(DATA, "vase.json")]  # 14 pieces
        curve, points = self.points(1003, 2)
        image = ["image", self.image(1030, 37), "--scale", "4.01", "--rotate", "3"]
        teapot = ["eval", os.path.join(DATA, "teapot.bv"), "-n", "5"]  # 28 patches
        solid = ["eval", os.path.join(DATA, "rod.vtk"), "-n", "2"]
        cases = [(image, "npy"), (["project", curve, points], "npy"),
                 (teapot, "ply"), (teapot, "vtk"), (["eval", *splines], "ply"),
                 (["eval", *splines], "vtk"), (solid, "vtu"),
                 ([*solid[:2], "--bezier"], "vtu")]
        cases += [] if lacks("tif") else [(image, "tif")]
        cases += [] if lacks("nii") else [(image, "nii")]
        for args, ending in cases:
            self.check_bytes(args, [8], ending)

    def test_caches(self):
        """Where no cache has the programs, the first rank compiles them, and the others wait: the
        work is about that of one rank, not of four."""
        args = ["image", self.image(300, 301), "--rotate", "3", "--precision", "f32"]

        def seconds(n, cache):
            """Processor time of a run."""
            before = os.times()
            done = mpirun(n, *args, "-o", self.out, "-q", POCL_CACHE_DIR=cache,
                          CLSPLINE_CACHE_DIR=cache + "/own")
            self.assertEqual((done.returncode, done.said), (0, []), done.stderr)
            after = os.times()
            os.remove(self.out)
            return (after.children_user + after.children_system - before.children_user -
                    before.children_system)

        def compiling(n):
            cache = self.path(f"cache{n}")
            os.makedirs(cache + "/own")
            return seconds(n, cache) - seconds(n, cache)

        alone = compiling(1)
        if alone < 0.5:
            self.skipTest("programs take no time")
        self.assertLess(compiling(4), 2 * alone)

    def test_rank_fails(self):
        """One rank has no device: one message, that names it; the others' parts stay."""
        args = ["image", self.image(50, 40), "-o", self.out, "-q", "--rotate", "9"]
        shell = ["sh", "-c", f'[ "{RANK}" = 1 ] && export CLSPLINE_DEVICE=missing; exec "$0" "$@"']
        done = mpirun(3, *args, before=shell)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.said), 3, done.stderr)
        self.assertIn("no device fits 'missing'", done.said[0])
        self.assertIn("that was rank 1 of 3", done.said[2])
        self.assertEqual(self.files(), ["out.npy.part", "out.npy.part-1-of-3",
                                        "out.npy.part-3-of-3"])
        done = mpirun(3, *args)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("part 1 of 3 is there already; --resume", done.said[0])
        done = mpirun(3, *args, "--resume")
        self.assertEqual((done.returncode, done.said), (0, []), done.stderr)
        self.assertEqual(self.files(), ["out.npy"])

    def test_killed(self):
        curve, points = self.points(120000, 400)
        args = ["project", curve, points, "-o", self.out, "-q"]
        with subprocess.Popen(command(3, *args), env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as job:
            until, pid = time.monotonic() + 60, None
            while not pid and job.poll() is None and time.monotonic() < until:
                pid = ranks_that_write(self.out + ".part").get(1)
            self.assertTrue(pid, "rank 1 did not write")
            os.kill(pid, signal.SIGKILL)
            self.assertNotEqual(job.wait(60), 0)
        self.assertNotIn("out.npy", self.files())
        self.assertNotIn("out.npy.part-2-of-3", self.files())
        done = mpirun(3, *args, "--resume")
        self.assertEqual((done.returncode, done.said), (0, []), done.stderr)
        whole = self.path("whole.npy")
        self.assertEqual(run("project", curve, points, "-o", whole, "-q").returncode, 0)
        with open(whole, "rb") as file, open(self.out, "rb") as made:
            self.assertEqual(made.read(), file.read())
        self.assertEqual(self.files(), ["out.npy"])

    def test_ranks(self):
        """Ranks of a machine share its cores, and its devices where there are several alike: here
        PoCL's, of which there are as many as its variable says."""
        done = mpirun(3, "--ranks", POCL_DEVICES="pthread pthread")
        form = re.compile(r"rank (\d) on .+: cores (\d+), device (.+), compute units (\d+)")
        lines = [form.fullmatch(line) for line in done.stdout.splitlines()]
        self.assertEqual([line[1] for line in lines], ["0", "1", "2"], done.stderr)
        self.assertLessEqual(sum(int(line[2]) for line in lines), max(3, os.cpu_count()))
        devices = json.loads(run("devices", "--json", env=dict(
            os.environ, POCL_DEVICES="pthread pthread")).stdout)
        if len(devices) == 2 and all(d["device"].startswith("pthread") for d in devices):
            self.assertEqual([line[3][:2] for line in lines], ["0 ", "1 ", "0 "])
            self.assertEqual([line[4] for line in lines], [line[2] for line in lines])
        done = mpirun(2, "--ranks", POCL_DEVICES="pthread pthread", CLSPLINE_DEVICE="0",
                      POCL_MAX_PTHREAD_COUNT="1")
        for line in done.stdout.splitlines():
            self.assertNotIn("device 0 ", line)

    @unittest.skipUnless(FULL, "of a full run")
    def test_other_devices(self):
        """Ranks on devices of other names: parts stay, and are joined by who says so."""
        devices = json.loads(run("devices", "--json", env=dict(
            os.environ, POCL_DEVICES="basic pthread")).stdout)
        if len({device["device"] for device in devices}) < 2:
            self.skipTest("one kind of device")
        shell = ["sh", "-c", f'CLSPLINE_DEVICE={RANK} exec "$0" "$@"']
        done = mpirun(2, "image", self.image(50, 40), "-o", self.out, "-q", "--rotate", "9",
                      before=shell, POCL_DEVICES="basic pthread")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--mixed joins them", done.said[0])
        self.assertEqual(run("join", self.out, "--mixed", "-q").returncode, 0)
        self.assertEqual(self.files(), ["out.npy"])

    def test_slurm(self):
        """The script of a job, which has as many ranks as mpirun takes by itself."""
        script = os.path.join(os.path.dirname(os.path.dirname(DATA)), "examples", "slurm_mpi.sh")
        path = os.pathsep.join([os.path.dirname(PROGRAM), os.path.dirname(MPIRUN),
                                os.environ["PATH"]])
        done = subprocess.run(["sh", script, self.image(40, 30), self.out], stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, env=dict(ENVIRONMENT, PATH=path))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), ["out.npy"])

    def test_refused(self):
        """What all ranks refuse is said once."""
        image = self.image(50, 40)
        cases = [(["image", self.path("none.npy"), "-o", self.out], "cannot open"),
                 (["image", image, "-o", self.path("a.png")], ".npy, .nii and .tif can"),
                 (["image", image, "-o", self.out, "--part", "1/2"], "follows from the process"),
                 (["devices"], "there are bezier, bspline, image, project and solid"),
                 (["image", image, "-o", self.out, "--size", "9x1"], "2 parts, but only 1 rows")]
        for args, words in some(cases, 5):
            done = mpirun(2, *args)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.said[0])
            self.assertEqual(len(done.said), 1, done.stderr)
        self.assertEqual(self.files(), [])

    def test_command_lines(self):
        """Ranks that were given other lines, or do not know of each other."""
        image = self.image(50, 40)
        done = mpirun(1, "image", image, "-o", self.out, ":", "-n", "1", PROGRAM, "image", image,
                      "-o", self.out, "-q")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.said, ["clspline: the ranks have different command lines"])
        done = subprocess.run([PROGRAM, "image", image, "-o", self.out], text=True,
                              stderr=subprocess.PIPE, env=dict(ENVIRONMENT, PMI_SIZE="2"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("mpirun is another MPI's", done.stderr)
        self.assertEqual(self.files(), [])

    def test_alone(self):
        """Without mpirun it is one rank; and its help is printed once by several."""
        done = subprocess.run([PROGRAM, "image", self.image(20, 30), "-o", self.out, "-q"],
                              stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.files(), ["out.npy"])
        self.assertEqual(mpirun(2, "--help").stdout.count("usage:"), 1)
        self.assertEqual(mpirun(2, "--version").stdout.replace("-mpi", ""), run("-V").stdout)


if __name__ == "__main__":
    if not MPIRUN:
        print("no mpirun")
        sys.exit(SKIPPED)
    main()
