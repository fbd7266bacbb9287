#!/usr/bin/env python3
"""Checks docs/glossary.md against the tree.

usage: glossary.py [SOURCE_DIR]

  - every name in backticks exists: a file, or an identifier of the sources; one that ends in * is
    the beginning of some
  - each section's terms are sorted, and no term stands twice, be it with words in brackets
  - no identifier and no file of src/, cl/ and include/ uses a word of the sections "Reserved" and
    "Words that the tree does not use", alone or in the plural. Identifiers are split at _ and where
    capitals begin. Names in backticks behind such a word are its exceptions, and the entry says
    why; OpenCL's own names are not looked at

Prints each breach as FILE:LINE: WHY and exits with 1 when there are any.
"""
import os
import re
import sys

GLOSSARY = 'docs/glossary.md'
NAMES_IN = ('src', 'cl', 'include', 'tools', 'bench', 'tests')
WORDS_IN = ('src', 'cl', 'include')
BANNED = ('Reserved', 'Words that the tree does not use')
ENDINGS = ('.c', '.h', '.in', '.cl', '.clh', '.py')
CODE_ENDINGS = ('.c', '.h', '.in', '.cl', '.clh')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
IDENTIFIER = re.compile(r'[A-Za-z_]\w*')
OPENCL = re.compile(r'CL_|cl_|cl[A-Z]|__opencl')
WORD = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+')
BOLD = re.compile(r'\*\*([^*]+)\*\*')
BACKTICKS = re.compile(r'`([^`]+)`')


class Entry:
    """An item of a list: - **term** (`name`): meaning."""

    def __init__(self, section, line, text):
        self.section, self.line, self.text = section, line, text
        self.terms = [term.strip() for bold in BOLD.findall(text) for term in bold.split(',')]
        self.names = BACKTICKS.findall(text)
        self.is_banned = section.startswith(BANNED)


def read_entries(path):
    """The entries of all sections, and (line, name) of every name in backticks."""
    entries, names, section = [], [], ''
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            names += [(number, name) for name in BACKTICKS.findall(line)]
            if line.startswith('## '):
                section = line[3:].strip()
            elif line.startswith('- '):
                entries.append(Entry(section, number, line[2:]))
            elif line.startswith('  ') and entries:
                last = entries.pop()
                entries.append(Entry(last.section, last.line, last.text + line))
    return entries, names


def files_in(root, folders):
    """Paths of files, save what a build made."""
    for top in folders:
        for folder, inner, names in os.walk(os.path.join(root, top)):
            inner[:] = sorted(name for name in inner if not name.startswith(('.', '__')))
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, '/')


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def code_of(root, path):
    """A file's text without comments and strings."""
    with open(os.path.join(root, path), encoding='utf-8') as file:
        text = file.read()
    return STRING.sub(blank, COMMENT.sub(blank, text)) if path.endswith(CODE_ENDINGS) else text


def singular(word):
    word = word.lower()
    return word[:-1] if len(word) > 3 and word.endswith('s') and not word.endswith('ss') else word


def words_of(name):
    return [singular(word) for word in WORD.findall(name)]


def uses(name, phrase):
    """Whether a name has the words of a phrase, one after the other."""
    words = words_of(name)
    return any(words[at:at + len(phrase)] == phrase for at in range(len(words) - len(phrase) + 1))


class Checker:
    def __init__(self, root):
        self.root = root
        self.entries, self.names = read_entries(os.path.join(root, GLOSSARY))
        self.breaches = []

    def report(self, path, line, why):
        self.breaches.append(f'{path}:{line}: {why}')

    def terms(self):
        seen, last, section = {}, '', None
        for entry in self.entries:
            if not entry.terms:
                self.report(GLOSSARY, entry.line, 'an entry without a **term**')
                continue
            first = entry.terms[0].lower()
            if section == entry.section and first < last:
                self.report(GLOSSARY, entry.line, f'{entry.terms[0]} stands behind {last}')
            section, last = entry.section, first
            for term in entry.terms:
                head = term.lower().split(' (')[0]
                if head in seen:
                    self.report(GLOSSARY, entry.line, f'{term} stands in line {seen[head]} too')
                seen.setdefault(head, entry.line)

    def existing(self):
        """Every name in backticks exists."""
        identifiers, files = set(), set()
        for path in files_in(self.root, NAMES_IN):
            files |= {path, os.path.basename(path)}
            if path.endswith(ENDINGS):
                identifiers |= set(IDENTIFIER.findall(code_of(self.root, path)))
        for line, name in self.names:
            if name.endswith('*'):
                found = any(identifier.startswith(name[:-1]) for identifier in identifiers)
            else:
                found = name in identifiers or name.rstrip('/') in files or \
                    os.path.isdir(os.path.join(self.root, name))
            if not found:
                self.report(GLOSSARY, line, f'`{name}` is not in the tree')

    def banned(self):
        """(phrase, term, exceptions) of the words that identifiers may not use."""
        return [([singular(word) for word in re.findall(r'[A-Za-z]+', term)], term, entry)
                for entry in self.entries if entry.is_banned for term in entry.terms]

    def check_name(self, path, line, name, banned):
        for phrase, term, entry in banned:
            if name not in entry.names and uses(name, phrase):
                self.report(path, line, f'{name}: the word {term} is not used so '
                            f'({GLOSSARY}:{entry.line})')

    def words(self):
        banned = self.banned()
        for path in files_in(self.root, WORDS_IN):
            self.check_name(path, 1, os.path.basename(path), banned)
            if not path.endswith(CODE_ENDINGS):
                continue
            seen = set()
            for number, line in enumerate(code_of(self.root, path).split('\n'), 1):
                for name in IDENTIFIER.findall(line):
                    if name not in seen and not OPENCL.match(name):
                        self.check_name(path, number, name, banned)
                    seen.add(name)

    def run(self):
        self.terms()
        self.existing()
        self.words()
        return self.breaches


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), '..')
    checker = Checker(root)
    breaches = checker.run()
    for breach in breaches:
        print(breach)
    terms = sum(len(entry.terms) for entry in checker.entries)
    print(f'{terms} terms, {len(checker.names)} names, {len(breaches)} breaches')
    sys.exit(bool(breaches) or not checker.entries)


if __name__ == '__main__':
    main()
