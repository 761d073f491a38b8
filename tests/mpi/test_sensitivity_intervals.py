"""Sensitivity intervals of --engine petsc against one process: the confounding strength that the
network reveals, the bias bounds of all estimates, and their sentences."""

import pathlib
import random
import sys
import unittest

from rank_support import RanksTest, cone, figures, on_ranks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import COUPONS, MESSAGES  # noqa: E402


class SensitivityIntervals(RanksTest):
    estimators = "naive,dr_ridge,network_dm"

    def compare_intervals(self, data, *options, **how):
        """Compares, and checks that bias bounds are positive."""
        expected = self.compare(data, *options, sensitivity=True, **how)
        bounds = [value for name, value in expected.items() if "confounding_bias_bound" in name]
        self.assertTrue(any(value is not None and value > 0 for value in bounds), bounds)
        self.assertIn("network strength is_clear", expected)
        return expected

    def simulate_counts(self, nodes, *options):
        data = self.folder / "counts"
        cone("simulate", "--out", data, "--nodes", nodes, "--mean-degree", 8, "--seed", 3, "-q",
             *options)
        return data

    def write_arms(self, num_nodes):
        """Three arms, by a numeric feature and a random effect of the group; binary outcomes."""
        draw = random.Random(5)
        effect = [draw.gauss(0, 1) for _ in range(num_nodes // 10)]
        lines, edges = [], set()
        for i in range(num_nodes):
            group, x = i % len(effect), round(draw.gauss(0, 1), 2)
            score = x + 2 * effect[group] + draw.gauss(0, 1)
            arm = "none" if score < -0.7 else "letter" if score < 0.7 else "call"
            outcome = int(effect[group] + x + draw.gauss(0, 1) > 0)
            lines.append(f"u{i},{arm},{outcome},{x}\n")
            for _ in range(3):
                other = draw.randrange(num_nodes // len(effect)) * len(effect) + group
                edges.add(tuple(sorted((i, other))))
        self.write("nodes.csv", "id,treatment,outcome,x\n" + "".join(lines))
        self.write("edges.csv", "source,target\n"
                   + "".join(f"u{a},u{b}\n" for a, b in sorted(edges) if a != b))
        return self.folder

    def test_three_arms_and_numeric_features(self):
        self.compare_intervals(MESSAGES, "--policy", "always:email", "uniform", ranks=[2, 4])

    def test_two_arms_and_count_features(self):
        self.compare_intervals(self.simulate_counts(300), "--policy", "treat-all", "uniform",
                               ranks=[1, 3, 7])

    def test_few_nodes_per_rank(self):
        self.compare_intervals(COUPONS, "--policy", COUPONS / "policy.csv", "treat-all",
                               ranks=[2, 7])

    def test_treatment_that_depends_on_the_network(self):
        expected = self.compare_intervals(self.write_communities(), "--policy", "treat-all",
                                          "treat-none", ranks=[1, 3])
        self.assertEqual(expected["network strength is_clear"], "True")
        self.assertIn("depends on the network beyond the features", expected["treatment model"])

    def test_conjugate_gradients_for_three_arms(self):
        """More than 600 nodes: variances are learnt on a sample, and ranks iterate as one process
        does. Intervals of binary outcomes stay within [0, 1]."""
        expected = self.compare_intervals(self.write_arms(700), "--policy", "always:call",
                                          "uniform", "--control", "none", ranks=[2, 7])
        ends = [value for name, value in expected.items()
                if "sensitivity_interval" in name and value is not None]
        self.assertTrue(all(0 <= end <= 1 for end in ends), ends)

    def test_conjugate_gradients_for_two_arms_and_count_features(self):
        """More than 1,500 nodes."""
        data = self.simulate_counts(1600, "--words", 200, "--words-per-node", 6, "--noise", 1)
        self.compare_intervals(data, "--policy", "treat-all", ranks=[3])

    def test_other_groups_and_folds(self):
        self.compare_intervals(MESSAGES, "--policy", "uniform", "--seed", 5, "--folds", 4,
                               "--ridge-groups", "own,neighbour_effects",
                               "--propensity-bound", 0.05, ranks=[3])

    def test_there_are_none_without_a_network(self):
        self.write_log(80)
        (self.folder / "edges.csv").unlink()
        expected = self.compare(self.folder, "--policy", "treat-all", ranks=[1, 3],
                                sensitivity=True)
        self.assert_none(expected)

    def test_there_are_none_without_the_network_ridge(self):
        self.estimators = "naive,dr_ridge"
        self.assert_none(self.compare(MESSAGES, "--policy", "uniform", ranks=[2], sensitivity=True))

    def test_they_can_be_switched_off(self):
        out = self.folder / "out.json"
        for option, is_there in (([], True), (["--no-sensitivity-interval"], False)):
            run = on_ranks(2, "evaluate", MESSAGES, "--engine", "petsc", "--policy", "uniform",
                           "--estimators", "network_dm", "--json", out, *option)
            record = self.record_of(run, out)
            self.assertEqual(record["config"]["sensitivity_interval"], is_there)
            self.assertEqual("unmeasured confounding" in record["engine"]["phases"], is_there)
            found = figures(record)
            if is_there:
                self.assertGreater(found["uniform network_dm confounding_bias_bound"], 0)
            else:
                self.assert_none(found)

    def assert_none(self, found):
        self.assertNotIn("network strength is_clear", found)
        self.assertEqual({value for name, value in found.items()
                          if "confounding_bias_bound" in name or "sensitivity_interval" in name},
                         {None})


if __name__ == "__main__":
    unittest.main()
