#!/usr/bin/env python3
"""Turns the plain comments of a public header into comments that Doxygen reads.

usage: doxygen_filter.py HEADER, which prints the header

  - the first comment describes the file
  - a comment above a declaration describes what follows it
  - a comment behind a field, a value or a macro describes what stands before it
  - section comments, and those that a blank line follows, stay as they are
  - lines that are indented further than their comment, such as formulas, keep their form
  - names of the public headers beside this one become links
"""
import os
import re
import sys

COMMENT = re.compile(r'/\*.*?\*/', re.S)
NAME = re.compile(r'\b(?:clsp|CLSP)_\w+')
PUBLIC = re.compile(r'^(?:[A-Z_ ]*CLSP_API|static inline)\b[^;{}()]*?\b(clsp_\w+)\s*\(', re.M)
TYPE = re.compile(r'\b(?:struct|enum)\s+(clsp_\w+)')
VALUE = re.compile(r'^\s+(CLSP_\w+)\s*(?:=|,|$)', re.M)
SPECIAL = re.compile(r'([\\@<>#%&"~]|::)')
FORMULA = 2  # blanks, beyond those of the comment, from which on a line keeps its form


def names_beside(path):
    """The names that the public headers of a folder declare."""
    names = set()
    folder = os.path.dirname(os.path.abspath(path))
    for name in sorted(os.listdir(folder)):
        if not name.endswith('.h'):
            continue
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            code = COMMENT.sub('', file.read())
        for pattern in (PUBLIC, TYPE, VALUE):
            names |= set(pattern.findall(code))
    return names


def escaped(text, names):
    """Words for Doxygen: nothing in them is a command, and known names are links."""
    text = SPECIAL.sub(r'\\\1', text)
    text = text.replace('..', '&#46;&#46;')  # a dot by itself would end a list
    return NAME.sub(lambda match: ('#' if match.group() in names else '') + match.group(), text)


def indent_of(line):
    return len(line) - len(line.lstrip())


def described(words, names, keeps_form):
    """The lines of a comment, formulas in their form."""
    first, *rest = words.split('\n')
    margin = min((indent_of(line) for line in rest if line.strip()), default=0)
    lines, in_formula, in_list = [escaped(first.strip(), names)], False, False
    for line in rest:
        text = line.strip()
        indent = indent_of(line) - margin
        in_list = text.startswith('- ') or (in_list and bool(text) and indent > 0)
        is_formula = keeps_form and bool(text) and indent >= FORMULA and not in_list
        if is_formula != in_formula and (text or not in_formula):
            lines.append('@verbatim' if is_formula else '@endverbatim')
            in_formula = is_formula
        lines.append(line[margin:] if is_formula else ' ' * (2 * in_list) + escaped(text, names))
    if in_formula:
        lines.append('@endverbatim')
    return '\n'.join(lines)


def form_of(text, match):
    """How Doxygen is told what a comment describes; None for a comment that describes nothing."""
    before = text[text.rfind('\n', 0, match.start()) + 1:match.start()].strip()
    after = text[match.end():].split('\n', 2)
    following = after[1].strip() if len(after) > 1 else ''
    if before:
        return None if before.endswith('{') or before.startswith('#e') else '/**< '
    if not text[:match.start()].strip():
        return '/** @file\n'
    is_alone = not after[0].strip()
    if match.group().startswith('/* ---') or not is_alone or \
            following.startswith(('}', '#i', '#e', '/*')):
        return None
    return '/** ' if following else None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    names = names_beside(path)
    with open(path, encoding='utf-8') as file:
        text = file.read()

    def replace(match):
        form = form_of(text, match)
        if form is None:
            return match.group()
        keeps_form = form != '/**< '
        return form + described(match.group()[2:-2].strip(), names, keeps_form) + ' */'

    sys.stdout.write(COMMENT.sub(replace, text))


if __name__ == '__main__':
    main()
