"""The program as it is installed: manual pages, completions, Debian packages.

Needs CONE_BUILD_DIR, a finished build.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from test_install import BUILD, run

COMPLETIONS = {"share/bash-completion/completions/cone", "share/fish/vendor_completions.d/cone.fish",
               "share/zsh/vendor-completions/_cone"}


def list_files(folder):
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def words(text):
    # Bullets and the bars of tables are the page's; a backslash ends a line of an example.
    return set(re.findall(r"[^\s\\•]+", text))


class InstalledProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="cone-program-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "prefix", "--component", "program")
        cls.prefix = cls.folder / "prefix"
        cls.program = cls.prefix / "bin/cone"
        listed = run(cls.program, "--help").split("Subcommands:\n")[1].split("\n\n")[0]
        cls.commands = [line.split()[0] for line in listed.split("\n")]
        cls.pages = {f"share/man/man1/{name}.1.gz"
                     for name in ["cone", *(f"cone-{command}" for command in cls.commands)]}

    def read_page(self, name, width):
        done = subprocess.run(
            ["man", "--warnings", "-l", str(self.prefix / f"share/man/man1/{name}.1.gz")],
            env={**os.environ, "MANWIDTH": str(width), "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""},
            capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    def test_it_comes_with_pages_and_completions_and_nothing_else(self):
        self.assertIn("evaluate", self.commands)
        where = {"bin/cone"} | self.pages | COMPLETIONS
        # Here the licence and the changes of the package are added.
        extra = {"share/doc/cone/changelog.gz", "share/doc/cone/copyright"}
        self.assertEqual(list_files(self.prefix) - extra, where)

    def test_pages_hold_every_word_of_the_help(self):
        for command in [None, *self.commands]:
            with self.subTest(command):
                said = run(self.program, *([command] if command else []), "--help")
                text, _ = self.read_page(f"cone-{command}" if command else "cone", 2000)
                titles = {"Usage:", "Positionals:", "Options:", "Subcommands:", "Examples:", "Exit",
                          "status:"}
                headlines = set(re.findall(r"\S+:$", said, re.MULTILINE))
                missing = words(said) - words(text) - titles - headlines
                self.assertEqual(missing, set())

    def test_pages_fit_a_terminal_without_warnings(self):
        for page in sorted(self.pages):
            with self.subTest(page):
                text, warnings = self.read_page(pathlib.Path(page).name.removesuffix(".1.gz"), 80)
                self.assertEqual(warnings, "")
                for title in ("NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "SEE ALSO"):
                    self.assertIn(f"\n{title}\n", text)

    def test_bash_completes_commands_and_flags(self):
        script = self.prefix / "share/bash-completion/completions/cone"
        for line, wanted in (("cone eval", "evaluate"), ("cone learn --dep", "--depth")):
            typed = line.split()
            said = run("bash", "-c", f'source "{script}"; COMP_WORDS=({line}); '
                       f'COMP_CWORD={len(typed) - 1}; _cone; printf "%s\\n" "${{COMPREPLY[@]}}"')
            self.assertIn(wanted, said.split())

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_finds_the_completion_on_its_path(self):
        folder = self.prefix / "share/zsh/vendor-completions"
        said = run("zsh", "-fc", f'fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; '
                   'print -r -- $_comps[cone]; autoload +X _cone && print loaded')
        self.assertEqual(said.split(), ["_cone", "loaded"])


class DebianPackages(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cone-package-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_they_hold_program_and_library_and_name_what_they_need(self):
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", self.folder,
            "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none")  # seconds of a processor otherwise
        program, = self.folder.glob("cone_*.deb")
        library, = self.folder.glob("libcone-dev_*.deb")
        lab, = self.folder.glob("libcone-lab-dev_*.deb")
        for package, name in ((program, "cone"), (library, "libcone-dev"), (lab, "libcone-lab-dev")):
            run("dpkg-deb", "-x", package, self.folder / name)
            self.assertTrue((self.folder / name / f"usr/share/doc/{name}/copyright").is_file())
            self.assertTrue((self.folder / name / f"usr/share/doc/{name}/changelog.gz").is_file())

        held = list_files(self.folder / "cone/usr")
        self.assertLessEqual({"bin/cone", "share/man/man1/cone.1.gz"} | COMPLETIONS, held)
        self.assertFalse([file for file in held if file.startswith(("include/", "lib/"))])
        needs = run("dpkg-deb", "-f", program, "Depends")
        for needed in ("libc6", "libopenblas0", "libzip4", "libfmt9"):
            self.assertRegex(needs, rf"(^|, ){re.escape(needed)}\b")
        self.assertIn("cone ", run(self.folder / "cone/usr/bin/cone", "--version"))

        held = list_files(self.folder / "libcone-dev/usr")
        self.assertIn("include/cone/evaluate.hpp", held)
        self.assertTrue([file for file in held if file.endswith("/libcone.a")])
        self.assertTrue([file for file in held if file.endswith("/cmake/cone/coneConfig.cmake")])
        self.assertFalse(held & {"bin/cone", "include/cone/simulate.hpp"})

        held = list_files(self.folder / "libcone-lab-dev/usr")
        self.assertIn("include/cone/simulate.hpp", held)
        self.assertTrue([file for file in held if file.endswith("/libcone_lab.a")])
        self.assertRegex(run("dpkg-deb", "-f", lab, "Depends"), r"^libcone-dev \(= ")


if __name__ == "__main__":
    unittest.main()
