"""The installed library, used by a program of someone else's from a folder that holds nothing else.

Needs CONE_BUILD_DIR, a finished build.
"""

import os
import pathlib
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


if __name__ == "__main__":
    unittest.main()
