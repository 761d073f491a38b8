#!/usr/bin/env python3
"""Checks that a module includes only itself and modules before it in the order of dependencies."""

import pathlib
import re
import sys

ORDER = ["base", "options", "exec", "ops", "graph", "data", "policy", "nn", "linear",
         "balance", "nuisance", "cone_networks", "network_ridge", "estimate", "joint_model", "inference",
         "sensitivity", "policy_tree", "results", "diagnostics", "evaluate", "distributed", "mpi", "report",
         # Modules of lab come last: no module of src uses them.
         "simulate", "study"]
LAB = ORDER[ORDER.index("simulate"):]
# The module of a public header.
PUBLIC = {"error": "base", "text": "base", "file": "base", "matrix": "base", "options": "options",
          "json": "options", "context": "exec", "graph": "graph",
          "dataset": "data", "load": "data", "simulate": "simulate", "policy": "policy",
          "learn": "balance", "effects": "network_ridge", "estimate": "estimate",
          "sensitivity": "sensitivity",
          "learn_policy": "policy_tree", "record": "results", "output": "results",
          "evaluate": "evaluate", "report": "report"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/([a-z_0-9]+)')


def faults(root: pathlib.Path):
    folders = ("include", "src", "lab")
    for path in sorted(path for folder in folders for path in (root / folder).rglob("*.[ch]pp")):
        parts = path.relative_to(root).parts
        is_public = parts[-3:-1] == ("include", "cone")
        module = PUBLIC.get(path.stem) if is_public else parts[1]
        if module not in ORDER or (module in LAB) != (parts[0] == "lab"):
            yield f"{path.relative_to(root)}: '{module}' is no module of {parts[0]}"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match is None:
                continue
            used = match.group(1)
            if is_public and used != "cone":
                yield f"{path.relative_to(root)}:{number}: a public header includes a private one"
            used = PUBLIC.get(match.group(2)) if used == "cone" else used
            if used not in ORDER or ORDER.index(used) > ORDER.index(module):
                yield (f"{path.relative_to(root)}:{number}: '{module}' may not include "
                       f"'{used}', which comes after it")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    found = list(faults(root))
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
