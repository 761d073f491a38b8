"""On a processor that OpenBLAS does not know, the program starts anew with kernels that suit it."""

import os
import subprocess
import unittest

from support import BINARY

SHIM = os.environ["CONE_OLD_KERNELS_SHIM"]


def has_avx2():
    with open("/proc/cpuinfo") as file:
        return any(line.startswith("flags") and " avx2 " in line for line in file)


def run_verbose(**variables):
    """Each loading of OpenBLAS prints a line `Core: NAME` then. A choice of kernels that the
    environment of the tests makes would stand."""
    own = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    environment = {**own, "OPENBLAS_VERBOSE": "2", **variables}
    done = subprocess.run([str(BINARY), "--version"], env=environment, capture_output=True,
                          text=True, check=True)
    cores = [line.split(":")[1].strip() for line in done.stderr.splitlines()
             if line.startswith("Core:")]
    return cores, done.stdout


@unittest.skipUnless(has_avx2(), "a processor without AVX2 has no better kernels")
class Restart(unittest.TestCase):
    def test_a_good_choice_is_left_alone(self):
        cores, text = run_verbose()
        if cores and cores[0] in ("Prescott", "Core2", "Penryn", "Atom", "Dunnington", "Nehalem"):
            self.skipTest("this OpenBLAS does not know this processor")
        self.assertEqual(len(cores), 1)
        self.assertTrue(text.startswith("cone "))

    def test_an_old_choice_is_replaced_once(self):
        cores, text = run_verbose(LD_PRELOAD=SHIM)
        self.assertEqual(len(cores), 2)
        self.assertIn(cores[1], ("Haswell", "Zen", "SkylakeX", "Cooperlake"))
        self.assertTrue(text.startswith("cone "))

    def test_the_users_choice_stands(self):
        cores, _ = run_verbose(LD_PRELOAD=SHIM, OPENBLAS_CORETYPE="Nehalem")
        self.assertEqual(len(cores), 1)


if __name__ == "__main__":
    unittest.main()
