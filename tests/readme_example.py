#!/usr/bin/env python3
"""Writes the C example of a Markdown file, its first ```c block, to a file: readme_example.py IN OUT"""
import re
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    example = re.search(r'^```c\n(.*?)^```$', file.read(), re.MULTILINE | re.DOTALL)
if not example:
    sys.exit(f'{sys.argv[1]}: no C example')
with open(sys.argv[2], 'w', encoding='utf-8') as file:
    file.write(example.group(1))
