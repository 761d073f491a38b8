#!/usr/bin/env python3
"""The reference of the command line, docs/commands.md, from what the program says of itself.

    scripts/render_commands.py [--bin FOLDER] [--check]

Every word comes from --help, so the page cannot say what the program does not. --check ends with status 1
if the page says something else.
"""

import argparse
import pathlib
import re
import sys
from dataclasses import dataclass, field

from write_manual import EXIT_STATUS, HELP_COLUMN, LISTS, ask, list_commands, take_list

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/commands.md"
TAG = re.compile(r"(?P<flags>(?:-[\w-]+,?)+|\S+?)(?:\{\w+\})?(?: (?P<kind>[A-Z]+))?"
                 r"(?::(?P<may_be>\{[^}]*\}|[^=]*))?(?:=(?P<default>\S*))?(?P<rest> .*)?")


@dataclass
class Line:
    """One option as the help has it."""
    name: str  # with its flags and what it takes
    default: str
    meaning: str


@dataclass
class Command:
    about: str
    usage: str
    groups: list = field(default_factory=list)  # (title, [Line])
    prose: list = field(default_factory=list)
    examples: list = field(default_factory=list)


def read_line(tag, meaning):
    found = TAG.fullmatch(tag.strip())
    rest = (found["rest"] or "").replace("REQUIRED", "(required)")
    words = [found["flags"].replace(",", ", "), found["kind"] or "", rest.strip()]
    may_be = (found["may_be"] or "").strip("{}")
    if "," in may_be:
        meaning += f" ({', '.join(may_be.split(','))})"
    return Line(" ".join(word for word in words if word), found["default"] or "", meaning.strip())


def read_lines(lines):
    out, i = [], 0
    while i < len(lines):
        following = lines[i + 1] if i + 1 < len(lines) else ""
        if following.startswith(" " * HELP_COLUMN):
            out.append(read_line(lines[i], following))
            i += 1
        else:
            out.append(read_line(lines[i][:HELP_COLUMN], lines[i][HELP_COLUMN:]))
        i += 1
    return out


def read_command(text):
    """The parts of a help text."""
    about, rest = re.split(r"\nUsage: ", text, maxsplit=1)
    usage, *lines = rest.split("\n")
    command = Command(" ".join(about.split()), usage)
    i = 0
    while i < len(lines):
        title = lines[i].removesuffix(":")
        is_list = lines[i].endswith(":") and i + 1 < len(lines) and lines[i + 1].startswith("  ")
        if title == "Examples":
            command.examples, i = take_list(lines, i)
        elif is_list and (title in LISTS or lines[i + 1].startswith("  -")):
            entries, i = take_list(lines, i)
            command.groups.append((title, read_lines(entries)))
        else:
            command.prose.append(lines[i])
            i += 1
    return command


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def show_command(name, command):
    parts = [f"## cone {name}", "", cell(command.about), "", f"    {command.usage}", ""]
    prose = re.sub(r"\n{3,}", "\n\n", "\n".join(command.prose)).strip("\n")
    if prose:
        parts += ["\n".join(f"    {line}".rstrip() for line in prose.splitlines()), ""]
    for title, lines in command.groups:
        title = "Arguments" if title == "Positionals" else title
        parts += [f"| {cell(title)} | default | meaning |", "|---|---|---|"]
        parts += [f"| `{line.name}` | {cell(line.default)} | {cell(line.meaning)} |" for line in lines] + [""]
    if command.examples:
        parts += ["Examples:", "", *(f"    {line[2:]}" for line in command.examples), ""]
    return "\n".join(parts)


def show_all(program):
    root = ask(program, "--help")
    overview = read_command(root)
    commands = {name: read_command(ask(program, name, "--help")) for name in list_commands(root)}
    status = " ".join(" ".join(overview.prose).split())
    rows = [f"| [cone {name}](#cone-{name}) | {cell(command.about)} |" for name, command in commands.items()]
    return "\n".join(["# Command line", "",
                      "Made by `scripts/render_commands.py` from `cone --help`. Manual pages say the same.", "",
                      "| command | purpose |", "|---|---|", *rows, "", cell(status[status.index(EXIT_STATUS):]), "",
                      *(show_command(name, command) for name, command in commands.items())])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    made = show_all(arguments.bin.resolve() / "cone")
    if not arguments.check:
        PAGE.write_text(made)
    elif not PAGE.exists() or PAGE.read_text() != made:
        sys.exit("docs/commands.md differs from cone --help: run scripts/render_commands.py")


if __name__ == "__main__":
    main()
