"""cone evaluate --rank and --budget-curve: the gain of a ranking at every budget."""

import csv
import json
import random
import unittest

import jsonschema

from support import COUPONS, MESSAGES, ROOT, FolderTest, cone

SCHEMA = json.loads((ROOT / "docs/evaluation.schema.json").read_text())
RIDGE = ("--estimators", "network_dm")


class Budgets(FolderTest):
    def curves(self, data, *arguments):
        """The curves of the record and the lines of the file, of a run that must succeed."""
        out, record = self.folder / "curve.csv", self.folder / "record.json"
        self.output = cone("evaluate", data, "--json", record, "--budget-curve", out, *arguments)
        self.assertEqual(self.output.returncode, 0, self.output.stderr)
        record = json.loads(record.read_text())
        jsonschema.validate(record, SCHEMA)
        self.record = record
        with open(out, newline="") as file:
            return record["budget_curves"], list(csv.DictReader(file))

    def write_ranked(self, num_nodes=240):
        """The effect is z, the cost `price`; `score` is z with noise. Treatment is randomised."""
        draw = random.Random(3)
        lines = []
        for i in range(num_nodes):
            x, z, t = draw.gauss(0, 1), draw.gauss(0, 1), draw.randrange(2)
            lines.append([f"u{i}", t, x + t * z + draw.gauss(0, 0.3), x, z,
                          z + draw.gauss(0, 0.2), 0.1 + 0.1 * (i % 3), "north"])
        with open(self.folder / "nodes.csv", "w", newline="") as file:
            csv.writer(file).writerows([["id", "treatment", "outcome", "x", "z", "score", "price",
                                         "shop"], *lines])
        self.write("edges.csv", "source,target\n" + "".join(
            f"u{i},u{(i + 1) % num_nodes}\n" for i in range(num_nodes)))
        return self.folder

    def test_a_column_that_ranks_well_beats_lots_and_the_curve_ends_at_treat_all(self):
        data = self.write_ranked()
        curves, rows = self.curves(data, "--policy", "treat-all", "treat-none", "--rank", "score",
                                   "--ignore", "score,shop,price", *RIDGE)
        curve, = curves
        self.assertEqual((curve["ranking"], curve["is_policy"], curve["arm"]),
                         ("score", False, "1"))
        self.assertEqual([p["share"] for p in curve["points"]], [k / 20 for k in range(21)])
        self.assertGreater(curve["qini"]["interval"][0], 0)
        self.assertLess(curve["qini"]["p"], 0.01)
        treat_all, treat_none = (p["estimates"][0]["value"] for p in self.record["policies"])
        self.assertAlmostEqual(curve["points"][-1]["gain"], treat_all - treat_none, 12)
        self.assertEqual(len(rows), 21)
        for row, point in zip(rows, curve["points"]):
            self.assertEqual((row["ranking"], row["arm"]), ("score", "1"))
            self.assertEqual(float(row["gain"]), point["gain"])
            self.assertEqual([float(row["joint_low"]), float(row["joint_high"])],
                             point["joint_interval"])
            self.assertEqual(row["truth"], "")
        for part in ("Budgets: 1 for the units ranked first by the column score", "gain over random",
                     "The ranking is better than random assignment, conditional on no unmeasured confounding: averaged over all budgets",
                     "with an unmeasured confounder as strong as the network).",
                     "The estimated gain is largest with"):
            self.assertIn(part, self.output.stdout)
        # A ranking is no feature where it is left out.
        self.assertEqual(self.record["data"]["num_features"], 2)

    def test_costs_by_column_come_off(self):
        data = self.write_ranked()
        base = ("--policy", "treat-all", "--rank", "score", "--ignore", "score,shop", *RIDGE)
        gross = self.curves(data, *base, "--ignore", "price")[0][0]
        net = self.curves(data, *base, "--cost", "1=price")[0][0]
        self.assertAlmostEqual(net["points"][-1]["cost"], 0.2, 9)
        self.assertLess(net["best_share"], gross["best_share"])
        for before, after in zip(gross["points"], net["points"]):
            self.assertAlmostEqual(after["gain"], before["gain"] - after["cost"], 9)
        self.assertIn("net of costs", self.output.stdout)
        self.assertEqual(self.record["decision"]["cost_columns"], {"1": "price"})
        self.assertIn("cost_checksum", self.record["config"])
        self.assertEqual(self.record["data"]["num_features"], 2)

    def test_a_cost_column_that_features_name_is_no_feature_and_said_to_be_none(self):
        data = self.write_ranked()
        arguments = ["evaluate", data, "--policy", "treat-all", *RIDGE, "--cost", "1=price"]
        done = cone(*arguments, "--features", "price,score", "--json", self.folder / "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        note = ("the column 'price' is not used as a feature, although --features names it, because it "
                "is used by --cost")
        self.assertIn(note, done.stderr)
        record = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(record["data"]["num_features"], 1)
        self.assertTrue(any(note in warning for warning in record["diagnostics"]["warnings"]))
        self.assertNotIn("is no feature", cone(*arguments).stderr)

    def test_a_name_of_a_policy_and_a_column_ranks_nothing(self):
        data = self.write_ranked()
        ids = [line.split(",")[0] for line in (data / "nodes.csv").read_text().splitlines()[1:]]
        policy = self.write("p.csv", "id,score\n" + "".join(f"{name},{i % 2}\n" for i, name in enumerate(ids)))
        done = cone("evaluate", data, "--policy", policy, *RIDGE, "--rank", "score")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("--rank score: is a policy of this run and a column of the nodes", done.stderr)

    def test_without_rank_the_policies_that_rank_units_do(self):
        curves, rows = self.curves(COUPONS, "--policy", "treat-all", COUPONS / "policy.csv",
                                   "--budget-steps", 4, *RIDGE)
        names = [c["ranking"] for c in curves]
        self.assertEqual(names, ["rare_visitors"])
        self.assertEqual(len(rows), 5 * len(names))
        self.assertTrue(all(c["is_policy"] for c in curves))

    def test_several_arms_need_one_for_those_ranked_first(self):
        base = ("evaluate", MESSAGES, "--policy", "always:sms", "always:control", "--rank",
                "visits", *RIDGE)
        done = cone(*base)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--rank-arm", done.stderr)
        done = cone(*base, "--rank-arm", "sms", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        record = json.loads(done.stdout)
        jsonschema.validate(record, SCHEMA)
        curve, = record["budget_curves"]
        self.assertEqual(curve["arm"], "sms")
        sms, control = (p["estimates"][0]["value"] for p in record["policies"])
        self.assertAlmostEqual(curve["points"][-1]["gain"], sms - control, 12)
        self.assertIn("truth", curve["points"][3])

    def test_weights_count_units_and_weights_of_one_change_nothing(self):
        data = self.write_ranked()
        lines = (self.folder / "nodes.csv").read_text().split()
        base = ("--policy", "treat-all", "--rank", "score", "--ignore", "score,shop", "--cost",
                "1=price", *RIDGE)
        plain = self.curves(data, *base)[0][0]
        for weights in ([1] * 240, [1 + i % 3 for i in range(240)]):
            table = [lines[0] + ",units", *(f"{line},{w}" for line, w in zip(lines[1:], weights))]
            self.write("nodes.csv", "\n".join(table) + "\n")
            curve = self.curves(data, *base, "--weight", "units")[0][0]
            close = all(abs(a["gain"] - b["gain"]) < 1e-9
                        for a, b in zip(plain["points"], curve["points"]))
            self.assertEqual(close, weights[1] == 1)
        # Of three units, two and one have the prices 0.3, 0.2 and 0.1.
        self.assertAlmostEqual(curve["points"][-1]["cost"], (0.9 + 0.4 + 0.1) / 6, 9)

    def test_curves_go_to_a_file_only(self):
        done = cone("evaluate", COUPONS, "--policy", "treat-all", "--budget-curve", "-")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--budget-curve: writes a file, never the standard output", done.stderr)

    def test_a_line_without_a_cost_is_left_out_by_its_name(self):
        data = self.folder / "shop.csv"
        rows = [f"u{i},{i % 2},{i % 7},{(i * 7) % 5},{'' if i == 3 else 0.5}" for i in range(60)]
        data.write_text("id,treatment,outcome,x,fee\n" + "\n".join(rows) + "\n")
        done = cone("evaluate", data, "--policy", "treat-all", "--cost", "1=fee", "--estimators",
                    "naive", "--missing", "indicate")
        self.assertIn("a cost", done.stderr)

    def test_a_run_without_rankings_has_no_curves(self):
        record = self.evaluate(COUPONS, "--policy", "uniform", *RIDGE)
        self.assertNotIn("budget_curves", record)

    def test_a_constant_ranking_is_refused(self):
        data = self.write_ranked()
        curve = ["--budget-curve", self.folder / "c.csv"]
        for arguments, part in ((["--rank", "scor"], "did you mean score?"),
                                (["--rank", "treat-all"], "it gives no ranking"),
                                (["--rank", "outcome"], "has another role"),
                                (["--rank", "score", "--protocol", "split"], "--protocol split"),
                                (["--rank", "score", "--repeats", 2], "--repeats"),
                                (["--rank-arm", 1], "without --rank"),
                                (["--budget-steps", 5], "without --rank"),
                                (["--rank", "score", "--budget-steps", 1], "--budget-steps"),
                                (curve, "none ranks them"),
                                ([*curve, "--repeats", 2], "--repeats"),
                                ([*curve, "--json", self.folder / "c.csv"], "the same file")):
            done = cone("evaluate", data, "--policy", "treat-all", *RIDGE, *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            self.assertIn(part, done.stderr)
        self.assertFalse((self.folder / "c.csv").exists())


if __name__ == "__main__":
    unittest.main()
