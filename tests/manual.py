#!/usr/bin/env python3
"""Looks for what formatters of manual pages complain of, such as text that begins with a dot, which
they leave out.

usage: manual.py PAGE

Exits with 1 where there is something, and with 77 (skipped) where neither mandoc nor groff is
there.
"""
import shutil
import subprocess
import sys

TOOLS = (["mandoc", "-T", "lint", "-W", "warning"], ["groff", "-mdoc", "-ww", "-z", "-T", "utf8"])

tools = [tool for tool in TOOLS if shutil.which(tool[0])]
found = "".join(subprocess.run(tool + [sys.argv[1]], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT,
                               text=True).stdout for tool in tools)
print(found, end="")
sys.exit(1 if found else 0 if tools else 77)
