#!/usr/bin/env python3
"""Makes the manual page of what was written by hand and of the command's tables of options.

usage: man_page.py PAGE OUT [CLSPLINE]

PAGE has a line '.\\" jobs' where the jobs come. Without the command, as in a build for another
machine, the page says how to ask for them instead.
"""
import json
import re
import subprocess
import sys
import textwrap

ASK = ["Lists of options are printed by", ".Ql clspline help JOB ."]


def plain(text):
    """Text as lines of mdoc, where sentences begin lines."""
    lines = []
    for paragraph in text.replace("\\", "\\e").split("\n"):
        lines += [".br"] if lines and paragraph and lines[-1] != ".Pp" else []
        for sentence in re.split(r"(?<=[.?]) (?=[A-Z])", paragraph):
            rows = textwrap.wrap(sentence, 96, break_on_hyphens=False) or [".Pp"]
            lines += ["\\&" + row if row[0] in ".'" and row != ".Pp" else row for row in rows]
    return lines


def quoted(text):
    return '"%s"' % text.replace("\\", "\\e").replace('"', '""')


def item(option):
    head = ".It " + ("Fl %s , " % option["letter"] if option["letter"] else "")
    head += "Fl -" + option["name"]
    if option["argument"]:
        head += " Ar " + quoted(option["argument"])
    elif option["glued"]:
        head += " Ns " + quoted(option["glued"])
    return [head] + plain(option["help"][0].upper() + option["help"][1:] + ".")


def listed(options):
    """Options in groups."""
    lines, group = [], None
    for option in options:
        if option["group"] != group:
            lines += [".El"] if group else []
            group = option["group"]
            lines += [".Pp", group[0].upper() + group[1:] + ":", ".Bl -tag -width Ds"]
        lines += item(option)
    return lines + [".El"] if lines else []


def job(variants):
    """A section of the subcommands of a job: what all have, and then what each has alone."""
    lines = [".Ss The job " + variants[0]["name"]]
    for variant in variants:
        for usage in variant["usage"].split("\n"):
            lines.append(".Dl clspline %s %s" % (variant["name"], usage.replace("\\", "\\e")))
    for variant in variants:
        lines += [".Pp"] + plain(variant["about"])
    keys = [[json.dumps({**o, "group": ""}) for o in variant["options"]] for variant in variants]
    common = {key for key in keys[0] if all(key in others for others in keys)}
    rows = list(zip(keys[0], variants[0]["options"]))
    lines += listed([o for key, o in rows if key in common])
    for variant, own in zip(variants, keys):
        rest = [{**o, "group": "of " + variant["of"]} for key, o in zip(own, variant["options"])
                if key not in common]
        lines += listed(rest) if len(variants) > 1 else []
    return lines


def examples(tables):
    lines = [".Sh EXAMPLES"]
    for table in tables:
        lines += [".Dl $ " + text.replace("\\", "\\e") for text in table["examples"]]
    return lines


def jobs(command):
    tables = json.loads(subprocess.run([command, "--dump-options"], check=True,
                                       stdout=subprocess.PIPE).stdout)
    names = list(dict.fromkeys(table["name"] for table in tables))
    sections = [job([table for table in tables if table["name"] == name]) for name in names]
    return [line for section in sections for line in section], examples(tables)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    made, shown = jobs(sys.argv[3]) if len(sys.argv) == 4 else (ASK, [])
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.read().split("\n")
    mark = lines.index('.\\" jobs')
    lines[mark:mark + 1] = made
    mark = lines.index('.\\" examples')
    lines[mark:mark + 1] = shown
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


main()
