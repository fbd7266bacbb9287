#!/usr/bin/env python3
"""Checks the tree against the house rules that a reader could not keep in mind.

usage: layering.py SOURCE_DIR

  - #include lines follow the layers: plan -> cooperate, device, math; cooperate -> device; device
    and math know nothing of each other; a plan does not see another plan's headers; tools, bench
    and tests/api use the public headers only; tests/ref uses the C library only
  - no two files have the same name, so that a name in an #include or in a message means one file
  - kernels are ASCII, at most 250 lines, and leave the words float and double to real.clh
  - no tabs, trailing blanks, missing final newlines or lines above 100 columns (120 in
    scripts and build files)

Prints each breach as FILE:LINE: WHY and exits with 1 when there are any.
"""
import os
import re
import sys

COLUMNS = 100
SCRIPT_COLUMNS = 120
CODE_ENDINGS = ('.c', '.h', '.cl', '.clh')
KERNEL_LINES = 250
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
REAL_WORD = re.compile(r'\b(?:float|double)\d*\b')
TEXT_ENDINGS = ('.c', '.h', '.in', '.cl', '.clh', '.py', '.sh')
TEXT_NAMES = ('meson.build', 'meson_options.txt', 'run')
MAY_REPEAT = ('meson.build', 'README.md')
# Projects of their own: what they are made of is named by others, and they are not layers.
OWN_PROJECTS = ('tests/consumer',)

C_LIBRARY = {'assert.h', 'complex.h', 'ctype.h', 'errno.h', 'fenv.h', 'float.h', 'inttypes.h',
             'limits.h', 'math.h', 'setjmp.h', 'signal.h', 'stdarg.h', 'stdbool.h', 'stddef.h',
             'stdint.h', 'stdio.h', 'stdlib.h', 'string.h', 'tgmath.h', 'time.h'}
# What the device layer may say in public; the rest of include/ speaks of splines.
DEVICE_HEADERS = {'clspline/context.h', 'clspline/types.h', 'clspline/version.h'}
SPLINELESS = {'src/device': DEVICE_HEADERS,
              'src/cooperate': DEVICE_HEADERS | {'clspline/cooperate.h'}}
# Public headers without a plan
NO_FAMILIES = {'clspline', 'types', 'context', 'version'}

# folder: the folders whose headers its files may include in quotes
QUOTED = {
    'src/math': ['src/math'],
    'src/device': ['src/device'],
    'src/cooperate': ['src/cooperate', 'src/device'],
    'src/plan': ['src/plan', 'src/cooperate', 'src/device', 'src/math'],
    'cl': ['cl'],
    'tools': ['tools'],
    'bench': ['bench'],
    'bench/kernels': ['bench/kernels', 'cl'],
    'tests/ref': ['tests/ref'],
    'tests/api': ['tests/api', 'tests/ref', 'tests'],
    'tests/math': ['tests/math', 'tests/ref', 'tests', 'src/math'],
    'tests/device': ['tests/device', 'tests/ref', 'tests', 'src/device', 'src/math'],
    'tests/cooperate': ['tests/cooperate', 'tests/ref', 'tests', 'src/cooperate', 'src/device'],
    'tests/plan': ['tests/plan', 'tests/ref', 'tests', 'src/plan', 'src/cooperate', 'src/device', 'src/math'],
    'tests/tools': ['tests/tools', 'tests/ref', 'tests', 'tools/io'],
    'tests/fuzz': ['tests/fuzz', 'tests', 'tools/io'],
    'tests': ['tests'],
}


def tree(root):
    """Paths of the files, relative to root, with / between folders; nothing that a build made."""
    paths = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders
                            if name not in ('.git', '__pycache__', 'subprojects')
                            and not os.path.exists(os.path.join(folder, name, 'build.ninja'))
                            and not (folder == root and name.startswith('build'))
                            and (not name.startswith('.') or name == '.ci'))
        here = os.path.relpath(folder, root).replace(os.sep, '/')
        paths += [name if here == '.' else f'{here}/{name}' for name in sorted(names)]
    return [path for path in paths if path != '.git' and not path.endswith('.pyc')]


def layer_of(path):
    """The longest folder of QUOTED that holds the file, or None."""
    folder = os.path.dirname(path)
    while folder and folder not in QUOTED:
        folder = os.path.dirname(folder)
    return folder or None


def family_of(name):
    """bezier for bezier.c and bezier_table.h."""
    return re.split(r'[_.]', name)[0]


def may_see(folder, allowed):
    return any(folder == a or (a != 'tests' and folder.startswith(a + '/')) for a in allowed)


class Checker:
    def __init__(self, root):
        self.root = root
        self.paths = tree(root)
        self.breaches = []
        self.by_name = {}
        for path in self.paths:
            self.by_name.setdefault(os.path.basename(path), []).append(path)
        self.families = {family_of(os.path.basename(path)) for path in self.paths
                         if path.startswith('include/clspline/')} - NO_FAMILIES

    def report(self, path, line, why):
        self.breaches.append(f'{path}:{line}: {why}')

    def names(self):
        for name, paths in self.by_name.items():
            paths = [path for path in paths if not path.startswith(OWN_PROJECTS)]
            if len(paths) > 1 and name not in MAY_REPEAT:
                self.report(paths[1], 1, f'{paths[0]} has the same name')

    def quoted(self, path, number, name):
        layer = layer_of(path)
        homes = [home for home in self.by_name.get(os.path.basename(name), [])
                 if layer_of(home) or not home.startswith('include/')]
        if not homes:
            self.report(path, number, f'"{name}" is not in the tree')
            return
        homes.sort(key=lambda home: not may_see(os.path.dirname(home), QUOTED[layer]))
        home = homes[0]
        if not may_see(os.path.dirname(home), QUOTED[layer]):
            self.report(path, number, f'{layer} may not include {home}')
        if layer == 'src/plan' and os.path.dirname(home) == 'src/plan':
            self.plan(path, number, os.path.basename(home))

    def plan(self, path, number, header):
        """Other plans show NAME_programs.h alone, and only to what belongs to no plan."""
        own, other = family_of(os.path.basename(path)), family_of(header)
        if other not in self.families or own == other:
            return
        if own in self.families or header != f'{other}_programs.h':
            self.report(path, number, f'{own} may not include {header}, of the plan {other}')

    def angled(self, path, number, name):
        layer = layer_of(path)
        opencl = name.startswith(('CL/', 'OpenCL/'))
        ours = name.startswith('clspline/')
        why = None
        if layer == 'tests/ref' and name not in C_LIBRARY:
            why = 'the C library only'
        elif layer == 'src/math' and (opencl or ours or name.startswith('clblast')):
            why = 'it knows nothing of OpenCL'
        elif layer in SPLINELESS and ours and name not in SPLINELESS[layer]:
            why = 'it knows nothing of splines'
        if why:
            self.report(path, number, f'{layer} may not include <{name}>: {why}')
        if ours and f'include/{name}' not in self.paths and f'include/{name}.in' not in self.paths:
            self.report(path, number, f'<{name}> is not a public header')

    def includes(self, path, lines):
        if not path.endswith(('.c', '.h', '.cl', '.clh', '.h.in')) or path.startswith(OWN_PROJECTS):
            return
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            if path.startswith('include/') and match.group(1) == '"':
                self.report(path, number, 'public headers include by <clspline/...>')
            elif match.group(1) == '<':
                self.angled(path, number, match.group(2))
            elif layer_of(path):
                self.quoted(path, number, match.group(2))

    def kernel(self, path, text):
        if not path.startswith('cl/') or not path.endswith(('.cl', '.clh')):
            return
        lines = text.splitlines()
        if len(lines) > KERNEL_LINES:
            self.report(path, len(lines), f'more than {KERNEL_LINES} lines')
        for number, line in enumerate(lines, 1):
            if not line.isascii():
                self.report(path, number, 'not ASCII')
        if os.path.basename(path) == 'real.clh':
            return
        code = COMMENT.sub(lambda match: '\n' * match.group().count('\n'), text)
        for number, line in enumerate(code.splitlines(), 1):
            if REAL_WORD.search(line):
                self.report(path, number, 'only real.clh says float or double; here it is real')

    def form(self, path, text):
        if not path.endswith(TEXT_ENDINGS) and os.path.basename(path) not in TEXT_NAMES:
            return
        if text and not text.endswith('\n'):
            self.report(path, text.count('\n') + 1, 'no newline at the end')
        columns = COLUMNS if path.endswith(CODE_ENDINGS) else SCRIPT_COLUMNS
        for number, line in enumerate(text.split('\n'), 1):
            if '\t' in line:
                self.report(path, number, 'a tab')
            if line != line.rstrip():
                self.report(path, number, 'blanks at the end')
            if len(line) > columns:
                self.report(path, number, f'{len(line)} columns')

    def run(self):
        self.names()
        for path in self.paths:
            if not path.endswith(TEXT_ENDINGS) and os.path.basename(path) not in TEXT_NAMES:
                continue
            with open(os.path.join(self.root, path), encoding='utf-8', newline='') as file:
                text = file.read()
            self.includes(path, text.splitlines())
            self.kernel(path, text)
            self.form(path, text)
        return self.breaches


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    checker = Checker(os.path.abspath(sys.argv[1]))
    breaches = checker.run()
    for breach in breaches:
        print(breach)
    print(f'{len(checker.paths)} files, {len(breaches)} breaches')
    sys.exit(bool(breaches))


if __name__ == '__main__':
    main()
