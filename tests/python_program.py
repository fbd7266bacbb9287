#!/usr/bin/env python3
"""Runs an example in Python: python_program.py PROGRAM LIBRARY

Exits with 77 (skipped) where it has not what it needs.
"""
import importlib.util
import os
import subprocess
import sys

program, library = sys.argv[1:]
missing = [name for name in ("numpy", "pyopencl") if importlib.util.find_spec(name) is None]
if missing:
    print("skipped: no Python module", " and no ".join(missing))
    sys.exit(77)
if not os.path.basename(library).endswith((".so", ".dylib")) and ".so." not in library:
    print("skipped: %s is no shared library" % library)
    sys.exit(77)
env = dict(os.environ, CLSPLINE_LIBRARY=os.path.abspath(library))
sys.exit(subprocess.run([sys.executable, program], env=env).returncode)
