"""Mistakes that would give a confident wrong number: each is mended or refused."""

import unittest

import numpy

import cone
from support import make_log

try:
    import pandas
except ImportError:
    pandas = None


def value_of(data, policy):
    answer = cone.evaluate(data, {"p": policy}, estimators=["dr_ridge"])
    return answer.record["policies"][0]["estimates"][0]["value"]


@unittest.skipIf(pandas is None, "pandas is not installed")
class Mistakes(unittest.TestCase):
    def setUp(self):
        log = make_log()
        names = [f"p{i}" for i in range(len(log["outcome"]))]
        self.frame = pandas.DataFrame({"x": numpy.asarray(log["features"])[:, 0],
                                       "sent": log["treatment"], "bought": log["outcome"]},
                                      index=names)
        ends = numpy.asarray(log["network"])
        self.edges = pandas.DataFrame({"a": [names[i] for i in ends[:, 0]],
                                       "b": [names[i] for i in ends[:, 1]]})
        self.policy = (self.frame.x > 0.3).astype(float)
        self.wanted = value_of(self.read(self.frame), self.policy)

    def read(self, frame, **options):
        return cone.Dataset.from_pandas(frame, treatment="sent", outcome="bought", edges=self.edges,
                                        **options)

    def test_a_series_goes_by_the_names_of_the_nodes_whatever_the_data_came_from(self):
        arrays = cone.Dataset.from_arrays(
            features=self.frame[["x"]].to_numpy(), feature_names=["x"], treatment=self.frame.sent.to_numpy(),
            outcome=self.frame.bought.to_numpy(), ids=list(self.frame.index),
            network=[(int(a[1:]), int(b[1:])) for a, b in self.edges.itertuples(index=False)])
        shuffled = self.policy.sample(frac=1, random_state=1)
        self.assertAlmostEqual(value_of(arrays, shuffled), self.wanted, 9)
        by_column = self.read(self.frame.reset_index(names="name"), id="name", ignore=[])
        self.assertAlmostEqual(value_of(by_column, shuffled), self.wanted, 9)
        with self.assertRaisesRegex(cone.Error, "its index lacks 240 of the nodes, 'p0' for one"):
            value_of(arrays, pandas.Series(shuffled.to_numpy(), index=range(7, 247)))
        with self.assertRaisesRegex(cone.Error, "twice"):
            value_of(arrays, pandas.concat([self.policy, self.policy]))

    def test_a_cost_by_a_column_that_was_not_kept_says_what_to_do(self):
        frame = self.frame.assign(price=numpy.linspace(0, 1, len(self.frame)))
        with self.assertRaisesRegex(cone.Error, r'^cost: .*with keep=\["price"\]') as caught:
            cone.evaluate(self.read(frame), ["treat-all"], ["naive"], cost={1: "price"})
        self.assertEqual(caught.exception.kind, "usage")
        with self.assertRaisesRegex(cone.Error, r'keep=\["price"\]'):
            cone.learn(self.read(frame), cost={1: "price"})
        kept = cone.evaluate(self.read(frame, keep=["price"]), ["treat-all"], ["naive", "dr_ridge"],
                             cost={1: "price"})
        self.assertAlmostEqual(kept.record["decision"]["policies"][1]["cost"], 0.5)

    def test_zeros_and_ones_are_refused_where_they_may_be_labels(self):
        for relabelled, control in ((self.frame.sent + 1, None), (self.frame.sent.astype(bool), "1")):
            data = self.read(self.frame.assign(sent=relabelled), control=control)
            ones = numpy.ones(len(data))
            for policy in (ones, ones.astype(int), ones.astype(bool), pandas.Series(ones.astype(bool)).astype("category").to_numpy()):
                with self.assertRaisesRegex(cone.Error, "may hold labels or probabilities of arm"):
                    value_of(data, policy)
        data = self.read(self.frame.assign(sent=self.frame.sent + 1))
        labels = (self.policy + 1).astype(int)
        self.assertAlmostEqual(value_of(data, labels), self.wanted, 9)

    def test_a_function_cannot_change_the_data(self):
        data = self.read(self.frame)

        def spoil(frame):
            frame["x"] = 0
            return numpy.ones(len(frame))

        value_of(data, spoil)
        self.assertAlmostEqual(value_of(data, lambda frame: (frame.x > 0.3).astype(float)),
                               self.wanted, 9)

    def test_dates_are_no_numbers(self):
        day = pandas.Timestamp("2020-01-01") + pandas.to_timedelta(range(len(self.frame)), unit="D")
        for column in ("when", "bought"):
            with self.assertRaises(cone.Error):
                self.read(self.frame.assign(**{column: day}))
        with self.assertRaisesRegex(cone.Error, "holds timedelta"):
            value_of(self.read(self.frame), pandas.Series(day - day[0], index=self.frame.index))

    def test_codes_of_a_categorical_are_categories(self):
        codes = (self.frame.x * 7).round().astype(int) % 3
        as_codes = self.read(self.frame.assign(kind=codes.astype("category")))
        as_texts = self.read(self.frame.assign(kind=codes.map({0: "0k", 1: "1k", 2: "2k"})))
        self.assertEqual(len(as_codes.feature_names), len(as_texts.feature_names))
        self.assertAlmostEqual(value_of(as_codes, self.policy), value_of(as_texts, self.policy), 9)

    def test_names_of_built_in_policies_stand_for_them(self):
        data = self.read(self.frame)
        none, everyone = numpy.zeros(len(data)), numpy.ones(len(data))
        for name, policy in (("treat-all", none), ("treat-none", "treat-all"), ("uniform", everyone),
                             ("always:1", none), ("random-weights:2", everyone)):
            with self.assertRaisesRegex(cone.Error, f"{name}: is the name of a built-in policy, and this "
                                        "one does something else: 'p0' gets arm"):
                cone.evaluate(data, {name: policy}, estimators=["naive"])
            with self.assertRaisesRegex(cone.Error, "is the name of a built-in policy"):
                cone.sensitivity(data, {name: policy})
        with self.assertRaisesRegex(cone.Error, "policies: a policy is named 'what was done'"):
            cone.evaluate(data, {"what was done": everyone}, estimators=["naive"])
        for policy in ("treat-all", everyone, "always:1"):
            cone.evaluate(data, {"treat-all": policy}, estimators=["naive"])

    def test_indexes_that_disagree_are_refused(self):
        shuffled = self.frame.sent.sample(frac=1, random_state=1)
        with self.assertRaisesRegex(cone.Error, "treatment: has another index than features"):
            cone.Dataset.from_arrays(features=self.frame[["x"]], treatment=shuffled,
                                     outcome=self.frame.bought)

    def test_an_index_that_only_counts_names_nobody(self):
        numbered = self.frame.reset_index(names="id").sort_values("x")
        self.assertAlmostEqual(value_of(self.read(numbered), self.policy[numbered.id].to_numpy()),
                               self.wanted, 9)

    def test_texts_are_no_pairs(self):
        with self.assertRaisesRegex(cone.Error, "are no pairs"):
            cone.Dataset.from_pandas(self.frame, treatment="sent", outcome="bought", edges=["ab", "cd"])

    def test_every_error_has_a_kind_and_faults(self):
        with self.assertRaises(cone.Error) as caught:
            value_of(self.read(self.frame), numpy.zeros((2, 2, 2)))
        self.assertEqual(caught.exception.kind, "usage")
        self.assertEqual(caught.exception.faults[0]["place"], "p")

    def test_formulas_refuse_what_is_no_policy(self):
        for policy in ([2, 2], [-1, -1], [[0.9, 0.9], [0.5, 0.5]]):
            with self.assertRaisesRegex(cone.Error, "no probabilities"):
                cone.estimators.ips([0, 1], [1.0, 2.0], policy=policy, propensity=[0.5, 0.5])

    def test_features_may_be_one_text(self):
        self.assertEqual(self.read(self.frame.assign(y=1.0), features="x").feature_names, ["x"])


class Calls(unittest.TestCase):
    def setUp(self):
        self.data = cone.Dataset.from_arrays(**make_log())

    def test_no_policy_is_a_mistake_in_the_call(self):
        for nothing in ({}, [], None, "", [""]):
            for function in (cone.evaluate, cone.sensitivity):
                with self.assertRaisesRegex(cone.Error, "^policies: .*; bring a word") as caught:
                    function(self.data, nothing)
                self.assertEqual(caught.exception.kind, "usage")

    def test_what_is_no_seed_is_refused_in_words(self):
        calls = (lambda seed: cone.evaluate(self.data, ["treat-all"], ["naive"], seed=seed),
                 lambda seed: cone.effects(self.data, seed=seed),
                 lambda seed: cone.learn(self.data, seed=seed),
                 lambda seed: cone.sensitivity(self.data, ["treat-all"], seed=seed),
                 lambda seed: cone.simulate(nodes=50, seed=seed),
                 lambda seed: cone.reproduce("effects", out="never made", seed=seed),
                 lambda seed: cone.models.NetworkRidge(seed=seed).fit(self.data))
        for call in calls:
            for seed in (-1, 2**64, 0.5, "one", None):
                with self.assertRaisesRegex(cone.Error, "^seed: .* is no seed; bring a whole number"):
                    call(seed)
        cone.evaluate(self.data, ["treat-all"], ["naive"], seed=numpy.uint64(2**64 - 1))


if __name__ == "__main__":
    unittest.main()
