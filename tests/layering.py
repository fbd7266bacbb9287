#!/usr/bin/env python3
"""Checks the tree against the rules of docs/design.md that a reader could not keep in mind.

usage: layering.py SOURCE_DIR

  - #include lines follow the layers, in src/ and in cl/: a family sees nearest, reduce, patch,
    plan, cooperate, device and math; nearest and reduce see all of these but each other; patch sees
    plan, device and math; plan sees cooperate and device; cooperate sees device and math; device
    sees math, and math nobody; all see cl/rules. A family is a folder of src/ that is no layer and
    not methods; no family sees another
  - methods sees all of these; of it families and nearest see methods.h alone, which includes what
    nearest may
  - mathematics (NO_OPENCL) sees mathematics and cl/rules alone, neither OpenCL nor a public header
  - layers below the families neither include a family's header nor name a family; src/math and
    src/reduce may say what their mathematics is of, src/nearest has queries and results that bear
    a family's name, and the word image is OpenCL's too
  - tools, bench and tests/api use the public headers only, tests/ref and tests/data the C library
    only; bench sees tests/data too, so that it measures what is tested, and tools/view and
    tools/io/text for OpenGL without a window; a folder of tests/ may see the layer of its name,
    what that one sees, the tests of those layers, tests/ref and tests/data
  - no two files have the same name, so that a name in an #include or in a message means one file
  - kernels are ASCII and leave the words float, double and fma to real.clh; a function in cl/ is
    static, which IN_PLACE and RULE are, is called, and has at most 100 lines, a kernel at most 12
    parameters and the same ones under every #if
  - a function in src/ has at most 7 parameters, one in include/ at most 6; none in src/ has more
    than 60 lines, and at least 98 in 100 have at most 40
  - no tabs, trailing blanks, missing final newlines or lines above 100 columns in any text

Looks at tracked files where the tree is a checkout of git, else at all. Prints each breach as
FILE:LINE: WHY and exits with 1 when there are any.
"""
import collections
import os
import re
import statistics
import subprocess
import sys

COLUMNS = 100
CODE_ENDINGS = ('.c', '.h', '.cl', '.clh')
TEXT_ENDINGS = ('.c', '.h', '.in', '.cl', '.clh', '.py', '.sh', '.md', '.1', '.svg', '.dox', '.ini',
                '.txt', '.supp')
TEXT_NAMES = ('meson.build', 'run', 'full', '.clang-format')
MAY_REPEAT = ('meson.build', 'README.md')
# A project of its own: what it is made of is named by others, and it is no layer.
OWN_PROJECTS = ('tests/consumer',)

KERNEL_FUNCTION_LINES = 100
KERNEL_PARAMETERS = 12
SOURCE_PARAMETERS = 7
PUBLIC_PARAMETERS = 6
SOURCE_LINES_MAX = 60
SOURCE_LINES = 40
SOURCE_SHARE = 0.98

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n\\]|\\\n|\\.)*', re.M)
REAL_WORD = re.compile(r'\b(?:float|double)\d*\b')
FMA_CALL = re.compile(r'\bfma\s*\(')
ATTRIBUTE = re.compile(r'__attribute__\s*\(')
KERNEL = re.compile(r'\bkernel\b[^;{}]*?\bvoid\s+(\w+)\s*\(')
CONSTANT = r'(?:\(\w+\)\(?)?(?:R\()?-?\d[\w.]*\)*' # a number, also by R() or as a vector
CONSTANT_DATA = re.compile(rf'=\s*\{{\s*{CONSTANT}(?:\s*,\s*{CONSTANT})*\s*,?\s*\}}'
                           r'|\bconstant\b[^;={}()]*\[')
PUBLIC_FUNCTION = re.compile(r'\b(?:CLSP_API|static inline)\b[^;{}()]*?(\w+)\s*\(')

# layer: the layers that it sees besides itself
LAYERS = {'rules': (),
          'math': ('rules',),
          'device': ('rules', 'math'),
          'cooperate': ('rules', 'device', 'math'),
          'plan': ('rules', 'cooperate', 'device'),
          'patch': ('rules', 'plan', 'device', 'math'),
          'nearest': ('rules', 'patch', 'plan', 'cooperate', 'device', 'math'),
          'reduce': ('rules', 'patch', 'plan', 'cooperate', 'device', 'math')}
# layer: the public headers that it may include
DEVICE_HEADERS = ('context', 'graphics', 'types', 'version')
HEADERS = {'rules': (),
           'math': (),
           'device': DEVICE_HEADERS,
           'cooperate': DEVICE_HEADERS + ('share',),
           'plan': DEVICE_HEADERS + ('share', 'plan', 'vertex'),
           'patch': DEVICE_HEADERS + ('share', 'plan', 'vertex', 'patch'),
           'nearest': DEVICE_HEADERS + ('share', 'plan', 'vertex', 'patch', 'nearest'),
           'reduce': DEVICE_HEADERS + ('share', 'plan', 'vertex', 'patch', 'reduce')}
# Mathematics: folders that see each other as far as their layers do, and neither OpenCL nor any
# public header.
NO_OPENCL = ('src/math', 'src/patch/host', 'src/nearest/host', 'src/reduce/host',
             'src/bspline/knots',
             'src/image/prefilter/host', 'src/image/values/host', 'src/solid/mesh',
             'src/solid/cells', 'src/methods/host')
OPENCL_HEADERS = ('CL/', 'OpenCL/', 'clspline/')
# The room above the families, and the one header by which they and nearest see it.
METHODS = 'methods'
METHODS_HEADER = 'src/methods/methods.h'
MAY_NAME_FAMILIES = ('rules', 'math', 'nearest', 'reduce')
FAMILIES_WITH_OTHER_MEANINGS = ('image',)
# Files that belong to no layer and see everything.
ABOVE_ALL = ('src/build_all.c',)
# Headers that a build makes, and the folder to which they count.
GENERATED = {'kernel_arguments.h': 'src/device', 'bench_commit.h': 'bench'}
# What of the command knows files, pictures and tessellation, and nothing of the library.
FILES = ['tools/io', 'tools/draw', 'tools/tessellate']
# folder: the folders whose headers its files may include in quotes; src/, cl/ and the tests of
# their layers follow from LAYERS
OTHER_FOLDERS = {
    'tools': ['tools'],
    'bench': ['bench', 'tests/data', 'tools/view', 'tools/io/text'],
    'bench/kernels': ['bench/kernels', 'cl/rules'],
    'tests': ['tests'],
    'tests/data': ['tests/data'],
    'tests/ref': ['tests/ref'],
    'tests/api': ['tests/api', 'tests/data', 'tests/ref', 'tests'],
    'tools/io': FILES,
    'tools/draw': FILES,
    'tools/tessellate': FILES,
    'tests/bench': ['tests/bench', 'bench'],
    'tests/tools': ['tests/tools', 'tests/ref', 'tests', *FILES],
    'tests/tools/cli': ['tests/tools', 'tests', 'tools'],
    'tests/tools/image': ['tests/tools', 'tests', 'tools'],
    'tests/tools/view': ['tests/tools', 'tests', 'tools'],
    'tests/fuzz': ['tests/fuzz', 'tests', *FILES],
}
C_LIBRARY = {'assert.h', 'complex.h', 'ctype.h', 'errno.h', 'fenv.h', 'float.h', 'inttypes.h',
             'limits.h', 'math.h', 'setjmp.h', 'signal.h', 'stdarg.h', 'stdbool.h', 'stddef.h',
             'stdint.h', 'stdio.h', 'stdlib.h', 'string.h', 'tgmath.h', 'time.h'}


# ---- the tree ----

def tracked(root):
    """Paths of the files that git tracks, or would; None where it cannot tell."""
    if not os.path.exists(os.path.join(root, '.git')):
        return None
    try:
        names = subprocess.run(['git', '-C', root, 'ls-files', '-z', '--cached', '--others',
                                '--exclude-standard'],
                               check=True, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL).stdout.split('\0')
    except (OSError, subprocess.CalledProcessError):
        return None
    return sorted({name for name in names if name and os.path.isfile(os.path.join(root, name))})


def walk(root):
    """Paths of all files, save what a build made."""
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


def folders_of(families):
    """{folder: folders whose headers its files may include in quotes}"""
    sees = dict(LAYERS, **{family: tuple(LAYERS) for family in families},
                **{METHODS: (*LAYERS, *families)})
    folders = dict(OTHER_FOLDERS)
    for name, others in sees.items():
        sources = [f'src/{other}' for other in (name, *others)] + ['cl/rules']
        if name in ('nearest', *families):
            sources.append(METHODS_HEADER)
        folders[f'src/{name}'] = sources
        folders[f'cl/{name}'] = [f'cl/{other}' for other in (name, *others)]
        tests = [f'tests/{other}' for other in (name, *others)]
        folders[f'tests/{name}'] = tests + ['tests/ref', 'tests/data', 'tests'] + sources
        for room in (room for room in NO_OPENCL if may_see(room, [f'src/{name}'])):
            folders[room] = [other for other in NO_OPENCL if may_see(other, sources)] + ['cl/rules']
    return folders


def may_see(path, allowed):
    return any(a in (path, os.path.dirname(path)) or (a != 'tests' and path.startswith(a + '/'))
               for a in allowed)


# ---- C and OpenCL C ----

def blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def without_comments(text):
    """The text with comments as blanks, at the same places."""
    return COMMENT.sub(blank, text)


def closing(text, begin):
    """The place of the parenthesis that closes the one at begin, else the text's end."""
    depth = 0
    for at in range(begin, len(text)):
        depth += {'(': 1, ')': -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def without_attributes(text):
    match = ATTRIBUTE.search(text)
    while match:
        end = closing(text, match.end() - 1)
        hidden = re.sub(r'[^\n]', ' ', text[match.start():end + 1])
        text = text[:match.start()] + hidden + text[end + 1:]
        match = ATTRIBUTE.search(text)
    return text


def count_parameters(text, begin):
    """Parameters of the list that the parenthesis at begin opens."""
    depth, commas = 0, 0
    inner = text[begin + 1:closing(text, begin)]
    for character in inner:
        depth += {'(': 1, ')': -1}.get(character, 0)
        commas += character == ',' and depth == 0
    return 0 if inner.strip() in ('', 'void') else commas + 1


class Function:
    """A function as it is defined: its lines from the head's first to the closing brace."""

    def __init__(self, lines, begin, end):
        head = '\n'.join(lines[begin:end + 1])
        match = re.search(r'(\w+)\s*\(', head)
        self.name = match.group(1) if match else '?'
        self.line = begin + 1
        self.parameters = count_parameters(head, match.end() - 1) if match else 0
        self.length = 0


def functions_of(text):
    """The functions that a file defines, whose bodies begin with a brace in the first column."""
    code = without_attributes(DIRECTIVE.sub(blank, STRING.sub(blank, without_comments(text))))
    lines = code.split('\n')
    with_attributes = DIRECTIVE.sub(blank, without_comments(text)).split('\n')
    found = []
    for number, line in enumerate(lines):
        if not line.startswith('{'):
            continue
        begin = number
        while begin > 0 and with_attributes[begin - 1].strip() and \
                not with_attributes[begin - 1].rstrip().endswith((';', '}')):
            begin -= 1
        function = Function(lines, begin, number)
        end = next((at for at in range(number, len(lines)) if lines[at].startswith('}')), number)
        function.length = end + 1 - begin
        found.append(function)
    return found


# ---- the checks ----

class Checker:
    def __init__(self, root):
        self.root = root
        self.paths = tracked(root) or walk(root)
        self.breaches = []
        self.by_name = {}
        for path in self.paths:
            self.by_name.setdefault(os.path.basename(path), []).append(path)
        self.families = sorted({path.split('/')[1] for path in self.paths
                                if path.startswith('src/') and path.count('/') > 1} -
                               {*LAYERS, METHODS})
        self.folders = folders_of(self.families)
        self.family_names = {family: re.compile(rf'(?<![a-z]){family}(?![a-z])', re.I)
                             for family in self.families
                             if family not in FAMILIES_WITH_OTHER_MEANINGS}
        self.lengths = []
        self.helpers = []  # of kernels: (path, line, name)
        self.kernel_words = collections.Counter()

    def report(self, path, line, why):
        self.breaches.append(f'{path}:{line}: {why}')

    def folder_of(self, path):
        """The longest folder of the rules that holds the file, or None."""
        folder = os.path.dirname(path)
        while folder and folder not in self.folders:
            folder = os.path.dirname(folder)
        return folder or None

    def layer_of(self, path):
        """The layer or family of a file in src/ or cl/, or None."""
        parts = path.split('/')
        known = len(parts) > 2 and parts[0] in ('src', 'cl') and path not in ABOVE_ALL
        return parts[1] if known and parts[1] in (*LAYERS, METHODS, *self.families) else None

    def names(self):
        for name, paths in self.by_name.items():
            paths = [path for path in paths if not path.startswith(OWN_PROJECTS)]
            if len(paths) > 1 and name not in MAY_REPEAT:
                self.report(paths[1], 1, f'{paths[0]} has the same name')

    def places(self):
        """Every file of src/ and cl/ is in a layer or a family, which has a public header."""
        for path in self.paths:
            in_tree = path.startswith(('src/', 'cl/')) and path.endswith(CODE_ENDINGS)
            if in_tree and path not in ABOVE_ALL and not self.layer_of(path):
                self.report(path, 1, 'it is in no layer and in no family')
        for family in self.families:
            if f'include/clspline/{family}.h' not in self.paths:
                self.report(f'src/{family}', 1, f'no layer, and no family: there is no {family}.h')

    # -- includes --

    def quoted(self, path, number, name):
        folder = 'src/nearest' if path == METHODS_HEADER else self.folder_of(path)
        base = os.path.basename(name)
        homes = [f'{GENERATED[base]}/{base}'] if base in GENERATED else \
            [home for home in self.by_name.get(base, []) if not home.startswith('include/')]
        if not homes:
            self.report(path, number, f'"{name}" is not in the tree')
        elif not any(may_see(home, self.folders[folder]) for home in homes):
            self.report(path, number, f'{folder} may not include {homes[0]}')

    def headers_of(self, layer):
        """The public headers that a layer or a family may include, without .h."""
        if layer in HEADERS:
            return HEADERS[layer]
        layers = '|'.join(['nearest', *self.families] if layer == METHODS else [layer])
        own = [path[len('include/clspline/'):-len('.h')] for path in self.paths
               if re.match(rf'include/clspline/({layers})(_\w+)?\.h$', path)]
        return HEADERS['patch'] + tuple(own)

    def angled(self, path, number, name):
        layer = self.layer_of(path)
        ours = re.fullmatch(r'clspline/(\w+)\.h', name)
        why = None
        if path.startswith(('tests/data/', 'tests/ref/')) and name not in C_LIBRARY:
            why = 'tests/ref and tests/data use the C library only'
        elif self.folder_of(path) in NO_OPENCL and name.startswith(OPENCL_HEADERS):
            why = f'{self.folder_of(path)} knows nothing of OpenCL'
        elif layer and path.startswith('src/') and ours and \
                ours.group(1) not in self.headers_of(layer):
            why = f'src/{layer} may not include <{name}>'
        if why:
            self.report(path, number, why)
        if ours and f'include/{name}' not in self.paths and f'include/{name}.in' not in self.paths:
            self.report(path, number, f'<{name}> is not a public header')

    def includes(self, path, lines):
        if not path.endswith(CODE_ENDINGS + ('.h.in',)) or path.startswith(OWN_PROJECTS):
            return
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            if path.startswith('include/') and match.group(1) == '"':
                self.report(path, number, 'public headers include by <clspline/...>')
            elif match.group(1) == '<':
                self.angled(path, number, match.group(2))
            elif self.folder_of(path) and path not in ABOVE_ALL:
                self.quoted(path, number, match.group(2))

    def words(self, path, lines):
        """Layers below the families name none of them."""
        layer = self.layer_of(path)
        if layer not in LAYERS or layer in MAY_NAME_FAMILIES:
            return
        for number, line in enumerate([os.path.basename(path), *lines]):
            for family, pattern in self.family_names.items():
                if pattern.search(line):
                    self.report(path, max(number, 1),
                                f'{layer} knows nothing of the family {family}')

    # -- functions --

    def kernel(self, path, text):
        if not path.startswith('cl/') or not path.endswith(('.cl', '.clh')):
            return
        code = without_comments(text)
        for number, (line, words) in enumerate(zip(text.split('\n'), code.split('\n')), 1):
            if not line.isascii():
                self.report(path, number, 'not ASCII')
            if os.path.basename(path) == 'real.clh':
                continue
            if REAL_WORD.search(words):
                self.report(path, number, 'only real.clh says float or double; here it is real')
            if FMA_CALL.search(words):
                self.report(path, number, 'only real.clh calls fma(); here it is MAD or FMA')
        for function in functions_of(text):
            if function.length > KERNEL_FUNCTION_LINES:
                self.report(path, function.line, f'{function.name} has {function.length} lines: '
                            f'at most {KERNEL_FUNCTION_LINES}')
        for match in CONSTANT_DATA.finditer(code):
            self.report(path, code.count('\n', 0, match.start()) + 1,
                        'data of constants: assign the members (docs/notes/implementations.md)')
        code = without_attributes(code)
        kernels = set(re.findall(r'\bkernel\s+void\s+(\w+)', DIRECTIVE.sub(blank, code)))
        for function in functions_of(text):
            head = text.split('\n')[function.line - 1]
            if function.name not in kernels and \
                    not head.startswith(('static ', 'IN_PLACE ', 'RULE ', 'ASIDE ')):
                self.report(path, function.line,
                            f'{function.name} is neither static, RULE, ASIDE nor IN_PLACE')
            if function.name not in kernels:
                self.helpers.append((path, function.line, function.name))
        self.kernel_words.update(re.findall(r'\w+', code))
        for match in KERNEL.finditer(code):
            self.kernel_parameters(path, code, match)

    def kernel_parameters(self, path, code, match):
        line = code.count('\n', 0, match.start(1)) + 1
        begin = match.end() - 1
        count = count_parameters(DIRECTIVE.sub(blank, code), begin)
        if count > KERNEL_PARAMETERS:
            self.report(path, line, f'{match.group(1)} has {count} parameters: at most '
                        f'{KERNEL_PARAMETERS}')
        if re.search(r'^\s*#', code[begin:closing(code, begin)], re.M):
            self.report(path, line, f'{match.group(1)}: its parameters change under #if')

    def public(self, path, text):
        """Parameters of public functions."""
        code = DIRECTIVE.sub(blank, without_comments(text))
        for match in PUBLIC_FUNCTION.finditer(code):
            count = count_parameters(code, match.end() - 1)
            if count > PUBLIC_PARAMETERS:
                self.report(path, code.count('\n', 0, match.start(1)) + 1,
                            f'{match.group(1)} has {count} parameters: at most {PUBLIC_PARAMETERS}')

    def source(self, path, text):
        """Lengths and parameters of the library's functions."""
        for function in functions_of(text):
            self.lengths.append(function.length)
            if function.parameters > SOURCE_PARAMETERS:
                self.report(path, function.line, f'{function.name} has {function.parameters} '
                            f'parameters: at most {SOURCE_PARAMETERS}')
            if function.length > SOURCE_LINES_MAX:
                self.report(path, function.line, f'{function.name} has {function.length} lines: '
                            f'at most {SOURCE_LINES_MAX}')

    def shares(self):
        """Prints how long functions are, and checks how many are short."""
        if not self.lengths:
            return
        share = sum(length <= SOURCE_LINES for length in self.lengths) / len(self.lengths)
        print(f'{len(self.lengths)} functions in src/: median {statistics.median(self.lengths):g} '
              f'lines, {100 * share:.1f}% at most {SOURCE_LINES}, longest {max(self.lengths)}')
        if share < SOURCE_SHARE:
            self.report('src', 1,
                        f'{100 * share:.1f}% of the functions have at most {SOURCE_LINES} '
                        f'lines: at least {100 * SOURCE_SHARE:g}%')

    def helpers_in_use(self):
        for path, line, name in self.helpers:
            if self.kernel_words[name] < 2:
                self.report(path, line, f'no kernel calls {name}')

    # -- form --

    def form(self, path, text):
        if text and not text.endswith('\n'):
            self.report(path, text.count('\n') + 1, 'no newline at the end')
        for number, line in enumerate(text.split('\n'), 1):
            if '\t' in line:
                self.report(path, number, 'a tab')
            if line != line.rstrip():
                self.report(path, number, 'blanks at the end')
            if len(line) > COLUMNS:
                self.report(path, number, f'{len(line)} columns')

    def file(self, path, text):
        lines = text.splitlines()
        self.includes(path, lines)
        self.words(path, lines)
        self.kernel(path, text)
        if path.startswith('include/'):
            self.public(path, text)
        if path.startswith('src/') and path.endswith(('.c', '.h')):
            self.source(path, text)
        self.form(path, text)

    def run(self):
        self.names()
        self.places()
        for path in self.paths:
            if path.endswith(TEXT_ENDINGS) or os.path.basename(path) in TEXT_NAMES:
                with open(os.path.join(self.root, path), encoding='utf-8', newline='') as file:
                    self.file(path, file.read())
        self.shares()
        self.helpers_in_use()
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
