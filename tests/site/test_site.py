"""scripts/make_site.py: every page exists, no broken links, nothing is fetched."""

import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CONE_BUILD_DIR", ROOT / "build/release"))


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.temporary.name) / "site"
        cls.done = subprocess.run(
            [sys.executable, ROOT / "scripts/make_site.py", "--out", cls.out, "--bin", BUILD / "bin",
             "--python", BUILD / "python"], capture_output=True, text=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_it_is_made(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        for page in (ROOT / "docs").glob("*.md"):
            self.assertTrue((self.out / f"{page.stem.lower()}.html").exists(), page)

    def test_links_are_valid_and_nothing_is_fetched(self):
        pages = {page.name: page.read_text() for page in self.out.glob("*.html")}
        anchors = {name: set(re.findall(r'id="([^"]+)"', text)) for name, text in pages.items()}
        for name, text in pages.items():
            self.assertNotRegex(text, r'(src|href)="https?:')
            for target in re.findall(r'(?:href|src)="([^":]+)"', text):
                file, _, part = html.unescape(target).partition("#")
                with self.subTest(page=name, target=target):
                    self.assertTrue((self.out / (file or name)).exists())
                    if part and (file or name) in pages:
                        self.assertIn(part, anchors[file or name])

    def test_every_page_can_be_read_without_script(self):
        for page in self.out.rglob("*.html"):
            if page.name != "search.html":
                self.assertNotIn("<script>", page.read_text(), page)
        self.assertIn("<noscript>", (self.out / "search.html").read_text())

    def test_every_option_of_every_command_has_a_row(self):
        root = self.ask("--help")
        names = re.findall(r"^  ([a-z]+) {2,}", root.split("Subcommands:")[1], re.M)
        self.assertGreater(len(names), 10)
        sections = dict(re.findall(r'<h2 id="cone-([a-z]+)">(.*?)(?=<h2|</main>)',
                                   (self.out / "commands.html").read_text(), re.S))
        for name in names:
            for flag in re.findall(r"^  (?:-\w,)?(--[\w-]+)", self.ask(name, "--help"), re.M):
                self.assertRegex(sections[name], rf"<td><code>[^<]*{flag}\b", name)
        self.assertRegex(sections["evaluate"], r"<code>--folds INT</code></td>\s*<td>5</td>")
        self.assertIn("(refuse, indicate, drop)", sections["evaluate"])

    def ask(self, *words):
        return subprocess.run([BUILD / "bin/cone", *words], capture_output=True, text=True,
                              check=True).stdout

    @unittest.skipUnless((BUILD / "python/cone").exists(), "the Python package was not built")
    def test_the_python_reference_has_every_name_and_keyword(self):
        page = (self.out / "python_reference.html").read_text()
        code = ("import cone, json; print(json.dumps([[n for n in cone.__all__ if n[0] != '_'], "
                "[o['name'] for o in cone._core.list_options('evaluate')]]))")
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                               env={**os.environ, "PYTHONPATH": str(BUILD / "python")}).stdout
        names, keywords = json.loads(found)
        for name in names:
            self.assertIn(f'id="{name}' + (".snips" if name == "estimators" else "") + '"', page)
        for keyword in keywords:
            self.assertIn(f'<tr id="evaluate.{keyword}">', page)
        self.assertIn("&gt;&gt;&gt; answer = cone.evaluate(", page)
        self.assertNotIn("NamedTuple", page)

    def test_the_gallery_shows_a_simple_page_a_full_decision_and_a_study(self):
        gallery = (self.out / "gallery.html").read_text()
        wanted = {"messages": "The logged policy", "decision": "unmeasured", "study": "coverage",
                  "changed": "changed", "truth": "truth"}
        for name, word in wanted.items():
            self.assertIn(f'href="gallery/{name}.html"', gallery)
            page = (self.out / f"gallery/{name}.html").read_text()
            self.assertGreater(page.count("<svg"), 0, name)
            self.assertIn(word.lower(), page.lower(), name)
            for path in (ROOT, tempfile.gettempdir()):
                self.assertNotIn(f"{path}/", page)

    def test_search_covers_the_text_of_pages(self):
        self.assertIn("sensitivity interval", (self.out / "search.html").read_text())


if __name__ == "__main__":
    unittest.main()
