"""What users write as keywords: labels of arms, and messages that name keywords where the program names
flags."""

import unittest

import numpy

import cone
from support import MESSAGES, ROOT, FolderTest, make_log


class Messages(FolderTest):
    def setUp(self):
        super().setUp()
        self.data = cone.Dataset.from_arrays(**make_log())

    def message(self, **options):
        with self.assertRaises(cone.Error) as caught:
            cone.evaluate(self.data, ["uniform"], **options)
        return str(caught.exception), caught.exception.faults

    def test_flags_are_keywords(self):
        text, faults = self.message(protocol="split", folds=3)
        self.assertEqual(text, 'folds: has no effect with protocol="split"; leave it out')
        self.assertEqual(faults, [{"place": "folds", "what": 'has no effect with protocol="split"',
                                   "advice": "leave it out"}])

    def test_a_flag_without_a_value_has_none(self):
        text, _ = self.message(budget_steps=5)
        self.assertIn("has no effect without rank= or budget_curve=", text)

    def test_values_of_flags_are_values_of_keywords(self):
        with self.assertRaises(cone.Error) as caught:
            cone.Dataset.load(ROOT / "examples/letters/survey.csv", id="name", treatment="letter",
                              outcome="voted")
        text = str(caught.exception)
        self.assertIn('fill it in, or use ignore="income", missing="indicate" (mean imputation with an '
                      'indicator) or missing="drop" (drops such lines)', text)
        self.assertNotIn("--", text)

    def test_notes_name_keywords_and_no_files(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        log = make_log()
        frame = pandas.DataFrame({"outcome": log["features"][:, 0], "sent": log["treatment"], "y": log["outcome"]})
        notes = cone.Dataset.from_pandas(frame, treatment="sent", outcome="y").notes
        self.assertIn("outcome= names 'y', so the column 'outcome' is used as a feature; exclude it with ignore=",
                      notes)
        self.assertIn("no edges were given: the network has no edges", notes)

    def test_policies_are_called_as_the_argument_is(self):
        with self.assertRaisesRegex(cone.Error, "^policies: two policies are named 'uniform'"):
            cone.evaluate(self.data, ["uniform", "uniform"])

    def test_names_of_the_data_stay_as_they_are(self):
        (self.folder / "p.csv").write_text("id,--rank x\n" + "".join(f"{i},2\n" for i in range(240)))
        with self.assertRaises(cone.Error) as caught:
            cone.evaluate(self.data, [self.folder / "p.csv"])
        self.assertIn("column --rank x", str(caught.exception))
        with self.assertRaisesRegex(cone.Error, "^always:a --folds 3: the data has no arm 'a --folds 3'"):
            cone.evaluate(self.data, ["always:a --folds 3"])


class Names(unittest.TestCase):
    def test_an_unknown_keyword_is_reported_with_the_nearest_name(self):
        log = make_log()
        data = cone.Dataset.from_arrays(**log)
        calls = {"epochs": lambda: cone.Cone(epoch=3), "folds": lambda: cone.NetworkRidge(fold=3),
                 "draws": lambda: cone.NetworkRidge().set_params(draw=3),
                 "network": lambda: cone.Dataset.from_arrays(**log, networks=1),
                 "missing": lambda: cone.Dataset.load(MESSAGES, mising="drop"),
                 "depth": lambda: cone.learn(data, dept=1), "nodes": lambda: cone.simulate(node=9),
                 "level": lambda: cone.evaluate(data, ["uniform"], levels=0.9)}
        for nearest, call in calls.items():
            with self.subTest(nearest), self.assertRaisesRegex(cone.Error, f"did you mean {nearest}\\?"):
                call()

    def test_learners_have_the_defaults_of_the_program(self):
        for learner, function in ((cone.NetworkRidge, "effects"), (cone.Cone, "evaluate")):
            listed = {line["name"]: line["default"] for line in cone._core.list_options(function)}
            for name, value in learner().get_params().items():
                if value is not None and name in listed:
                    self.assertEqual(value, listed[name], f"{learner.__name__}.{name}")


class Labels(unittest.TestCase):
    def read(self, treatment, control):
        return cone.Dataset.from_arrays(treatment=treatment, outcome=numpy.arange(40.0) % 7,
                                        control=control).arms

    def test_numbers_name_the_control_arm(self):
        for control in (2, 2.0, numpy.int64(2), numpy.float32(2), "2"):
            self.assertEqual(self.read([1, 2] * 20, control), ["2", "1"], repr(control))
        for control in (True, numpy.True_, 1, "1"):
            self.assertEqual(self.read([False, True] * 20, control), ["1", "0"], repr(control))
        self.assertEqual(self.read(["a", "b"] * 20, "b"), ["b", "a"])

    def test_what_is_no_label_is_refused(self):
        for control in ([2], {"a": 1}, numpy.array([1, 2])):
            with self.assertRaisesRegex(cone.Error, "is not an arm label"):
                self.read([1, 2] * 20, control)
        with self.assertRaisesRegex(cone.Error, "the treatment has no value '3'"):
            self.read([1, 2] * 20, 3)

    def test_tables_costs_and_ranks_take_them_too(self):
        log = make_log()
        table = {"x": log["features"][:, 0], "sent": log["treatment"] + 1, "bought": log["outcome"]}
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        data = cone.Dataset.from_pandas(pandas.DataFrame(table), treatment="sent", outcome="bought",
                                        control=numpy.int64(2), keep=["x"])
        self.assertEqual(data.arms, ["2", "1"])
        by_number = cone.evaluate(data, ["always:1"], ["naive"], cost={1: 0.5}, rank="x", rank_arm=1)
        by_text = cone.evaluate(data, ["always:1"], ["naive"], cost={"1": 0.5}, rank="x", rank_arm="1")
        self.assertEqual(by_number.record["policies"], by_text.record["policies"])
        fitted = cone.NetworkRidge(folds=2).fit(data)
        self.assertEqual(fitted.predict(arm=numpy.int64(1)).tolist(), fitted.predict(arm="1").tolist())

    def test_labels_of_files_are_texts(self):
        self.assertEqual(cone.Dataset.load(MESSAGES, control="sms").arms[0], "sms")


if __name__ == "__main__":
    unittest.main()
