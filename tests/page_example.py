#!/usr/bin/env python3
"""Writes an example of a Markdown page to a file: page_example.py PAGE OUT [NAME]

It is the block of code in whose first line NAME stands, or without NAME the first block of C.
"""
import re
import sys


def find_example(text, name):
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if name in block.split("\n", 1)[0] if name else language == "c":
            return block
    return None


page, out, name = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
with open(page, encoding="utf-8") as file:
    example = find_example(file.read(), name)
if example is None:
    sys.exit("%s: no example %s" % (page, name or "in C"))
with open(out, "w", encoding="utf-8") as file:
    file.write(example)
