#!/usr/bin/env python3
"""Uses the window of `clspline view` as a user does, on a display of its own.

usage: test_view_window.py CLSPLINE SOURCE_DIR [LAYER]

LAYER is that of the OpenCL loader by which the window's OpenGL buffers can be shared
(tests/fake_graphics.h). Needs the standard library, Xvfb and xdotool; exits with 77 (skipped)
without, and where there is no OpenCL device or no OpenGL.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
LAYER = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
COMMAND, DATA = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], "tests", "data")
PATIENCE = 60  # seconds that anything may take on a busy machine

# A flat bicubic patch over [0, 3] x [0, 3]: with no perspective and from straight above, 400 x 300
# pixels have it in the middle with 84 pixels a unit.
FLAT = "5 3 3\n" + "".join("%d %d 0\n" % (i, j) for i in range(4) for j in range(4))
PIXELS, MIDDLE = 84, (200, 150)


def fail(why):
    raise AssertionError(why)


def wait_for(what, test):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = test()
        if found:
            return found
        time.sleep(0.05)
    return fail("there is no " + what)


def pixel(x, y):
    return round(MIDDLE[0] + PIXELS * (x - 1.5)), round(MIDDLE[1] - PIXELS * (y - 1.5))


def numbers(text):
    return [float(word) for line in text.splitlines() if not line.startswith("#")
            for word in line.split()]


class Display:
    """A display without a screen."""

    def __init__(self):
        for _ in range(3):  # another server may take the number that this one has found
            if self.start():
                return
            self.close()
        print("Xvfb gives no display")
        sys.exit(SKIPPED)

    def start(self):
        """Starts a server. Returns whether it answers."""
        reader, writer = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1000x800x24", "-nolisten", "tcp",
             "-noreset"],  # it would turn clients away when the one before has gone
            pass_fds=(writer,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as file:
            number = file.readline().strip()
        self.env = dict(os.environ, DISPLAY=":" + number, LIBGL_ALWAYS_SOFTWARE="1")
        self.env.pop("WAYLAND_DISPLAY", None)
        time.sleep(0.2)
        return number and self.process.poll() is None and \
            self.do("getdisplaygeometry").strip() == "1000 800"

    def do(self, *words):
        done = subprocess.run(["xdotool", *map(str, words)], env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        return done.stdout

    def close(self):
        self.process.terminate()
        self.process.wait()


class Viewer:
    """The window of a file."""

    def __init__(self, display, path, log, env=None):
        self.display, self.path, self.log = display, path, log
        self.edited = path.replace(".bv", "-edited.bv")
        with open(log, "w") as file:
            self.process = subprocess.Popen(
                [COMMAND, "view", path, "-v", "--size", "400x300", "--control-points",
                 "--direction", "0,0,-1", "--orthographic"],
                env=dict(display.env, **(env or {})), stdout=file, stderr=file)
        self.id = wait_for("window", self.find)
        self.do("windowmove", "--sync", self.id, 0, 0)
        self.do("windowfocus", "--sync", self.id)

    def do(self, *words):
        return self.display.do(*words)

    def find(self):
        if self.process.poll() is not None:
            with open(self.log) as file:
                text = file.read()
            if re.search("OpenCL device|OpenGL", text):
                print(text)
                sys.exit(SKIPPED)
            fail(text)
        return self.do("search", "--name", "a.bv - clspline").strip()

    def drag(self, start, end, button=1):
        self.do("mousemove", *start, "mousedown", button, "sleep", 0.1, "mousemove",
                (start[0] + end[0]) // 2, (start[1] + end[1]) // 2, "mousemove", *end,
                "sleep", 0.1, "mouseup", button)

    def saved(self):
        """The numbers of the copy that Ctrl S writes."""
        if os.path.exists(self.edited):
            os.remove(self.edited)
        self.do("key", "ctrl+s")
        wait_for("copy", lambda: os.path.exists(self.edited))
        with open(self.edited) as file:
            return numbers(file.read())

    def seconds(self):
        """Time that the process has taken of processors."""
        with open("/proc/%d/stat" % self.process.pid) as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def has_loaded(self, library):
        with open("/proc/%d/maps" % self.process.pid) as file:
            return library in file.read()

    def frames(self):
        """Closes the window by a key, and gives the number of frames that it had."""
        self.do("key", "q")
        if self.process.wait(PATIENCE) != 0:
            fail("exit status %d" % self.process.returncode)
        with open(self.log) as file:
            return int(re.search(r"(\d+) frames", file.read()).group(1))


def moved(number, by):
    """The patch with a control point moved."""
    expected = numbers(FLAT)
    for k in range(3):
        expected[3 + 3 * number + k] += by[k]
    return expected


def assert_near(found, expected):
    if len(found) != len(expected) or any(abs(a - b) > 1e-9 for a, b in zip(found, expected)):
        fail("%s instead of %s" % (found, expected))


def mesh_of(path):
    """The bytes of the mesh that the command makes of a file."""
    mesh = path + ".ply"
    subprocess.run([COMMAND, "eval", path, "-o", mesh, "-q", "-n", "9"], check=True)
    with open(mesh, "rb") as file:
        return file.read()


def check_drags(viewer):
    """A control point follows the pointer, in the plane or along an axis, and goes back."""
    if viewer.saved() != numbers(FLAT):
        fail("what nobody has moved is saved as something else")
    before = mesh_of(viewer.edited)
    viewer.drag(pixel(1, 1), pixel(1.5, 1.25))  # 42 and 21 pixels
    found = viewer.saved()
    assert_near(found, moved(5, (0.5, 0.25, 0)))
    if mesh_of(viewer.edited) == before:
        fail("the mesh has not changed")
    with open(viewer.path + ".expected.bv", "w") as file:
        file.write(" ".join(["5"] + ["%d" % x for x in found[1:3]] + [repr(x) for x in found[3:]]))
    if mesh_of(viewer.path + ".expected.bv") != mesh_of(viewer.edited):
        fail("the saved copy is another surface")
    viewer.do("keydown", "x")
    viewer.drag(pixel(2, 2), pixel(2.5, 2.5))
    viewer.do("keyup", "x")
    expected = moved(5, (0.5, 0.25, 0))
    expected[3 + 3 * 10] += 0.5
    assert_near(viewer.saved(), expected)
    viewer.do("key", "ctrl+z")
    assert_near(viewer.saved(), moved(5, (0.5, 0.25, 0)))
    viewer.do("key", "ctrl+z", "key", "ctrl+z")  # one more than there are
    if viewer.saved() != numbers(FLAT):
        fail("undoing does not give back the same numbers")


def check_rest(viewer):
    """At rest no time is taken."""
    time.sleep(1.5)
    before = viewer.seconds()
    time.sleep(1)
    if viewer.seconds() - before > 0.03:
        fail("%.2f s of processors in a second at rest" % (viewer.seconds() - before))


def check_keys(viewer):
    """Every key, each twice, and the mouse away from control points, change no control point."""
    for key in ("w", "e", "v", "b", "h", "s", "k", "5", "z", "plus", "minus", "1", "3", "7",
                "ctrl+1", "bracketleft", "p"):
        viewer.do("key", key, "key", key)
    viewer.drag((20, 20), (90, 60))
    viewer.drag((20, 20), (60, 90), 2)
    viewer.drag((20, 20), (30, 60), 3)
    viewer.do("click", 4, "click", 5)
    if viewer.saved() != numbers(FLAT):
        fail("a key has moved a control point")
    viewer.do("key", "F12")
    wait_for("picture", lambda: os.path.exists(viewer.path.replace(".bv", "-view-001.png")))


def check_sizes(viewer):
    for size in ((1, 1), (700, 500), (3, 400), (400, 300)):
        viewer.do("windowsize", viewer.id, *size)
        time.sleep(0.2)


def check_files(viewer):
    """A file that changes is read again; a broken one leaves what was shown."""
    twice = FLAT + FLAT.replace(" 0\n", " 1\n")
    for text, expected in (("5 3 3 1 2", FLAT), (twice, twice)):
        with open(viewer.path + ".new", "w") as file:
            file.write(text)
        os.rename(viewer.path + ".new", viewer.path)
        wait_for("new model", lambda: viewer.saved() == numbers(expected))
    with open(viewer.log) as file:
        if "cannot be read, what was shown stays" not in file.read():
            fail("the broken file was not complained of")


def check_way(viewer, way):
    """The title says how vertices come to OpenGL."""
    wait_for("title with (%s)" % way,
             lambda: "(%s)" % way in viewer.do("getwindowname", viewer.id))


def check_staged(viewer):
    check_way(viewer, "staged")
    check_drags(viewer)
    check_rest(viewer)
    check_keys(viewer)
    check_sizes(viewer)
    check_files(viewer)


def check_shared(viewer):
    """The handles of the window's OpenGL context are those that a driver wants."""
    check_drags(viewer)
    if not viewer.has_loaded(LAYER):
        print("no OpenGL buffers shared: the OpenCL loader takes no layers")
        return
    check_way(viewer, "gl")


def check(folder, display, checks, env=None):
    path = os.path.join(folder, "a.bv")
    with open(path, "w") as file:
        file.write(FLAT)
    viewer = Viewer(display, path, os.path.join(folder, "log"), env)
    try:
        checks(viewer)
        print("%d frames" % viewer.frames())
    finally:
        if viewer.process.poll() is None:
            viewer.process.kill()
            viewer.process.wait()
        with open(viewer.log) as file:
            print(file.read())


def run_all():
    if not shutil.which("Xvfb") or not shutil.which("xdotool"):
        print("no Xvfb or no xdotool")
        sys.exit(SKIPPED)
    display = Display()
    try:
        with tempfile.TemporaryDirectory() as folder:
            check(folder, display, check_staged)
        if LAYER:
            with tempfile.TemporaryDirectory() as folder:
                check(folder, display, check_shared,
                      {"OPENCL_LAYERS": LAYER, "FAKE_GRAPHICS": "gl opengl"})
    finally:
        display.close()


if __name__ == "__main__":
    run_all()
