"""Every command of docs/guide.md runs as it stands."""

import fnmatch
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

    def test_every_estimator_has_its_premises_and_no_other(self):
        known = subprocess.run([BINARY, "estimators"], capture_output=True, text=True).stdout
        known = {line.split()[0] for line in known.splitlines()[2:] if line.strip()}
        page = (ROOT / "docs/guide.md").read_text()
        table = page.split("## Which estimator")[1].split("No estimator sees")[0]
        names = [name for row in table.splitlines() if row.startswith("| `")
                 for name in row.split("|")[1].split("`")[1::2]]
        self.assertGreater(len(names), 10)
        for name in names:
            self.assertTrue(fnmatch.filter(known, name), name)
        for name in known:
            told = any(fnmatch.fnmatch(name, pattern) for pattern in names)
            self.assertTrue(told or name.startswith("cone_"), name)  # "cone and its kin"


if __name__ == "__main__":
    unittest.main()
