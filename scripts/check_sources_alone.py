#!/usr/bin/env python3
"""Compiles every source by itself, without writing anything: all other builds join the sources of a module, which hides a
missing include.

    cmake --preset dev && scripts/check_sources_alone.py [PART OF A PATH...]
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def faults_of(entry):
    """What the compiler says; empty where the source is complete."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    command = words[:output] + words[output + 2:] + ["-fsyntax-only"]
    done = subprocess.run(command, cwd=entry["directory"], check=False, stderr=subprocess.PIPE, text=True)
    return done.stderr if done.returncode != 0 else ""


def main():
    entries = json.loads((ROOT / "build/dev/compile_commands.json").read_text())
    parts = sys.argv[1:] or [""]
    entries = [entry for entry in entries if any(part in entry["file"] for part in parts)]
    if not entries:
        sys.exit("no such source")
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        faults = [text for text in pool.map(faults_of, entries) if text]
    print("".join(faults), end="", file=sys.stderr)
    if faults:
        sys.exit(f"{len(faults)} of {len(entries)} sources cannot be compiled by themselves")


if __name__ == "__main__":
    main()
