"""Mistakes that would give a confident wrong number: each is corrected or refused."""

import decimal
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
        with self.assertRaisesRegex(cone.Error, "its index lacks 240 of the nodes, such as 'p0'"):
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
            with self.assertRaisesRegex(cone.Error, f"{name}: is the name of a built-in policy, but this "
                                        "one differs: 'p0' receives arm"):
                cone.evaluate(data, {name: policy}, estimators=["naive"])
            with self.assertRaisesRegex(cone.Error, "is the name of a built-in policy"):
                cone.sensitivity(data, {name: policy})
        with self.assertRaisesRegex(cone.Error, "policies: a policy is named 'logged'"):
            cone.evaluate(data, {"logged": everyone}, estimators=["naive"])
        for policy in ("treat-all", everyone, "always:1"):
            cone.evaluate(data, {"treat-all": policy}, estimators=["naive"])

    def test_indexes_that_disagree_are_refused(self):
        shuffled = self.frame.sent.sample(frac=1, random_state=1)
        with self.assertRaisesRegex(cone.Error, "treatment: has another index than features"):
            cone.Dataset.from_arrays(features=self.frame[["x"]], treatment=shuffled,
                                     outcome=self.frame.bought)

    def test_an_index_that_only_counts_has_no_names(self):
        numbered = self.frame.reset_index(names="id").sort_values("x")
        self.assertAlmostEqual(value_of(self.read(numbered), self.policy[numbered.id].to_numpy()),
                               self.wanted, 9)

    def test_texts_are_no_pairs(self):
        with self.assertRaisesRegex(cone.Error, "are not pairs"):
            cone.Dataset.from_pandas(self.frame, treatment="sent", outcome="bought", edges=["ab", "cd"])

    def test_every_error_has_a_kind_and_faults(self):
        with self.assertRaises(cone.Error) as caught:
            value_of(self.read(self.frame), numpy.zeros((2, 2, 2)))
        self.assertEqual(caught.exception.kind, "usage")
        self.assertEqual(caught.exception.faults[0]["place"], "p")

    def test_formulas_refuse_what_is_no_policy(self):
        for policy in ([2, 2], [-1, -1], [[0.9, 0.9], [0.5, 0.5]]):
            with self.assertRaisesRegex(cone.Error, "not probabilities"):
                cone.estimators.ips([0, 1], [1.0, 2.0], policy=policy, propensity=[0.5, 0.5])

    def test_an_unknown_column_is_reported_with_the_nearest_name(self):
        frame = self.frame.assign(price=1.0, village=numpy.arange(240) % 12, name=self.frame.index)
        lists = ("features", "ignore", "categories", "counts", "keep")
        for keyword, wrong, right in (("treatment", "sentt", "sent"), ("outcome", "boght", "bought"),
                                      ("id", "names", "name"), ("weight", "prise", "price"),
                                      ("cluster", "vilage", "village"), *((name, "prise", "price") for name in lists)):
            roles = {"treatment": "sent", "outcome": "bought",
                     keyword: [wrong] if keyword in lists else wrong}
            with self.subTest(keyword), self.assertRaisesRegex(
                    cone.Error, f"^has no column '{wrong}', named by {keyword}=?; did you mean {right}\\?"):
                cone.Dataset.from_pandas(frame, **roles)

    def test_columns_may_be_called_by_numbers_and_not_twice(self):
        numbered = self.frame.set_axis([0, 1, 2], axis=1)
        made = cone.Dataset.from_pandas(numbered, treatment=1, outcome=2, features=[0], edges=self.edges)
        self.assertAlmostEqual(value_of(made, self.policy), self.wanted, 9)
        for names in (["sent", "sent", "bought"], [1, "1", "bought"]):
            with self.assertRaisesRegex(cone.Error, "two columns are called"):
                cone.Dataset.from_pandas(self.frame.set_axis(names, axis=1), treatment=names[1], outcome="bought")

    def test_features_may_be_one_text(self):
        self.assertEqual(self.read(self.frame.assign(y=1.0), features="x").feature_names, ["x"])


class Arrow:
    """What a frame of polars has and one of pandas has not, and the other way round."""

    columns = ["x"]

    def __arrow_c_stream__(self):
        raise AssertionError("was read")


class Graph:
    """What NetworkX has."""

    adj = {}

    def edges(self):
        return []


class Constructors(unittest.TestCase):
    """Other objects in place of a Dataset: the message names the constructor."""

    def values(self):
        yield make_log()["features"], "numpy.ndarray", r"from_arrays\(features="
        yield make_log(), "dict", r"from_arrays\(features="
        yield None, "NoneType", r"from_arrays\(features="
        yield "units.csv", "str", r"load\(path\)"
        yield Arrow(), "Arrow", r"from_arrow\(table, treatment="
        yield Graph(), "Graph", r"from_networkx\(graph, treatment="
        if pandas is not None:
            yield pandas.DataFrame(make_log()["features"]), "pandas.DataFrame", r"from_pandas\(frame, treatment="

    def test_every_function_names_the_constructor(self):
        calls = {"dataset": (lambda value: cone.evaluate(value, ["treat-all"]), cone.effects, cone.learn,
                             lambda value: cone.sensitivity(value, ["treat-all"])),
                 "X": (cone.NetworkRidge().fit, cone.Cone().fit)}
        for place, functions in calls.items():
            for function in functions:
                for value, kind, constructor in self.values():
                    with self.subTest(kind), self.assertRaisesRegex(
                            cone.Error, rf"^{place}: is a .*{kind} where .* takes a cone.Dataset; make a dataset by cone.Dataset.{constructor}"):
                        function(value)

    def test_every_constructor_names_the_others(self):
        roles = {"treatment": "sent", "outcome": "bought"}
        for value, kind, constructor in self.values():
            if kind != "str":
                with self.assertRaisesRegex(cone.Error, f"where load.. takes a path; .*{constructor}"):
                    cone.Dataset.load(value)
        for wanted, known in (("from_pandas", "pandas.DataFrame"), ("from_arrow", "Arrow"),
                              ("from_networkx", "Graph")):
            for value, kind, constructor in self.values():
                if kind == known or (wanted, kind) == ("from_pandas", "Arrow"):
                    continue
                if hasattr(value, "__arrow_c_stream__") and wanted == "from_arrow":
                    continue  # later versions of pandas
                with self.subTest(kind), self.assertRaisesRegex(
                        cone.Error, rf"where {wanted}\(\) takes an? .*; make a dataset by cone.Dataset.{constructor}"):
                    getattr(cone.Dataset, wanted)(value, **roles)
        with self.assertRaisesRegex(AssertionError, "was read"):
            cone.Dataset.from_pandas(Arrow(), **roles)


class Calls(unittest.TestCase):
    def setUp(self):
        self.data = cone.Dataset.from_arrays(**make_log())

    def test_no_policy_is_a_mistake_in_the_call(self):
        for nothing in ({}, [], None, "", [""]):
            for function in (cone.evaluate, cone.sensitivity):
                with self.assertRaisesRegex(cone.Error, "^policies: .*; pass a name") as caught:
                    function(self.data, nothing)
                self.assertEqual(caught.exception.kind, "usage")

    def test_numbers_of_threads_and_bounds_are_checked(self):
        calls = (lambda threads: cone.Dataset.from_arrays(**make_log(), threads=threads),
                 lambda threads: cone.Dataset.load("demo", threads=threads),
                 lambda threads: cone.evaluate(self.data, ["uniform"], ["naive"], threads=threads),
                 lambda threads: cone.effects(self.data, threads=threads),
                 lambda threads: cone.NetworkRidge(threads=threads).fit(self.data))
        for call in calls:
            for wrong in ("two", None, 1.5, -1, 2**70):
                with self.assertRaisesRegex(cone.Error, "^threads: "):
                    call(wrong)
        for wrong in (0.9, numpy.inf, "small"):
            with self.assertRaisesRegex(cone.Error, "^propensity_bound: "):
                cone.Cone(propensity_bound=wrong).fit(self.data)

    def test_objects_may_be_probabilities(self):
        half = cone.evaluate(self.data, {"p": numpy.full(240, 0.5)}, ["naive"]).record["policies"]
        for objects in ([decimal.Decimal("0.5")] * 240, numpy.full(240, 0.5).astype(object)):
            self.assertEqual(cone.evaluate(self.data, {"p": objects}, ["naive"]).record["policies"], half)
        with self.assertRaisesRegex(cone.Error, "row 239.*: missing"):
            cone.evaluate(self.data, {"p": [0.5] * 239 + [None]}, ["naive"])
        with self.assertRaisesRegex(cone.Error, "^policies: a policy has no name"):
            cone.evaluate(self.data, lambda features: features[:, 0] > 0)

    def test_arguments_without_names_or_length(self):
        for change, words in (({"keep": ["price"]}, "keep: has no names"), ({"ids": 5}, "ids: 5 are not ids"),
                              ({"counts": numpy.full((240, 2), numpy.inf)}, "row 0, counts: 480 values")):
            with self.assertRaisesRegex(cone.Error, f"^{words}"):
                cone.Dataset.from_arrays(**make_log(), **change)
        if pandas is not None:
            frame = pandas.DataFrame(numpy.ones((240, 2)), columns=["hello", "world"])
            made = cone.Dataset.from_arrays(**make_log(), counts=frame, keep=frame)
            self.assertEqual(made.feature_names[3:], ["hello", "world"])
            frame = frame.assign(t=make_log()["treatment"], y=make_log()["outcome"])
            with self.assertRaisesRegex(cone.Error, "^features: names no column"):
                cone.Dataset.from_pandas(frame, treatment="t", outcome="y", features=[])

    def test_invalid_seeds_are_refused(self):
        calls = (lambda seed: cone.evaluate(self.data, ["treat-all"], ["naive"], seed=seed),
                 lambda seed: cone.effects(self.data, seed=seed),
                 lambda seed: cone.learn(self.data, seed=seed),
                 lambda seed: cone.sensitivity(self.data, ["treat-all"], seed=seed),
                 lambda seed: cone.simulate(nodes=50, seed=seed),
                 lambda seed: cone.reproduce("effects", out="never made", seed=seed),
                 lambda seed: cone.models.NetworkRidge(seed=seed).fit(self.data))
        for call in calls:
            for seed in (-1, 2**64, 0.5, "one", None):
                with self.assertRaisesRegex(cone.Error, "^seed: .* is not a seed; pass a whole number"):
                    call(seed)
        cone.evaluate(self.data, ["treat-all"], ["naive"], seed=numpy.uint64(2**64 - 1))


if __name__ == "__main__":
    unittest.main()
