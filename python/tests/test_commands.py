"""effects, learn, sensitivity and simulate: what the program says."""

import csv
import json
import unittest

import numpy

import cone
from support import MESSAGES, FolderTest, make_log, run_program, without_timings


class Commands(FolderTest):
    def test_effects_are_those_of_the_program(self):
        out = self.folder / "effects.csv"
        text = run_program("effects", MESSAGES, "--out", out, "--seed", 2, "--folds", 3)
        found = cone.effects(cone.Dataset.load(MESSAGES), seed=2, folds=3)
        with open(out, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["id"] for row in rows], found.ids)
        for a, arm in enumerate(found.arms):
            numpy.testing.assert_allclose([float(row[f"mu:{arm}"]) for row in rows], found.mu[:, a],
                                          rtol=1e-12)
        self.assertEqual(str(found), text)
        numpy.testing.assert_allclose(found.parts.sum(axis=2), found.mu, rtol=1e-9)
        plain = cone.effects(cone.Dataset.load(MESSAGES), seed=2, folds=3, effect_shrinkage="none")
        numpy.testing.assert_allclose(plain.mu[:, 2] - plain.mu[:, 0], plain.effect[:, 1])
        self.assertEqual(plain.shrinkage.size, 0)
        numpy.testing.assert_array_equal(found.mu, plain.mu)
        centre = plain.effect.mean(axis=0)
        numpy.testing.assert_allclose(found.effect, centre + (1 - found.shrinkage) * (plain.effect - centre))
        for slope, error in zip(found.calibration_slope, found.calibration_slope_se):
            self.assertIn(f"calibration slope {slope:.2f} (95 % CI {slope - 1.96 * error:.2f} to", text)

    def test_a_rule_is_that_of_the_program(self):
        out, record = self.folder / "rule.csv", self.folder / "rule.json"
        text = run_program("learn", MESSAGES, "--out", out, "--json", record, "--depth", 1, "--cost",
                           "sms=0.4")
        rule = cone.learn(cone.Dataset.load(MESSAGES), depth=1, cost={"sms": 0.4})
        self.assertEqual(without_timings(rule.to_json()), without_timings(record.read_text()))
        self.assertEqual(str(rule), text)
        with open(out, newline="") as file:
            self.assertEqual([row["learnt"] for row in csv.DictReader(file)], rule.labels)
        self.assertTrue(rule.to_svg().startswith("<svg"))
        with self.assertRaisesRegex(cone.Error, 'has no effect with outcome_model="ridge"'):
            cone.learn(cone.Dataset.load(MESSAGES), outcome_model="ridge", undersmoothing=0.5)

    def test_a_rule_can_be_evaluated(self):
        data = cone.Dataset.load(MESSAGES)
        rule = cone.learn(data, depth=1)
        answer = cone.evaluate(data, {"rule": rule.out_of_fold_labels}, ["dr_ridge"])
        self.assertEqual(answer.record["policies"][0]["name"], "rule")

    def test_a_rule_evaluated_in_sample_is_warned_of(self):
        data = cone.simulate(nodes=200, mean_degree=6, words=40, words_per_node=8, seed=1)
        rule = cone.learn(data, depth=1)
        for policy in (rule, rule.labels):
            answer = cone.evaluate(data, {"mine": policy, "all": "treat-all"}, estimators=["dr_ridge"])
            self.assertIn("mine was learnt from the same data", " ".join(answer.warnings))
        answer = cone.evaluate(data, {"mine": rule.out_of_fold_labels}, estimators=["dr_ridge"])
        self.assertNotIn("was learnt", " ".join(answer.warnings))
        with self.assertRaisesRegex(cone.Error, "would hold HTML"):
            answer.report("page.pdf")

    def test_sensitivity_is_that_of_the_program(self):
        data = cone.Dataset.load(MESSAGES)
        for against in ("logged", "none", "uniform"):
            program = run_program("sensitivity", MESSAGES, "--policy", "always:sms", "--against",
                                  against, "--json", "-", "--lambdas", 3, "--benchmarks", "network")
            found = cone.sensitivity(data, ["always:sms"], against, lambdas=3,
                                     benchmarks=["network"])
            self.assertEqual(without_timings(found.to_json()), without_timings(program))
        row = found._rows()[0]
        self.assertEqual(row["breakdown"], found.record["policies"][0]["marginal"]["breakdown"])
        self.assertIn("always:sms", found.sentences["always:sms"][0])
        array = cone.sensitivity(data, {"sms": ["sms"] * 300}, numpy.full((300, 3), 1 / 3), lambdas=3,
                                 benchmarks=["network"])
        self.assertEqual(array.record["policies"][0]["value"], found.record["policies"][0]["value"])

    def test_reports_are_those_of_the_program(self):
        data = cone.Dataset.load(MESSAGES)
        answer = cone.evaluate(data, ["always:sms", "uniform"], ["network_dm", "dr_ridge"])
        analysis = cone.sensitivity(data, ["always:sms"], lambdas=3, benchmarks=["network"])
        for name, record in (("answer", answer), ("analysis", analysis)):
            (self.folder / f"{name}.json").write_text(record.to_json())
        for beside in ([], [analysis]):
            files = [self.folder / f"{name}.json" for name in ("answer", "analysis")][:1 + len(beside)]
            run_program("report", *files, "--out", self.folder / "program.html")
            answer.report(self.folder / "python.html", *beside)
            self.assertEqual((self.folder / "python.html").read_bytes(),
                             (self.folder / "program.html").read_bytes())

    def test_simulations_are_those_of_the_program(self):
        small = {"nodes": 60, "mean_degree": 4, "words": 30, "words_per_node": 6}
        flags = [word for name, value in small.items()
                 for word in ("--" + name.replace("_", "-"), value)]
        run_program("simulate", "--out", self.folder / "program", "--seed", 5, *flags)
        made = cone.simulate(seed=5, **small)
        self.assertEqual(made.checksum, cone.Dataset.load(self.folder / "program").checksum)
        cone.simulate(self.folder / "python", seed=5, **small)
        self.assertEqual((self.folder / "python/nodes.csv").read_bytes(),
                         (self.folder / "program/nodes.csv").read_bytes())
        manifest = json.loads((self.folder / "python/manifest.json").read_text())
        self.assertEqual(manifest["config"]["seed"], 5)
        with self.assertRaisesRegex(cone.Error, "top_words: applies only to real networks; network= is not given"):
            cone.simulate(top_words=5)

    def test_clusters_of_a_simulation_are_clusters_of_its_dataset(self):
        made = cone.simulate(self.folder / "made", world="villages")
        self.assertEqual(made.checksum, cone.Dataset.load(self.folder / "made", cluster="cluster").checksum)
        record = cone.evaluate(made, ["treat-all"], ["naive"]).record
        self.assertEqual((record["data"]["clusters"]["count"], record["data"]["num_features"]), (40, 3))

    def test_studies_are_those_of_the_program(self):
        options = {"data": "demo", "simulations": 2, "estimators": ["dm_ols1"]}
        text = run_program("reproduce", "effects", "--data", "demo", "--out", self.folder / "program",
                           "--simulations", 2, "--estimators", "dm_ols1")
        study = cone.reproduce("effects", out=self.folder / "python", **options)
        self.assertEqual(str(study), text)
        self.assertEqual((self.folder / "python/effects.json").read_bytes(),
                         (self.folder / "program/effects.json").read_bytes())
        self.assertEqual((study.num_reused, study.failures), (0, []))
        again = cone.reproduce("effects", out=self.folder / "python", **options)
        self.assertEqual(again.num_reused, study.num_units)
        with self.assertRaisesRegex(cone.Error, "runs: has no effect with effects"):
            cone.reproduce("effects", out=self.folder / "python", runs=3)
        with self.assertRaisesRegex(cone.Error, "tabel2: is not a study; did you mean table2"):
            cone.reproduce("tabel2", out=self.folder / "python")

    def test_errors_are_python_exceptions(self):
        data = cone.Dataset.from_arrays(**make_log(60))
        for call in (cone.effects, cone.learn):
            with self.assertRaisesRegex(cone.Error, "fold: is not an option; did you mean folds?"):
                call(data, fold=3)
        with self.assertRaisesRegex(cone.Error, "does not exist"):
            cone.Dataset.load(self.folder / "nothing.csv")


if __name__ == "__main__":
    unittest.main()
