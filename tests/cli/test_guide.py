"""Every command of docs/guide.md runs as it stands; docs/estimators.md lists every estimator."""

import fnmatch
import re
import shlex
import subprocess
import unittest

from support import BINARY, ROOT, FolderTest, cone


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
            for words in self.split_long(words):
                done = subprocess.run([BINARY, *words], cwd=ROOT, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
                self.assertTrue(done.stdout or "wrote" in done.stderr, line)

    def split_long(self, words):
        """The network ridge on the 5,200 units of the demo takes 20 s of a core: it runs on a world
        of the same kind with fewer units, and the demo with a row that takes no time."""
        if words[:2] != ["evaluate", "demo"] or "network_dm" not in words[-1]:
            return [words]
        self.assertEqual(words[-2], "--estimators")
        small = str(self.folder / "small")
        done = cone("simulate", "--out", small, "--nodes", 500, "--mean-degree", 20, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [["evaluate", small, *words[2:]], [*words[:-1], "naive"]]

    def test_the_page_of_estimators_has_the_catalogue(self):
        known = subprocess.run([BINARY, "estimators"], capture_output=True, text=True).stdout
        known = {line.split()[0] for line in known.splitlines()[2:] if line.strip()}
        page = (ROOT / "docs/estimators.md").read_text()
        parts = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", page, re.M | re.S))
        self.assertEqual(set(self.first_column(parts["The catalogue"])), known)
        assumptions = parts["Assumptions, and when not to use them"].split("| procedure |")[0]
        patterns = self.first_column(assumptions)
        for pattern in patterns:
            self.assertTrue(fnmatch.filter(known, pattern), pattern)
        for name in known:
            assumed = any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
            self.assertTrue(assumed or name.startswith("cone_"), name)  # "cone and variants"

    def first_column(self, table):
        """The names in the first cells of the rows."""
        return [name for row in table.splitlines() if row.startswith("| `")
                for name in row.split("|")[1].split("`")[1::2]]


if __name__ == "__main__":
    unittest.main()
