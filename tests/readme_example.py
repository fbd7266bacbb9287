#!/usr/bin/env python3
"""Checks that the C program in README.md is examples/first.c: readme_example.py SOURCE_DIR"""
import os
import re
import sys

root = sys.argv[1]
with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
    shown = re.search(r"^```c\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
with open(os.path.join(root, "examples", "first.c"), encoding="utf-8") as file:
    program = file.read().split("\n", 1)[1]  # less the line that names it
if not shown or shown.group(1) != program:
    sys.exit("README.md: its program is not examples/first.c")
