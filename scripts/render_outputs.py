#!/usr/bin/env python3
"""Writes the program's output into README.md and docs/*.md, and the pictures of README.md.

    scripts/render_outputs.py [--bin FOLDER]            write what the program prints now
    scripts/render_outputs.py [--bin FOLDER] --check    status 1 if a page shows something else

A block is everything between `<!-- output: COMMAND -->` and `<!-- end output -->`; the command runs
in a folder that has examples/. In a block `<!-- excerpt: COMMAND -->` every line must be one that the
command prints, in this order; it is checked, not written. `<!-- picture: NAME COMMAND -->` makes docs/NAME_light.svg and
docs/NAME_dark.svg of the first chart in the report of COMMAND. The check allows for the last digits
of numbers, which depend on the processor.
"""

import argparse
import html
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
OUTPUT = re.compile(r"(<!-- output: (.+?) -->\n)(.*?)(<!-- end output -->)", re.S)
EXCERPT = re.compile(r"<!-- excerpt: (.+?) -->\n(.*?)<!-- end output -->", re.S)
PICTURE = re.compile(r"<!-- picture: (\w+) (.+?) -->")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")
WIDTH = 760  # of pictures, in pixels
COLUMNS = 118  # longer lines are wrapped, so that pages show them whole


def run(command: str, binaries: pathlib.Path, folder: str, *more: str) -> str:
    words = shlex.split(command) + list(more)
    words[0] = str(binaries / words[0])
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "COLUMNS": "120"})
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def in_examples(task):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
        return task(folder)


def render_page(text: str, binaries: pathlib.Path) -> str:
    def block(found):
        head, command, _, end = found.groups()
        printed = in_examples(lambda folder: run(command, binaries, folder))
        lines = [f"    $ {command}"]
        for line in printed.splitlines():
            lines += textwrap.wrap(line, COLUMNS, initial_indent="    ", subsequent_indent="        ",
                                   drop_whitespace=True) if len(line) > COLUMNS else [f"    {line}".rstrip()]
        return f"{head}\n" + "\n".join(lines) + f"\n\n{end}"

    return OUTPUT.sub(block, text)


def find_foreign_lines(text: str, binaries: pathlib.Path):
    """Lines of excerpts that their commands do not print."""
    for command, block in EXCERPT.findall(text):
        printed = iter(in_examples(lambda folder: run(command, binaries, folder)).splitlines())
        for line in block.splitlines():
            shown = line.strip()
            if shown and shown not in ("...", f"$ {command}") and all(
                    differs(shown, other.strip()) for other in printed):
                yield f"{command}: {shown}"
                break


def draw(command: str, binaries: pathlib.Path) -> dict[str, str]:
    """The first chart of a report as two files, by colour scheme."""
    def page_of(folder):
        run(command, binaries, folder, "--quiet", "--report", "page.html")
        return (pathlib.Path(folder) / "page.html").read_text()

    page = in_examples(page_of)
    style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
    light, dark = re.findall(r":root\{(?:color-scheme:light dark;)?(--paper.*?)\}", style, re.S)[:2]
    rules = style[style.index("svg text{"):style.index("@media")]
    chart = page[page.index('<svg class="chart"'):]
    chart = chart[:chart.index("\n</div>")]
    height = int(re.search(r'height="(\d+)"', chart).group(1))
    body = chart[chart.index("<title>"):]
    legend = re.search(r'<p class="legend">(.*?)</p>', page, re.S).group(1)
    entries = re.findall(r"<span><svg [^>]*>(.*?)</svg> (.*?)</span>", legend)
    keys = "".join(f'<svg x="{k * WIDTH // len(entries)}"><g>{mark}</g><text x="34" y="10">{text}</text></svg>'
                   for k, (mark, text) in enumerate(entries))
    files = {}
    for name, colours in (("light", light), ("dark", dark)):
        files[name] = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH + 24}" '
            f'height="{height + 40}" font-family="system-ui, sans-serif">\n'
            f"<style>:root{{{colours}}}svg svg{{overflow:visible}}\n{rules}</style>\n"
            f'<rect width="100%" height="100%" rx="6" fill="var(--paper)"/>\n'
            f'<svg x="12" y="10" width="{WIDTH}">{keys}</svg>\n'
            f'<svg x="12" y="32" width="{WIDTH}" height="{height}">{body}\n</svg>\n')
    return files


def shape(text: str) -> list[str]:
    """Words of a text, numbers replaced; rules of tables, whose length depends on digits, are one."""
    return re.sub(r"-{3,}", "---", NUMBER.sub("#", text)).split()


def numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


def differs(shown: str, printed: str) -> bool:
    shown, printed = html.unescape(shown), html.unescape(printed)
    if shape(shown) != shape(printed):
        return True
    return any(abs(a - b) > 2e-3 * max(abs(a), abs(b), 1) for a, b in zip(numbers(shown), numbers(printed)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    binaries = arguments.bin.resolve()
    made, foreign = {}, []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = page.read_text()
        if OUTPUT.search(text):
            made[page] = render_page(text, binaries)
        foreign += [f"{page.name}: {line}" for line in find_foreign_lines(text, binaries)]
        for name, command in PICTURE.findall(text):
            for scheme, picture in draw(command, binaries).items():
                made[ROOT / f"docs/{name}_{scheme}.svg"] = picture
    wrong = [path for path, text in made.items()
             if not path.exists() or differs(path.read_text(), text)]
    for path in wrong:
        print(f"{path.relative_to(ROOT)}: shows something else than the program prints", file=sys.stderr)
    for line in foreign:
        print(f"{line}: is not what the command prints", file=sys.stderr)
    if not arguments.check:
        for path in wrong:
            path.write_text(made[path])
    sys.exit(1 if foreign or (arguments.check and wrong) else 0)


if __name__ == "__main__":
    main()
