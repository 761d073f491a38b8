"""The installed library, used by a program of someone else's from a folder that holds nothing else.

Needs CONE_BUILD_DIR, a finished build.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["CONE_BUILD_DIR"])


def run(*arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True,
                          timeout=600, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stdout}\n{done.stderr}")
    return done.stdout


def public_headers():
    """Every public header with those that it includes, itself or through others."""
    texts = {p.name: p.read_text() for p in sorted((ROOT / "include/cone").iterdir())}

    def reach(name):
        direct = re.findall(r'^#include "cone/(.+)"$', texts[name], re.MULTILINE)
        return set(direct).union(*map(reach, direct))
    return texts, {name: reach(name) for name in texts}


def chains_of_headers(reached):
    """Lists that hold every header once, each after one that it includes."""
    left = sorted(reached, key=lambda name: (-len(reached[name]), name))
    while left:
        chain = [left.pop(0)]
        while below := [name for name in left if name in reached[chain[-1]]]:
            chain.append(below[0])
            left.remove(below[0])
        yield chain[::-1]


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cone-install-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_a_program_of_its_own_finds_links_and_runs_it(self):
        prefix = self.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        headers = sorted(p.name for p in (prefix / "include/cone").iterdir())
        self.assertEqual(headers, sorted(p.name for p in (ROOT / "include/cone").iterdir()))
        self.assertEqual(sorted(p.name for p in (prefix / "include").iterdir()), ["cone"])

        # A copy, so that nothing of the checkout can be found beside it.
        source = self.folder / "embed"
        shutil.copytree(ROOT / "examples/embed", source)
        build = self.folder / "build"
        run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", build)
        text = run(build / "embed")
        self.assertIn("policy always:sms  (control 0.0 %, email 0.0 %, sms 100.0 %)", text)
        self.assertIn("dr_ridge", text)
        self.assertIn("cone ", run(prefix / "bin/cone", "--version"))

    def test_every_public_header_compiles_by_itself(self):
        """In one file after headers that it includes anyway, which changes nothing for it: its own
        includes stand above all that it declares."""
        flags = run("pkg-config", "--cflags", "fmt").split()
        texts, reached = public_headers()
        for name, text in texts.items():
            before, _, after = text.partition("namespace cone")
            self.assertNotIn("#include", after, name)
            self.assertEqual(re.sub(r"//.*|#(include|pragma once).*|\s", "", before), "", name)
        compiled = []
        for chain in chains_of_headers(reached):
            for name, later in zip(chain, chain[1:]):
                self.assertIn(name, reached[later])
            source = self.folder / "one.cpp"
            source.write_text("".join(f'#include "cone/{name}"\n' for name in chain) + "int main() {}\n")
            run("c++", "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'include'}", *flags, source)
            compiled += chain
        self.assertEqual(sorted(compiled), sorted(texts))


if __name__ == "__main__":
    unittest.main()
