#!/usr/bin/env python3
"""Prints every text of the sources that a user can meet: help, errors, warnings, sentences, labels.

    scripts/list_texts.py [PATH...]      default: apps include src lab python/bindings python/cone dev

One line per text: file:line, then the text. Adjacent C++ literals are joined, as the compiler does;
texts without a space (keys, format fragments, names of options) are left out, as are the Python
docstrings of private functions. Made for editing: read it whole before a release.
"""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<include>^[ \t]*\#[ \t]*include[^\n]*)
      | (?P<raw>R"(?P<mark>[^()\\\s]{0,16})\((?P<body>.*?)\)(?P=mark)")
      | (?P<text>"(?:[^"\\\n]|\\.)*")
      | (?P<char>'(?:[^'\\\n]|\\.)+')
      | (?P<space>\s+)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}


def unescape(literal: str) -> str:
    return re.sub(r"\\.", lambda found: ESCAPES.get(found.group(), found.group()), literal)


def cpp_texts(source: str):
    """(line, text) of every string literal, adjacent ones joined."""
    start, parts = 0, []
    for token in TOKEN.finditer(source):
        if token.lastgroup in ("raw", "text", "body", "mark") or token["raw"] or token["text"]:
            if not parts:
                start = source.count("\n", 0, token.start()) + 1
            parts.append(token["body"] if token["raw"] else unescape(token["text"][1:-1]))
        elif not (token["space"] or token["comment"]):
            if parts:
                yield start, "".join(parts)
            parts = []
    if parts:
        yield start, "".join(parts)


def python_texts(source: str):
    tree = ast.parse(source)
    hidden = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name.startswith("_"):
            if ast.get_docstring(node) is not None:
                hidden.add(id(node.body[0].value))
        if isinstance(node, ast.JoinedStr):
            hidden.update(id(part) for part in node.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(
                part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)


def shell_texts(source: str):
    for number, line in enumerate(source.splitlines(), 1):
        if not line.lstrip().startswith("#"):
            yield number, line


def texts_of(path: pathlib.Path):
    source = path.read_text(encoding="utf-8")
    if path.suffix in (".cpp", ".hpp"):
        return cpp_texts(source)
    if path.suffix in (".py", ".pyi"):
        return sorted(python_texts(source))
    return shell_texts(source)


def is_sentence(text: str) -> bool:
    return len(re.findall(r"[A-Za-z]{2,}", text)) >= 2 and " " in text.strip()


def main() -> None:
    names = sys.argv[1:] or ["apps", "include", "src", "lab", "python/bindings", "python/cone"]
    files = []
    for name in names:
        path = ROOT / name
        files += [path] if path.is_file() else [
            file for file in sorted(path.rglob("*")) if file.suffix in (".cpp", ".hpp", ".py")]
    for file in files:
        for line, text in texts_of(file):
            if is_sentence(text):
                shown = text.strip("\n")
                if "\n" in shown:
                    shown = "\n" + shown
                print(f"{file.relative_to(ROOT)}:{line}: {shown}")


if __name__ == "__main__":
    main()
