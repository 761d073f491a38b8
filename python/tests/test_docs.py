"""The examples run: those of docstrings, and every block of Python in README.md and docs."""

import ast
import contextlib
import doctest
import importlib
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys
import unittest

import cone
from support import ROOT, FolderTest

MODULES = ["cone", "cone._answers", "cone._dataset", "cone._evaluation", "cone._functions", "cone._options",
           "cone.estimators", "cone.models"]


def needs(block):
    """Packages that a block imports and that are not here."""
    found = ast.walk(ast.parse(block))
    names = [alias.name for node in found if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in ast.walk(ast.parse(block)) if isinstance(node, ast.ImportFrom)]
    return [name for name in names if importlib.util.find_spec(name.split(".")[0]) is None]


def blocks_of(page):
    return re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


class Examples(FolderTest):
    def test_docstrings(self):
        for name in MODULES:
            with self.subTest(name):
                result = doctest.testmod(importlib.import_module(name))
                self.assertEqual(result.failed, 0)
                self.assertGreater(result.attempted, 0)

    def test_every_block_of_every_page(self):
        """Blocks of a worked example go on from those before, others stand alone."""
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        found = {page.name: blocks_of(page.read_text()) for page in pages}
        self.assertGreater(len(found["python.md"]), 3)
        self.assertGreater(len(found["example_marketing.md"]), 5)
        self.assertGreater(len(found["example_paper.md"]), 3)
        previous = os.getcwd()
        self.addCleanup(os.chdir, previous)
        os.symlink(ROOT / "examples", self.folder / "examples")
        os.chdir(self.folder)
        for name, blocks in found.items():
            lacking = {package for block in blocks for package in needs(block)}
            goes_on = name.startswith("example_")
            names = {"__name__": "page"}
            for block in blocks:
                if needs(block) or (goes_on and lacking):
                    continue
                if not goes_on:
                    names = {"__name__": "page"}
                with self.subTest(page=name, block=block), contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block, name, "exec"), names)

    def test_every_function_and_class_has_an_example(self):
        things = {name: getattr(cone, name) for name in cone.__all__}
        formulas = things.pop("estimators")
        things.update({f"estimators.{name}": getattr(formulas, name) for name in formulas.__all__})
        for name, thing in things.items():
            made_by_functions = name in ("Error", "Study", "estimators.Value", "estimators.Cautious")
            if callable(thing) and not made_by_functions:
                self.assertIn(">>>", thing.__doc__, name)

    def test_every_public_name_is_documented_and_on_the_page(self):
        page = (ROOT / "docs/python.md").read_text()
        for name in cone.__all__:
            if name.startswith("__"):
                continue
            self.assertTrue(getattr(cone, name).__doc__, name)
            self.assertIn(f"`{name}", page.replace("`cone.", "`"), name)


class Import(unittest.TestCase):
    def test_nothing_heavy_is_imported_before_it_is_needed(self):
        code = ("import sys, numpy; before = set(sys.modules); import cone; "
                "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before}))")
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        heavy = {"pandas", "scipy", "matplotlib", "tqdm", "networkx", "sklearn", "pyarrow"}
        self.assertEqual(heavy & set(found.stdout.split()), set())

    def run_with_old_kernels(self, code):
        """After an import with the oldest kernels, as they are chosen for an unknown processor."""
        begin = "import os, cone; from cone import _core, _kernels; del os.environ['OPENBLAS_CORETYPE']; "
        done = subprocess.run([sys.executable, "-c", begin + code], capture_output=True, text=True,
                              env={**os.environ, "OPENBLAS_CORETYPE": "Prescott"})
        if "Prescott None" in done.stdout:
            self.skipTest("this processor has no better ones")
        return done.stdout, done.stderr

    def test_old_kernels_are_replaced_silently(self):
        answer = ("import numpy; x = numpy.random.default_rng(0).normal(size=(300, 300)); "
                  "data = cone.Dataset.from_arrays(features=x[:, :3], treatment=x[:, 5] > 0, outcome=x[:, 6]); "
                  "print(cone.evaluate(data, ['treat-all'], ['dr_ridge']).record['policies'][0]['estimates'])")
        found, faults = self.run_with_old_kernels(
            "print(*_core.blas_kernels()); _kernels.choose_kernels(); print(*_core.blas_kernels()); "
            "print(os.popen('echo $OPENBLAS_CORETYPE').read().strip()); " + answer)
        self.assertEqual(faults, "")
        before, after, inherited, estimates = found.splitlines()
        better = before.split()[1]
        self.assertEqual((after, inherited), (f"{better} None", ""))
        known = subprocess.run([sys.executable, "-c", "import cone; " + answer], capture_output=True, text=True,
                               check=True, env={**os.environ, "OPENBLAS_CORETYPE": better})
        self.assertEqual(estimates, known.stdout.strip())  # as if they had been there from the beginning

    def test_old_kernels_stay_while_another_thread_may_use_them(self):
        code = ("import threading, time; print(*_core.blas_kernels()); wait = threading.Event(); "
                "threading.Thread(target=TARGET, daemon=True).start(); time.sleep(0.1); "
                "_kernels.choose_kernels(); print(*_core.blas_kernels())")
        found, faults = self.run_with_old_kernels(code.replace("TARGET", "lambda: time.sleep(60)"))
        self.assertEqual(*found.splitlines())
        self.assertIn("OpenBLAS does not know this processor", faults)
        found, faults = self.run_with_old_kernels(code.replace("TARGET", "wait.wait"))  # as notebooks have them
        self.assertEqual((found.splitlines()[1].split()[1], faults), ("None", ""))

    @unittest.skipUnless("CONE_OLD_KERNELS_SHIM" in os.environ, "there is no shim")
    def test_old_kernels_that_stay_give_a_warning(self):
        code = "import cone; print(cone._core.blas_kernels())"
        shim = {**os.environ, "LD_PRELOAD": os.environ["CONE_OLD_KERNELS_SHIM"]}
        shim.pop("OPENBLAS_CORETYPE", None)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              env=shim)
        if "None" in done.stdout:
            self.skipTest("this processor has no better ones")
        self.assertIn("OpenBLAS does not know this processor", done.stderr)
        shim["OPENBLAS_CORETYPE"] = "Haswell"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              env=shim)
        self.assertEqual(done.stderr, "")

    def test_the_package_says_that_it_is_typed(self):
        self.assertTrue((pathlib.Path(cone.__file__).parent / "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
