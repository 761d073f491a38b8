"""cone evaluate beyond the table of estimators: what every node adds, costs, repeats."""

import csv
import json
import random
import unittest

import jsonschema

from support import COUPONS, MESSAGES, ROOT, FolderTest, cone

SCHEMA = json.loads((ROOT / "docs/evaluation.schema.json").read_text())


class Nodes(FolderTest):
    def nodes(self, data, *arguments):
        """The lines of --nodes and the record of a run that must succeed."""
        out, record = self.folder / "n.csv", self.folder / "n.json"
        self.output = cone("evaluate", data, "--nodes", out, "--json", record, *arguments)
        self.assertEqual(self.output.returncode, 0, self.output.stderr)
        with open(out, newline="") as file:
            return list(csv.DictReader(file)), json.loads(record.read_text())

    def test_weights_and_outcomes_give_the_value_of_the_decision(self):
        policy = COUPONS / "policy.csv"
        rows, record = self.nodes(COUPONS, "--policy", "treat-all", policy,
                                  "--estimators", "naive,network_dm")
        decision = record["decision"]
        names = [p["name"] for p in record["policies"]]
        self.assertEqual(list(rows[0]), ["id", "arm", "outcome", "mu0", "mu1", "propensity0",
                                         "propensity1", *(f"weight:{n}" for n in names),
                                         *(f"influence:{n}" for n in names)])
        self.assertEqual(len(rows), 30)
        for policy in decision["policies"][1:]:
            products = [float(r[f"weight:{policy['name']}"]) * float(r["outcome"]) for r in rows]
            self.assertAlmostEqual(sum(products) / len(rows), policy["value"], 9)
        self.assertIn("30 nodes, by network_dm", self.output.stderr)

    def test_arms_with_labels_have_them_in_the_columns_and_gaps_are_empty(self):
        rows, _ = self.nodes(MESSAGES, "--policy", "always:email", "--estimators", "snips")
        self.assertEqual(rows[0]["mu:email"], "")
        self.assertEqual(rows[0]["weight:always:email"], "")
        float(rows[0]["influence:always:email"])
        self.assertGreater(float(rows[0]["propensity:email"]), 0)
        self.assertIn("email", {row["arm"] for row in rows})

    def test_one_file_for_two_outputs_is_refused(self):
        done = cone("evaluate", COUPONS, "--policy", "uniform", "--nodes", self.folder / "a",
                    "--json", self.folder / "a")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the same file", done.stderr)


class Costs(FolderTest):
    def decision(self, *arguments):
        done = cone("evaluate", MESSAGES, "--policy", "always:email", "always:control",
                    "--estimators", "network_dm", "--json", "-", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        record = json.loads(done.stdout)
        jsonschema.validate(record, SCHEMA)
        return record["decision"]

    def test_the_decision_is_net_of_cost_and_says_both(self):
        gross = self.decision()
        net = self.decision("--cost", "email=3", "--cost", "sms=0.5")
        self.assertNotIn("costs", gross)
        self.assertEqual(net["costs"], {"control": 0, "email": 3, "sms": 0.5})
        done, email, control = net["policies"]
        self.assertEqual((email["cost"], control["cost"]), (3, 0))
        with open(MESSAGES / "nodes.csv", newline="") as file:
            arms = [row["treatment"] for row in csv.DictReader(file)]
        self.assertAlmostEqual(done["cost"], (3 * arms.count("email") + 0.5 * arms.count("sms"))
                               / len(arms), 12)
        self.assertEqual(email["value"], gross["policies"][1]["value"])
        self.assertEqual(email["sampling_interval"], gross["policies"][1]["sampling_interval"])
        self.assertAlmostEqual(email["net_value"], email["value"] - 3, 12)
        self.assertAlmostEqual(email["net_sampling_interval"][1], email["sampling_interval"][1] - 3, 12)
        self.assertAlmostEqual(email["gain"], email["net_value"] - done["net_value"], 12)

    def test_the_text_says_what_is_net_and_what_is_not(self):
        done = cone("evaluate", MESSAGES, "--policy", "always:email", "--cost", "email=3",
                    "--details")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("less the mean cost per unit (email 3)", "net value", "after costs",
                     "The tables below are before costs."):
            self.assertIn(part, done.stdout)

    def test_wrong_costs_are_refused(self):
        for arguments, part in ((["--cost", "letter=1"], "'control', 'email', 'sms'"),
                                (["--cost", "email"], "LABEL=NUMBER"),
                                (["--cost", "sms=1", "--cost", "sms=2"], "already"),
                                (["--cost", "sms=1", "--protocol", "split"], "--protocol split")):
            done = cone("evaluate", MESSAGES, "--policy", "uniform", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)


class Direction(FolderTest):
    """A trial of a drug that halves deaths where x > 0 and does nothing elsewhere."""

    def write_trial(self, outcome="deaths", num_nodes=600):
        draw = random.Random(5)
        lines = []
        for i in range(num_nodes):
            x, drug = draw.gauss(0, 1), draw.randrange(2)
            lines.append(f"{i},{drug},{int(draw.random() < (0.1 if drug and x > 0 else 0.4))},{x:.6f}\n")
        return self.write("trial.csv", f"id,drug,{outcome},x\n" + "".join(lines))

    def run_trial(self, command, *arguments, outcome="deaths"):
        words = ["--out", self.folder / "rule.csv"] if command == "learn" else ["--policy", "treat-all", "treat-none"]
        done = cone(command, self.write_trial(outcome), "--treatment", "drug", "--outcome", outcome, *words,
                    *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_drug_that_saves_lives_is_the_best(self):
        usual = json.loads(self.run_trial("evaluate", "--randomised", "--json", "-"))
        record = json.loads(self.run_trial("evaluate", "--randomised", "--lower-is-better", "--json", "-"))
        jsonschema.validate(record, SCHEMA)
        decision = record["decision"]
        self.assertEqual((decision["lower_is_better"], decision["outcome"]), (True, "deaths"))
        self.assertEqual((usual["decision"]["single_best"], decision["single_best"]), ("treat-none", "treat-all"))
        for before, after in zip(usual["decision"]["policies"], decision["policies"]):
            for name in ("value", "sampling_interval", "gain", "sampling_gain_interval", "verdict"):
                self.assertEqual(before.get(name), after.get(name))
        text = self.run_trial("evaluate", "--randomised", "--lower-is-better", "--report", self.folder / "r.html")
        self.assertTrue(text.startswith("Value: the mean outcome (deaths, lower is better) under the policy"), text)
        self.assertIn("treat-all: better than the logged policy, lower by 0.", text)
        self.assertIn("treat-none: worse than the logged policy, higher by 0.", text)
        page = (self.folder / "r.html").read_text()
        self.assertIn("outcome: deaths, lower is better", page)
        self.assertIn("Left of the dotted line at zero it is better", page)
        self.assertIn("--lower-is-better", page)

    def test_the_learnt_rule_lowers_deaths(self):
        text = self.run_trial("learn", "--lower-is-better", "--depth", 1)
        self.assertTrue(text.startswith("Rule (deaths, lower is better), learnt from all 600 nodes"), text)
        self.assertIn("x <= ", text)
        self.assertIn("no:  assign 1", text)
        self.assertRegex(text, r"learnt rule: no verdict on the difference from the logged policy "
                               r"\(0\.\d+ to 0\.\d+ less per unit\)")

    def test_budgets_and_sensitivity_say_which_way(self):
        text = self.run_trial("evaluate", "--lower-is-better", "--rank", "x", "--estimators", "network_dm")
        self.assertIn("over no treatment; lower is better.", text)
        self.assertIn("The ranking is better than random assignment", text)
        self.assertIn("The estimated gain is lowest with", text)
        text = self.run_trial("sensitivity", "--lower-is-better")
        self.assertTrue(text.startswith("Outcome: deaths, lower is better. "), text)
        self.assertRegex(text, "The value of treat-all is [0-9.]+ lower per unit than that of the logged policy")

    def test_an_outcome_that_names_harm_is_questioned_until_a_direction_is_declared(self):
        question = "! higher counts as better, and the outcome is called 'deaths': use --lower-is-better if"
        for command in ("evaluate", "learn"):
            self.assertIn(question, self.run_trial(command))
            for declared in ("--lower-is-better", "--no-lower-is-better"):
                self.assertNotIn("counts as better", self.run_trial(command, declared))
            self.assertNotIn("counts as better", self.run_trial(command, outcome="alive"))
        checked = cone("check", self.write_trial(), "--treatment", "drug", "--outcome", "deaths")
        self.assertIn(question, checked.stdout)


class Repeats(FolderTest):
    def test_the_record_says_how_many_and_how_far_seeds_move_a_value(self):
        arguments = ["evaluate", COUPONS, "--policy", "treat-all", "--estimators",
                     "naive,dr_ridge,network_dm", "--repeats", 3]
        done = cone(*arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        record = json.loads(done.stdout)
        jsonschema.validate(record, SCHEMA)
        self.assertEqual(record["repeats"], 3)
        estimates = {e["estimator"]: e for e in record["policies"][0]["estimates"]}
        self.assertEqual(estimates["naive"]["seed_sd"], 0)
        self.assertGreater(estimates["dr_ridge"]["seed_sd"], 0)
        decided = record["decision"]["policies"][1]
        self.assertEqual(decided["value"], estimates["network_dm"]["value"])
        self.assertEqual(decided["sampling_interval"], estimates["network_dm"]["sampling_interval"])
        self.assertIn("Medians over 3 repeats", cone(*arguments).stdout)
        once = json.loads(cone(*arguments[:-2], "--json", "-").stdout)
        self.assertEqual(once["repeats"], 1)
        self.assertNotIn("seed_sd", once["policies"][0]["estimates"][0])

    def test_files_about_one_fit_are_refused(self):
        model = self.folder / "m"
        self.assertEqual(cone("fit", COUPONS, "--out", model, "--parts", "network_ridge")
                         .returncode, 0)
        for arguments, part in ((["--nodes", self.folder / "n.csv"], "--nodes"),
                                (["--attention", self.folder / "a.csv"], "--attention"),
                                (["--model", model], "fixed by the model"),
                                (["--protocol", "split"], "--protocol split")):
            done = cone("evaluate", COUPONS, "--policy", "uniform", "--repeats", 2, *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)
        self.assertFalse((self.folder / "n.csv").exists())
        self.assertEqual(cone("evaluate", COUPONS, "--policy", "uniform", "--repeats", 0)
                         .returncode, 2)


if __name__ == "__main__":
    unittest.main()
