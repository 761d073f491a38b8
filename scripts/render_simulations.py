#!/usr/bin/env python3
"""Writes the tables of docs/simulations.md: Table 1 of Guo, Li and Liu (2020) with normalised edge weights.

    scripts/render_simulations.py [--data FOLDER] [--bin build/release/bin]
"""

import argparse
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=ROOT.parent / "shared/data")
    parser.add_argument("--bin", default=ROOT / "build/release/bin", type=pathlib.Path)
    args = parser.parse_args()
    sections = []
    for normalisation in ("row", "symmetric"):  # docs/results.md has "none"
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([args.bin / "cone", "reproduce", "table1", "--data", args.data, "--out",
                            out, "--normalisation", normalisation, "--quiet"], check=True,
                           stdout=subprocess.DEVNULL)
            table = (pathlib.Path(out) / "table1.md").read_text()
        sections.append(f"`--normalisation {normalisation}`:\n\n{table}\n")
    page = ROOT / "docs/simulations.md"
    before, rest = page.read_text().split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(before + BEGIN + "\n" + "".join(sections) + END + after)


if __name__ == "__main__":
    main()
