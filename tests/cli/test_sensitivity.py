"""cone sensitivity: unmeasured confounding that changes a conclusion."""

import json
import unittest

import jsonschema

from support import COUPONS, MESSAGES, ROOT, FolderTest, cone, stop_at

SCHEMA = json.loads((ROOT / "docs/sensitivity.schema.json").read_text())


class Sensitivity(FolderTest):
    def record(self, data, *arguments):
        done = cone("sensitivity", data, *arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        record = json.loads(done.stdout)
        jsonschema.validate(record, SCHEMA)
        return record

    def test_the_answer_starts_with_sentences(self):
        done = cone("sensitivity", COUPONS, "--policy", "treat-all", "uniform")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("The value of treat-all is", done.stdout)
        self.assertIn("than that of the logged policy", done.stdout)
        self.assertIn("odds of treatment", done.stdout)
        self.assertIn("network ridge", done.stdout)
        self.assertIn("Robustness value", done.stdout)

    def test_the_record_has_arrays_and_what_was_asked_for(self):
        record = self.record(MESSAGES, "--policy", "always:email", "uniform", "--lambda-max", 3,
                             "--against", "always:sms")
        self.assertEqual(record["schema"], "cone.sensitivity/2")
        self.assertEqual(record["reference"], "policy")
        self.assertEqual(record["config"]["lambda_max"], 3)
        self.assertEqual([p["name"] for p in record["policies"]], ["always:email", "uniform"])
        for policy in record["policies"]:
            self.assertEqual(policy["against"], "always:sms")
            curve = policy["marginal"]
            self.assertEqual(curve["lambda"][0], 1)
            self.assertEqual(curve["lambda"][-1], 3)
            self.assertAlmostEqual(curve["lower"][0], policy["value"], 9)
            for lower, upper in zip(curve["lower"], curve["upper"]):
                self.assertLessEqual(lower, upper)
            names = [b["name"] for b in policy["omitted_variable"]["benchmarks"]]
            self.assertEqual(names[0], "network")
            self.assertIn("visits", names)

    def test_the_value_is_that_of_an_evaluation(self):
        data = self.write_log(120)
        record = self.record(data, "--policy", "treat-all", "--against", "none", "--benchmarks",
                             "none", "--seed", 4)
        evaluated = self.evaluate(data, "--policy", "treat-all", "--estimators", "network_dm",
                                  "--seed", 4)
        value = evaluated["policies"][0]["estimates"][0]["value"]
        self.assertAlmostEqual(record["policies"][0]["network_ridge_value"], value, 12)
        self.assertEqual(record["policies"][0]["omitted_variable"]["benchmarks"], [])
        done = self.record(data, "--policy", "treat-all", "--benchmarks", "none", "--seed", 4)
        self.assertAlmostEqual(done["policies"][0]["value"] + done["observed_mean"],
                               record["policies"][0]["value"], 12)

    def test_units_of_the_outcome_change_figures_and_nothing_else(self):
        plain = self.record(self.write_log(), "--policy", "treat-all", "--benchmarks", "x")
        moved = self.record(self.write_log(shift=1000.0), "--policy", "treat-all", "--benchmarks",
                            "x")
        for one, other in zip(plain["policies"], moved["policies"]):
            self.assertAlmostEqual(one["value"], other["value"], 6)
            self.assertAlmostEqual(one["omitted_variable"]["robustness_value"],
                                   other["omitted_variable"]["robustness_value"], 6)

    def test_the_same_at_any_number_of_threads(self):
        data = self.write_log()
        one = self.record(data, "--policy", "treat-all", "--threads", 1)
        self.assertEqual(one, self.record(data, "--policy", "treat-all", "--threads", 3))

    def test_policies_from_files_and_the_file_of_the_record(self):
        data = self.write_log()
        out = self.folder / "out.json"
        done = cone("sensitivity", data, "--policy", data / "policy.csv", "--against", "treat-none",
                    "--json", out, "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        record = json.loads(out.read_text())
        self.assertEqual(record["policies"][0]["name"], "alternate")
        self.assertIn("The value of alternate is", done.stdout)

    def test_wrong_usage_is_refused_before_the_work(self):
        data = self.write_log()
        policy = ["--policy", "treat-all"]
        for arguments, part in (([], "--policy"), ([*policy, "--lambda-max", 0.5], "--lambda-max"),
                                ([*policy, "--against", "treat-al"], "treat-al"),
                                ([*policy, "--against", ""], "--against"),
                                ([*policy, "--benchmarks", "income"], "income"),
                                ([*policy, "--json", data / "nodes.csv"], "would replace"),
                                ([*policy, "--json", self.folder / "no" / "x"], "--json"),
                                ([*policy, "--level", 1], "--level")):
            done = cone("sensitivity", data, *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_ctrl_c_stops_soon(self):
        done = stop_at("%", "sensitivity", "demo", "--policy", "treat-all")
        self.assertEqual(done.returncode, 130, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_help_and_completion_know_the_command(self):
        self.assertIn("Examples:", cone("sensitivity", "--help").stdout)
        self.assertIn("cone sensitivity", cone("--help").stdout)
        self.assertIn("lambda-max", cone("completion", "bash").stdout)


if __name__ == "__main__":
    unittest.main()
