"""cone.estimators: the formulas against Open Bandit Pipeline's, and what they refuse."""

import inspect
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
        self.check("dr", estimators.dr(**self.weighting, mu=self.mu, correction="plain"))
        self.check("sndr", estimators.dr(**self.weighting, mu=self.mu))
        self.check("switch_dr", estimators.switch_dr(**self.weighting, mu=self.mu,
                                                     switch_threshold=OBP["switch_threshold"]))
        self.check("dr_shrinkage", estimators.dr_shrinkage(**self.weighting, mu=self.mu,
                                                           shrinkage_lambda=OBP["shrinkage"]))

    def test_limits_join_the_formulas(self):
        dr = estimators.dr(**self.weighting, mu=self.mu, correction="plain").value
        dm = estimators.dm(self.weighting["policy"], self.mu).value
        ips = estimators.ips(**self.weighting).value
        huge, none = 1e12, 1e-12
        self.assertAlmostEqual(estimators.switch_dr(**self.weighting, mu=self.mu,
                                                    switch_threshold=huge).value, dr)
        self.assertAlmostEqual(estimators.switch_dr(**self.weighting, mu=self.mu,
                                                    switch_threshold=none).value, dm)
        self.assertAlmostEqual(estimators.dr_shrinkage(**self.weighting, mu=self.mu,
                                                       shrinkage_lambda=huge).value, dr)
        self.assertAlmostEqual(estimators.dr_shrinkage(**self.weighting, mu=self.mu,
                                                       shrinkage_lambda=none).value, dm)
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

    def test_defaults_are_those_of_the_program(self):
        listed = {line["name"]: line["default"] for line in cone._core.list_options("evaluate")}
        found = {}
        for function in map(vars(estimators).get, estimators.__all__):
            for name, parameter in inspect.signature(function).parameters.items():
                if parameter.default is not parameter.empty:
                    self.assertIn(name, listed, f"{function.__name__} has a parameter of another name")
                    found[function.__name__, name] = parameter.default
                    usual = "auto" if parameter.default is None else parameter.default
                    self.assertEqual(usual, listed[name], f"{function.__name__}: {name}")
        self.assertEqual(len(found), 5, found)
        for function, name in ((estimators.ips_clipped, "clip"), (estimators.switch_dr, "switch_threshold")):
            mu = {} if name == "clip" else {"mu": self.mu}
            self.assertEqual(function(**self.weighting, **mu).value,
                             function(**self.weighting, **mu, **{name: 5 * 3}).value)  # of 3 arms

    def test_bounds_are_finite_numbers(self):
        for name, function in (("clip", estimators.ips_clipped), ("switch_threshold", estimators.switch_dr),
                               ("shrinkage_lambda", estimators.dr_shrinkage)):
            mu = {} if name == "clip" else {"mu": self.mu}
            for wrong in (numpy.nan, numpy.inf, -1):
                with self.assertRaisesRegex(cone.Error, f"^{name}: is "):
                    function(**self.weighting, **mu, **{name: wrong})

    def test_what_is_masked_is_missing(self):
        for name in ("outcome", "policy", "propensity", "treatment"):
            masked = numpy.ma.array(self.weighting[name])
            masked[3] = numpy.ma.masked
            with self.subTest(name), self.assertRaisesRegex(cone.Error, f"^{name}: .*(missing|not probabilities)"):
                estimators.ips(**{**self.weighting, name: masked})
        masked = numpy.ma.masked_less(self.mu, numpy.median(self.mu))
        with self.assertRaisesRegex(cone.Error, "^mu: .*missing"):
            estimators.dm(self.weighting["policy"], masked)

    def test_naive_is_a_mixture_of_arm_means(self):
        arms, outcome = self.weighting["treatment"], self.weighting["outcome"]
        means = numpy.array([outcome[arms == a].mean() for a in range(3)])
        found = estimators.naive(arms, outcome, self.weighting["policy"])
        self.assertAlmostEqual(found.value, self.weighting["policy"].mean(axis=0) @ means)

    def test_what_does_not_fit_is_refused(self):
        for change, message in (({"outcome": [1.0]}, "different lengths"),
                              ({"policy": numpy.ones((60, 2)) / 2}, "different numbers of arms"),
                              ({"treatment": numpy.full(60, 3)}, "3 is not an arm"),
                              ({"treatment": numpy.full(60, 0.5)}, "whole number"),
                              ({"outcome": numpy.full(60, numpy.nan)}, "not finite"),
                              ({"propensity": numpy.zeros((60, 3))}, "must be above 0")):
            with self.assertRaisesRegex(cone.Error, message):
                estimators.ips(**{**self.weighting, **change})
        with self.assertRaisesRegex(cone.Error, "mu: has shape"):
            estimators.dr(**self.weighting, mu=self.mu[:, 0])
        with self.assertRaisesRegex(cone.Error, "correction: is \"plan\", must be one of"):
            estimators.dr(**self.weighting, mu=self.mu, correction="plan")


if __name__ == "__main__":
    unittest.main()
