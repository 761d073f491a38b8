"""--weight and --cluster through the program: every command counts units, or says that it cannot."""

import csv
import json
import random
import unittest

import jsonschema

from support import ROOT, FolderTest, cone

SCHEMA = json.loads((ROOT / "docs/evaluation.schema.json").read_text())
ROWS = ["--estimators", "naive,snips,dr_ridge,network_dm", "--no-sensitivity-interval"]


class Units(FolderTest):
    def write_units(self, weight=lambda i: 1 + i % 3, num_nodes=80):
        """The small log with a column of weights and one of groups."""
        data = self.write_log(num_nodes)
        title, *lines = (data / "nodes.csv").read_text().splitlines()
        told = [f"{line},{weight(i)},v{i * 7 % 16}" for i, line in enumerate(lines)]
        self.write("nodes.csv", "\n".join([title + ",weight,village", *told]) + "\n")
        return data

    def test_intervals_for_the_population_take_the_groups_in(self):
        """Forty villages that share noise, each treated as a whole."""
        draw, lines = random.Random(8), []
        for v in range(40):
            shared, t = draw.gauss(0, 1), draw.randrange(2)
            for i in range(10):
                x = draw.gauss(0, 1)
                lines.append(f"n{v}_{i},{t},{x + shared + draw.gauss(0, 1)!r},{x!r},v{v}\n")
        data = self.write("villages.csv", "id,treatment,outcome,x,village\n" + "".join(lines))
        flags = ["--policy", "treat-all", "--cluster", "village", "--estimators", "naive,snips,dr_ridge,network_dm"]

        def estimates(*more):
            record = self.evaluate(data, *flags, *more)
            return {e["estimator"]: e for e in record["policies"][0]["estimates"]}

        def width(interval):
            return interval[1] - interval[0]

        these, population = estimates(), estimates("--target", "population")
        for name, e in population.items():
            self.assertEqual(e["sampling_interval"], e["population_sampling_interval"], name)
            self.assertEqual(e["standard_error"], e["population_standard_error"], name)
            self.assertEqual(e["sampling_interval"], these[name]["population_sampling_interval"], name)
            self.assertGreater(width(e["sampling_interval"]), 0.95 * width(these[name]["sampling_interval"]), name)
        plain = cone("sensitivity", data, "--policy", "treat-all", "--lambdas", 3, "--ignore", "village", "--json", "-")
        groups = cone("sensitivity", data, "--policy", "treat-all", "--lambdas", 3, "--cluster", "village", "--json", "-")
        errors = [json.loads(done.stdout)["policies"][0]["population_standard_error"] for done in (plain, groups)]
        self.assertGreater(errors[1], 1.5 * errors[0])

    def rows(self):
        with open(self.folder / "nodes.csv") as file:
            return list(csv.DictReader(file))

    def weighted_outcome(self):
        total = sum(float(r["weight"]) for r in self.rows())
        return sum(float(r["weight"]) * float(r["outcome"]) for r in self.rows()) / total

    def test_the_record_counts_units_and_follows_the_schema(self):
        data = self.write_units()
        flags = ["--policy", "treat-all", "--weight", "weight", "--cluster", "village", *ROWS]
        record = self.evaluate(data, *flags)
        jsonschema.validate(record, SCHEMA)
        self.assertEqual(record["config"]["weight"], "weight")
        self.assertEqual(record["data"]["num_features"], 2)
        self.assertEqual(record["data"]["clusters"], {"count": 16})
        self.assertAlmostEqual(record["data"]["weights"]["effective_sample_size"], 159**2 / 369, 6)
        self.assertAlmostEqual(record["decision"]["policies"][0]["value"], self.weighted_outcome(), 12)
        treated = [r for r in self.rows() if r["treatment"] == "1"]
        naive = (sum(float(r["weight"]) * float(r["outcome"]) for r in treated) /
                 sum(float(r["weight"]) for r in treated))
        estimates = {e["estimator"]: e for e in record["policies"][0]["estimates"]}
        self.assertAlmostEqual(estimates["naive"]["value"], naive, 12)
        names = [e["dependence"] for e in estimates["network_dm"]["standard_errors"]]
        self.assertIn("clusters", names)
        text = cone("evaluate", data, *flags)
        self.assertIn("Value: the weighted mean outcome", text.stdout)
        self.assertIn("standard errors are clustered by 'village' (16 clusters)", text.stderr)
        self.assertIn("means are weighted by 'weight'", text.stderr)

    def test_a_column_that_is_merely_called_weight_is_a_feature(self):
        record = self.evaluate(self.write_units(), "--policy", "treat-all", "--ignore", "village", *ROWS)
        self.assertEqual(record["data"]["num_features"], 3)
        self.assertNotIn("weights", record["data"])

    def test_equal_weights_are_none(self):
        data = self.write_units(weight=lambda i: 2.5)
        flags = ["--policy", "treat-all", "policy.csv", "--ignore", "village", *ROWS]
        flags[2] = data / "policy.csv"
        weighted = self.evaluate(data, "--weight", "weight", *flags)
        flags[4] = "village,weight"
        plain = self.evaluate(data, *flags)
        self.assertEqual(weighted["policies"], plain["policies"])
        self.assertEqual(weighted["decision"], plain["decision"])

    def test_nodes_repeats_and_targets(self):
        data = self.write_units()
        nodes = self.folder / "out.csv"
        flags = ["--policy", "treat-all", "--weight", "weight", "--ignore", "village",
                 "--estimators", "network_dm", "--no-sensitivity-interval"]
        record = self.evaluate(data, *flags, "--nodes", nodes)
        with open(nodes) as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(list(lines[0])[:4], ["id", "arm", "outcome", "weight"])
        self.assertAlmostEqual(sum(float(r["weight"]) for r in lines) / 80, 1, 12)
        value = sum(float(r["weight:treat-all"]) * float(r["outcome"]) for r in lines) / 80
        self.assertAlmostEqual(value, record["policies"][0]["estimates"][0]["value"], 8)
        repeated = self.evaluate(data, *flags, "--repeats", 3)
        self.assertAlmostEqual(repeated["decision"]["policies"][0]["value"], self.weighted_outcome(), 12)
        like = self.evaluate(data, *flags, "--target", "population")
        self.assertEqual(like["policies"][0]["estimates"][0]["value"],
                         record["policies"][0]["estimates"][0]["value"])

    def test_other_commands_count_units_too(self):
        data = self.write_units()
        table = ["--weight", "weight", "--ignore", "village", "--seed", 3, "--folds", 3]
        evaluated = self.evaluate(data, "--policy", "treat-all", "--estimators", "network_dm",
                                  "--no-sensitivity-interval", *table)
        gain = evaluated["decision"]["policies"][1]["gain"]
        done = cone("refute", data, "--policy", "treat-all", "--out", self.folder / "refuted",
                    "--draws", 2, "--checks", "seeds", *table)
        self.assertEqual(done.returncode, 0, done.stderr)
        refuted = json.loads((self.folder / "refuted/refutation.json").read_text())
        self.assertAlmostEqual(refuted["policies"][0]["difference"], gain, 10)
        done = cone("sensitivity", data, "--policy", "treat-all", "--benchmarks", "none", "--json",
                    "-", *table)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertAlmostEqual(told["observed_mean"], self.weighted_outcome(), 12)
        self.assertAlmostEqual(told["policies"][0]["network_ridge_value"], gain, 10)
        done = cone("learn", data, "--out", self.folder / "rule.csv", "--depth", 1, "--json", "-", *table)
        self.assertEqual(done.returncode, 0, done.stderr)
        values = {v["name"]: v for v in json.loads(done.stdout)["comparisons"]}
        self.assertAlmostEqual(values["logged"]["value"], self.weighted_outcome(), 12)
        for command in (["fit", data, "--out", self.folder / "m", "--parts", "network_ridge"],
                        ["effects", data, "--out", self.folder / "e.csv"]):
            done = cone(*command, *table)
            self.assertEqual(done.returncode, 0, done.stderr)
        checked = cone("check", data, *table[:4])
        self.assertIn("weight", checked.stdout)

    def test_what_cannot_count_them_says_so(self):
        data = self.write_units()
        self.assertIn("--cluster: cannot be used with --protocol split",
                      self.refused(data, "--policy", "treat-all", "--cluster", "village",
                                   "--protocol", "split", *ROWS))
        self.assertIn("--weight: applies only to CSV input",
                      self.refused("demo", "--policy", "treat-all", "--weight", "weight"))
        self.assertIn("has no column 'units'",
                      self.refused(data, "--policy", "treat-all", "--weight", "units"))
        done = cone("learn", data, "--out", self.folder / "rule.csv", "--weight", "weight",
                    "--budget", 0.5)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--budget: is a share of the nodes", done.stderr)
        done = cone("refute", data, "--policy", "treat-all", "--out", self.folder / "refuted",
                    "--cluster", "village")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--cluster: is not supported by refute", done.stderr)

    def test_a_weight_that_is_none_is_a_fault(self):
        data = self.write_units(weight=lambda i: -1 if i == 4 else 1)
        message = self.refused(data, "--policy", "treat-all", "--weight", "weight")
        self.assertIn("nodes.csv:6, column weight (u4): '-1' is a negative weight", message)


if __name__ == "__main__":
    unittest.main()
