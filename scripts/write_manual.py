#!/usr/bin/env python3
"""Writes manual pages and completions from the program's help: write_manual.py PROGRAM FOLDER

Writes FOLDER/man/cone.1.gz, one page per command (cone-evaluate.1.gz, ...), and FOLDER/completions.
All text comes from --help.
"""

import gzip
import os
import pathlib
import re
import subprocess
import sys

LISTS = {"Positionals": "ARGUMENTS", "Options": "OPTIONS", "Subcommands": "COMMANDS"}
EXIT_STATUS = "Exit status: "
HELP_COLUMN = 34  # of the description of an option


def ask(program, *arguments):
    # Without the environment's values, which the help would show as defaults.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CONE_")}
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True,
                          env=environment).stdout.rstrip()


def escape(text):
    """Hyphens are literal: most are in flags and names, which must not be broken either."""
    for plain, written in (("\\", r"\e"), ("-", r"\-"), ("~", r"\(ti"), ("^", r"\(ha"), ("'", r"\(aq")):
        text = text.replace(plain, written)
    return r"\&" + text if text.startswith(".") else text


def flag_tag(text):
    flags, rest = re.fullmatch(r"((?:-[\w-]+,?)+|\S+)(.*)", text).groups()
    rest = escape(rest).replace(",", r",\:")  # a long list of choices may be broken after a comma
    return rf"\fB{escape(flags)}\fR{rest}"


def write_entries(lines):
    """Options, arguments or commands: a tag, with its text from HELP_COLUMN on or in the next line."""
    page, i = [], 0
    while i < len(lines):
        line, following = lines[i], lines[i + 1] if i + 1 < len(lines) else ""
        if following.startswith(" " * HELP_COLUMN):
            tag, text, i = line, following, i + 1
        else:
            tag, text = line[:HELP_COLUMN], line[HELP_COLUMN:]
        page += [".TP", flag_tag(tag.strip()), escape(text.strip()) or r"\&"]
        i += 1
    return page


def write_items(lines):
    """A table of names and descriptions, or a list; deeper indentation continues the line above."""
    found = re.match(r" *\S.*?( {2,})\S", lines[0])
    column = found.end() - 1 if found else None
    indent = len(lines[0]) - len(lines[0].lstrip())
    page = []
    for line in lines:
        if len(line) - len(line.lstrip()) > indent:
            page.append(escape(line.strip()))
        elif column and line[column - 1:column] == " ":
            page += [".TP", rf"\fB{escape(line[:column].strip())}\fR", escape(line[column:].strip())]
        else:
            page += [r".IP \(bu 2", escape(line.strip())]
    return page + [".PP"]


def write_paragraph(lines):
    """Prose, and between it lines that are indented or set in columns."""
    page, i = [".PP"], 0
    while i < len(lines):
        end = i
        while end < len(lines) and re.match(r" |\S+ {2,}\S", lines[end]):
            end += 1
        page += write_items(lines[i:end]) if end > i else [escape(lines[i])]
        i = max(end, i + 1)
    return page


def write_examples(lines):
    """Commands, each followed by its remark."""
    page, goes_on = [".nf"], False
    for line in lines:
        command, *remarks = re.split(r" {3,}", line.strip(), maxsplit=1)
        if goes_on:
            page.append(rf"    \fB{escape(command)}\fR")
        elif re.match(r"  \S", line):
            page.append(rf"\fB{escape(command)}\fR")
        else:
            remarks = [line.strip()]
        page += ["    " + escape(remark) for remark in remarks]
        goes_on = line.endswith("\\")
    return page + [".fi"]


def take_list(lines, i):
    """The indented lines after a headline."""
    end = i + 1
    while end < len(lines) and lines[end].startswith(" "):
        end += 1
    return lines[i + 1:end], end


def read_help(text):
    """Headline of the help, usage, and the sections of the page."""
    about, rest = re.split(r"\nUsage: ", text, maxsplit=1)
    usage, *lines = rest.split("\n")
    sections = {name: [] for name in ("DESCRIPTION", "COMMANDS", "ARGUMENTS", "OPTIONS", "EXAMPLES",
                                      "EXIT STATUS")}
    i = 0
    while i < len(lines):
        line = lines[i]
        name = line.removesuffix(":")
        if not line:
            i += 1
        elif name in LISTS:
            entries, i = take_list(lines, i)
            sections[LISTS[name]] += write_entries(entries)
        elif name == "Examples":
            entries, i = take_list(lines, i)
            sections["EXAMPLES"] += write_examples(entries)
        elif line.endswith(":") and lines[i + 1].startswith("  -"):
            entries, i = take_list(lines, i)
            sections["OPTIONS"] += [f'.SS "{escape(name)}"', *write_entries(entries)]
        else:
            end = i + 1
            while end < len(lines) and lines[end] and not lines[end].startswith(EXIT_STATUS):
                end += 1
            title = "EXIT STATUS" if line.startswith(EXIT_STATUS) else "DESCRIPTION"
            sections[title] += write_paragraph([line.removeprefix(EXIT_STATUS), *lines[i + 1:end]])
            i = end
    return " ".join(about.split()), usage, sections


def write_page(name, version, text, see_also):
    about, usage, sections = read_help(text)
    headline, _, more = about.partition(". ")
    if more:  # the main help has more than a headline
        headline += "."
        sections["DESCRIPTION"] = [".PP", escape(more), *sections["DESCRIPTION"]]
    # Left-aligned and without hyphenation: options and file names stay whole.
    page = [f'.TH {name.upper()} 1 "" "{version}" "User Commands"', ".nh", ".ad l", ".SH NAME", rf"{escape(name)} \- {escape(headline)}",
            ".SH SYNOPSIS", rf"\fB{escape(usage)}\fR"]
    for title, lines in sections.items():
        if lines:
            page += [f'.SH "{title}"', *lines]
    page += ['.SH "SEE ALSO"', ",\n".join(rf"\fB{escape(other)}\fR(1)" for other in see_also)]
    return "\n".join(page) + "\n"


def list_commands(text):
    listed, _ = take_list(text.split("\n"), text.split("\n").index("Subcommands:"))
    return [line.split()[0] for line in listed]


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    version = ask(program, "--version").partition(" (")[0]
    text = ask(program, "--help")
    commands = list_commands(text)
    names = [f"cone-{command}" for command in commands]
    pages = {"cone": write_page("cone", version, text, names)}
    for name, command in zip(names, commands):
        pages[name] = write_page(name, version, ask(program, command, "--help"), ["cone"])
    (folder / "man").mkdir(parents=True, exist_ok=True)
    for name, page in pages.items():  # reproducible bytes
        (folder / f"man/{name}.1.gz").write_bytes(gzip.compress(page.encode(), 9, mtime=0))
    (folder / "completions").mkdir(exist_ok=True)
    for shell, file in (("bash", "cone"), ("zsh", "_cone"), ("fish", "cone.fish")):
        (folder / "completions" / file).write_text(ask(program, "completion", shell) + "\n")


if __name__ == "__main__":
    main()
