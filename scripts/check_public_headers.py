#!/usr/bin/env python3
"""Checks that every public header includes all that it uses.

Compiles chains of headers, each after headers that it includes anyway, instead of one file per header. That is
equivalent because all includes precede all declarations (checked first).
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = [ROOT / "include", ROOT / "lab/include"]


def public_headers():
    """Every public header with those that it includes, itself or through others."""
    texts = {p.name: p.read_text() for folder in FOLDERS for p in sorted((folder / "cone").iterdir())}

    def reach(name):
        direct = re.findall(r'^#include "cone/(.+)"$', texts[name], re.MULTILINE)
        return set(direct).union(*map(reach, direct))
    return texts, {name: reach(name) for name in texts}


def chains_of_headers(reached):
    """Lists that contain every header once, each after one that it includes."""
    left = sorted(reached, key=lambda name: (-len(reached[name]), name))
    while left:
        chain = [left.pop(0)]
        while below := [name for name in left if name in reached[chain[-1]]]:
            chain.append(below[0])
            left.remove(below[0])
        yield chain[::-1]


def check_form(texts):
    """Headers with declarations above an include, which the chains would not check."""
    faults = []
    for name, text in texts.items():
        before, _, after = text.partition("namespace cone")
        above = re.sub(r"//.*|#(include|pragma once).*|\s", "", before)
        if "#include" in after or above:
            faults.append(f"cone/{name}: includes must precede all declarations")
    return faults


def compile_chain(chain):
    """The compiler's errors for the headers of a chain."""
    flags = subprocess.run(["pkg-config", "--cflags", "fmt"], capture_output=True, text=True,
                           check=True).stdout.split()
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
        source.write("".join(f'#include "cone/{name}"\n' for name in chain))
        source.flush()
        done = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", *(f"-I{folder}" for folder in FOLDERS), *flags,
                               source.name],
                              capture_output=True, text=True, check=False)
    return [done.stderr] if done.returncode != 0 else []


def main():
    texts, reached = public_headers()
    faults = check_form(texts)
    compiled = []
    for chain in chains_of_headers(reached):
        faults += compile_chain(chain)
        compiled += chain
    assert sorted(compiled) == sorted(texts)
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
