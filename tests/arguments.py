#!/usr/bin/env python3
"""Checks that the library gives kernels all of their arguments.

usage: arguments.py HEADER [SOURCE_DIR]

HEADER is kernel_arguments.h as tools/embed_cl.py makes it, or the build folder that holds it. Every
initialiser in src/ of one of its structs must name all fields, also those of structs within: C
would make a field that is left out 0, without a word. A field that is assigned right after is named
all the same. A struct of arguments without an initialiser is a breach too.

Prints each breach as FILE:LINE: WHY and exits with 1 when there are any.
"""
import os
import re
import sys

COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
STRUCT = re.compile(r'typedef struct (clspi_\w+) \{([^}]*)\} \1;')
FIELD = re.compile(r'^\s*([\w ]+?[ *]+)(\w+);', re.M)
# clspi_NAME_args args = {, clspi_NAME list[] = {, (clspi_NAME){, clspi_NAME_args args;
INITIALISED = re.compile(r'\b(clspi_\w+)\s+(?:const\s+)?\w+\s*(\[[^\]]*\])?\s*=\s*(?=\{)')
COMPOUND = re.compile(r'\(\s*(?:const\s+)?(clspi_\w+)\s*(\[[^\]]*\])?\s*\)\s*(?=\{)')
BARE = re.compile(r'\b(clspi_\w+_args)\s+\w+\s*[;,]')
NEXT = re.compile(r'\s*,\s*\w+\s*(\[[^\]]*\])?\s*=\s*(?=\{)')  # , more = {
DESIGNATED = re.compile(r'\s*\.(\w+)\s*=\s*(.*)', re.S)
CLOSES = {'{': '}', '(': ')', '[': ']'}


def read_structs(header):
    """{struct: {field: type}} of a header."""
    with open(header, encoding='utf-8') as file:
        text = file.read()
    return {name: {field: kind.strip() for kind, field in FIELD.findall(body)}
            for name, body in STRUCT.findall(text)}


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def closing(text, begin):
    """The place of the bracket that closes the one at begin."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] in CLOSES) - (text[at] in CLOSES.values())
        if depth == 0:
            return at
    return len(text)


def elements(text, begin):
    """(place, text) of each element of the braces that begin there."""
    end, depth, start = closing(text, begin), 0, begin + 1
    found = []
    for at in range(begin + 1, end + 1):
        if at == end or (text[at] == ',' and depth == 0):
            if text[start:at].strip():
                found.append((start, text[start:at]))
            start = at + 1
        depth += (text[at] in CLOSES) - (text[at] in CLOSES.values())
    return found


class Checker:
    def __init__(self, structs):
        self.structs = structs
        self.breaches = []
        self.count = 0

    def report(self, path, text, place, why):
        self.breaches.append(f'{path}:{text.count(chr(10), 0, place) + 1}: {why}')

    def braces(self, path, text, begin, name):
        """Checks one initialiser of the struct `name`, whose braces begin there."""
        fields, named = self.structs[name], set()
        self.count += 1
        for place, element in elements(text, begin):
            match = DESIGNATED.match(element)
            if not match:
                self.report(path, text, begin, f'{name}: "{element.strip()}" names no field')
                return
            field, value = match.groups()
            named.add(field)
            inner = place + match.start(2)
            if value.startswith('{') and fields.get(field) in self.structs:
                self.braces(path, text, inner, fields[field])
        missing = [field for field in fields if field not in named]
        if missing:
            self.report(path, text, begin, f'{name}: not named: {", ".join(missing)}')

    def initialiser(self, path, text, begin, name, is_array):
        """Checks a struct's initialiser, or an array's, and those that follow it."""
        if not is_array:
            self.braces(path, text, begin, name)
        for place, element in elements(text, begin) if is_array else []:
            if '{' in element:
                self.braces(path, text, place + element.index('{'), name)
        match = NEXT.match(text, closing(text, begin) + 1)
        if match:
            self.initialiser(path, text, match.end(), name, match.group(1))

    def file(self, path, text):
        text = STRING.sub(blank, COMMENT.sub(blank, text))
        for pattern in (INITIALISED, COMPOUND):
            for match in pattern.finditer(text):
                name, is_array = match.groups()
                if name in self.structs:
                    self.initialiser(path, text, match.end(), name, is_array)
        for match in BARE.finditer(text):
            if match.group(1) in self.structs:
                self.report(path, text, match.start(), f'{match.group(1)} without an initialiser')


def sources(root):
    for folder, _, names in sorted(os.walk(os.path.join(root, 'src'))):
        for name in sorted(names):
            if name.endswith(('.c', '.h')):
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, '/')


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    header = sys.argv[1]
    if os.path.isdir(header):
        header = os.path.join(header, 'cl', 'kernel_arguments.h')
    root = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), '..')
    checker = Checker(read_structs(header))
    for path in sources(root):
        with open(os.path.join(root, path), encoding='utf-8') as file:
            checker.file(path, file.read())
    for breach in checker.breaches:
        print(breach)
    print(f'{len(checker.structs)} structs, {checker.count} initialisers, '
          f'{len(checker.breaches)} breaches')
    sys.exit(bool(checker.breaches) or checker.count == 0)


if __name__ == '__main__':
    main()
