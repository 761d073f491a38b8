"""cone.Dataset: the same data from files, arrays, data frames and graphs; the same refusals."""

import unittest

import numpy

import cone
from support import FolderTest, make_log

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
try:
    import networkx
except ImportError:
    networkx = None


class FromArrays(FolderTest):
    def setUp(self):
        super().setUp()
        self.log = make_log()

    def test_has_the_content_of_the_files(self):
        loaded = cone.Dataset.load(self.write_log(self.log))
        made = cone.Dataset.from_arrays(**self.log)
        self.assertEqual(made.checksum, loaded.checksum)
        self.assertEqual(made.ids[:3], ["0", "1", "2"])
        numpy.testing.assert_array_equal(made.features, self.log["features"])
        numpy.testing.assert_array_equal(made.treatment, self.log["treatment"])
        self.assertEqual(made.feature_names, ["x0", "x1", "x2"])
        self.assertEqual(len(made.edges), 240)

    def test_any_layout_and_type_of_numbers_is_taken(self):
        wide = numpy.asfortranarray(self.log["features"])
        known = cone.Dataset.from_arrays(**self.log).checksum
        for features in (wide, self.log["features"].tolist(),
                         numpy.hstack([wide, wide])[:, :3]):
            changed = dict(self.log, features=features)
            self.assertEqual(cone.Dataset.from_arrays(**changed).checksum, known)
        changed = dict(self.log, treatment=self.log["treatment"].astype(bool))
        self.assertEqual(cone.Dataset.from_arrays(**changed).checksum, known)
        changed = dict(self.log, treatment=[str(t) for t in self.log["treatment"]])
        self.assertEqual(cone.Dataset.from_arrays(**changed).checksum, known)

    @unittest.skipIf(scipy is None, "SciPy is not installed")
    def test_sparse_matrices_are_networks_and_counts(self):
        ends = self.log["network"]
        network = scipy.sparse.coo_matrix((numpy.ones(240), (ends[:, 0], ends[:, 1])),
                                          shape=(240, 240))
        known = cone.Dataset.from_arrays(**self.log)
        made = cone.Dataset.from_arrays(**dict(self.log, network=network))
        self.assertEqual(made.checksum, known.checksum)
        counts = numpy.random.default_rng(0).poisson(0.5, size=(240, 6))
        sparse = cone.Dataset.from_arrays(**dict(self.log, features=scipy.sparse.csr_matrix(counts)))
        dense = cone.Dataset.from_arrays(**dict(self.log, features=None, counts=counts))
        self.assertEqual(sparse.checksum, dense.checksum)
        numpy.testing.assert_array_equal(sparse.features, counts)
        self.assertEqual(sparse.feature_names[0], "f0")
        with self.assertRaisesRegex(cone.Error, "network: is 240 × 3"):
            cone.Dataset.from_arrays(**dict(self.log, network=network.tocsr()[:, :3]))
        stored = network.tocsr()
        wanted = cone.Dataset.from_arrays(**dict(self.log, network=stored))
        stored = (stored + scipy.sparse.eye(stored.shape[0], k=7, format="csr")).tocsr()
        stored.data[stored.tocoo().col == stored.tocoo().row + 7] = 0  # stored, and not edges
        found = cone.Dataset.from_arrays(**dict(self.log, network=stored))
        self.assertEqual(found.checksum, wanted.checksum)

    def test_arms_keep_their_labels(self):
        labels = numpy.array(["none", "letter", "call"])[numpy.arange(240) % 3]
        made = cone.Dataset.from_arrays(**dict(self.log, treatment=labels))
        self.assertEqual(made.arms, ["none", "call", "letter"])
        made = cone.Dataset.from_arrays(**dict(self.log, treatment=labels, control="call"))
        self.assertEqual(made.arms[0], "call")

    def test_given_nuisances_weights_clusters_and_kept_columns_are_read(self):
        mu = numpy.column_stack([numpy.zeros(240), numpy.ones(240)])
        price = numpy.linspace(0, 1, 240)
        made = cone.Dataset.from_arrays(**self.log, propensity=numpy.full(240, 0.5), mu=mu,
                                        weight=1 + numpy.arange(240) % 2,
                                        cluster=["a", "b", "c"] * 80, keep={"price": price})
        answer = cone.evaluate(made, ["treat-all"], ["dm"], nuisances="given", cost={"1": "price"})
        self.assertAlmostEqual(answer.record["policies"][0]["estimates"][0]["value"], 1)
        row = answer.record["decision"] or answer.record
        self.assertIn("price", str(answer.record["config"]["cost"]))
        self.assertIsNotNone(row)

    def test_faults_name_the_row_and_come_all_at_once(self):
        log = dict(self.log, outcome=self.log["outcome"].copy(), ids=[f"u{i}" for i in range(240)])
        log["outcome"][3] = numpy.nan
        log["features"] = self.log["features"].copy()
        log["features"][5, 1] = numpy.inf
        with self.assertRaises(cone.Error) as caught:
            cone.Dataset.from_arrays(**log)
        text = str(caught.exception)
        self.assertIn("row 3 (u3), column outcome", text)
        self.assertIn("row 5 (u5), column x1", text)
        self.assertEqual(caught.exception.kind, "data")
        with self.assertRaisesRegex(cone.Error, "treatment: has 3 rows where the outcome has 240"):
            cone.Dataset.from_arrays(**dict(self.log, treatment=[0, 1, 0]))
        for network, message in (([[0, 240]], "240 is not a row: there are 240"),
                               ([[0, -1]], "-1 is not a row"), ([[0.5, 1.0]], "pass whole numbers"),
                               ([0, 1, 2], "has shape")):
            with self.assertRaisesRegex(cone.Error, message):
                cone.Dataset.from_arrays(**dict(self.log, network=numpy.array(network)))

    def test_text_and_missing_values_are_read_as_from_files(self):
        table = numpy.column_stack([self.log["features"][:, 0],
                                    numpy.array(["north", "south"])[numpy.arange(240) % 2]])
        made = cone.Dataset.from_arrays(**dict(self.log, features=table.astype(object)))
        self.assertEqual(made.feature_names, ["x0", "x1=north", "x1=south"])
        gaps = self.log["features"].copy()
        gaps[[3, 9], 0] = numpy.nan
        made = cone.Dataset.from_arrays(**dict(self.log, features=gaps), missing="indicate")
        self.assertEqual(made.num_nodes, 240)
        self.assertEqual(len(made.feature_names), 4)
        made = cone.Dataset.from_arrays(**dict(self.log, features=gaps), missing="drop")
        self.assertEqual((made.num_nodes, made.left_out), (238, ["3", "9"]))
        answer = cone.evaluate(made, {"mine": numpy.linspace(0, 1, 240)}, ["dr_ridge"])
        numpy.testing.assert_allclose(answer.record["policies"][0]["treated_fraction"],
                                      numpy.delete(numpy.linspace(0, 1, 240), [3, 9]).mean())


@unittest.skipIf(pandas is None, "pandas is not installed")
class FromPandas(FolderTest):
    def setUp(self):
        super().setUp()
        log = make_log()
        self.edges = log["network"]
        self.frame = pandas.DataFrame(log["features"], columns=["a", "b", "c"])
        self.frame["town"] = pandas.Categorical(numpy.array(["x", "y", "z"])[numpy.arange(240) % 3])
        self.frame["member"] = numpy.arange(240) % 2 == 0
        self.frame["sent"] = log["treatment"]
        self.frame["bought"] = log["outcome"]

    def make(self, frame=None, **options):
        frame = self.frame if frame is None else frame
        return cone.Dataset.from_pandas(frame, treatment="sent", outcome="bought", **options)

    def test_is_read_as_the_csv_file_is(self):
        path = self.folder / "frame.csv"
        self.frame.assign(id=self.frame.index).to_csv(path, index=False)
        loaded = cone.Dataset.load(path, treatment="sent", outcome="bought")
        made = self.make()
        self.assertEqual(made.checksum, loaded.checksum)
        self.assertEqual(made.feature_names,
                         ["a", "b", "c", "town=x", "town=y", "town=z", "member"])

    def test_a_column_called_id_names_rows_without_labels(self):
        frame = self.frame.assign(id=[f"u{i}" for i in range(240)])
        made = self.make(frame)
        self.assertEqual((made.ids[3], "id" in made.feature_names), ("u3", False))
        self.assertEqual(self.make(frame, features=["a"], id="id").ids[3], "u3")
        named = frame.set_index(pandas.Index([f"v{i}" for i in range(240)]))
        self.assertEqual(self.make(named, features=["a"]).ids[3], "v3")

    def test_missing_values_are_refused_with_row_labels_or_handled(self):
        frame = self.frame.set_index(pandas.Index([f"u{i}" for i in range(240)]))
        frame.loc["u7", "b"] = numpy.nan
        frame.loc["u9", "town"] = None
        with self.assertRaises(cone.Error) as caught:
            self.make(frame)
        self.assertIn("row 7 (u7), column b", str(caught.exception))
        self.assertIn("row 9 (u9), column town", str(caught.exception))
        self.assertIn('missing="indicate"', str(caught.exception))
        made = self.make(frame, missing="drop")
        self.assertEqual(made.left_out, ["u7", "u9"])
        answer = cone.evaluate(made, {"members": lambda rows: rows["member"]}, ["dr_ridge"])
        self.assertAlmostEqual(answer.record["policies"][0]["treated_fraction"], 120 / 238)

    def test_edges_are_about_the_index(self):
        names = pandas.Index([f"u{i}" for i in range(240)])
        frame = self.frame.set_index(names)
        edges = pandas.DataFrame({"source": names[self.edges[:, 0]], "target": names[self.edges[:, 1]]})
        made = self.make(frame, edges=edges)
        self.assertEqual(made.num_edges, 240)
        self.assertEqual(self.make(edges=self.edges).num_edges, 240)
        edges.loc[4, "target"] = "unknown_id"
        with self.assertRaisesRegex(cone.Error, "edge 4.*unknown_id"):
            self.make(frame, edges=edges)

    def test_series_are_aligned_by_their_labels(self):
        share = pandas.Series(numpy.linspace(0, 1, 240), index=self.frame.index)
        made = self.make()
        straight = cone.evaluate(made, {"p": share}, ["dr_ridge"])
        shuffled = cone.evaluate(made, {"p": share.sample(frac=1, random_state=0)}, ["dr_ridge"])
        self.assertEqual(straight.record["policies"], shuffled.record["policies"])
        self.assertIsInstance(straight.table, pandas.DataFrame)

    def test_nullable_types_and_chosen_features(self):
        frame = self.frame.assign(a=self.frame["a"].astype("Float64"),
                                  sent=self.frame["sent"].astype("Int64"),
                                  member=self.frame["member"].astype("boolean"))
        self.assertEqual(self.make(frame).checksum, self.make().checksum)
        made = self.make(features=["a", "town"])
        self.assertEqual(made.feature_names, ["a", "town=x", "town=y", "town=z"])
        frame.loc[3, "member"] = pandas.NA
        with self.assertRaisesRegex(cone.Error, r"row 3 \(3\), column member"):
            self.make(frame)


@unittest.skipIf(pyarrow is None, "pyarrow is not installed")
class FromArrow(unittest.TestCase):
    def columns(self):
        log = make_log()
        towns = ["north", None, "a town with a long name"]
        return {"a": log["features"][:, 0], "count": numpy.arange(240, dtype=numpy.int16) % 7,
                "town": [towns[i % 3] for i in range(240)], "member": numpy.arange(240) % 2 == 0,
                "sent": log["treatment"], "bought": log["outcome"]}

    def make(self, table, **options):
        return cone.Dataset.from_arrow(table, treatment="sent", outcome="bought", missing="indicate",
                                       **options)

    def test_every_type_says_what_the_table_of_texts_says(self):
        columns = self.columns()
        known = self.make(pyarrow.table(columns))
        self.assertIn("town=a town with a long name", known.feature_names)
        table = pyarrow.table(columns)
        town = table.schema.get_field_index("town")
        for kind in (pyarrow.large_string(), pyarrow.string_view(),
                     pyarrow.dictionary(pyarrow.int8(), pyarrow.string())):
            changed = table.set_column(town, "town", table["town"].cast(kind))
            self.assertEqual(self.make(changed).checksum, known.checksum, kind)
        chunked = pyarrow.concat_tables([table.slice(0, 100), table.slice(100)])
        self.assertEqual(self.make(chunked).checksum, known.checksum)
        numpy.testing.assert_array_equal(known.outcome, columns["bought"])

    def test_features_of_arrays_may_be_a_table(self):
        columns = self.columns()
        columns["town"] = [town or "south" for town in columns["town"]]
        sent, bought = columns.pop("sent"), columns.pop("bought")
        made = cone.Dataset.from_arrays(features=pyarrow.table(columns), treatment=sent, outcome=bought)
        self.assertEqual(made.feature_names[:2], ["a", "count"])
        self.assertIn("town=north", made.feature_names)
        same = self.make(pyarrow.table({**columns, "sent": sent, "bought": bought}))
        self.assertEqual(made.checksum, same.checksum)

    def test_gaps_ids_and_edges(self):
        columns = self.columns()
        columns["name"] = [f"u{i}" for i in range(240)]
        table = pyarrow.table(columns)
        edges = pyarrow.table({"source": ["u0", "u1"], "target": ["u1", "u2"]})
        made = self.make(table, id="name", edges=edges, features=["a"])
        self.assertEqual((made.ids[3], made.num_edges, made.feature_names), ("u3", 2, ["a"]))
        gap = pyarrow.array([None, *columns["a"][1:]], type=pyarrow.float64())
        with self.assertRaisesRegex(cone.Error, r"row 0 \(u0\), column a"):
            cone.Dataset.from_arrow(table.set_column(0, "a", gap), id="name", treatment="sent",
                                    outcome="bought", features=["a"])
        with self.assertRaisesRegex(cone.Error, "has the Arrow type 'tdD', which is not read"):
            self.make(table.append_column("day", pyarrow.array(range(240), type=pyarrow.date32())))


@unittest.skipIf(networkx is None, "NetworkX is not installed")
class FromNetworkx(unittest.TestCase):
    def test_attributes_are_columns_and_edges_the_network(self):
        log = make_log()
        graph = networkx.Graph()
        for i in range(240):
            graph.add_node(f"u{i}", x=log["features"][i, 0], sent=int(log["treatment"][i]),
                           bought=log["outcome"][i])
        graph.add_edges_from((f"u{a}", f"u{b}") for a, b in log["network"])
        made = cone.Dataset.from_networkx(graph, treatment="sent", outcome="bought", features=["x"])
        self.assertEqual((made.num_nodes, made.num_edges, made.feature_names), (240, 240, ["x"]))
        self.assertEqual(made.ids[5], "u5")


if __name__ == "__main__":
    unittest.main()
