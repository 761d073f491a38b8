#!/usr/bin/env python3
"""Checks that every public header includes all that it uses, and that front ends include public headers only.

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


# Front ends use what any program may use, but for:
FRONT_ENDS = ("apps", "python/bindings")
EXCEPTIONS = {
    # The engine for ranks is part of no installed library.
    "apps/cone/engine.cpp": {"data", "distributed", "mpi", "study"},
    # Studies are the program's own commands: they share its option structs and unit stores.
    "apps/cone/main.cpp": {"study"},
    "apps/cone/refute_command.cpp": {"study"},
    "apps/cone/reproduce_command.cpp": {"study"},
    "apps/cone/tune_command.cpp": {"study"},
    "apps/cone/unit_flags.hpp": {"study"},
    "python/bindings/commands.cpp": {"study"},
    "python/bindings/option_list.cpp": {"study"},
}


def check_front_ends():
    """Includes of private headers that are not excepted, and exceptions that nothing needs."""
    faults = []
    needed = {name: set() for name in EXCEPTIONS}
    for path in sorted(p for folder in FRONT_ENDS for p in (ROOT / folder).rglob("*.[ch]pp")):
        name = str(path.relative_to(ROOT))
        for module in re.findall(r'^#include "([a-z_]+)/[a-z_0-9]+\.hpp"$', path.read_text(), re.MULTILINE):
            if module == "cone":
                continue
            if module in EXCEPTIONS.get(name, ()):
                needed[name].add(module)
            else:
                faults.append(f"{name}: a front end includes a private header of {module}")
    for name, modules in EXCEPTIONS.items():
        faults += [f"{name}: no longer includes a header of {module}" for module in sorted(modules - needed[name])]
    return faults


def main():
    texts, reached = public_headers()
    faults = check_form(texts) + check_front_ends()
    compiled = []
    for chain in chains_of_headers(reached):
        faults += compile_chain(chain)
        compiled += chain
    assert sorted(compiled) == sorted(texts)
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
