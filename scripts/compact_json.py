#!/usr/bin/env python3
"""JSON with one record per line, for files under version control: a changed number is a changed line, and nothing else is.

    scripts/compact_json.py FILE...     # rewrites the files, content unchanged
"""

import json
import pathlib
import sys

WIDEST = 300  # characters of an object that is not opened, unless it has no parts to open


def has_records(value):
    """Whether it contains a list of objects."""
    if isinstance(value, dict):
        return any(has_records(part) for part in value.values())
    return isinstance(value, list) and any(isinstance(part, (dict, list)) for part in value)


def lines_of(value, depth):
    """The lines of a value, without indentation of the first."""
    line = json.dumps(value, ensure_ascii=False)
    is_open = isinstance(value, (dict, list)) and value and (depth == 0 or has_records(value))
    if not is_open or (depth > 0 and len(line) <= WIDEST):
        return [line]
    pad = " " * (depth + 1)
    brackets = "{}" if isinstance(value, dict) else "[]"
    lines = [brackets[0]]
    keys = [json.dumps(key, ensure_ascii=False) + ": " for key in value] if isinstance(value, dict) else [""] * len(value)
    for number, (key, part) in enumerate(zip(keys, value.values() if isinstance(value, dict) else value)):
        below = lines_of(part, depth + 1)
        below[-1] += "," if number + 1 < len(value) else ""
        lines += [pad + key + below[0], *below[1:]]
    return [*lines, " " * depth + brackets[1]]


def dumps(value):
    return "\n".join(lines_of(value, 0)) + "\n"


def main():
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        before = json.loads(path.read_text())
        text = dumps(before)
        if json.loads(text) != before:
            sys.exit(f"{name}: would change")
        path.write_text(text)


if __name__ == "__main__":
    main()
