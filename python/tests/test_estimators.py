"""cone.estimators: the formulas against Open Bandit Pipeline's, and what they refuse."""

import json
import pathlib
import unittest

import numpy

import cone
from cone import estimators

# Written by scripts/make_obp_fixture.py.
OBP = json.loads((pathlib.Path(__file__).parent / "fixtures/obp.json").read_text())


class Agreement(unittest.TestCase):
    def setUp(self):
        self.weighting = {name: numpy.array(OBP[name])
                          for name in ("treatment", "outcome", "policy", "propensity")}
        self.mu = numpy.array(OBP["mu"])

    def check(self, name, found):
        numpy.testing.assert_allclose(found.value, OBP["values"][name], rtol=1e-12)

    def test_values_are_those_of_open_bandit_pipeline(self):
        self.check("ips", estimators.ips(**self.weighting))
        self.check("snips", estimators.snips(**self.weighting))
        self.check("dm", estimators.dm(self.weighting["policy"], self.mu))
        self.check("dr", estimators.dr(**self.weighting, mu=self.mu))
        self.check("sndr", estimators.dr(**self.weighting, mu=self.mu, correction="self_normalised"))
        self.check("switch_dr", estimators.switch_dr(**self.weighting, mu=self.mu,
                                                     threshold=OBP["switch_threshold"]))
        self.check("dr_shrinkage", estimators.dr_shrinkage(**self.weighting, mu=self.mu,
                                                           shrinkage=OBP["shrinkage"]))

    def test_limits_join_the_formulas(self):
        dr = estimators.dr(**self.weighting, mu=self.mu).value
        dm = estimators.dm(self.weighting["policy"], self.mu).value
        ips = estimators.ips(**self.weighting).value
        huge, none = 1e12, 1e-12
        self.assertAlmostEqual(estimators.switch_dr(**self.weighting, mu=self.mu,
                                                    threshold=huge).value, dr)
        self.assertAlmostEqual(estimators.switch_dr(**self.weighting, mu=self.mu,
                                                    threshold=0).value, dm)
        self.assertAlmostEqual(estimators.dr_shrinkage(**self.weighting, mu=self.mu,
                                                       shrinkage=huge).value, dr)
        self.assertAlmostEqual(estimators.dr_shrinkage(**self.weighting, mu=self.mu,
                                                       shrinkage=none).value, dm)
        self.assertAlmostEqual(estimators.ips_clipped(**self.weighting, clip=huge).value, ips)
        scores = estimators.dr_scores(self.weighting["treatment"], self.weighting["outcome"],
                                      self.weighting["propensity"], self.mu)
        self.assertAlmostEqual((scores * self.weighting["policy"]).sum(axis=1).mean(), dr)

    def test_errors_come_from_the_influence(self):
        found = estimators.ips(**self.weighting)
        weights = estimators.importance_weights(self.weighting["treatment"], self.weighting["policy"],
                                                self.weighting["propensity"])
        terms = weights * self.weighting["outcome"]
        self.assertAlmostEqual(found.standard_error, terms.std(ddof=1) / numpy.sqrt(60))
        self.assertAlmostEqual(estimators.effective_sample_size(weights),
                               weights.sum() ** 2 / (weights**2).sum())
        cautious = estimators.dr_cautious(**self.weighting, mu=self.mu)
        self.assertTrue(0 <= cautious.factor <= 1)

    def test_naive_is_a_mixture_of_arm_means(self):
        arms, outcome = self.weighting["treatment"], self.weighting["outcome"]
        means = numpy.array([outcome[arms == a].mean() for a in range(3)])
        found = estimators.naive(arms, outcome, self.weighting["policy"])
        self.assertAlmostEqual(found.value, self.weighting["policy"].mean(axis=0) @ means)

    def test_what_does_not_fit_is_refused(self):
        for change, words in (({"outcome": [1.0]}, "different lengths"),
                              ({"policy": numpy.ones((60, 2)) / 2}, "different numbers of arms"),
                              ({"treatment": numpy.full(60, 3)}, "3 is no arm"),
                              ({"treatment": numpy.full(60, 0.5)}, "whole number"),
                              ({"outcome": numpy.full(60, numpy.nan)}, "not finite"),
                              ({"propensity": numpy.zeros((60, 3))}, "must be above 0")):
            with self.assertRaisesRegex(cone.Error, words):
                estimators.ips(**{**self.weighting, **change})
        with self.assertRaisesRegex(cone.Error, "mu: has shape"):
            estimators.dr(**self.weighting, mu=self.mu[:, 0])
        with self.assertRaisesRegex(cone.Error, "correction: is \"plan\", must be one of"):
            estimators.dr(**self.weighting, mu=self.mu, correction="plan")


if __name__ == "__main__":
    unittest.main()
