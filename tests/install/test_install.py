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


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cone-install-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_a_program_of_its_own_finds_links_and_runs_it(self):
        prefix = self.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        headers = sorted(p.name for p in (prefix / "include/cone").iterdir())
        self.assertEqual(headers, sorted(p.name for folder in ("include/cone", "lab/include/cone")
                                         for p in (ROOT / folder).iterdir()))
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

    def test_a_program_adds_learners_of_its_own(self):
        prefix, source, build = (self.folder / name for name in ("prefix", "learner", "build"))
        run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "development")
        shutil.copytree(ROOT / "examples/learner", source)
        run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", build)
        catalogue, _, text = run(build / "learner").partition("policy treat-all")
        for name in ("dm_knn", "dr_knn", "dr_knn_both", "snips_knn_share"):
            self.assertRegex(catalogue, rf"(?m)^{name} ")
        treat_all = text.partition("policy treat-none")[0]
        truth = float(re.search(r"true value (\S+)", treat_all)[1])
        error = {}
        for name in ("naive", "dr_ridge", "dm_knn", "dr_knn", "dr_knn_both"):
            row = re.search(rf"(?m)^{name} +(\S+) +\S+ +\S+ +\[(\S+), (\S+?)\]", treat_all)
            error[name] = abs(float(row[1]) - truth)
            if name.startswith("dr_knn"):
                self.assertLess(float(row[2]), truth)
                self.assertGreater(float(row[3]), truth)
        # The confounding is not linear.
        for name in ("dm_knn", "dr_knn", "dr_knn_both"):
            self.assertLess(error[name], error["dr_ridge"])

    def test_simulation_is_a_component_of_its_own(self):
        without, prefix = self.folder / "without", self.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", without, "--component", "development")
        self.assertFalse((without / "include/cone/simulate.hpp").exists())
        for component in ("development", "lab"):
            run("cmake", "--install", BUILD, "--prefix", prefix, "--component", component)
        self.assertTrue((prefix / "include/cone/simulate.hpp").exists())

        source = self.folder / "simulate"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(simulate LANGUAGES CXX)\n"
            "find_package(cone REQUIRED COMPONENTS lab)\n"
            "add_executable(simulate main.cpp)\ntarget_link_libraries(simulate PRIVATE cone::lab)\n")
        (source / "main.cpp").write_text(
            '#include <cstdio>\n#include "cone/simulate.hpp"\n'
            "int main() { std::printf(\"%zu nodes\", "
            "cone::demo_data(cone::Context({.seed = 1})).observed.num_nodes()); }\n")
        configure = ("cmake", "-S", source, "-G", "Ninja")
        with self.assertRaisesRegex(AssertionError, "Component lab is not installed"):
            run(*configure, "-B", self.folder / "refused", f"-DCMAKE_PREFIX_PATH={without}")
        build = self.folder / "build"
        run(*configure, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", build)
        self.assertEqual(run(build / "simulate"), "5200 nodes")

    def test_the_library_does_without_simulation(self):
        library, lab = BUILD / "libcone.a", BUILD / "libcone_lab.a"
        symbols = {name: set(run("nm", "--format=just-symbols", *flags).split()) for name, flags in {
            "used": ("--undefined-only", library), "defined": ("--defined-only", library),
            "lab": ("--defined-only", lab)}.items()}
        self.assertGreater(len(symbols["lab"]), 100)
        self.assertEqual((symbols["used"] - symbols["defined"]) & symbols["lab"], set())


if __name__ == "__main__":
    unittest.main()
