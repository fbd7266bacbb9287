#!/usr/bin/env python3
"""Runs an example: example.py PROGRAM, or of one in Python PROGRAM LIBRARY

Exits with 77 (skipped) where it has not what it needs, such as a device.
"""
import importlib.util
import os
import subprocess
import sys

NO_DEVICE = ("CLSP_ERROR_NO_DEVICE", "PLATFORM_NOT_FOUND")


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


program, *libraries = sys.argv[1:]
command, env = [program], dict(os.environ)
if libraries:
    library, = libraries
    missing = [name for name in ("numpy", "pyopencl") if importlib.util.find_spec(name) is None]
    if missing:
        skip("no Python module " + " and no ".join(missing))
    if not os.path.basename(library).endswith((".so", ".dylib")) and ".so." not in library:
        skip("%s is no shared library" % library)
    command, env["CLSPLINE_LIBRARY"] = [sys.executable, program], os.path.abspath(library)
done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print(done.stdout, end="")
if done.returncode > 0 and not env.get("CLSPLINE_DEVICE") and \
        any(word in done.stdout for word in NO_DEVICE):
    skip("no OpenCL device")
sys.exit(1 if done.returncode < 0 else done.returncode)
