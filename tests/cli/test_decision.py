"""cone evaluate beyond the table of estimators: what every node adds."""

import csv
import json
import unittest

from support import COUPONS, MESSAGES, FolderTest, cone


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


if __name__ == "__main__":
    unittest.main()
