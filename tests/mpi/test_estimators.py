"""Direct, weighting and doubly robust estimators: --engine petsc against one process."""

import pathlib
import random
import sys
import unittest

from rank_support import RanksTest, cone, on_ranks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import COUPONS, MESSAGES  # noqa: E402

WEIGHTS = "naive,ips,snips,ips_clipped"
REGRESSIONS = "dm_ols1,dm_ols2,dm_ridge,dr_ols1,dr_ols2,dr_ridge,switch_dr,dr_shrinkage"


class SameEstimates(RanksTest):
    estimators = f"{WEIGHTS},{REGRESSIONS},network_dm"

    def test_three_arms_and_numeric_features(self):
        expected = self.compare(MESSAGES, "--policy", "always:email", "uniform")
        self.assertGreater(len(expected), 500)

    def test_a_policy_file(self):
        self.compare(COUPONS, "--policy", COUPONS / "policy.csv", "treat-all", ranks=[2, 7])

    def test_count_features(self):
        data = self.folder / "counts"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.compare(data, "--policy", "treat-all", "uniform", ranks=[1, 3])

    def test_positivity_violations(self):
        """One group of nodes was never treated, and propensities reach their bounds."""
        draw = random.Random(4)
        lines = []
        for i in range(400):
            x, kind = draw.gauss(0, 1), int(draw.random() < 0.2)
            t = 0 if kind else int(draw.random() < (0.98 if x > 0 else 0.02))
            y = x + 3 * kind + t + draw.gauss(0, 0.3)
            lines.append(f"u{i},{t},{y!r},{x!r},{kind}\n")
        self.write("nodes.csv", "id,treatment,outcome,x,kind\n" + "".join(lines))
        edges = "".join(f"u{i},u{(i + 7) % 400}\n" for i in range(400))
        self.write("edges.csv", "source,target\n" + edges)
        expected = self.compare(self.folder, "--policy", "treat-all", "treat-none",
                                "--dependence", "neighbours", ranks=[1, 4])
        warnings = " ".join(v for v in expected.values() if isinstance(v, str))
        self.assertIn("no comparable node received", warnings)
        self.assertIn("moved the estimate", warnings)
        self.assertIn(None, expected.values(), "missing intervals")

    def test_an_arm_with_few_nodes(self):
        policy = self.write_rare_arm()
        expected = self.compare(self.folder, "--policy", policy, ranks=[2, 7])
        degrees = [value for name, value in expected.items() if name.endswith("degrees_of_freedom")]
        self.assertLess(min(value for value in degrees if value is not None), 20)

    def test_without_edges_and_few_nodes(self):
        self.write_log(40)
        (self.folder / "edges.csv").unlink()
        self.compare(self.folder, "--policy", "treat-all", self.folder / "policy.csv",
                     "--folds", 2, "--selection-folds", 2, ranks=[7])

    def test_another_target_correction_and_dependence(self):
        self.compare(MESSAGES, "--policy", "uniform", "always:sms", "--target", "population",
                     "--correction", "plain", "--dependence", "neighbours", ranks=[3])


class Defaults(RanksTest):
    def test_the_supported_default_estimators_run(self):
        out = self.folder / "out.json"
        run = on_ranks(2, "evaluate", COUPONS, "--policy", "treat-all", "--engine", "petsc",
                       "--json", out)
        record = self.record_of(run, out)
        names = [row["estimator"] for row in record["policies"][0]["estimates"]]
        self.assertEqual(record["decision"]["estimator"], "network_dm")
        self.assertIn("dr_ridge", names)
        self.assertTrue({"cone", "dm_nn", "okb"}.isdisjoint(names), names)
        self.assertTrue(any("left out" in warning for warning in record["diagnostics"]["warnings"]))

    def test_estimators_that_need_one_process_are_refused(self):
        for name in ("cone", "dm_nn", "dr_nn", "okb", "cohesion_dm", "spectral_dm", "spectral_dr"):
            run = on_ranks(2, "evaluate", COUPONS, "--policy", "treat-all", "--engine", "petsc",
                           "--estimators", f"ips,{name}")
            self.assertEqual(run.returncode, 2, name)
            self.assertIn(f"does not support {name}", run.stderr)


if __name__ == "__main__":
    unittest.main()
