"""cone completion: what shells offer, asked of the shells themselves."""

import shutil
import subprocess
import unittest

from support import FolderTest, cone

#: zsh's helpers, so that what they would offer is printed.
HELPERS = """
compdef() { print -r -- compdef $@ }
_describe() { local o; [[ $1 == -o ]] && shift; print -rl -- ${(P)2} }
compadd() { [[ $1 == -- ]] && shift; print -rl -- $@ }
_sequence() { shift; compadd $@ }
_files() { print FILES }
"""


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(FolderTest):
    def zsh(self, commands):
        done = subprocess.run(["zsh", "-f"], input=commands, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def offered(self, *words):
        """What is offered for the last of the words."""
        script = self.write("_cone", cone("completion", "zsh").stdout)
        typed = " ".join(f"'{word}'" for word in words)
        return self.zsh(f"{HELPERS}source {script} > /dev/null\nwords=({typed})\n"
                        f"CURRENT={len(words)}\n_cone\n")

    def test_commands_come_with_what_they_do(self):
        offered = self.offered("cone", "")
        self.assertIn("report:", " ".join(offered))
        self.assertEqual([entry.split(":")[0] for entry in offered],
                         [line.split()[0] for line in
                          cone("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0].splitlines()])

    def test_flags_come_with_what_they_mean(self):
        offered = self.offered("cone", "evaluate", "demo", "--")
        self.assertIn("--policy:Policy names or files, one or more", offered)
        self.assertNotIn("--depth", " ".join(offered))
        # What zsh would take for the end of a name, or of a word, is escaped.
        meaning = next(entry for entry in offered if entry.startswith("--undersmoothing:"))
        self.assertIn(r"undersmooth\: less confounding bias", meaning)

    def test_policies_are_offered_until_the_next_flag(self):
        for words in (("--policy", ""), ("--policy", "a.csv", "b.csv", "")):
            offered = self.offered("cone", "evaluate", "demo", *words)
            self.assertIn("treat-all", offered)
            self.assertIn("FILES", offered)
        self.assertEqual(self.offered("cone", "evaluate", "demo", "--json", ""), ["FILES"])
        self.assertEqual(self.offered("cone", "evaluate", ""), ["FILES"])

    def test_estimators_are_those_of_the_catalogue(self):
        names = [line.split()[0] for line in cone("estimators").stdout.splitlines()[2:]]
        self.assertEqual(self.offered("cone", "evaluate", "demo", "--estimators", ""), names)

    def test_it_is_found_by_its_own_name_and_when_sourced(self):
        self.write("_cone", cone("completion", "zsh").stdout)
        self.assertEqual(self.zsh(f"fpath=({self.folder} $fpath)\nautoload -Uz compinit\n"
                                  "compinit -u -D\nprint -r -- $_comps[cone]\n"), ["_cone"])
        self.assertEqual(self.zsh("autoload -Uz compinit\ncompinit -u -D\n"
                                  f"source {self.folder}/_cone\nprint -r -- $_comps[cone]\n"), ["_cone"])
        # Loaded from the path, the first call already completes.
        self.assertIn("treat-all", self.zsh(
            f"{HELPERS}fpath=({self.folder} $fpath)\nautoload -Uz _cone\n"
            "words=(cone evaluate demo --policy '')\nCURRENT=5\n_cone\n"))


class Help(unittest.TestCase):
    def test_no_command_shows_the_examples_of_the_whole_program(self):
        whole = "a first look, on a built-in network"
        self.assertIn(whole, cone("--help").stdout)
        for line in cone("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0].splitlines():
            self.assertNotIn(whole, cone(line.split()[0], "--help").stdout, line)

    def test_help_points_neither_up_nor_down(self):
        """Manual pages have the parts of the help in another order."""
        for command in ("reproduce", "tune", "estimators", "report"):
            text = cone(command, "--help").stdout
            self.assertNotRegex(text, r"see (below|above)|shown (below|above)", command)


if __name__ == "__main__":
    unittest.main()
