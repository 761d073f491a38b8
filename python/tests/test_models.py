"""NetworkRidge and Cone: the style of scikit-learn."""

import unittest

import numpy

import cone
from support import make_log

try:
    from sklearn.base import clone
except ImportError:
    clone = None


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = make_log()
        cls.data = cone.Dataset.from_arrays(**cls.log)

    def test_the_ridge_says_what_effects_says(self):
        ridge = cone.NetworkRidge(folds=3, seed=1).fit(self.data)
        found = cone.effects(self.data, folds=3, seed=1)
        numpy.testing.assert_array_equal(ridge.predict(), found.mu)
        numpy.testing.assert_array_equal(ridge.predict(arm="1"), found.mu[:, 1])
        numpy.testing.assert_array_equal(ridge.effect_, found.effect)
        self.assertEqual(ridge.transform().shape, (240, 2 * len(ridge.part_names_)))
        self.assertLess(abs(ridge.effect_.mean() - 1), 0.2)

    def test_arrays_do_as_well(self):
        log = self.log
        ridge = cone.NetworkRidge().fit(log["features"], log["outcome"], treatment=log["treatment"],
                                        network=log["network"])
        numpy.testing.assert_array_equal(ridge.predict(), cone.NetworkRidge().fit(self.data).predict())
        with self.assertRaisesRegex(cone.Error, "leave them out"):
            cone.NetworkRidge().fit(self.data, log["outcome"])

    def test_the_ridge_has_propensities(self):
        ridge = cone.NetworkRidge(folds=3, seed=1).fit(self.data)
        found = ridge.propensity()
        numpy.testing.assert_allclose(found.sum(axis=1), 1)
        truth = 1 / (1 + numpy.exp(-self.log["features"][:, 0]))
        self.assertGreater(numpy.corrcoef(found[:, 1], truth)[0, 1], 0.8)
        self.assertLess(abs(found[:, 1].mean() - self.log["treatment"].mean()), 0.01)
        again = cone.NetworkRidge(folds=3, seed=1, threads=1).fit(self.data).set_params(folds=5)
        numpy.testing.assert_array_equal(again.propensity(), found)  # what the fit had
        arms = numpy.asarray(self.log["treatment"]) + (numpy.arange(240) % 3 == 0)
        three = cone.Dataset.from_arrays(**{**self.log, "treatment": arms})
        numpy.testing.assert_allclose(cone.NetworkRidge().fit(three).propensity().sum(axis=1), 1)
        with self.assertRaisesRegex(cone.Error, "is not fitted"):
            cone.NetworkRidge().propensity()

    def test_networks_give_outcomes_propensities_and_representations(self):
        networks = cone.Cone(epochs=20, folds=2, heads=2, head_size=4).fit(self.data)
        self.assertEqual(networks.predict().shape, (240, 2))
        self.assertEqual(networks.transform().shape, (240, 16))
        numpy.testing.assert_allclose(networks.propensity().sum(axis=1), 1)
        again = cone.Cone(epochs=20, folds=2, heads=2, head_size=4, threads=1).fit(self.data)
        numpy.testing.assert_array_equal(networks.predict(), again.predict())

    def test_parameters_are_got_and_set_by_name(self):
        ridge = cone.NetworkRidge(folds=3)
        self.assertEqual(ridge.get_params()["folds"], 3)
        self.assertEqual(repr(ridge.set_params(draws=32)), "NetworkRidge(folds=3, draws=32)")
        with self.assertRaisesRegex(cone.Error, "fold: is not an option; did you mean folds"):
            ridge.set_params(fold=2)
        with self.assertRaisesRegex(cone.Error, "is not fitted"):
            ridge.predict()
        with self.assertRaisesRegex(cone.Error, "folds: is 1, must be between 2"):
            cone.NetworkRidge(folds=1).fit(self.data)

    def test_defaults_are_those_of_the_library(self):
        numpy.testing.assert_array_equal(cone.NetworkRidge().fit(self.data).predict(),
                                         cone.effects(self.data).mu)
        # What no parameter changes, evaluate() must find as well.
        answer = cone.evaluate(self.data, ["treat-all"], ["cone_dm"], epochs=20)
        value = answer.record["policies"][0]["estimates"][0]["value"]
        networks = cone.Cone(epochs=20).fit(self.data)
        self.assertAlmostEqual(networks.predict(arm=1).mean(), value, places=12)

    @unittest.skipIf(clone is None, "scikit-learn is not installed")
    def test_clone_works(self):
        groups = ["own", "neighbour_effects"]
        for model in (cone.NetworkRidge(ridge_groups=groups), cone.Cone(epochs=3)):
            copied = clone(model)
            self.assertIsNot(copied, model)
            self.assertEqual(copied.get_params(), model.get_params())


if __name__ == "__main__":
    unittest.main()
