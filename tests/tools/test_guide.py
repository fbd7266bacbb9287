#!/usr/bin/env python3
"""Runs what the README and the pages of docs/guide show: command lines, C, C++ and Python.

usage: test_guide.py CLSPLINE SOURCE_DIR CC INCLUDE_DIRS [PYTHON PYTHONPATH]

A block that is indented by four spaces is typed into a shell, in the order of the page: in the
clone's root on pages of AT_ROOT, in tests/data on all others. What installs or builds something, or
needs another machine, is looked at by the shell alone. What needs a GPU, a display or a minute has
its options read, as command lines within sentences have. Blocks between ``` are compiled, or run by
Python, by their language; `text` is what is no code.
"""
import concurrent.futures
import functools
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from command_fixture import COMMAND, DATA, FULL, has_fp64, lacks, main

ROOT = os.path.abspath(os.path.join(DATA, os.pardir, os.pardir))
CC, INCLUDES = shlex.split(sys.argv[3]), sys.argv[4].split(",")
PYTHON, PYTHONPATH = sys.argv[5:7] if len(sys.argv) > 5 else (None, None)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|((?:^    [^\n]*\n(?:\n(?=    ))*)+)", re.M | re.S)

# Programs that are not there, or would change the machine or the build.
ELSEWHERE = re.compile(r"(?<![\w/.-])(?:apt|apt-get|dpkg|meson|adb|sbatch|mpirun)(?![\w.-])|"
                       r"bootstrap\.sh|pip install|-m venv|clspline-bench")
# What needs a GPU or a window, or takes long.
SLOW = re.compile(r"clspline tune|--kernels|--device (?:gpu|pocl|nvidia)|--join|"
                  r"clspline view(?!.* (?:-o|--output) )")
# Modules that a line of Python wants, by what stands in it.
MODULES = {".zarr": "zarr", ".vtkhdf": "h5py", ".nii": "nibabel", ".vtk": "meshio",
           ".vtu": "meshio", "meshio": "meshio", "dask": "dask", "pyopencl": "pyopencl",
           "clspline": "numpy"}
AT_ROOT = ("README.md", "boards.md", "install.md")
FAMILY = {"image.md": ("image", "image"), "solid.md": ("solid", "solid"),
          "bspline.md": ("patch", "bspline")} # of plans and descriptions
# What blocks of C take as given; void pointers become pointers to any type.
GIVEN = """
#include <clspline/clspline.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static clsp_context *ctx, *other;
static clsp_%s_plan *plan;
static clsp_%s_desc desc;
static clsp_image_plan *all, *tile;
static clsp_solid_mesh *mesh;
static clsp_image_map map;
static clsp_image_desc part;
static clsp_range patches;
static clsp_status status;
static void *control, *points, *params, *patch, *uv, *pieces, *of, *image, *turned, *samples;
static void *values, *places, *memory, *mapped, *staging, *nearest_points;
static cl_mem buffer;
static cl_event uploaded;
static clsp_nearest_queries queries;
static clsp_nearest_f32 nearest[1000];
static clsp_output out;
static size_t size, first, count, num, bytes, num_curves;
static unsigned char *uuid;
static int fd;
enum { SPANS = 4 };
static double *begin, *end, *x;
"""
GRAPHICS = """
#define GL_GLEXT_PROTOTYPES
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <EGL/egl.h>
#include <GL/gl.h>
#include <GL/glext.h>
static GLuint name;
static clsp_run run;
static clsp_graphics *vertices;
static clsp_graphics_report report;
"""


VULKAN = """
#include <vulkan/vulkan.h>
static VkDeviceMemory memory;
static VkDevice device;
static VkMemoryRequirements requirements;
"""


def has_header(folder):
    return os.path.isdir("/usr/include/" + folder)


def pages():
    return [os.path.join(ROOT, "README.md"),
            *sorted(glob.glob(os.path.join(ROOT, "docs", "guide", "*.md")))]


def blocks(path):
    """(line, language, text) of each block of code; the language of a shell is ''."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match.group(3):
            yield line, "", re.sub(r"^    ", "", match.group(3), flags=re.M)
        else:
            yield line + 1, match.group(1), match.group(2)


def statements(text):
    """The commands of a block, each with all its lines."""
    typed = ""
    for line in text.splitlines(True):
        typed += line
        if not line.endswith("\\\n") and subprocess.run(
                ["sh", "-n", "-c", typed], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            yield typed
            typed = ""
    if typed:
        raise AssertionError("a shell does not take: " + typed)


@functools.lru_cache(maxsize=None)
def has_module(name):
    return PYTHON is not None and subprocess.run(
        [PYTHON, "-c", "import " + name], stderr=subprocess.DEVNULL, check=False).returncode == 0


def wants(text):
    """Modules that are missing for some Python."""
    return [module for word, module in MODULES.items() if word in text and not has_module(module)]


@functools.lru_cache(maxsize=None)
def missing_formats():
    return ["." + ending for ending in ("tif", "jpg", "nii") if lacks(ending)]


@functools.lru_cache(maxsize=None)
def draws():
    """Whether `clspline view` can draw here: it needs its program, and a driver of OpenGL."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([COMMAND, "view", os.path.join(DATA, "octahedron.bv"), "--output",
                               os.path.join(folder, "a.png"), "--size", "16x16"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0


def is_read(statement):
    """Whether a statement is not run and has its options read."""
    return SLOW.search(statement) or ("f64" in statement and not has_fp64()) or \
        any(ending in statement for ending in missing_formats()) or \
        ("clspline view" in statement and not draws())


class Page:
    """A page, and a folder in which what it shows is tried."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.name = os.path.basename(path)
        self.clone = os.path.join(folder, "clone")
        os.makedirs(self.clone)
        self.data = os.path.join(self.clone, "tests", "data")
        self.begin = self.clone if self.name in AT_ROOT else self.data
        self.blocks = list(blocks(path))
        self.env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        if not FULL: # what is looked at are pages; to look for devices takes most of the time
            self.env.setdefault("CLSPLINE_DEVICE", "host")
        self.env.setdefault("HOME", folder)

    def make_clone(self):
        """Makes what the pages name of a clone, and PATH."""
        tools = os.path.join(self.clone, "build", "tools")
        programs = os.path.join(self.folder, "bin")
        os.makedirs(tools)
        os.makedirs(programs)
        for name in os.listdir(os.path.dirname(COMMAND)):
            if re.fullmatch(r"clspline(-view|-mpi)?", name):
                os.symlink(os.path.join(os.path.dirname(COMMAND), name), os.path.join(tools, name))
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(self.clone, "examples"))
        os.makedirs(self.data)
        for name in os.listdir(DATA): # which may be there to be read alone
            shutil.copyfile(os.path.join(DATA, name), os.path.join(self.data, name))
        self.env["PATH"] = os.pathsep.join((programs, tools, self.env["PATH"]))
        if PYTHON:
            self.env["PYTHONPATH"] = PYTHONPATH
            with open(os.path.join(programs, "python3"), "w", encoding="utf-8") as file:
                file.write('#!/bin/sh\nexec "%s" "$@"\n' % PYTHON)
            os.chmod(file.name, 0o755)

    def run(self, *args, **options):
        done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, **options)
        if done.returncode != 0:
            raise AssertionError("%s: status %d of %s\n%s" % (
                self.name, done.returncode, " ".join(args)[-500:], done.stdout[-2000:]))

    def read_options(self, statement):
        """Reads the options of all calls of the command in a statement."""
        for words in re.findall(r"clspline(?:-mpi)? ([^|&;<>()#']*)", statement):
            words = shlex.split(words.replace("\\\n", " ").replace("$k", "1"))
            if "--ranks" not in words:
                self.run(COMMAND, *words, "--help", env=self.env)

    def type_commands(self):
        script, made, is_run = ["set -eu"], [], True
        for line, language, text in self.blocks:
            for statement in statements(text) if language == "" else ():
                if ELSEWHERE.search(statement) or is_read(statement) or "adb shell" in text or \
                        ("clspline join" in statement and not is_run): # whose parts are not there
                    self.read_options(statement)
                    is_run = False
                elif "python3 -c" not in statement or not wants(statement):
                    script += ["echo 'line %d' >&2" % line, statement]
                    is_run = True
                    made += re.findall(r"(?: -o|(?<![0-9])>) ([\w./]*\w\.\w+)", statement)
        self.run("sh", "-c", "\n".join(script) + "\n", cwd=self.begin, env=self.env)
        for name in made:
            paths = (os.path.join(folder, name) for folder in (self.begin, self.data))
            if not any(os.path.exists(path) and os.path.getsize(path) > 0 for path in paths):
                raise AssertionError("%s: no %s, or it is empty" % (self.name, name))

    def compile(self, line, language, text):
        given = GIVEN % FAMILY.get(self.name, ("patch", "bezier"))
        if re.search(r"\b(gl[A-Z]|egl[A-Z]|clsp_graphics)", text):
            given += GRAPHICS
        if re.search(r"\bvk[A-Z]", text):
            given = VULKAN + given.replace("*memory, ", "")
        if not all(map(has_header, re.findall("#include <(EGL|GL|vulkan)/", given))):
            return
        if "int main(" not in text:
            text = "%s\nvoid shown(void);\nvoid shown(void)\n{\n%s}\n" % (given, text)
        path = os.path.join(self.folder, "%s-%d.%s" % (self.name, line, language))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        compiler = [*CC, "-std=c11"] if language == "c" else ["c++", "-std=c++11"]
        if shutil.which(compiler[0]):
            self.run(*compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused",
                     "-Wno-missing-field-initializers", *("-I" + each for each in INCLUDES), path)

    def run_python(self):
        """Runs the blocks of Python as one program, but for those that want what is not there."""
        program = "\n".join(text for _, language, text in self.blocks
                            if language == "python" and not wants(text))
        if program and has_module("numpy") and has_fp64():
            self.run("python3", "-c", program, cwd=self.begin, env=self.env)

    def read_inline(self):
        """Reads the options of command lines within sentences."""
        with open(self.path, encoding="utf-8") as file:
            text = BLOCK.sub("", file.read())
        for words in re.findall(r"`clspline ([^`]+)`", text):
            if not re.match("FILE|help JOB", words):
                self.run(COMMAND, *shlex.split(words), "--help", env=self.env)

    def try_all(self):
        for line, language, text in self.blocks:
            if language in ("c", "cpp"):
                self.compile(line, language, text)
            elif language not in ("", "python", "text"):
                raise AssertionError("%s:%d: what is '%s'?" % (self.name, line, language))
        self.make_clone()
        self.read_inline()
        self.type_commands()
        self.run_python()


class Guide(unittest.TestCase):
    def test_pages(self):
        """All that a page shows does what it says."""
        with tempfile.TemporaryDirectory() as folder, \
                concurrent.futures.ThreadPoolExecutor(3) as pool:
            tried = {path: pool.submit(Page(path, os.path.join(folder, str(number))).try_all)
                     for number, path in enumerate(pages())}
            self.assertGreater(len(tried), 10)
            for path, done in tried.items():
                with self.subTest(os.path.relpath(path, ROOT)):
                    error = done.exception()
                    if isinstance(error, AssertionError):
                        self.fail(error)
                    done.result()


if __name__ == "__main__":
    main()
