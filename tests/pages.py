#!/usr/bin/env python3
"""Checks the links of the tree's pages, and the pages that sources name.

usage: pages.py SOURCE_DIR

  - a link or a picture of a .md file that names no other site leads to a file or a folder of the
    tree, and its anchor to a heading of that page
  - a page of docs/ that a source names is there
  - a command of a page that runs awk does so in the C locale, for others have decimal commas
  - every page in docs/ and every picture beside them is led to by a page, beginning with README.md
  - docs/kernels.md names each file of cl/

Prints each breach as FILE:LINE: WHY and exits with 1 when there are any.
"""
import os
import re
import subprocess
import sys

FIRST, KERNELS = 'README.md', 'docs/kernels.md'
LINK = re.compile(r'\[[^][]*(?:\[[^][]*\][^][]*)*\]\(\s*([^()\s]+)\s*\)')
CODE = re.compile(r'^(```).*?^```|^    [^\n]*$|`[^`]*`', re.M | re.S)
HEADING = re.compile(r'^#+ +(.*?)\s*$', re.M)
AWK = re.compile(r'^ {4,}(?:.*[|&] *)?((?:\S+=\S+ +)*)awk ', re.M)
NAMED = re.compile(r'\bdocs/[\w/]+\.md\b')
PICTURES = ('.png', '.svg')
SOURCES = ('.c', '.h', '.in', '.cl', '.clh', '.py', '.sh', '.build')


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def anchors(text):
    """The anchors that GitHub makes of a page's headings."""
    found = set()
    for heading in HEADING.findall(re.sub(r'^```.*?^```', blank, text, flags=re.M | re.S)):
        words = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading).lower()
        slug = re.sub(r'[^\w\- ]', '', words).replace(' ', '-')
        number = 0
        while (slug if number == 0 else f'{slug}-{number}') in found:
            number += 1
        found.add(slug if number == 0 else f'{slug}-{number}')
    return found


def files_in(root):
    """Paths of the files that git tracks, or would; else of all save what a build made."""
    try:
        names = subprocess.run(['git', '-C', root, 'ls-files', '-z', '--cached', '--others',
                                '--exclude-standard'], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, check=True).stdout
        return [path for path in names.split('\0') if os.path.isfile(f'{root}/{path}')]
    except (OSError, subprocess.CalledProcessError):
        pass  # no git, or no checkout of it
    paths = []
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not name.startswith(('.', '_', 'build', 'subproj'))]
        paths += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return paths


class Checker:
    def __init__(self, root):
        self.root = root
        self.paths = set(files_in(root))
        self.folders = {os.path.dirname(path) for path in self.paths}
        self.folders |= {os.path.dirname(folder) for folder in self.folders}
        self.texts = {}
        for path in self.paths:
            if path.endswith('.md'):
                with open(os.path.join(root, path), encoding='utf-8') as file:
                    self.texts[path] = file.read()
        self.breaches, self.links, self.count = [], {}, 0

    def report(self, path, line, why):
        self.breaches.append(f'{path}:{line}: {why}')

    def link(self, path, line, target):
        page, _, anchor = target.partition('#')
        to = os.path.normpath(os.path.join(os.path.dirname(path), page)) if page else path
        self.count += 1
        self.links[path].add(to)
        if to not in self.paths and to not in self.folders:
            self.report(path, line, f'{target} is not in the tree')
        elif anchor and anchor not in anchors(self.texts.get(to, '')):
            self.report(path, line, f'{to} has no heading #{anchor}')

    def page(self, path, text):
        self.links[path] = set()
        code = CODE.sub(blank, text)
        for match in LINK.finditer(code):
            if not re.match(r'\w+:', match.group(1)):
                self.link(path, code.count('\n', 0, match.start()) + 1, match.group(1))

        for match in AWK.finditer(text):
            if 'LC_ALL=C' not in match.group(1).split():
                self.report(path, text.count('\n', 0, match.start()) + 1, 'awk without LC_ALL=C')

    def sources(self):
        """Pages that comments name."""
        for path in sorted(self.paths):
            if not path.endswith(SOURCES):
                continue
            with open(os.path.join(self.root, path), encoding='utf-8') as file:
                for number, line in enumerate(file, 1):
                    for name in NAMED.findall(line):
                        if name not in self.paths:
                            self.report(path, number, f'{name} is not in the tree')

    def reached(self):
        """All pages and pictures that one comes to from the first page."""
        seen, waiting = set(), [FIRST]
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting += self.links.get(path, ())
        return seen

    def kernels(self):
        for path in sorted(self.paths):
            name = os.path.basename(path)
            if path.startswith('cl/') and path.endswith(('.cl', '.clh')) and \
                    not re.search(rf'\b{name}\b', self.texts.get(KERNELS, name)):
                self.report(path, 1, f'{KERNELS} has no line for it')

    def run(self):
        for path, text in sorted(self.texts.items()):
            self.page(path, text)
        self.sources()
        self.kernels()
        for path in sorted(self.paths - self.reached()):
            if path.startswith('docs/') and path.endswith(('.md', *PICTURES)):
                self.report(path, 1, f'no page leads to it from {FIRST}')
        return self.breaches


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    checker = Checker(os.path.abspath(sys.argv[1]))
    breaches = checker.run()
    for breach in breaches:
        print(breach)
    print(f'{len(checker.texts)} pages, {checker.count} links, {len(breaches)} breaches')
    sys.exit(bool(breaches) or not checker.count)


if __name__ == '__main__':
    main()
