"""Every command of docs/guide.md runs as it stands."""

import shlex
import subprocess
import unittest

from support import BINARY, ROOT, FolderTest


def commands():
    """The indented lines of the guide that call the program."""
    for line in (ROOT / "docs/guide.md").read_text().splitlines():
        if line.startswith("    cone "):
            yield line.strip()


class Guide(FolderTest):
    def test_every_command_runs(self):
        lines = list(commands())
        self.assertGreaterEqual(len(lines), 8)
        for line in lines:
            words = [word.replace("/tmp", str(self.folder)) for word in shlex.split(line)[1:]]
            done = subprocess.run([BINARY, *words], cwd=ROOT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
            self.assertTrue(done.stdout or "wrote" in done.stderr, line)

    def test_every_estimator_of_the_table_exists(self):
        known = subprocess.run([BINARY, "estimators"], capture_output=True, text=True).stdout
        page = (ROOT / "docs/guide.md").read_text()
        table = page.split("## Which estimator")[1].split("## A second example")[0]
        names = [name for row in table.splitlines() if row.startswith("| `")
                 for name in row.split("|")[1].split("`")[1::2] if "*" not in name]
        self.assertGreater(len(names), 10)
        for name in names:
            self.assertIn(f"\n{name} ", known)


if __name__ == "__main__":
    unittest.main()
