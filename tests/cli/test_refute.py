"""cone refute: refutation tests by reruns."""

import json
import unittest

from support import FolderTest, cone, stop_at

FEW = ["--draws", 2, "--folds", 3]


class Refute(FolderTest):
    def refute(self, data, *arguments, out="refuted"):
        done = cone("refute", data, "--policy", "treat-all", "--out", self.folder / out, *FEW,
                    *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, json.loads((self.folder / out / "refutation.json").read_text())

    def test_a_verdict_per_check_and_policy(self):
        data = self.write_log()
        done, record = self.refute(data)
        self.assertEqual(record["schema"], "cone.refutation/1")
        checks = record["policies"][0]["checks"]
        self.assertEqual([c["check"] for c in checks], ["placebo", "feature", "subset", "seeds", "bootstrap"])
        for check in checks:
            self.assertEqual(len(check["differences"]), 2)
            self.assertEqual(check["passes"], check["moved"] <= check["allowed"])
            self.assertIn(check["sentence"], done.stdout)
        self.assertIn("policy treat-all", done.stdout)

    def test_the_answer_is_that_of_an_evaluation(self):
        data = self.write_log()
        _, record = self.refute(data, "--checks", "seeds", "--seed", 3)
        evaluated = self.evaluate(data, "--policy", "treat-all", "--estimators", "network_dm",
                                  "--seed", 3, "--folds", 3)
        estimate = evaluated["policies"][0]["estimates"][0]
        lines = (data / "nodes.csv").read_text().splitlines()[1:]
        observed = sum(float(line.split(",")[2]) for line in lines) / len(lines)
        self.assertAlmostEqual(record["policies"][0]["difference"] + observed, estimate["value"], 9)
        # There from residuals one by one, here from their variance by degree.
        ratio = record["policies"][0]["standard_error"] / estimate["sample_standard_error"]
        self.assertLess(abs(ratio - 1), 0.1)

    def test_it_goes_on_where_it_was(self):
        data = self.write_log()
        first, record = self.refute(data, "--checks", "subset")
        again, same = self.refute(data, "--checks", "subset,placebo", "--threads", 3)
        self.assertIn("3 of 5 fits were reused", again.stderr)
        self.assertEqual(record["policies"][0]["checks"][0], same["policies"][0]["checks"][1])
        victim = sorted((self.folder / "refuted/units").iterdir())[1]
        victim.write_text(victim.read_text()[:50])
        fixed, _ = self.refute(data, "--checks", "subset,placebo")
        self.assertIn("4 of 5", fixed.stderr)
        self.assertEqual(fixed.stdout, again.stdout)

    def test_shards_give_the_record_of_one_process(self):
        data = self.write_log()
        _, whole = self.refute(data, "--checks", "seeds", out="whole")
        first = cone("refute", data, "--policy", "treat-all", "--out", self.folder / "shared", *FEW,
                     "--checks", "seeds", "--shard", "2/2")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("shard 2/2 is finished", first.stdout)
        _, shared = self.refute(data, "--checks", "seeds", "--shard", "1/2", out="shared")
        self.assertEqual(whole, shared)

    def test_ctrl_c_stops_soon_and_keeps_what_is_finished(self):
        done = stop_at("%", "refute", "demo", "--policy", "treat-all", "--out", self.folder / "stopped")
        self.assertEqual(done.returncode, 130, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "stopped/refutation.json").exists())

    def test_a_run_that_is_stopped_leaves_no_answer_of_another(self):
        out = self.folder / "refuted"
        self.refute(self.write_log(), "--checks", "seeds")
        self.assertTrue((out / "refutation.json").exists())
        done = stop_at("original data", "refute", "demo", "--policy", "treat-all", "--out", out)
        self.assertEqual(done.returncode, 130, done.stderr)
        self.assertFalse((out / "refutation.json").exists())
        self.write("refuted/refutation.json", "mine")
        stop_at("original data", "refute", "demo", "--policy", "treat-all", "--out", out)
        self.assertEqual((out / "refutation.json").read_text(), "mine")

    def test_wrong_usage_is_refused_before_the_work(self):
        data = self.write_log()
        out = ["--policy", "treat-all", "--out", self.folder / "r"]
        for arguments, part in ((["--policy", "treat-all"], "--out"),
                                ([*out, "--checks", "placebos"], "placebos"),
                                ([*out, "--draws", 1], "--draws"),
                                (["--policy", "no_such_policy", "--out", self.folder / "r"], "no_such_policy")):
            done = cone("refute", data, *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)
        self.assertFalse((self.folder / "r").exists())

    def test_help_and_completion_know_the_command(self):
        text = cone("refute", "--help").stdout
        self.assertIn("Examples:", text)
        self.assertNotIn("--cluster ", text)  # refused with a reason
        self.assertIn("cone refute", cone("--help").stdout)
        self.assertIn("retry-failed", cone("completion", "bash").stdout)


if __name__ == "__main__":
    unittest.main()
