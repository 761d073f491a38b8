"""Data as units have it, through the program: one CSV file, named columns, cone check."""

import csv
import gzip
import json
import random
import unittest

from support import COUPONS, MESSAGES, FolderTest, cone


def survey(num_lines=200):
    """A table as other programs write it: a row number, text, gaps, True and False."""
    rng = random.Random(1)
    lines = ["\ufeff,unit,letter,voted,age,region,owner,income,joined"]
    for i in range(num_lines):
        letter = rng.random() < 0.5
        age = rng.randint(18, 80)
        voted = int(rng.random() < 0.3 + 0.2 * letter + 0.004 * (age - 50))
        income = "NA" if i % 9 == 0 else f"{rng.gauss(30, 5):.2f}"
        region = rng.choice(["north", "south", '"far, east"'])
        lines.append(f"{i},p{i},{letter},{voted},{age},{region},{rng.choice(['True', 'False'])},"
                     f"{income},2020-01-{i % 28 + 1:02d}")
    return "\r\n".join(lines) + "\r\n"


FLAGS = ["--id", "unit", "--treatment", "letter", "--outcome", "voted", "--ignore", "joined",
         "--missing", "indicate"]


class OneTable(FolderTest):
    def table(self):
        self.write("survey.csv", survey())
        return self.folder / "survey.csv"

    def test_flags_alone_make_a_table_readable(self):
        record = self.evaluate(self.table(), *FLAGS, "--policy", "treat-all", "--estimators",
                               "dr_ridge")
        self.assertEqual(record["data"]["num_nodes"], 200)
        self.assertEqual(record["data"]["num_features"], 7)  # age, 3 regions, owner, income + gap
        self.assertEqual(record["config"]["treatment"], "letter")
        self.assertEqual(record["config"]["missing"], "indicate")
        self.assertTrue(any("row index" in w for w in record["diagnostics"]["warnings"]))

    def test_without_flags_every_column_that_hinders_has_a_sentence(self):
        message = self.refused(self.table(), "--treatment", "letter", "--outcome", "voted",
                               "--policy", "uniform")
        self.assertIn("column income: missing in 23 of 200 lines, this one being the first", message)
        self.assertIn("column unit: 200 different texts in 200 lines", message)
        self.assertIn("column joined: '2020-01-01' looks like a date", message)
        self.assertLess(len(message.splitlines()), 6)

    def test_a_compressed_table_is_the_same_data(self):
        plain = self.evaluate(self.table(), *FLAGS, "--policy", "uniform", "--estimators", "naive")
        self.write("survey.csv.gz", gzip.compress(survey().encode()))
        packed = self.evaluate(self.folder / "survey.csv.gz", *FLAGS, "--policy", "uniform",
                               "--estimators", "naive")
        self.assertEqual(plain["data"], packed["data"])

    def test_edges_come_from_another_file(self):
        self.write("edges.tsv", "Ego\tAlter\tweight\np0\tp1\t3\np1\tp2\t1\n")
        record = self.evaluate(self.table(), *FLAGS, "--edges", self.folder / "edges.tsv", "--policy",
                               "uniform", "--estimators", "naive")
        self.assertEqual(record["data"]["num_edges"], 2)
        self.assertTrue(any("edges are unweighted" in w
                            for w in record["diagnostics"]["warnings"]))

    def test_ids_that_became_decimal_numbers_are_explained(self):
        self.write("units.csv", "id,treatment,outcome\n" +
                   "".join(f"{i},{i % 2},{i % 5}\n" for i in range(30)))
        self.write("edges_of_numbers.csv", "source,target\n1.0,2.0\n")
        done = cone("check", self.folder / "units.csv", "--edges", self.folder / "edges_of_numbers.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("1 edge to 2 ids that are not in units.csv ('1.0', '2.0'); '1' is an id: ids are "
                      "compared as text", done.stderr)
        self.assertNotIn("nodes.csv", done.stderr)

    def test_counts_are_a_kind_of_their_own(self):
        self.write("words.csv", "treatment,outcome,age,word_a,word_b\n"
                   + "".join(f"{i % 2},{i % 5},{20 + i},{i % 3},{i % 4}\n" for i in range(60)))
        done = cone("check", self.folder / "words.csv", "--counts", "word_*", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["data"]["num_counts"], 2)
        self.assertEqual([c["scaling"] for c in report["columns"][2:]], ["column", "row", "row"])

    def test_a_model_fitted_with_the_same_flags_is_accepted(self):
        model = self.folder / "m"
        self.assertEqual(cone("fit", self.table(), *FLAGS, "--out", model, "--folds", 2, "--epochs",
                              3).returncode, 0)
        self.evaluate(self.table(), *FLAGS, "--model", model, "--policy", "uniform")
        message = self.refused(self.table(), *FLAGS, "--ignore", "income", "--model", model,
                               "--policy", "uniform")
        self.assertIn("other data", message)

    def test_table_flags_have_no_part_in_the_demo(self):
        self.assertIn("--treatment", self.refused("demo", "--treatment", "t", "--policy", "uniform"))

    def test_other_formats_get_the_line_that_converts_them(self):
        self.write("x.dta", b"<stata_dta>")
        self.assertIn("pandas.read_stata(", self.refused(self.folder / "x.dta", "--policy", "uniform"))


class Example(FolderTest):
    LETTERS = COUPONS.parent / "letters" / "survey.csv"

    def test_the_commands_of_its_page_work(self):
        done = cone("check", self.LETTERS)
        self.assertEqual(done.returncode, 2)
        self.assertIn("or name it with --treatment", done.stderr)
        record = self.evaluate(self.LETTERS, "--id", "name", "--treatment", "letter", "--outcome",
                               "voted", "--ignore", "moved", "--missing", "indicate", "--policy",
                               "treat-all", "treat-none", "--estimators", "naive,dr_ridge")
        self.assertEqual(record["data"]["num_nodes"], 120)


class Check(FolderTest):
    def test_says_what_was_understood(self):
        self.write("survey.csv", survey())
        done = cone("check", self.folder / "survey.csv", *FLAGS, "--policy", "treat-all")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("200 nodes, 7 numeric features, 0 count features", "category, 3 columns", "standardised",
                      "treated: ", "untreated: ", "network: 0 edges, 200 nodes without edges",
                      "policy treat-all: treats 100.0 % of the nodes"):
            self.assertIn(words, done.stdout)
        self.assertLess(done.stdout.index("untreated: "), done.stdout.index("\ntreated: "))

    def test_refuses_what_could_not_be_evaluated(self):
        self.write("bad.csv", "treatment,outcome\na,2\nb,3\n")
        done = cone("check", self.folder / "bad.csv")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("'a' (1 line), 'b' (1 line): none is called", done.stderr)

    def write_rare(self, rare):
        """Forty units, that many of them in an arm of its own."""
        arms = ["rare"] * rare + ["control", "email"] * 20
        self.write("nodes.csv", "id,treatment,outcome,x\n" + "".join(
            f"u{i},{arms[i]},{i % 7},{i % 5}\n" for i in range(40)))
        return self.folder

    def test_what_evaluate_refuses_of_data_that_can_be_read_is_a_line_and_no_fault(self):
        done = cone("check", self.write_rare(3))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("! arm 'rare' has 3 nodes, and each of the 5 folds needs one: cone evaluate will "
                      "refuse it; use --folds 3 --selection-folds 2", done.stdout)
        told = " ".join(cone("check", "--help").stdout.split())
        self.assertIn("0 when the data can be read as logged data and 2 when not", told)
        self.assertIn("an arm with fewer units than folds, are lines with !", told)

    def test_folds_inside_of_a_fold_are_named_where_an_arm_is_too_small_for_them(self):
        arguments = (self.write_rare(3), "--policy", "always:email", "--estimators", "dm_ridge", "--folds", 3)
        self.assertIn("the 3 selection folds within a fold need at least as many nodes of arm 'rare', but its "
                      "training nodes have 2; use --selection-folds 2", self.refused(*arguments))
        self.evaluate(*arguments, "--selection-folds", 2)

    def test_looks_at_folders_and_the_demo_too(self):
        done = cone("check", COUPONS, "--policy", COUPONS / "policy.csv", "--json", "-")
        report = json.loads(done.stdout)
        self.assertEqual(report["schema"], "cone.check/2")
        self.assertEqual(report["network"]["num_components"], 1)
        self.assertEqual(len(report["policies"]), 2)
        self.assertEqual(cone("check", "demo").returncode, 0)

    def test_an_arm_that_may_be_a_gap_is_named(self):
        self.write_log(60)
        header, *rows = (self.folder / "nodes.csv").read_text().splitlines()
        rows = [row.split(",") for row in rows]
        at = header.split(",").index("treatment")
        for row in rows[:9]:
            row[at] = "-999"
        self.write("nodes.csv", "\n".join([header, *map(",".join, rows)]) + "\n")
        self.assertIn("! arm '-999' (9 nodes) looks like a code for a missing treatment",
                      cone("check", self.folder).stdout)

    def test_features_that_make_up_the_outcome_together_bring_a_caution(self):
        self.write_log(300)
        header, *rows = (self.folder / "nodes.csv").read_text().splitlines()
        at = header.split(",").index("outcome")
        lines = [header + ",before,after"]
        for k, row in enumerate(rows):
            before = (k * 7919 % 997) / 10
            lines.append(f"{row},{before},{before + float(row.split(',')[at])}")
        self.write("nodes.csv", "\n".join(lines) + "\n")
        done = cone("evaluate", self.folder, "--policy", "treat-all", "--estimators", "network_dm")
        self.assertIn("of the outcome variance: leave out features that were measured after treatment",
                      done.stdout)

    def test_a_feature_that_is_the_outcome_is_named(self):
        self.write("leak.csv", "treatment,outcome,same\n"
                   + "".join(f"{i % 2},{i * i % 17},{i * i % 17}\n" for i in range(30)))
        done = cone("check", self.folder / "leak.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("column same: the feature is a copy of the outcome; leave it out with --ignore same", done.stderr)


class Messages(FolderTest):
    """examples/messages: control, email and sms, with known truth."""

    def test_check_names_the_arms(self):
        done = cone("check", MESSAGES, "--policy", MESSAGES / "who.csv", MESSAGES / "policy.csv",
                    "--json", self.folder / "report.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("arm 'email': 105 nodes", "arm 'control' (control): 111 nodes",
                      "the control arm is 'control'; the others are 'email', 'sms'",
                      "policy win_back: assigns arm control to 38.7 %, arm email to 61.3 %"):
            self.assertIn(words, done.stdout)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual([arm["label"] for arm in report["arms"]], ["control", "email", "sms"])
        self.assertEqual([arm["num_nodes"] for arm in report["arms"]], [111, 105, 84])
        careful = report["policies"][2]
        self.assertEqual(careful["name"], "careful")
        self.assertAlmostEqual(sum(arm["share"] for arm in careful["arms"]), 1)

    def test_the_truth_of_every_kind_of_policy(self):
        record = self.evaluate(MESSAGES, "--policy", MESSAGES / "who.csv", MESSAGES / "policy.csv",
                               "always:email", "--estimators", "naive,dr_ridge")
        with open(MESSAGES / "nodes.csv") as lines:
            rows = {row["id"]: row for row in csv.DictReader(lines)}
        with open(MESSAGES / "who.csv") as lines:
            by_age = [float(rows[row["id"]]["y:" + row["by_age"]]) for row in csv.DictReader(lines)]
        with open(MESSAGES / "policy.csv") as lines:
            careful = 0
            for row in csv.DictReader(lines):
                email, sms = float(row["careful:email"]), float(row["careful:sms"])
                y = [float(rows[row["id"]][f"y:{arm}"]) for arm in ("control", "email", "sms")]
                careful += (1 - email - sms) * y[0] + email * y[1] + sms * y[2]
        truth = {policy["name"]: policy["truth"] for policy in record["policies"]}
        self.assertAlmostEqual(truth["by_age"], sum(by_age) / 300, places=9)
        self.assertAlmostEqual(truth["careful"], careful / 300, places=9)
        # Emails went to those who spend anyway.
        always = record["policies"][3]
        naive, doubly_robust = (estimate["value"] for estimate in always["estimates"])
        self.assertGreater(naive - always["truth"], 1.5)
        self.assertLess(abs(doubly_robust - always["truth"]), 0.5)

    def test_other_names_of_the_arms_change_no_number(self):
        """The labels come in another order, and the control arm must be named."""
        names = {"control": "zero", "email": "tweet", "sms": "app"}
        for name in ("nodes.csv", "who.csv"):
            text = (MESSAGES / name).read_text()
            for old, new in names.items():
                text = text.replace(old, new)
            self.write(name, text)
        self.write("edges.csv", (MESSAGES / "edges.csv").read_text())
        options = ["--estimators", "naive,snips,dr_ridge,dm_ols2"]
        plain = self.evaluate(MESSAGES, "--policy", MESSAGES / "who.csv", *options)
        renamed = self.evaluate(self.folder, "--control", "zero", "--policy",
                                self.folder / "who.csv", *options)
        for old, new in zip(plain["policies"], renamed["policies"]):
            for a, b in zip(old["estimates"], new["estimates"]):
                self.assertAlmostEqual(a["value"], b["value"], places=8, msg=a)
                self.assertAlmostEqual(a["standard_error"], b["standard_error"], places=8)


if __name__ == "__main__":
    unittest.main()
