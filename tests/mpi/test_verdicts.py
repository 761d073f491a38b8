"""Diagnostics with --engine petsc: every figure and sentence of one process."""

import pathlib
import random
import sys
import unittest

from rank_support import RanksTest, on_ranks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import MESSAGES  # noqa: E402


class SameVerdicts(RanksTest):
    estimators = "network_dm,dr_ridge"

    def compare_all(self, *options, expects=(), **settings):
        expected = self.compare(self.folder, *options, **settings)
        said = " ".join(str(value) for value in expected.values())
        for part in expects:
            self.assertIn(part, said)
        return expected

    def write_nodes(self, names, rows, edges):
        self.write("nodes.csv", ",".join(["id", "treatment", "outcome", *names]) + "\n" + "".join(
            ",".join([f"u{i}", *map(repr, row)]) + "\n" for i, row in enumerate(rows)))
        self.write("edges.csv", "source,target\n" + "".join(f"u{i},u{j}\n" for i, j in edges))

    def test_equal_propensities_and_equal_numbers_of_neighbours(self):
        """Three kinds of nodes, a ring with a few chords: groups of equal size do not exist."""
        draw = random.Random(5)
        rows = []
        for i in range(240):
            kind = draw.choice([0, 1, 1, 2])
            t = int(draw.random() < [0.2, 0.5, 0.9][kind])
            rows.append([t, kind + t + draw.gauss(0, 1), kind])
        edges = [(i, (i + 1) % 240) for i in range(240)] + [(i, (i + 90) % 240) for i in range(9)]
        self.write_nodes(["kind"], rows, edges)
        expected = self.compare_all("--policy", "treat-all", "uniform", "treat-none",
                                    "--folds", 2)
        bins = [name for name in expected if name.startswith("calibration[0]") and "num" in name]
        self.assertLess(len(bins), 10)
        groups = [name for name in expected if name.startswith("residuals_by_degree[0] groups")]
        self.assertTrue(groups)

    def test_nearly_all_nodes_have_the_same_degree(self):
        self.write_log(90)
        self.compare_all("--policy", "treat-all", ranks=[3],
                         expects=["nearly all nodes have the same degree"])

    def test_an_unmeasured_common_cause_of_neighbours(self):
        """Communities affect outcome and treatment: balance, calibration and Moran's I."""
        self.write_communities()
        self.estimators = "dr_ridge"
        self.compare_all("--policy", "treat-all", ranks=[2, 7],
                         expects=["are correlated among neighbours"])

    def test_weak_overlap(self):
        draw = random.Random(3)
        rows = []
        for _ in range(300):
            x = draw.gauss(0, 1.5)
            t = int(draw.random() < (0.99 if x > 0.3 else 0.02))
            rows.append([t, x + t + draw.gauss(0, 1), x])
        self.write_nodes(["x"], rows, [(i, (7 * i + 1) % 300) for i in range(0, 300, 2)])
        self.estimators = "dr_ridge"
        expected = self.compare_all("--policy", "treat-all", "treat-none", ranks=[2, 4])
        self.assertIn("caution", [expected["verdict overlap[0]"], expected["verdict weights[0]"]])

    def test_many_numeric_features_and_one_that_varies_by_rounding_only(self):
        draw = random.Random(8)
        rows = []
        for i in range(150):
            row = [i % 2, draw.gauss(0, 1), *(draw.gauss(0, 1) for _ in range(52))]
            rows.append([*row, draw.choice([0.1 + 0.2, 0.3]), draw.randrange(2)])
        self.write_nodes([f"x{k}" for k in range(52)] + ["same", "coin"], rows,
                         [(i, (i * i + 1) % 150) for i in range(100)])
        self.estimators = "dr_ridge"
        self.compare_all("--policy", "treat-all", ranks=[3], expects=["differ by rounding only"])

    def test_estimators_without_models_have_no_stability_verdict(self):
        self.estimators = "naive"
        expected = self.compare(MESSAGES, "--policy", "always:email", ranks=[1, 3])
        self.assertNotIn("verdict stability[0]", expected)
        self.estimators = "ips"
        expected = self.compare(MESSAGES, "--policy", "always:email", "uniform", ranks=[7])
        self.assertIn("verdict stability[0]", expected)

    def test_verdicts_are_printed(self):
        run = on_ranks(3, "evaluate", MESSAGES, "--engine", "petsc", "--policy", "uniform",
                       "--details")
        self.assertEqual(run.returncode, 0, run.stderr)
        for name in ("overlap", "calibration", "residuals by degree", "stability"):
            self.assertRegex(run.stdout, rf"(?m)^ +{name} +(ok|caution) ")


if __name__ == "__main__":
    unittest.main()
