"""Arrays as users pass them: masks, odd types, and every argument of from_arrays, in every form of the
features."""

import datetime
import decimal
import fractions
import types
import unittest

import numpy

import cone
from support import make_log

try:
    import pandas
except ImportError:
    pandas = None
try:
    import scipy.sparse
except ImportError:
    scipy = None
try:
    import pyarrow
except ImportError:
    pyarrow = None

N = 240
RANDOM = numpy.random.default_rng(3)
MU = RANDOM.normal(size=(N, 2))
TRUTH = RANDOM.normal(size=(N, 2))
TRUTH[numpy.arange(N), make_log(N)["treatment"]] = make_log(N)["outcome"]
PROPENSITY = RANDOM.uniform(0.2, 0.8, size=N)
PROPENSITIES = numpy.column_stack([1 - PROPENSITY, PROPENSITY])
COUNTS = RANDOM.poisson(0.5, size=(N, 4))
PRICE = RANDOM.uniform(size=N)
GAPS = [3, 9]


def mask(values, where=5):
    """The values with junk under a mask."""
    masked = numpy.ma.array(values, copy=True)
    masked[where] = 99
    masked[where] = numpy.ma.masked
    return masked


def graph_of(edges, name=int):
    """What from_networkx and network= use of a NetworkX graph."""
    nodes = {name(end): {} for pair in edges for end in pair}
    return types.SimpleNamespace(nodes=lambda data: nodes.items(), adj=nodes,
                                 edges=lambda: [(name(a), name(b)) for a, b in edges])


def read(**changes):
    return cone.Dataset.from_arrays(**{**make_log(N), **changes})


class Masks(unittest.TestCase):
    def test_what_is_masked_is_refused_with_its_row(self):
        log = make_log(N)
        cases = {"outcome": ("row 5.*column outcome", mask(log["outcome"])),
                 "treatment": ("row 5.*column treatment", mask(log["treatment"])),
                 "features": ("row 5.*column x0", mask(log["features"])),
                 "weight": ("row 5.*column weight", mask(numpy.ones(N))),
                 "cluster": ("row 5.*column cluster", mask(numpy.arange(N) % 12)),
                 "ids": ("row 5.*id", mask(numpy.arange(N))),
                 "mu": ("row 5.*column mu:0", mask(MU)),
                 "truth": ("row 5.*column y:0", mask(TRUTH)),
                 "propensity": ("row 5.*column propensity:1", mask(PROPENSITY)),
                 "counts": ("row 5, counts: 4 values are missing", mask(COUNTS)),
                 "keep": ("row 5.*column price", {"price": mask(PRICE)}),
                 "network": ("network: some edges have a missing end", mask(log["network"]))}
        for name, (words, value) in cases.items():
            with self.subTest(name), self.assertRaisesRegex(cone.Error, words):
                read(**{name: value})
        kinds = {"bool": mask(log["treatment"].astype(bool)), "text": mask(log["treatment"].astype(str)),
                 "float": mask(log["treatment"].astype("f4"))}
        for name, treatment in kinds.items():
            with self.subTest(name), self.assertRaisesRegex(cone.Error, "row 5.*treatment"):
                read(treatment=treatment)

    def test_rows_of_a_list_keep_their_masks(self):
        with self.assertRaisesRegex(cone.Error, "row 5.*column x0"):
            read(features=[mask(row, 0) if i == 5 else numpy.ma.array(row)
                           for i, row in enumerate(make_log(N)["features"])])
        outcome = make_log(N)["outcome"].tolist()
        outcome[5] = numpy.ma.masked
        with self.assertRaisesRegex(cone.Error, "row 5.*column outcome"):
            read(outcome=outcome)

    def test_missing_says_what_to_do_about_them(self):
        log = make_log(N)
        for name, value in (("outcome", mask(log["outcome"], GAPS)), ("features", mask(log["features"], GAPS)),
                            ("treatment", mask(log["treatment"], GAPS)), ("mu", mask(MU, GAPS)),
                            ("weight", mask(numpy.ones(N), GAPS)), ("keep", {"price": mask(PRICE, GAPS)})):
            with self.subTest(name):
                made = read(**{name: value}, missing="drop")
                self.assertEqual(made.left_out, ["3", "9"])
                numpy.testing.assert_array_equal(made.outcome, numpy.delete(log["outcome"], GAPS))
        made = read(features=mask(log["features"], GAPS), missing="indicate")
        self.assertEqual((made.num_nodes, len(made.feature_names)), (N, 6))
        with self.assertRaisesRegex(cone.Error, "counts must not be missing"):
            read(counts=mask(COUNTS, GAPS), missing="drop")

    def test_a_mask_that_hides_nothing_changes_nothing(self):
        log = make_log(N)
        masked = {name: numpy.ma.array(value) for name, value in log.items()}
        self.assertEqual(cone.Dataset.from_arrays(**masked).checksum, cone.Dataset.from_arrays(**log).checksum)

    def test_policies(self):
        data = read()
        for policy in (mask(numpy.full(N, 0.5)), mask(numpy.full((N, 2), 0.5)), mask(numpy.ones(N, int)),
                       mask(numpy.array(["1"] * N)), lambda x: mask(numpy.full(len(x), 0.5)),
                       lambda x: mask(x[:, 0] > 0)):
            for function in (cone.evaluate, cone.sensitivity):
                with self.assertRaisesRegex(cone.Error, "row 5|5 "):
                    function(data, {"p": policy})

    def test_models(self):
        log = make_log(N)
        for learner in (cone.NetworkRidge(), cone.Cone()):
            with self.assertRaisesRegex(cone.Error, "row 5"):
                learner.fit(log["features"], mask(log["outcome"]), treatment=log["treatment"])

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_nullable_columns_are_arrays_too(self):
        log = make_log(N)
        for name, dtype in (("outcome", "Float64"), ("treatment", "Int64"), ("treatment", "boolean")):
            column = pandas.Series(log[name]).astype(dtype)
            column[5] = pandas.NA
            with self.subTest(dtype), self.assertRaisesRegex(cone.Error, f"row 5.*column {name}"):
                read(**{name: column})
        frame = pandas.DataFrame(MU).astype("Float64")
        self.assertEqual(read(mu=frame).checksum, read(mu=MU).checksum)
        frame.iloc[5, 0] = pandas.NA
        with self.assertRaisesRegex(cone.Error, "row 5.*column mu:0"):
            read(mu=frame)


#: What from_arrays takes beside features, treatment, outcome and network.
KEYWORDS = {"counts": {"counts": COUNTS}, "count_names": {"counts": COUNTS, "count_names": list("abcd")},
            "propensity": {"propensity": PROPENSITY}, "propensities": {"propensity": PROPENSITIES},
            "mu": {"mu": MU}, "truth": {"truth": TRUTH}, "keep": {"keep": {"price": PRICE}},
            "weight": {"weight": 1 + PRICE}, "cluster": {"cluster": numpy.arange(N) // 20},
            "ids": {"ids": [f"u{i}" for i in range(N)]}, "numbers as ids": {"ids": range(N, 0, -1)},
            "control": {"control": 1, "mu": MU, "propensity": PROPENSITY, "truth": TRUTH[:, ::-1]}}
KEYWORDS["all"] = {key: value for some in ("count_names", "propensities", "mu", "truth", "keep", "weight",
                                           "cluster", "ids") for key, value in KEYWORDS[some].items()}


class Everything(unittest.TestCase):
    """Every keyword, in every form that sends the data through the loader."""

    def forms(self):
        """Keywords equivalent to the arrays of make_log()."""
        features = make_log(N)["features"]
        yield "text", {"features": features.astype(str).astype(object)}
        yield "drop", {"missing": "drop"}
        yield "indicate", {"missing": "indicate"}
        yield "text outcome", {"outcome": make_log(N)["outcome"].astype(str)}
        names = ["x0", "x1", "x2"]
        if pandas is not None:
            yield "frame", {"features": pandas.DataFrame(features, columns=names)}
            yield "named frame", {"features": pandas.DataFrame(features), "feature_names": names}
        if pyarrow is not None:
            yield "arrow", {"features": pyarrow.table(dict(zip(names, features.T)))}

    def test_nothing_is_dropped(self):
        for keyword, more in KEYWORDS.items():
            known = read(**more)
            for form, changes in self.forms():
                with self.subTest(form=form, keyword=keyword):
                    self.assert_same(read(**more, **changes), known, more)

    def assert_same(self, made, known, more):
        self.assertEqual(made.checksum, known.checksum)
        self.assertEqual((made.feature_names, made.ids, made.arms),
                         (known.feature_names, known.ids, known.arms))
        numpy.testing.assert_array_equal(made.edges, known.edges)
        for name in ("mu", "propensity", "truth", "weight"):
            numpy.testing.assert_array_equal(getattr(made._core, name), getattr(known._core, name))
        if "keep" in more:
            nets = [cone.evaluate(data, ["treat-all"], ["dr_ridge"], cost={1: "price"}).record["decision"]
                    for data in (made, known)]
            self.assertEqual(*nets)

    def test_dropped_rows_are_dropped_everywhere(self):
        log = make_log(N)
        gaps = log["features"].copy()
        gaps[GAPS, 1] = numpy.nan
        kept = numpy.delete(numpy.arange(N), GAPS)
        edges = log["network"][~numpy.isin(log["network"], GAPS).any(axis=1)]
        for keyword, more in KEYWORDS.items():
            if "ids" not in more:
                more = {**more, "ids": range(N)}
            made = read(features=gaps, missing="drop", **more)
            fewer = {name: ({key: column[kept] for key, column in value.items()} if name == "keep" else
                            value if name in ("count_names", "control") else numpy.asarray(value)[kept])
                     for name, value in more.items()}
            known = read(features=gaps[kept], treatment=log["treatment"][kept], outcome=log["outcome"][kept],
                         network=numpy.searchsorted(kept, edges), **fewer)
            with self.subTest(keyword):
                self.assert_same(made, known, more)

    def test_refusals_are_about_what_was_passed(self):
        text = make_log(N)["features"].astype(str)
        for words, more in ((r"mu: has 3 columns where the treatment has 2 arms", {"mu": numpy.ones((N, 3))}),
                            ("features: 3 columns have 2 names", {"feature_names": ["a", "b"]}),
                            ("two columns are called 'a'", {"feature_names": ["a", "b", "a"]}),
                            ("'x1' is among the features and among the counts",
                             {"counts": COUNTS, "count_names": ["x1", "b", "c", "d"]}),
                            ("4 columns have 2 names", {"counts": COUNTS, "count_names": ["b", "c"]}),
                            ("called 'x1', as one from keep=", {"keep": {"x1": PRICE}}),
                            (r"the name 'a\*' would stand for all columns", {"feature_names": ["a*", "b", "c"]}),
                            ("mising: .*missing", {"mising": "drop"}),
                            ('missing: is "drp"', {"missing": "drp"})):
            with self.subTest(words), self.assertRaisesRegex(cone.Error, words):
                read(features=text, **more)
        with self.assertRaisesRegex(cone.Error, 'missing: is "drp"'):
            read(features=None, missing="drp")
        made = read(features=text, network=None)
        self.assertIn("no edges were given: the network has no edges", made.notes)

    def test_lengths_are_those_of_the_outcome(self):
        with self.assertRaisesRegex(cone.Error, "features: 3 columns have 1 names"):
            read(feature_names=["a"])
        text = make_log(N)["features"].astype(str)
        for name, value in (("treatment", [0, 1]), ("features", numpy.empty((0, 3))), ("weight", []),
                            ("cluster", []), ("ids", []), ("mu", numpy.empty((0, 2))), ("truth", MU[:9]),
                            ("propensity", []), ("counts", COUNTS[:7]), ("keep", {"price": []})):
            for features in ({}, {"features": text}) if name != "features" else ({},):
                with self.subTest(name), self.assertRaisesRegex(
                        cone.Error, rf"^{name}.*: has \d rows where the outcome has {N}; pass one per node"):
                    read(**{**features, name: value})
        for name, value in (("features", numpy.zeros((N, 2, 2))), ("mu", numpy.zeros((N, 2, 2))),
                            ("outcome", numpy.zeros((N, 2))), ("weight", numpy.ones((N, 2))),
                            ("outcome", 3.0), ("treatment", None), ("outcome", None)):
            with self.subTest(name), self.assertRaisesRegex(cone.Error, f"^{name}: (has shape|is a single)"):
                read(**{name: value})

    def test_there_may_be_no_nodes_and_no_columns(self):
        for more in ({}, {"missing": "drop", "mu": numpy.empty((0, 2)), "counts": numpy.empty((0, 2))}):
            with self.assertRaisesRegex(cone.Error, "no rows|no node"):
                cone.Dataset.from_arrays(treatment=[], outcome=[], features=numpy.empty((0, 3)), **more)
            self.assertEqual(read(features=numpy.empty((N, 0))).feature_names, [])

    @unittest.skipIf(scipy is None, "SciPy is not installed")
    def test_counts_that_are_there_twice_are_summed(self):
        ends = numpy.concatenate([[0, 2], numpy.full(N - 1, 3)])
        twice = scipy.sparse.csr_matrix((numpy.ones(3), [1, 1, 0], ends), shape=(N, 2))
        text = make_log(N)["features"].astype(str)
        for features in ({}, {"features": text}):
            self.assertEqual(read(counts=twice, **features).features[:2, 3:].tolist(), [[0, 2], [1, 0]])

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_columns_that_are_called_as_the_arms_go_to_them(self):
        labels = numpy.array(["none", "sms"])[make_log(N)["treatment"]]
        frame = pandas.DataFrame({"sms": MU[:, 1], "none": MU[:, 0]})
        for more in ({}, {"missing": "drop"}):
            made = read(treatment=labels, mu=frame, **more)
            numpy.testing.assert_array_equal(made._core.mu, MU)


class Networks(unittest.TestCase):
    def test_a_graph_of_networkx_is_a_network(self):
        edges = make_log(N)["network"].tolist()
        text = make_log(N)["features"].astype(str)
        for more in ({}, {"features": text}, {"ids": [f"u{i}" for i in range(N)]},
                     {"ids": [f"u{i}" for i in range(N)], "features": text}):
            graph = graph_of(edges, (lambda row: f"u{row}") if "ids" in more else int)
            numpy.testing.assert_array_equal(read(network=graph, **more).edges, read(**more).edges)
        with self.assertRaisesRegex(cone.Error, "network: the graph has a node 'u0' that is not in the data"):
            read(network=graph_of(edges, lambda row: f"u{row}"))

    @unittest.skipIf(pandas is None or scipy is None, "pandas or SciPy is not installed")
    def test_rows_of_a_matrix_are_rows_of_the_frame(self):
        log = make_log(N)
        ends = log["network"]
        matrix = scipy.sparse.coo_matrix((numpy.ones(N), (ends[:, 0], ends[:, 1])), shape=(N, N))
        frame = pandas.DataFrame({"x": log["features"][:, 0], "t": log["treatment"], "y": log["outcome"]})
        for index in (range(N), range(N, 0, -1), [f"u{i}" for i in range(N)]):
            made = cone.Dataset.from_pandas(frame.set_axis(list(index)), treatment="t", outcome="y", edges=matrix)
            numpy.testing.assert_array_equal(made.edges, read().edges)
        graph = graph_of(ends.tolist(), lambda row: f"u{row}")
        made = cone.Dataset.from_pandas(frame.set_axis(list(index)), treatment="t", outcome="y", edges=graph)
        numpy.testing.assert_array_equal(made.edges, read().edges)
        with self.assertRaisesRegex(cone.Error, "network: is 240 × 3 where there are 240 nodes"):
            cone.Dataset.from_pandas(frame, treatment="t", outcome="y", edges=matrix.tocsr()[:, :3])
        matrix.data[7] = numpy.nan
        with self.assertRaisesRegex(cone.Error, "network: some edges of the matrix have a missing weight"):
            read(network=matrix)

    def test_what_are_no_pairs_is_refused(self):
        text = make_log(N)["features"].astype(str)
        for network in (numpy.arange(4), [1, 2, 3], 7, [[0, 1], [2]], numpy.zeros((2, 2), complex)):
            for features in ({}, {"features": text}):
                with self.assertRaisesRegex(cone.Error, "^network: "):
                    read(network=network, **features)


class Types(unittest.TestCase):
    def test_whole_numbers_name_arms_to_the_last_digit(self):
        large = 2**53
        for arms in ([0, large, large + 1], [-large - 1, -large, 0], [0, 2**63, 2**63 + 1], [0, 2**70, 2**70 + 1]):
            labels = [arms[i % 3] for i in range(N)]
            forms = [labels, numpy.array(labels, dtype=object)]
            if arms[2] < 2**70:
                forms.append(numpy.array(labels, dtype="u8" if arms[0] == 0 else "i8"))
            for treatment in forms:
                for more in ({}, {"missing": "drop"}):
                    made = read(treatment=treatment, control=arms[0], **more)
                    self.assertEqual(sorted(made.arms, key=int), [str(arm) for arm in sorted(arms)])
            if pandas is not None:
                frame = pandas.DataFrame({"t": forms[-1], "y": make_log(N)["outcome"], "x": MU[:, 0]})
                made = cone.Dataset.from_pandas(frame, treatment="t", outcome="y", control=arms[0])
                self.assertEqual(len(made.arms), 3)

    def test_numbers_of_any_type_are_numbers(self):
        log = make_log(N)
        outcome = numpy.round(log["outcome"], 2)
        known = read(outcome=outcome).checksum
        forms = {"big-endian": outcome.astype(">f8"), "strided": numpy.repeat(outcome, 2)[::2],
                 "reversed": outcome[::-1].copy()[::-1], "column": outcome[:, None],
                 "text": [f"{y:.2f}" for y in outcome], "bytes": numpy.array([f"{y:.2f}" for y in outcome], "S"),
                 "objects": outcome.astype(object), "long double": outcome.astype(numpy.longdouble),
                 "decimals": [decimal.Decimal(f"{y:.2f}") for y in outcome]}
        for name, value in forms.items():
            with self.subTest(name):
                self.assertEqual(read(outcome=value).checksum, known)
        known = read(outcome=outcome.astype("f2")).checksum
        self.assertEqual(read(outcome=outcome.astype("f2").astype(float)).checksum, known)
        whole = numpy.arange(N) % 7
        known = read(outcome=whole).checksum
        for kind in ("u1", ">i2", "u8", "i8", object):
            self.assertEqual(read(outcome=whole.astype(kind)).checksum, known, kind)
        known = read(outcome=(whole > 3).astype(int)).checksum
        self.assertEqual(read(outcome=whole > 3).checksum, known)

    def test_what_is_no_number_is_refused(self):
        log = make_log(N)
        days = numpy.arange(N).astype("m8[D]")
        pairs = numpy.zeros(N, dtype=[("a", float), ("b", int)])
        odd = {"complex": log["outcome"] + 1j, "spans": days, "dates": numpy.datetime64("2020-01-01") + days,
               "records": pairs, "masked records": numpy.ma.array(pairs, mask=True),
               "too large": [10**400] * N, "very large": [10**5000] * N,
               "complex objects": (log["outcome"] + 1j).astype(object),
               "objects of spans": [datetime.timedelta(i) for i in range(N)],
               "objects of dates": [datetime.date(2020, 1, 1 + i % 28) for i in range(N)],
               "ragged": [[1, 2]] * (N - 1) + [[1]], "lists": [{}] * N, "words": ["a", "b"] * (N // 2)}
        for kind, value in odd.items():
            for name in ("outcome", "weight", "mu", "propensity", "truth", "keep", "features"):
                if name == "features" and kind in ("lists", "words"):
                    continue  # categories
                wide = name in ("mu", "truth") and kind != "ragged"
                table = [[cell, cell] for cell in value] if wide and isinstance(value, list) else (
                    numpy.stack([value, value], axis=1) if wide and kind != "masked records" else value)
                changes = {"keep": {"price": table}} if name == "keep" else {name: table}
                with self.subTest(kind=kind, name=name), self.assertRaises(cone.Error):
                    read(**changes)
        for kind in ("complex", "spans", "records", "too large", "complex objects", "objects of spans"):
            with self.subTest(kind), self.assertRaises(cone.Error):
                cone.estimators.snips([0, 1] * (N // 2), odd[kind], policy=numpy.ones(N), propensity=PROPENSITY)
        half = cone.estimators.naive([0, 1], [fractions.Fraction(1, 2), decimal.Decimal(2)], policy=[1, 1])
        self.assertEqual(half.value, 2)

    def test_half_of_a_surrogate_pair_is_no_text(self):
        half = "a\udc80"
        data = read()
        calls = [lambda: read(ids=[half, *range(1, N)]), lambda: read(feature_names=["a", "b", half]),
                 lambda: read(counts=COUNTS, count_names=["a", "b", "c", half]),
                 lambda: read(treatment=[half, "b"] * (N // 2)), lambda: read(cluster=[half, "b"] * (N // 2)),
                 lambda: read(keep={half: PRICE}), lambda: read(control=half),
                 lambda: read(features=numpy.array([[half]] * N, object)), lambda: cone.evaluate(data, half),
                 lambda: cone.evaluate(data, {half: "treat-all"}), lambda: cone.evaluate(data, {"p": half}),
                 lambda: cone.evaluate(data, {"p": [half] * N}), lambda: cone.sensitivity(data, "uniform", half),
                 lambda: cone.evaluate(data, "uniform", cost=half), lambda: cone.Dataset.load(half),
                 lambda: cone.Dataset.load("demo", keep=[half]), lambda: cone.Dataset.load("demo", id=half)]
        for number, call in enumerate(calls):
            with self.subTest(number), self.assertRaisesRegex(cone.Error, r"\\udc80' is not valid text"):
                call()

    def test_options_that_are_no_finite_numbers_are_named(self):
        data = read()
        for name, value in (("level", numpy.nan), ("clip", numpy.inf), ("level", numpy.float32("nan")),
                            ("clip", 10**400), ("folds", -numpy.inf), ("cost", {1: numpy.nan})):
            with self.subTest(name), self.assertRaisesRegex(cone.Error, f"^{name}"):
                cone.evaluate(data, ["uniform"], ["naive"], **{name: value})
        with self.assertRaisesRegex(cone.Error, "^gamma: nan is not a finite number"):
            cone.Cone(gamma=float("nan")).fit(data)
        with self.assertRaisesRegex(cone.Error, "^level: cannot be <object"):
            cone.evaluate(data, ["uniform"], level=object())


if __name__ == "__main__":
    unittest.main()
