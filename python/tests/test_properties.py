"""What must not change an answer: the order of rows, the names of arms, units of columns."""

import unittest

import numpy

import cone
from support import make_log

ESTIMATORS = ["network_dm", "network_dr", "naive", "snips", "dm_ols2", "dr_ols1", "dr_ridge"]


def values(data, policy, **options):
    """Values and errors of every estimator, and the decision's gain."""
    answer = cone.evaluate(data, {"p": policy}, ESTIMATORS, **options)
    estimates = answer.record["policies"][0]["estimates"]
    return numpy.array([[e["value"], e["standard_error"]] for e in estimates], dtype=float)


class Invariance(unittest.TestCase):
    def setUp(self):
        self.log = dict(make_log(), ids=[f"u{i}" for i in range(240)])
        self.policy = numpy.linspace(0.1, 0.9, 240)
        self.known = values(cone.Dataset.from_arrays(**self.log), self.policy)

    def test_the_order_of_rows(self):
        order = numpy.random.default_rng(1).permutation(240)
        row = numpy.argsort(order)
        shuffled = dict(features=self.log["features"][order], treatment=self.log["treatment"][order],
                        outcome=self.log["outcome"][order], network=row[self.log["network"]],
                        ids=[f"u{i}" for i in order])
        found = values(cone.Dataset.from_arrays(**shuffled), self.policy[order])
        numpy.testing.assert_allclose(found, self.known, rtol=1e-8)

    def test_the_names_of_arms(self):
        names = numpy.array(["control", "letter"])[self.log["treatment"]]
        found = values(cone.Dataset.from_arrays(**dict(self.log, treatment=names)), self.policy)
        numpy.testing.assert_array_equal(found, self.known)

    def test_units_and_zeros_of_columns(self):
        changed = dict(self.log, features=self.log["features"] * [100, 0.01, 1] + [5, -3, 40])
        found = values(cone.Dataset.from_arrays(**changed), self.policy)
        numpy.testing.assert_allclose(found, self.known, rtol=1e-5)

    def test_units_and_zeros_of_the_outcome(self):
        changed = dict(self.log, outcome=10 * self.log["outcome"] + 3)
        found = values(cone.Dataset.from_arrays(**changed), self.policy)
        numpy.testing.assert_allclose((found - [3, 0]) / 10, self.known, rtol=1e-6, atol=1e-9)

    def test_the_direction_and_repeats_of_edges(self):
        network = numpy.vstack([self.log["network"][:, ::-1], self.log["network"][:50]])
        found = values(cone.Dataset.from_arrays(**dict(self.log, network=network)), self.policy)
        numpy.testing.assert_array_equal(found, self.known)

    def test_the_other_arm_as_control_turns_the_policy_round(self):
        turned = cone.Dataset.from_arrays(**self.log, control="1")
        self.assertEqual(turned.arms, ["1", "0"])
        found = values(turned, numpy.column_stack([self.policy, 1 - self.policy]))
        numpy.testing.assert_allclose(found[:, 0], self.known[:, 0], rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
