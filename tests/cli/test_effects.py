"""cone effects: what is expected of every node."""

import csv
import re
import unittest

from support import COUPONS, MESSAGES, FolderTest, cone


class Effects(FolderTest):
    def effects(self, data, *arguments):
        """The lines of a run that must succeed."""
        out = self.folder / "effects.csv"
        self.output = cone("effects", data, "--out", out, *arguments)
        self.assertEqual(self.output.returncode, 0, self.output.stderr)
        with open(out, newline="") as file:
            return list(csv.DictReader(file))

    def ids(self, data):
        with open(data / "nodes.csv", newline="") as file:
            return [row["id"] for row in csv.DictReader(file)]

    def test_a_line_per_node_whose_parts_add_up(self):
        rows = self.effects(COUPONS, "--effect-shrinkage", "none")
        self.assertNotIn("calibration slope", self.output.stdout)
        self.assertEqual([row["id"] for row in rows], self.ids(COUPONS))
        names = list(rows[0])
        self.assertEqual(names[:8], ["id", "mu0", "mu1", "effect", "effect_sd", "mu_sd0", "mu_sd1",
                                     "part0:fixed"])
        self.assertIn("part1:neighbour_effects", names)
        for row in rows:
            number = {name: float(value) for name, value in row.items() if name != "id"}
            self.assertEqual(number["effect"], number["mu1"] - number["mu0"])
            self.assertAlmostEqual(number["effect_sd"] ** 2,
                                   number["mu_sd0"] ** 2 + number["mu_sd1"] ** 2, 9)
            for arm in "01":
                parts = [v for name, v in number.items() if name.startswith(f"part{arm}:")]
                self.assertAlmostEqual(sum(parts), number[f"mu{arm}"], 9)
        mean = sum(float(row["effect"]) for row in rows) / len(rows)
        self.assertIn(f"{mean:.4g}", self.output.stdout)
        self.assertIn("neighbour_effects", self.output.stdout)

    def test_effects_are_shrunk_by_what_the_summary_says(self):
        plain = self.effects(COUPONS, "--effect-shrinkage", "none")
        rows = self.effects(COUPONS)
        said = re.search(r"Effects of arm 1 are shrunk towards their mean by (\d+) %: calibration slope "
                         r"(-?[\d.]+) \(95 % CI (-?[\d.]+) to (-?[\d.]+)\)\.", self.output.stdout)
        self.assertIsNotNone(said, self.output.stdout)
        shrinkage, slope, low, high = (float(word) for word in said.groups())
        self.assertLess(low, slope)
        self.assertLess(slope, high)
        was, now = ([float(row["effect"]) for row in table] for table in (plain, rows))
        self.assertAlmostEqual(sum(now), sum(was), 8)
        self.assertAlmostEqual(1 - (max(now) - min(now)) / (max(was) - min(was)), shrinkage / 100, 2)
        for before, after in zip(plain, rows):
            self.assertGreaterEqual(float(after["effect_sd"]), float(before["effect_sd"]))
            self.assertEqual(after["mu1"], before["mu1"])

    def test_few_units_of_an_arm_leave_effects_as_predicted(self):
        data = self.write_log()
        header, *lines = (data / "nodes.csv").read_text().splitlines()
        rows = [line.split(",") for line in lines]
        treated = [row for row in rows if row[1] == "1"]
        for row in treated[6:]:
            row[1] = "0"
        self.write("nodes.csv", "\n".join([header, *(",".join(row) for row in rows)]) + "\n")
        for row in self.effects(data):
            self.assertEqual(float(row["effect"]), float(row["mu1"]) - float(row["mu0"]))
        self.assertIn("Effects of arm 1 are not shrunk: no calibration slope, as arm 1 has 6 units, fewer than 10.",
                      self.output.stdout)

    def test_a_network_that_decides_who_was_treated_is_said(self):
        self.effects(self.write_communities())
        self.assertIn("! treatment depends on the network", self.output.stdout)
        self.assertIn("node-level effects may be biased by the rest", self.output.stdout)
        self.effects(self.write_communities(obedience=0))
        self.assertNotIn("depends on the network", self.output.stdout)

    def test_a_model_of_cone_fit_gives_the_same_lines(self):
        model = self.folder / "shop.model"
        done = cone("fit", COUPONS, "--out", model, "--parts", "network_ridge", "--seed", 3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.effects(COUPONS, "--model", model), self.effects(COUPONS, "--seed", 3))
        smoothed = self.effects(COUPONS, "--model", model, "--undersmoothing", 0.1)
        self.assertEqual(smoothed, self.effects(COUPONS, "--seed", 3, "--undersmoothing", 0.1))

    def test_a_model_of_other_data_or_decided_flags_are_refused(self):
        model = self.folder / "shop.model"
        cone("fit", COUPONS, "--out", model, "--parts", "network_ridge")
        for data, flags, words in ((MESSAGES, (), "was fitted to other data"),
                                   (COUPONS, ("--folds", 3), "--folds: is fixed by the model")):
            done = cone("effects", data, "--out", self.folder / "e.csv", "--model", model, *flags)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)

    def test_a_model_of_the_same_data_with_another_control_arm_is_refused_by_that_name(self):
        model = self.folder / "messages.model"
        done = cone("fit", MESSAGES, "--out", model, "--parts", "network_ridge")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = cone("effects", MESSAGES, "--control", "email", "--out", self.folder / "e.csv",
                    "--model", model)
        self.assertEqual(done.returncode, 2)
        self.assertIn("its control arm is 'control', here it is 'email'", done.stderr)
        self.assertFalse((self.folder / "e.csv").exists())

    def test_arms_with_labels_have_them_in_the_columns(self):
        rows = self.effects(MESSAGES)
        labels = [name[3:] for name in rows[0] if name.startswith("mu:")]
        self.assertGreater(len(labels), 2)
        for label in labels[1:]:
            self.assertIn(f"effect:{label}", rows[0])
            self.assertIn(f"effect_sd:{label}", rows[0])
            self.assertIn(f"part:{label}:fixed", rows[0])
        self.assertNotIn(f"effect:{labels[0]}", rows[0])

    def test_with_undersmoothing_the_mean_is_that_of_an_evaluation(self):
        data = self.write_log()
        rows = self.effects(data, "--undersmoothing", 0.1, "--seed", 4)
        record = self.evaluate(data, "--policy", "treat-all", "--estimators", "network_dm",
                               "--seed", 4)
        value = record["policies"][0]["estimates"][0]["value"]
        self.assertAlmostEqual(sum(float(row["mu1"]) for row in rows) / len(rows), value, 12)

    def test_its_columns_are_taken_as_given_outcome_models(self):
        data = self.write_log()
        rows = self.effects(data)
        _, *lines = (data / "nodes.csv").read_text().splitlines()
        self.write("nodes.csv", "id,treatment,outcome,x,z,mu0,mu1\n" + "".join(
            f"{line},{row['mu0']},{row['mu1']}\n" for line, row in zip(lines, rows)))
        record = self.evaluate(data, "--policy", "treat-all", "--estimators", "dm", "--nuisances",
                               "given")
        value = record["policies"][0]["estimates"][0]["value"]
        self.assertAlmostEqual(sum(float(row["mu1"]) for row in rows) / len(rows), value, 12)

    def test_the_same_at_any_number_of_threads_and_other_draws_by_another_seed(self):
        data = self.write_log()
        solver = ["--ridge-solver", "iterative", "--draws", 8]
        first = self.effects(data, *solver, "--threads", 1)
        self.assertEqual(first, self.effects(data, *solver, "--threads", 3))
        self.assertIn("8 draws", self.output.stdout)
        self.assertNotEqual(first, self.effects(data, *solver, "--seed", 1))

    def test_wrong_usage_is_refused_before_the_work(self):
        data = self.write_log()
        out = ["--out", self.folder / "e.csv"]
        for arguments, part in (([], "--out"), (["--out", self.folder / "no" / "e"], "--out"),
                                (["--out", data / "nodes.csv"], "would replace"),
                                ([*out, "--draws", 1], "--draws"),
                                ([*out, "--folds", 1], "--folds"),
                                ([*out, "--ridge-groups", "foes"], "no group"),
                                ([*out, "--heads", 2], "--heads")):
            done = cone("effects", data, *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)
        self.assertFalse((self.folder / "e.csv").exists())

    def test_a_file_is_replaced_whole_or_not_at_all(self):
        data = self.write_log()
        self.write("effects.csv", "old\n")
        self.write("edges.csv", "source,target\nu1,unknown_id\n")
        done = cone("effects", data, "--out", self.folder / "effects.csv")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual((self.folder / "effects.csv").read_text(), "old\n")
        self.write_log()
        self.assertEqual(len(self.effects(data)), 60)
        self.assertEqual(cone("effects", data, "--out", "/dev/full").returncode, 1)

    def test_help_and_completion_know_the_command(self):
        self.assertIn("Examples:", cone("effects", "--help").stdout)
        self.assertIn("cone effects", cone("--help").stdout)
        self.assertIn("draws", cone("completion", "bash").stdout)


if __name__ == "__main__":
    unittest.main()
