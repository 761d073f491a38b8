"""The records of a few small runs are what they were (cases.py says how close)."""

import copy
import json
import unittest

from cases import CASES, FOLDER, REFRESH, differences, evaluate


def golden(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


class GoldenRecords(unittest.TestCase):
    maxDiff = None

    def check(self, name):
        kept = golden(name)
        record, outcome_sd = evaluate(name)
        found = differences(kept["record"], record, kept["record"], outcome_sd)
        self.assertFalse(found, "\n".join([f"{name}: {REFRESH}", *found[:30]]))


for case in CASES:
    setattr(GoldenRecords, f"test_{case}", lambda self, name=case: self.check(name))


class Comparison(unittest.TestCase):
    """The comparison itself sees what it should."""

    def setUp(self):
        self.golden = golden("simulated")
        self.record = copy.deepcopy(self.golden["record"])
        self.estimates = {e["estimator"]: e for e in self.record["policies"][0]["estimates"]}

    def found(self):
        return differences(self.golden["record"], self.record, self.golden["record"],
                           self.golden["outcome_sd"])

    def test_closed_forms_to_nine_digits_and_networks_to_a_thousandth(self):
        self.estimates["ips"]["value"] *= 1 + 1e-10
        self.estimates["cone"]["value"] += 0.9e-3 * self.golden["outcome_sd"]
        self.assertEqual(self.found(), [])
        self.estimates["ips"]["value"] *= 1 + 1e-8
        self.estimates["cone"]["value"] += 0.2e-3 * self.golden["outcome_sd"]
        self.assertEqual(len(self.found()), 2)

    def test_warnings_and_status_exactly(self):
        self.estimates["switch_dr"]["warnings"].append("a doubt")
        self.estimates["ips"]["status"] = "undefined"
        self.assertEqual(len(self.found()), 2)

    def test_a_value_that_went_missing(self):
        self.estimates["ips"]["value"] = None
        self.assertEqual(len(self.found()), 1)

    def test_fields_that_are_missing_or_new(self):
        del self.estimates["ips"]["max_weight"]
        self.estimates["ips"]["colour"] = "blue"
        self.assertEqual(sorted(line.rsplit("/", 1)[1] for line in self.found()),
                         ["colour: is new", "max_weight: is missing"])


if __name__ == "__main__":
    unittest.main()
