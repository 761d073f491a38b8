"""Sensitivity intervals of --engine petsc beside those of one process: the strength that the network shows,
what a confounder that strong could do to every estimate, and what is said of it."""

import pathlib
import random
import sys
import unittest

from together import RanksTest, figures, on_ranks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import COUPONS, MESSAGES, cone  # noqa: E402


class SensitivityIntervals(RanksTest):
    estimators = "naive,dr_ridge,network_dm,network_dr"

    def compare_sensitivity_interval(self, data, *options, **how):
        """The same, and there is something to compare."""
        expected = self.compare(data, *options, robust=True, **how)
        bounds = [value for name, value in expected.items() if "confounding_bias_bound" in name]
        self.assertTrue(any(value is not None and value > 0 for value in bounds), bounds)
        self.assertIn("network strength is_clear", expected)
        return expected

    def simulate_words(self, nodes, *options):
        data = self.folder / "words"
        cone("simulate", "--out", data, "--nodes", nodes, "--mean-degree", 8, "--seed", 3, "-q",
             *options)
        return data

    def write_arms(self, num_nodes):
        """Three arms, by a measurement and by who one's neighbours are; outcomes of two values."""
        draw = random.Random(5)
        mood = [draw.gauss(0, 1) for _ in range(num_nodes // 10)]
        lines, ties = [], set()
        for i in range(num_nodes):
            group, x = i % len(mood), round(draw.gauss(0, 1), 2)
            score = x + 2 * mood[group] + draw.gauss(0, 1)
            arm = "none" if score < -0.7 else "letter" if score < 0.7 else "call"
            happened = int(mood[group] + x + draw.gauss(0, 1) > 0)
            lines.append(f"u{i},{arm},{happened},{x}\n")
            for _ in range(3):
                ties.add(tuple(sorted((i, draw.randrange(num_nodes // len(mood)) * len(mood)
                                       + group))))
        self.write("nodes.csv", "id,treatment,outcome,x\n" + "".join(lines))
        self.write("edges.csv", "source,target\n"
                   + "".join(f"u{a},u{b}\n" for a, b in sorted(ties) if a != b))
        return self.folder

    def test_three_arms_and_measurements(self):
        self.compare_sensitivity_interval(MESSAGES, "--policy", "always:email", "uniform", ranks=[2, 4])

    def test_two_arms_and_words(self):
        self.compare_sensitivity_interval(self.simulate_words(300), "--policy", "treat-all", "uniform",
                            ranks=[1, 3, 7])

    def test_fewer_units_than_some_ranks_would_like(self):
        self.compare_sensitivity_interval(COUPONS, "--policy", COUPONS / "policy.csv", "treat-all", ranks=[2, 7])

    def test_a_network_that_decides_who_is_treated(self):
        expected = self.compare_sensitivity_interval(self.write_communities(), "--policy", "treat-all", "treat-none",
                                       ranks=[1, 3])
        self.assertEqual(expected["network strength is_clear"], "True")
        self.assertIn("depends on the network beyond the features", expected["who was treated"])

    def test_conjugate_gradients_for_three_arms(self):
        """More than 600 units: variances are learnt on a sample, and everyone iterates as one
        machine does. Outcomes of two values keep the intervals between them."""
        expected = self.compare_sensitivity_interval(self.write_arms(700), "--policy", "always:call", "uniform",
                                       "--control", "none", ranks=[2, 7])
        ends = [value for name, value in expected.items()
                if "sensitivity_interval" in name and value is not None]
        self.assertTrue(all(0 <= end <= 1 for end in ends), ends)

    def test_conjugate_gradients_for_two_arms_and_words(self):
        """More than 1,500 units, of whom many move to where their neighbours are."""
        data = self.simulate_words(1600, "--words", 200, "--words-per-node", 6, "--noise", 1)
        self.compare_sensitivity_interval(data, "--policy", "treat-all", ranks=[3],
                            together=["--partition", "scotch"])

    def test_other_groups_and_folds(self):
        self.compare_sensitivity_interval(MESSAGES, "--policy", "uniform", "--seed", 5, "--folds", 4,
                            "--ridge-groups", "own,neighbour_effects", "--propensity-bound", 0.05, ranks=[3])

    def test_there_are_none_without_a_network(self):
        self.write_log(80)
        (self.folder / "edges.csv").unlink()
        expected = self.compare(self.folder, "--policy", "treat-all", ranks=[1, 3], robust=True)
        self.assert_none(expected)

    def test_there_are_none_without_the_network_ridge(self):
        self.estimators = "naive,dr_ridge"
        self.assert_none(self.compare(MESSAGES, "--policy", "uniform", ranks=[2], robust=True))

    def test_they_can_be_left_out(self):
        out = self.folder / "out.json"
        for option, is_there in (([], True), (["--no-sensitivity-interval"], False)):
            run = on_ranks(2, "evaluate", MESSAGES, "--engine", "petsc", "--policy", "uniform",
                           "--estimators", "network_dm", "--json", out, *option)
            record = self.record_of(run, out)
            self.assertEqual(record["config"]["sensitivity_interval"], is_there)
            self.assertEqual("hidden confounding" in record["engine"]["phases"], is_there)
            found = figures(record)
            if is_there:
                self.assertGreater(found["uniform network_dm confounding_bias_bound"], 0)
            else:
                self.assert_none(found)

    def assert_none(self, found):
        self.assertNotIn("network strength is_clear", found)
        self.assertEqual({value for name, value in found.items()
                          if "confounding_bias_bound" in name or "sensitivity_interval" in name}, {None})


if __name__ == "__main__":
    unittest.main()
