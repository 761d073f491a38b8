"""Commands in README.md and docs: every flag exists; what needs neither hours nor foreign data runs."""

import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from support import BINARY, COUPONS, MESSAGES, ROOT, FolderTest, cone

#: Words of commands that take minutes, or need files that are not in the repository.
NOT_HERE = ("demo", "weak", "tune", "tuned/", "reproduce", "DIR", "FOLDER", "STUDY", ".mat")


def read_commands(page):
    """Indented lines that call the program, those that go on joined, remarks beside them left out."""
    text = page.read_text().replace("\\\n", " ")
    for line in re.findall(r"^    (cone [a-z]+ .*)$", text, re.M):
        yield re.split(r" {3,}(?![- ])(?=\S)| # ", line)[0].strip()


def all_commands():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")),
             *sorted((ROOT / "examples").glob("*/README.md"))]
    return [(page.name, command) for page in pages if page.name not in ("real_data.md", "commands.md")
            for command in read_commands(page)]


class Rendered(unittest.TestCase):
    """Pages show what the program prints now."""

    def check(self, script):
        done = subprocess.run([sys.executable, ROOT / "scripts" / script, "--check", "--bin",
                               pathlib.Path(BINARY).parent], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_outputs_and_pictures(self):
        self.check("render_outputs.py")

    def test_commands(self):
        self.check("render_commands.py")


class Commands(FolderTest):
    def test_every_flag_exists(self):
        helps = {}
        commands = all_commands() + [("real_data.md", command)
                                     for command in read_commands(ROOT / "docs/real_data.md")]
        self.assertGreater(len(commands), 50)
        for page, command in commands:
            words = shlex.split(command)
            if words[1] not in helps:
                done = cone(words[1], "--help")
                self.assertEqual(done.returncode, 0, f"{page}: {command}")
                helps[words[1]] = set(re.findall(r"--[\w-]+", done.stdout))
            for flag in re.findall(r"(?<!\S)--[\w-]+", command):
                self.assertIn(flag, helps[words[1]], f"{page}: {command}")

    def test_they_run(self):
        self.stage()
        commands = [pair for pair in all_commands()
                    if pair[0] != "guide.md" and not any(word in pair[1] for word in NOT_HERE)]
        self.assertGreater(len(commands), 15)
        for page, command in commands:
            with self.subTest(page=page, command=command):
                words = command.replace("mails/ --policy p.csv",
                                        "mails/ --policy examples/messages/who.csv")
                done = cone(*shlex.split(words)[1:], cwd=self.folder)
                if command == "cone check examples/letters/survey.csv":  # shown for what it says
                    self.assertEqual(done.returncode, 2, done.stderr)
                else:
                    self.assertEqual(done.returncode, 0, done.stderr)

    def stage(self):
        """The files that pages speak of."""
        (self.folder / "examples").symlink_to(ROOT / "examples")
        shutil.copytree(COUPONS, self.folder / "shop")
        (self.folder / "shop/policy.csv").unlink()
        for name in ("p.csv", "policy.csv"):
            shutil.copy(COUPONS / "policy.csv", self.folder / name)
        fast = ["--policy", "treat-all", "--quiet"]
        for name in ("run.json", "last_week.json", "today.json"):
            cone("evaluate", COUPONS, *fast, "--estimators", "dr_ridge", "--json", self.folder / name)
        for name in ("old.html", "page.html"):
            cone("report", self.folder / "run.json", "--out", self.folder / name)
        cone("sensitivity", COUPONS, *fast, "--json", self.folder / "sensitivity.json")
        cone("learn", COUPONS, "--quiet", "--out", self.folder / "rule.csv", "--json",
             self.folder / "learnt.json")
        mails = self.folder / "mails"
        mails.mkdir()
        lines = (MESSAGES / "nodes.csv").read_text().splitlines()
        rows = [f"{line},{'price_email' if k == 0 else 0.1}" for k, line in enumerate(lines)]
        (mails / "nodes.csv").write_text("\n".join(rows) + "\n")
        shutil.copy(MESSAGES / "edges.csv", mails)


if __name__ == "__main__":
    unittest.main()
