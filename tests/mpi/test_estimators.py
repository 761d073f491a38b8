"""Estimators on regressions and weights with --engine petsc beside the program of one process."""

import pathlib
import random
import sys
import unittest

from together import RanksTest, on_ranks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import COUPONS, MESSAGES, cone  # noqa: E402

WEIGHTS = "naive,ips,snips,ips_clipped"
REGRESSIONS = "dm_ols1,dm_ols2,dm_ridge,dr_ols1,dr_ols2,dr_ridge,switch_dr,dr_shrinkage"


class SameEstimates(RanksTest):
    estimators = f"{WEIGHTS},{REGRESSIONS},network_dm,network_dr"

    def test_three_arms_and_measurements(self):
        self.assertGreater(self.compare(MESSAGES, "--policy", "always:email", "uniform"), 500)

    def test_a_policy_file(self):
        self.compare(COUPONS, "--policy", COUPONS / "policy.csv", "treat-all", ranks=[2, 7])

    def test_words(self):
        data = self.folder / "words"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.compare(data, "--policy", "treat-all", "uniform", ranks=[1, 3])


if __name__ == "__main__":
    unittest.main()
