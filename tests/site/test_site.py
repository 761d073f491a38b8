"""scripts/make_site.py: every page there, no link that leads nowhere, nothing fetched."""

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
        self.assertGreater((self.out / "gallery/messages.html").stat().st_size, 20_000)

    def test_links_lead_somewhere_and_nothing_is_fetched(self):
        for page in self.out.glob("*.html"):
            text = page.read_text()
            self.assertNotRegex(text, r'(src|href)="https?:')
            for target in re.findall(r'(?:href|src)="([^"#:]+)', text):
                self.assertTrue((self.out / target).exists(), f"{page.name}: {target}")

    def test_references_hold_what_the_program_and_the_package_say(self):
        self.assertIn("--budget-curve", (self.out / "command_line.html").read_text())
        if (BUILD / "python/cone").exists():
            self.assertIn("cone.evaluate", (self.out / "python_reference.html").read_text())
        self.assertIn("robust interval", (self.out / "search.html").read_text())


if __name__ == "__main__":
    unittest.main()
