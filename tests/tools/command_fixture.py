"""Runs the command that tests look into: what all their programs have.

Each is called as TEST CLSPLINE SOURCE_DIR.
"""
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

COMMAND, DATA = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], "tests", "data")
SKIPPED = 77
FULL = os.environ.get("CLSPLINE_TEST_SIZE") == "full"


def some(cases, step):
    """All cases in a full run, else one of so many."""
    return list(cases)[::1 if FULL else step]


def run(*args, **options):
    """Runs the command; what Mesa's drivers print about themselves is left out."""
    done = subprocess.run([COMMAND, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **options)
    # what Mesa and libwayland say there themselves
    done.stderr = re.sub(r"^(MESA: warning|error: XDG_RUNTIME_DIR) ?.*\n", "", done.stderr,
                         flags=re.M)
    return done


# The host's own CPU in the place of a GPU, with which the host's cores share.
BESIDE_HOST = dict(os.environ, CLSPLINE_LIMITS=os.environ.get("CLSPLINE_LIMITS",
                                                              "class=integrated"))


@functools.lru_cache(maxsize=None)
def has_opencl():
    """Whether there is a device beside the host."""
    return len(json.loads(run("devices", "--json").stdout)) > 1


@functools.lru_cache(maxsize=None)
def has_methods():
    """Whether the command has the published methods, which is what the build says."""
    found = "--method" in run("eval", "--help").stdout
    if os.environ.get("CLSPLINE_TEST_METHODS", str(int(found))) != str(int(found)):
        raise AssertionError("the command and the build differ in the published methods")
    return found


NO_METHODS = "built without the published methods"

# What kernels alone make needs a device of OpenCL, where the command takes the host by default.
ON_OPENCL = dict(os.environ, CLSPLINE_DEVICE=os.environ.get("CLSPLINE_DEVICE", ":"))


@functools.lru_cache(maxsize=None)  # asked for each number that is compared
def has_fp64():
    """Whether the device that the command takes by default has double precision."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.bv")
        with open(path, "w") as file:
            file.write("4 0 1 2 3\n")
        return run("eval", path, "-o", path + ".obj", "--precision", "f64").returncode == 0


def lacks(ending, command="image"):
    """Whether the command was built without the library of a format, by default of images."""
    return "built without" in run(command, "nothing.png", "-o", "nothing." + ending).stderr


def precisions():
    return ("f32", "f64") if has_fp64() else ("f32",)


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.folder = folder.name
        self.addCleanup(folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def fails(self, code, expected, *args, **options):
        """Runs the command and returns its complaint, which is of options and words of the
        user's."""
        done = run(*args, **options)
        # rusticl: a process that ends soon after it has begun may end by a signal (docs/testing.md)
        if done.returncode < 0 and "RUSTICL_ENABLE" in os.environ:
            done = run(*args, **options)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(expected, done.stderr)
        self.assertTrue(done.stderr.startswith("clspline: "), done.stderr)
        self.assertNotIn("CLSP_", done.stderr)
        return done.stderr


def main():
    """Runs the tests of the program."""
    unittest.main(argv=sys.argv[:1], verbosity=2)
