#!/usr/bin/env python3
"""Makes a static site of the documentation: ./dev site

    scripts/make_site.py [--bin FOLDER] [--python FOLDER] [--out FOLDER]

README.md, the other pages, the command line's help, the Python package's docstrings, and a gallery
of reports that the program makes of the examples. Needs Debian's python3-markdown, nothing from
the network, and no server to be read. A link that leads nowhere ends it with status 1.
"""

import argparse
import html
import importlib
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import markdown

ROOT = pathlib.Path(__file__).resolve().parents[1]
GUIDES = ["README.md", "docs/guide.md", "docs/install.md", "docs/python.md", "docs/report.md"]
PROJECT = ["DEVELOPING.md", "CONTRIBUTING.md", "CHANGELOG.md"]
EXAMPLES = {
    "messages": ("Three messages", ["evaluate", "examples/messages", "--policy", "always:email",
                                    "always:sms", "examples/messages/who.csv"]),
    "coupons": ("Thirty customers: too few", ["evaluate", "examples/coupons", "--policy",
                                              "examples/coupons/policy.csv"]),
    "letters": ("A survey without a network",
                ["evaluate", "examples/letters/survey.csv", "--id", "name", "--treatment", "letter",
                 "--outcome", "voted", "--ignore", "moved", "--missing", "indicate", "--policy",
                 "treat-all", "treat-none"]),
}
STYLE = """
:root { color-scheme: light dark; --text: #1c1c1e; --back: #ffffff; --soft: #5c5c66; --line: #d8d8de; --link: #0b5cad; --code: #f3f3f6 }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8ec; --back: #17171a; --soft: #a5a5b0; --line: #3a3a42; --link: #7db8f5; --code: #232329 } }
body { margin: 0; color: var(--text); background: var(--back); font: 16px/1.55 system-ui, sans-serif; display: flex; flex-wrap: wrap }
nav { flex: 0 0 13rem; padding: 1.2rem; border-right: 1px solid var(--line); font-size: 0.92rem }
nav b { display: block; margin-top: 1rem; color: var(--soft); font-weight: 600 } nav a { display: block; padding: 0.1rem 0 }
main { flex: 1 1 20rem; min-width: 0; max-width: 58rem; padding: 1rem 1.5rem 4rem; overflow-wrap: break-word }
a { color: var(--link) } code, pre { background: var(--code); font-size: 0.9em } code { padding: 0.1em 0.25em }
pre { padding: 0.8rem; overflow-x: auto } pre code { padding: 0 } .wide { overflow-x: auto }
table { border-collapse: collapse; font-size: 0.93em } td, th { border: 1px solid var(--line); padding: 0.25rem 0.5rem; text-align: left; vertical-align: top }
img { max-width: 100%; background: #ffffff } input { font: inherit; padding: 0.3rem; width: 100% }
@media (max-width: 640px) { nav { flex-basis: 100%; border-right: 0; border-bottom: 1px solid var(--line) } }
"""
SEARCH = """<h1>Search</h1>
<p><label>Words <input id="words" autofocus></label></p><ul id="found"></ul>
<script>
const pages = PAGES;
const input = document.getElementById("words"), found = document.getElementById("found");
function look() {
  const words = input.value.toLowerCase().split(/\\s+/).filter(w => w.length > 1);
  found.replaceChildren();
  if (!words.length) return;
  for (const page of pages) {
    if (!words.every(w => page.text.includes(w))) continue;
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = page.file; link.textContent = page.title; item.append(link); found.append(item);
  }
}
input.addEventListener("input", look);
</script>"""


class Site:
    def __init__(self, out):
        self.out = out
        self.pages = {}  # source (relative to the repository) or name: (file, title, body)
        self.wrong = []

    def add(self, source, file, title, body):
        self.pages[source] = (file, title, body)

    def add_markdown(self, source):
        text = (ROOT / source).read_text()
        title = next(line[2:] for line in text.splitlines() if line.startswith("# "))
        body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"])
        body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        path = pathlib.PurePosixPath(source)
        name = "index" if source == "README.md" else (
            path.stem.lower() if path.parent.name in ("", "docs") else path.parent.name)
        self.add(source, f"{name}.html", title, body)

    def lead(self, source, target):
        """Where a link of a page leads on the site; files that are no page are copied."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        target, _, part = target.partition("#")
        path = os.path.normpath(pathlib.PurePosixPath(source).parent / target)
        if (self.out / path).is_file():  # a report of the gallery
            return path
        if path in self.pages:
            return self.pages[path][0] + (f"#{part}" if part else "")
        if not (ROOT / path).is_file():
            self.wrong.append(f"{source}: {target}")
            return target
        copy = self.out / "files" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, copy)
        return f"files/{path}"

    def navigation(self, groups):
        parts = ['<a href="search.html">Search</a>']
        for name, sources in groups:
            parts.append(f"<b>{name}</b>")
            parts += [f'<a href="{self.pages[s][0]}">{html.escape(self.pages[s][1])}</a>' for s in sources]
        return "<nav>" + "\n".join(parts) + "</nav>"

    def write(self, groups):
        self.out.mkdir(parents=True, exist_ok=True)
        index = [{"file": file, "title": title,
                  "text": " ".join(html.unescape(re.sub("<[^>]*>", " ", body)).lower().split())}
                 for file, title, body in self.pages.values()]
        data = json.dumps(index).replace("<", "\\u003c")
        self.add("search", "search.html", "Search", SEARCH.replace("PAGES", data))
        navigation = self.navigation(groups)
        for source, (file, title, body) in self.pages.items():
            if source != "search":
                body = re.sub(r'(href|src)="([^"]*)"',
                              lambda m: f'{m[1]}="{self.lead(source, html.unescape(m[2]))}"', body)
            (self.out / file).write_text(
                f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
                f'<meta name="viewport" content="width=device-width"><title>{html.escape(title)}</title>'
                f"<style>{STYLE}</style></head><body>{navigation}<main>{body}</main></body></html>\n")


def command_reference(program):
    """The help of every command, as the program prints it."""
    def ask(*words):
        return subprocess.run([str(program), *words, "--help"], capture_output=True, text=True,
                              check=True).stdout

    root = ask()
    names = re.findall(r"^  ([a-z]+) {2,}", root.split("Subcommands:")[1], re.M)
    parts = ["<h1>The command line</h1>", f"<pre>{html.escape(root)}</pre>"]
    for name in names:
        parts.append(f'<h2 id="{name}">cone {name}</h2><pre>{html.escape(ask(name))}</pre>')
    return "\n".join(parts)


def python_reference():
    """Signatures and docstrings of what the package names as public."""
    package = importlib.import_module("cone")
    parts = ["<h1>The Python package</h1>"]

    def describe(name, thing, level):
        try:
            signature = str(inspect.signature(thing))
        except (TypeError, ValueError):
            signature = ""
        parts.append(f"<h{level}><code>{html.escape(name + signature)}</code></h{level}>")
        parts.append(f"<pre>{html.escape(inspect.getdoc(thing) or '')}</pre>")

    for name in package.__all__:
        thing = getattr(package, name)
        if inspect.ismodule(thing):
            for inner in getattr(thing, "__all__", [n for n in dir(thing) if not n.startswith("_")]):
                if inspect.isfunction(getattr(thing, inner)):
                    describe(f"cone.{name}.{inner}", getattr(thing, inner), 2)
            continue
        describe(f"cone.{name}", thing, 2)
        if inspect.isclass(thing):
            for inner, method in inspect.getmembers(thing, callable):
                if not inner.startswith("_") and inner in vars(thing):
                    describe(f"{name}.{inner}", method, 3)
    return "\n".join(parts)


def make_gallery(program, out):
    parts = ["<h1>Gallery of reports</h1>",
             "<p>Each page is what <code>--report</code> writes, made while this site was.</p><ul>"]
    folder = out / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (title, words) in EXAMPLES.items():
        subprocess.run([str(program), *words, "--quiet", "--report", str(folder / f"{name}.html")],
                       cwd=ROOT, check=True, capture_output=True)
        parts.append(f'<li><a href="gallery/{name}.html">{title}</a>: <code>cone '
                     f"{html.escape(' '.join(words))} --report {name}.html</code></li>")
    return "\n".join(parts) + "</ul>"


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--python", type=pathlib.Path, default=ROOT / "build/release/python")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/site")
    return parser.parse_args()


def main():
    args = parse_args()
    program = args.bin.resolve() / "cone"
    site = Site(args.out)
    guides = [s for s in GUIDES if (ROOT / s).exists()]
    pages = sorted(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md") if f"docs/{p.name}" not in guides)
    examples = sorted(f"examples/{p.parent.name}/README.md" for p in (ROOT / "examples").glob("*/README.md"))
    for source in [*guides, *pages, *PROJECT, *examples]:
        site.add_markdown(source)
    site.add("command_line", "command_line.html", "Command line", command_reference(program))
    reference = ["command_line"]
    if (args.python / "cone").exists():
        sys.path.insert(0, str(args.python))
        site.add("python_reference", "python_reference.html", "Python reference", python_reference())
        reference.append("python_reference")
    site.add("gallery", "gallery.html", "Gallery of reports", make_gallery(program, args.out))
    site.write([("Guide", [*guides, "gallery"]), ("Reference", reference), ("Pages", pages),
                ("Examples", examples), ("Project", PROJECT)])
    if site.wrong:
        sys.exit("links that lead nowhere:\n  " + "\n  ".join(site.wrong))
    print(f"wrote {len(site.pages)} pages to {args.out}; begin with index.html")


if __name__ == "__main__":
    main()
