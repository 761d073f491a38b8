#!/usr/bin/env python3
"""Makes a static site of the documentation: ./dev site

    scripts/make_site.py [--bin FOLDER] [--python FOLDER] [--out FOLDER]

README.md, the other pages, a reference of the Python package (site_reference.py), and a gallery of reports
(site_gallery.py). Needs Debian's python3-markdown and no network; the site needs no server.
The exit status is 1 where a link is broken.
"""

import argparse
import html
import importlib
import json
import os
import pathlib
import re
import shutil
import sys

import markdown

from site_gallery import make_gallery
from site_reference import python_page

ROOT = pathlib.Path(__file__).resolve().parents[1]
#: Pages by kind (Diataxis), in the order of docs/index.md. A page of docs that is in none of them is an error.
KINDS = {
    "Start": ["README.md", "docs/index.md"],
    "Tutorials": ["docs/guide.md", "docs/example_marketing.md", "docs/example_paper.md"],
    "How-to guides": ["docs/install.md", "docs/data.md", "docs/python.md", "docs/budget.md", "docs/learn.md",
                      "docs/effects.md", "docs/report.md", "docs/fit.md", "docs/scale.md"],
    "Reference": ["docs/commands.md", "docs/estimators.md", "docs/diagnostics.md", "docs/records.md",
                  "docs/model_format.md", "docs/cpp.md", "docs/glossary.md"],
    "Explanation": ["docs/network_ridge.md", "docs/joint_model.md", "docs/method.md", "docs/inference.md", "docs/sensitivity.md",
                    "docs/studies.md", "docs/results.md", "docs/simulations.md", "docs/real_data.md",
                    "docs/benchmarks.md", "docs/design_notes.md"],
}
FILES = {"README.md": "index.html", "docs/index.md": "documentation.html"}  # others are called as their source
PROJECT = ["DEVELOPING.md", "CONTRIBUTING.md", "CHANGELOG.md"]
STYLE = """
:root { color-scheme: light dark; --text: #1c1c1e; --back: #ffffff; --soft: #5c5c66; --line: #d8d8de; --link: #0b5cad; --code: #f3f3f6 }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8ec; --back: #17171a; --soft: #a5a5b0; --line: #3a3a42; --link: #7db8f5; --code: #232329 } }
* { box-sizing: border-box }
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
<noscript><p>Search needs JavaScript; all pages are in the navigation.</p></noscript>
<p><label>Words <input id="words" autofocus></label></p><p id="count" role="status"></p><ul id="found"></ul>
<script>
const pages = PAGES;
const input = document.getElementById("words"), found = document.getElementById("found"), count = document.getElementById("count");
function look() {
  const words = input.value.toLowerCase().split(/\\s+/).filter(w => w.length > 1);
  found.replaceChildren();
  count.textContent = "";
  if (!words.length) return;
  const title = page => words.every(w => page.title.toLowerCase().includes(w)) ? 0 : 1;
  const hits = pages.filter(page => words.every(w => page.text.includes(w)));
  hits.sort((one, other) => title(one) - title(other));
  count.textContent = hits.length + (hits.length == 1 ? " page" : " pages");
  for (const page of hits) {
    const item = document.createElement("li"), link = document.createElement("a"), at = page.text.indexOf(words[0]);
    link.href = page.file; link.textContent = page.title;
    item.append(link, ": … " + page.text.slice(Math.max(0, at - 60), at + 100) + " …"); found.append(item);
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
        name = path.stem.lower() if path.parent.name in ("", "docs") else path.parent.name
        self.add(source, FILES.get(source, f"{name}.html"), title, body)

    def lead(self, source, target):
        """The target of a link on the site; files that are not pages are copied."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        target, _, part = target.partition("#")
        path = os.path.normpath(pathlib.PurePosixPath(source).parent / target)
        if (self.out / path).is_file():  # a report of the gallery
            return path
        if target in self.pages:  # a page that is made here
            path = target
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
                body = re.sub(r'(href|srcset|src)="([^"]*)"',
                              lambda m: f'{m[1]}="{self.lead(source, html.unescape(m[2]))}"', body)
            (self.out / file).write_text(
                f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
                f'<meta name="viewport" content="width=device-width"><title>{html.escape(title)}</title>'
                f"<style>{STYLE}</style></head><body>{navigation}<main>{body}</main></body></html>\n")


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
    kinds = {kind: list(pages) for kind, pages in KINDS.items()}
    pages = [page for sources in kinds.values() for page in sources]
    unlisted = sorted({f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")} - set(pages))
    if unlisted:
        sys.exit(f"pages without a kind, to be listed in KINDS: {', '.join(unlisted)}")
    examples = sorted(f"examples/{p.parent.name}/README.md" for p in (ROOT / "examples").glob("*/README.md"))
    for source in [*pages, *PROJECT, *examples]:
        site.add_markdown(source)
    if (args.python / "cone").exists():
        sys.path.insert(0, str(args.python))
        site.add("python_reference", "python_reference.html", "Python reference",
                 python_page(importlib.import_module("cone")))
        kinds["Reference"].insert(1, "python_reference")
    site.add("gallery", "gallery.html", "Gallery of reports", make_gallery(program, args.out))
    kinds["Tutorials"].append("gallery")
    site.write([*kinds.items(), ("Examples", examples), ("Project", PROJECT)])
    if site.wrong:
        sys.exit("broken links:\n  " + "\n  ".join(site.wrong))
    print(f"wrote {len(site.pages)} pages to {args.out}; start with index.html")


if __name__ == "__main__":
    main()
