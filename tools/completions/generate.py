#!/usr/bin/env python3
"""Writes the completions of shells from the command's tables of options.

usage: generate.py CLSPLINE FOLDER

The three files in this folder are kept as they are written, so that a build for another machine has
them without running the command. A test compares them with what is written now.
"""

import json
import os
import re
import subprocess
import sys
import textwrap

HEAD = "# Completion of clspline for %s, made by generate.py.\n"
TOP = (("h", "help", "print a help text"), ("V", "version", "print the version"))


def short(option):
    """The first part of what an option does."""
    first = re.split(r"[;:(]|\. ", option["help"])[0].strip(" ,")
    return textwrap.shorten(first.replace("instead, ", ""), 64, placeholder=" ..")


def spelled(option):
    """An option as it can be typed."""
    return ["-" + option["letter"]] * bool(option["letter"]) + ["--" + option["name"]]


def words(command):
    return command["name"].split()


# ---- bash ----

BASH = r"""
# Sets what a value or a file may be.
_clspline_names() {
    local values=_clspline_values
    _clspline_values "$1" "$2" "$3" >/dev/null || values=_clspline_files
    mapfile -t COMPREPLY < <("$values" "$1" "$2" "$3")
}

_clspline() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at=1
    local command=${COMP_WORDS[1]} commands='%(first)s'
    case $command in %(pairs)s) command+=" ${COMP_WORDS[2]}" at=2 ;; esac
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$word")
    elif [ "$COMP_CWORD" = "$at" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_clspline_actions "${COMP_WORDS[1]}")" -- "$word")
    elif [[ $word = -* ]] && ! _clspline_values "$command" "$before" >/dev/null; then
        mapfile -t COMPREPLY < <(compgen -W "$(_clspline_options "$command")" -- "$word")
    else
        _clspline_names "$command" "$before" "$word"
        # Readline takes quotes away by itself; where it has no part in this, nobody did.
        local plain=${word#[\"\']}
        [ "${#COMPREPLY[@]}" -gt 0 ] || _clspline_names "$command" "$before" "${plain//\\/}"
    fi
}

complete -o filenames -F _clspline clspline
"""


def bash_action(option):
    if option["is_file"]:
        return 'compgen -f -- "$3" || true'
    return "compgen -W '%s' -- \"$3\" || true" % option["words"] if option["words"] else "true"


def bash_values(commands):
    """What follows options with a value, those of which all commands have the same one together."""
    actions = {}  # word: {command: action}
    for command in commands:
        for option in (o for o in command["options"] if o["argument"]):
            for word in spelled(option):
                actions.setdefault(word, {})[command["name"]] = bash_action(option)
    patterns = {}  # action: patterns
    for word, found in actions.items():
        for name, action in found.items():
            everywhere = len(set(found.values())) == 1
            pattern = "*' %s'" % word if everywhere else "'%s %s'" % (name, word)
            if pattern not in patterns.setdefault(action, []):
                patterns[action].append(pattern)
    return patterns


def bash(commands):
    pairs = sorted({words(c)[0] for c in commands if len(words(c)) > 1})
    text = HEAD % "bash" + "\n# Words for the value of a subcommand's option. False: it has none.\n"
    text += "_clspline_values() {\n    case \"$1 $2\" in\n"
    for action, patterns in bash_values(commands).items():
        lines = textwrap.wrap(
            " |".join(pattern.replace(" ", "~") for pattern in patterns).replace("|", "| "), 92,
            break_on_hyphens=False,
        )
        text += "    %s)\n        %s\n        ;;\n" % (
            " \\\n    ".join(lines).replace("~", " "),
            action,
        )
    text += "    *) false ;;\n    esac\n}\n\n# The options of a subcommand.\n"
    text += "_clspline_options() {\n    case $1 in\n"
    for command in commands:
        names = textwrap.wrap(" ".join("--" + o["name"] for o in command["options"]), 80,
                              break_on_hyphens=False)
        text += "    '%s')\n        echo '%s'\n        ;;\n" % (
            command["name"],
            "' \\\n            '".join(names),
        )
    text += "    esac\n}\n\n# The actions of a subcommand that has some.\n"
    text += "_clspline_actions() {\n    case $1 in\n"
    for pair in pairs:
        text += "    %s) echo '%s' ;;\n" % (
            pair,
            " ".join(words(c)[1] for c in commands if words(c)[0] == pair),
        )
    text += "    esac\n}\n"
    text += "\n# The files that a subcommand reads.\n_clspline_files() {\n"
    text += "    local endings='' ending\n    case $1 in\n"
    for command in (c for c in commands if c["endings"]):
        text += "    '%s') endings='%s' ;;\n" % (command["name"], command["endings"])
    text += (
        "    esac\n    for ending in $endings; do compgen -f -X \"!*.$ending\" -- \"$3\"; done\n"
        "    [ -z \"$endings\" ] || compgen -d -- \"$3\"\n}\n"
    )
    first = " ".join(dict.fromkeys(words(c)[0] for c in commands))
    return text + BASH % {"pairs": " | ".join(pairs), "first": first}


# ---- zsh ----

ZSH = r"""
if (( CURRENT == 2 )); then
    _describe command commands
    _arguments '(-h --help)'{-h,--help}'[print a help text]' \
        '(-V --version)'{-V,--version}'[print the version]'
elif (( CURRENT == 3 )) && (( $+actions[$words[2]] )); then
    compadd ${=actions[$words[2]]}
else
    local name=$words[2]
    if (( $+actions[$name] )); then
        name+=_$words[3]
        shift words
        (( CURRENT-- ))
    fi
    if (( $+functions[_clspline_$name] )); then
        shift words
        (( CURRENT-- ))
        _clspline_$name
    fi
fi
"""


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh_option(option):
    names = spelled(option)
    excluded = [] if option["repeats"] else names
    excluded = excluded + ["--" + name for name in (option["excludes"] or "").split()]
    before = "*" if option["repeats"] else "(%s)" % " ".join(excluded)
    word = "'{%s}'" % ",".join(names) if len(names) > 1 else names[0]
    value = ""
    if option["argument"]:
        choice = (
            "_files" if option["is_file"] else "(%s)" % option["words"] if option["words"] else ""
        )
        value = ":%s:%s" % (zsh_text(option["argument"]), choice)
    head, text = "'%s%s" % (before, word), "[%s]" % zsh_text(short(option))
    if len(head + text + value) > 86:
        head += "'\\\n'"
    return head + text + ("'\\\n'" if len(text + value) > 96 else "") + value + "'"


def zsh(commands):
    text = "#compdef clspline\n" + HEAD % "zsh"
    for command in commands:
        rows = [zsh_option(option) for option in command["options"]]
        if command["endings"]:
            rows.append(
                "'*:%s:_files -g \"*.(%s)\"'"
                % (command["input"], "|".join(command["endings"].split()))
            )
        text += "\n_clspline_%s() {\n    _arguments \\\n        %s\n}\n" % (
            "_".join(words(command)),
            " \\\n        ".join(rows),
        )
    text += "\nlocal -a commands\ncommands=(\n"
    seen = {}
    for command in commands:
        first, *action = words(command)
        if first not in seen:
            text += "    '%s:%s'\n" % (first, zsh_text(command["summary"]))
        seen.setdefault(first, []).extend(action)
    text += ")\nlocal -A actions\nactions=(%s)\n" % " ".join(
        "%s '%s'" % (first, " ".join(actions)) for first, actions in seen.items() if actions
    )
    return text + ZSH


# ---- fish ----

FISH = r"""
# Whether the words before are those of a subcommand and others.
function __clspline_at
    set -l before (commandline -opc)
    set -l last (math 1 + (count $argv))
    test (count $before) -ge $last
    and test "$before[2..$last]" = "$argv"
end

# Files with one of the endings.
function __clspline_files
    for ending in $argv
        __fish_complete_suffix .$ending
    end
end

# Whether there are so many words before.
function __clspline_behind
    test (count (commandline -opc)) -eq $argv[1]
end

complete -c clspline -f
"""


def fish_text(text):
    return "'%s'" % text.replace("\\", "\\\\").replace("'", "\\'")


def fish_option(command, option):
    line = "complete -c clspline -n '__clspline_at %s'" % command["name"]
    line += " -s %s" % option["letter"] if option["letter"] else ""
    line += " -l %s" % option["name"]
    if option["is_file"]:
        line += " -r -F"
    elif option["argument"]:
        line += " -x" + (" \\\n    -a '%s'" % option["words"] if option["words"] else "")
    return "%s \\\n    -d %s\n" % (line, fish_text(short(option)))


def fish(commands):
    text = HEAD % "fish" + FISH
    for letter, name, what in TOP:
        text += "complete -c clspline -n '__clspline_behind 1' -s %s -l %s -d '%s'\n" % (
            letter,
            name,
            what,
        )
    seen = set()
    for command in commands:
        first, *action = words(command)
        if first not in seen:
            text += "complete -c clspline -n '__clspline_behind 1' -a %s \\\n    -d %s\n" % (
                first,
                fish_text(command["summary"]),
            )
        if action:
            text += (
                "complete -c clspline -n '__clspline_behind 2; and __clspline_at %s' -a %s "
                "\\\n    -d %s\n"
                % (first, action[0], fish_text(command["summary"]))
            )
        seen.add(first)
    for command in commands:
        text += "\n"
        if command["endings"]:
            text += (
                "complete -c clspline -n '__clspline_at %s' -k \\\n    -a '(__clspline_files %s)'\n"
                % (command["name"], command["endings"])
            )
        text += "".join(fish_option(command, option) for option in command["options"])
    return text


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    commands = json.loads(
        subprocess.run([sys.argv[1], "--dump-options"], check=True, stdout=subprocess.PIPE).stdout
    )
    for name, make in (("clspline.bash", bash), ("_clspline", zsh), ("clspline.fish", fish)):
        with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as file:
            file.write(make(commands))


if __name__ == "__main__":
    main()
