"""A dataset goes to other processes as it is: pickle, copy, multiprocessing."""

import copy
import multiprocessing
import pickle
import unittest

import numpy

import cone
from support import MESSAGES, ROOT, FolderTest, make_log, without_timings


def value_of(data):
    return cone.evaluate(data, ["uniform"], ["network_dm", "dr_ridge"], threads=1).to_json()


def datasets(folder):
    """Every way in, and everything that a dataset may hold."""
    log = make_log()
    n = len(log["outcome"])
    yield cone.Dataset.load(MESSAGES)
    yield cone.Dataset.load(ROOT / "examples/letters/survey.csv", id="name", treatment="letter",
                            outcome="voted", ignore=["moved"], missing="drop")
    yield cone.simulate(nodes=150, mean_degree=5, words=40, words_per_node=8, seed=1)
    yield cone.Dataset.from_arrays(
        **log, ids=[f"p{i} é" for i in range(n)], weight=numpy.arange(n) + 1.0,
        cluster=[f"v{i // 8}" for i in range(n)], propensity=numpy.full(n, 0.5),
        mu=numpy.tile([0.0, 1.0], (n, 1)), keep={"price": numpy.arange(n) / n})
    features = {f"x{j}": log["features"][:, j] for j in range(3)}
    try:
        import pandas
    except ImportError:
        return
    frame = pandas.DataFrame({**features, "kind": numpy.where(log["features"][:, 0] > 0, "a", "b"),
                              "sent": log["treatment"], "bought": log["outcome"]})
    yield cone.Dataset.from_pandas(frame, treatment="sent", outcome="bought", edges=log["network"])


class Pickling(FolderTest):
    def test_the_copy_is_the_same_dataset(self):
        for data in datasets(self.folder):
            value = without_timings(value_of(data))
            for twin in (pickle.loads(pickle.dumps(data)), copy.deepcopy(data), copy.copy(data)):
                with self.subTest(data):
                    self.assertEqual(repr(twin), repr(data))
                    for name in ("checksum", "ids", "left_out", "arms", "notes", "warnings"):
                        self.assertEqual(getattr(twin, name), getattr(data, name), name)
                    for name in ("features", "edges", "treatment", "outcome", "weight", "propensity",
                                 "mu", "truth"):
                        numpy.testing.assert_array_equal(getattr(twin._core, name),
                                                         getattr(data._core, name))
                    self.assertEqual(twin.check(), data.check())
                    self.assertEqual(without_timings(value_of(twin)), value)

    def test_costs_find_their_column_in_the_copy(self):
        data = list(datasets(self.folder))[3]
        twin = pickle.loads(pickle.dumps(data))
        values = [cone.evaluate(d, ["treat-all"], ["naive"], cost={"1": "price"}).record["policies"]
                  for d in (data, twin)]
        self.assertEqual(values[0], values[1])

    def test_files_need_not_be_there_any_more(self):
        path = self.write_log(make_log())
        data = cone.Dataset.load(path)
        text = pickle.dumps(data)
        (path / "nodes.csv").write_text("id,treatment,outcome\n")
        self.assertEqual(pickle.loads(text).checksum, data.checksum)

    def test_functions_of_the_frame_work_in_the_copy(self):
        data = list(datasets(self.folder))[-1]
        twin = pickle.loads(pickle.dumps(data))
        numpy.testing.assert_array_equal(numpy.asarray(twin.frame), numpy.asarray(data.frame))

    def test_other_processes_take_it(self):
        data = cone.Dataset.from_arrays(**make_log())
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found = pool.map(value_of, [data])[0]
        self.assertEqual(without_timings(found), without_timings(value_of(data)))

    def test_a_broken_state_is_refused(self):
        core = cone.Dataset.from_arrays(**make_log())._core
        good = core.__getstate__()
        wrong = [("version", 99, "another version"), ("outcome", good["outcome"][:3], "do not fit"),
                 ("treatment", good["treatment"] + 7, "do not fit"), ("ids", ["a"], "do not fit"),
                 ("arms", 3, "missing from the pickled dataset, or broken"),
                 ("neighbours", good["neighbours"] + 1000, "")]
        for name, value, message in wrong:
            twin = cone._core.Dataset.__new__(cone._core.Dataset)
            with self.subTest(name), self.assertRaisesRegex(cone.Error, message):
                twin.__setstate__({**good, name: value})
        with self.assertRaisesRegex(cone.Error, "mu: is missing"):
            cone._core.Dataset.__new__(cone._core.Dataset).__setstate__(
                {key: value for key, value in good.items() if key != "mu"})

    def test_answers_can_be_pickled_too(self):
        data = cone.Dataset.load(MESSAGES)
        answer = cone.evaluate(data, ["uniform"], ["dr_ridge"])
        self.assertEqual(pickle.loads(pickle.dumps(answer)).to_json(), answer.to_json())
        ridge = cone.NetworkRidge(folds=2).fit(data)
        numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(ridge)).mu_, ridge.mu_)


if __name__ == "__main__":
    unittest.main()
