"""cone learn: a rule, its value, and the files it comes in."""

import csv
import json
import random
import unittest
import xml.etree.ElementTree

import jsonschema

from support import MESSAGES, ROOT, FolderTest, cone, stop_at

SCHEMA = json.loads((ROOT / "docs/policy.schema.json").read_text())


class Learn(FolderTest):
    def learn(self, data, *arguments):
        """The lines of the policy of a run that must succeed."""
        out = self.folder / "learnt.csv"
        self.output = cone("learn", data, "--out", out, *arguments)
        self.assertEqual(self.output.returncode, 0, self.output.stderr)
        record = self.folder / "learnt.json"
        if record.exists():
            jsonschema.validate(json.loads(record.read_text()), SCHEMA)
        with open(out, newline="") as file:
            return list(csv.DictReader(file))

    def write_rule(self, num_nodes=200, labels=("0", "1"), names=("x", "z")):
        """A randomised log in which treating pays 3 where z > 0 and costs 3 elsewhere."""
        draw = random.Random(5)
        lines, self.pays = [], []
        for i in range(num_nodes):
            x, z, t = draw.gauss(0, 1), draw.gauss(0, 1), draw.randrange(2)
            y = x + t * (3 if z > 0 else -3) + draw.gauss(0, 0.5)
            lines.append([f"u{i}", labels[t], y, x, z])
            self.pays.append(z > 0)
        with open(self.folder / "nodes.csv", "w", newline="") as file:
            csv.writer(file).writerows([["id", "treatment", "outcome", *names], *lines])
        self.write("edges.csv", "source,target\n" + "".join(
            f"u{i},u{(i + 1) % num_nodes}\n" for i in range(num_nodes)))
        return self.folder

    def test_a_rule_evaluated_on_the_data_it_was_learnt_from_is_warned_of(self):
        """Treatment does nothing here; in-sample the rule seems to gain."""
        draw = random.Random(3)
        nodes = [[f"u{i}", draw.randrange(2), draw.gauss(0, 1), *(draw.gauss(0, 1) for _ in range(4))] for i in range(120)]
        def write(rows, name, columns=7):
            title = ["id", "treatment", "outcome", "a", "b", "c", "d"]
            text = "\n".join(",".join(map(str, row[:columns])) for row in [title, *rows]) + "\n"
            return self.write(name, text)
        data = write(nodes, "log.csv")
        held_out = self.folder / "held_out.csv"
        self.learn(data, "--depth", 1, "--out-of-fold", held_out)
        warning = "learnt was learnt from the same data"
        flags = ("--estimators", "dr_ridge")

        def warnings_of(data, policy):
            return " ".join(self.evaluate(data, "--policy", policy, *flags)["diagnostics"]["warnings"])

        rule = self.folder / "learnt.csv"
        record = self.evaluate(data, "--policy", rule, "uniform", *flags)
        self.assertEqual([p["name"] for p in record["policies"]], ["learnt", "uniform"])
        found = [text for text in record["diagnostics"]["warnings"] if text.startswith(warning)]
        self.assertEqual(len(found), 1, record["diagnostics"]["warnings"])
        self.assertIn("--out-of-fold", found[0])
        page = self.folder / "page.html"
        done = cone("evaluate", data, "--policy", rule, *flags, "--report", page)
        self.assertIn("! " + warning, done.stdout)
        self.assertIn(warning, page.read_text())
        done = cone("sensitivity", data, "--policy", rule, "--lambdas", 3)
        self.assertIn(warning, done.stdout)
        # The same log in another order, with fewer features; the rule in a copy of its file.
        copy = self.write("renamed.csv", rule.read_text().replace("learnt,", "mine,", 1))
        self.assertIn("mine was learnt", warnings_of(write(nodes[::-1], "other.csv", columns=5), copy))
        self.assertNotIn("was learnt", warnings_of(data, held_out))

        def why_unreliable(policy, estimator):
            record = self.evaluate(data, "--policy", policy, "--estimators", estimator)
            return record["decision"]["policies"][1]["unreliable"] or ""

        # An outcome model has learnt from the outcomes that the rules of other folds were learnt from.
        self.assertIn("learnt from the same data", why_unreliable(rule, "dr_ridge"))
        self.assertIn("learnt out of fold", why_unreliable(held_out, "network_dm"))
        self.assertNotIn("learnt", why_unreliable(held_out, "dr_ridge"))
        for estimator, expected in (("network_dm", 1), ("dr_ridge", 0)):
            record = self.evaluate(data, "--policy", held_out, "--estimators", estimator, "--rank",
                                   "learnt_out_of_fold")
            found = [w for w in record["budget_curves"][0]["warnings"] if "learnt out of fold" in w]
            self.assertEqual(len(found), expected)
        nodes[0][2] += 1
        self.assertNotIn("was learnt", warnings_of(write(nodes, "new.csv"), rule))

    def test_a_known_rule_comes_back_as_a_policy_that_evaluate_reads(self):
        data = self.write_rule()
        rows = self.learn(data, "--depth", 1, "--json", self.folder / "learnt.json")
        self.assertEqual([row["id"] for row in rows], [f"u{i}" for i in range(200)])
        right = sum((row["learnt"] == "1") == pays for row, pays in zip(rows, self.pays))
        self.assertGreaterEqual(right, 190)
        record = json.loads((self.folder / "learnt.json").read_text())
        self.assertEqual(record["schema"], "cone.policy/3")
        self.assertEqual(record["tree"]["column"], "z")
        self.assertEqual(record["verdict"], "better")
        read = self.evaluate(data, "--policy", self.folder / "learnt.csv", "--estimators", "dr_ridge")
        policy = read["policies"][0]
        self.assertEqual(policy["name"], "learnt")
        self.assertAlmostEqual(policy["treated_fraction"], record["treated_fraction"], 12)
        self.assertAlmostEqual(policy["estimates"][0]["value"], record["rule"]["value"], delta=0.5)
        for text in ("z <= ", "assign 1", "learnt rule", "logged", "always 0",
                     "is better than any single arm"):
            self.assertIn(text, self.output.stdout)

    def test_the_file_says_what_the_tree_says(self):
        data = self.write_rule()
        rows = self.learn(data, "--json", self.folder / "learnt.json", "--split-on", "own")
        tree = json.loads((self.folder / "learnt.json").read_text())["tree"]
        with open(data / "nodes.csv", newline="") as file:
            for row, node in zip(rows, csv.DictReader(file)):
                at = tree
                while "column" in at:
                    at = at["yes" if float(node[at["column"]]) <= at["threshold"] else "no"]
                self.assertEqual(row["learnt"], at["arm"])

    def test_a_network_that_decides_who_was_treated_is_said_as_in_an_evaluation(self):
        data = self.write_communities()
        self.learn(data, "--json", self.folder / "learnt.json")
        warnings = json.loads((self.folder / "learnt.json").read_text())["warnings"]
        said = [w for w in warnings if w.startswith("treatment depends on the network")]
        self.assertEqual(len(said), 1, warnings)
        self.assertIn("! " + said[0], self.output.stdout)
        evaluated = self.evaluate(data, "--policy", "treat-all", "--estimators", "network_dm")
        start = said[0].split(":")[0]  # with both R²
        self.assertTrue(any(w.startswith(start) for w in evaluated["diagnostics"]["warnings"]),
                        evaluated["diagnostics"]["warnings"])

    def test_a_declared_randomisation_counts_unless_the_network_contradicts_it(self):
        def learnt(data, *flags):
            self.learn(data, "--json", self.folder / "learnt.json", *flags)
            record = json.loads((self.folder / "learnt.json").read_text())
            jsonschema.validate(record, SCHEMA)
            return record
        data = self.write_rule()
        declared = learnt(data, "--depth", 1, "--randomised")
        self.assertTrue(declared["randomised"])
        self.assertIn("The learnt rule is better than any single arm.\n", self.output.stdout)
        self.assertEqual({c["verdict"] for c in declared["comparisons"]}, {"supported"})
        self.assertIn(declared["comparisons"][0]["sentence"], self.output.stdout)
        self.assertFalse(learnt(data, "--depth", 1)["randomised"])
        declared = learnt(self.write_communities(), "--randomised")
        self.assertFalse(declared["randomised"])
        self.assertIn("! --randomised is contradicted by the data", self.output.stdout)

    def test_nothing_is_said_of_a_network_that_decides_nothing_or_is_not_there(self):
        data = self.write_communities(obedience=0)
        self.learn(data)
        self.assertNotIn("depends on the network", self.output.stdout)
        data = self.write_communities()
        (data / "edges.csv").unlink()
        self.learn(data)
        self.assertNotIn("depends on the network", self.output.stdout)

    def test_labels_of_several_arms_come_back(self):
        rows = self.learn(MESSAGES, "--outcome-model", "ridge", "--json", self.folder / "l.json")
        labels = set(json.loads((self.folder / "l.json").read_text())["data"]["arms"])
        self.assertLessEqual({row["learnt"] for row in rows}, labels)
        record = self.evaluate(MESSAGES, "--policy", self.folder / "learnt.csv", "--estimators",
                               "naive")
        shares = [sum(row["learnt"] == label for row in rows) / len(rows)
                  for label in ("control", "email", "sms")]
        self.assertEqual([round(s, 9) for s in record["policies"][0]["arm_fractions"]],
                         [round(s, 9) for s in shares])

    def test_decisions_out_of_fold_have_the_valid_value(self):
        data = self.write_rule()
        self.learn(data, "--out-of-fold", self.folder / "oof.csv", "--json", self.folder / "l.json",
                   "--outcome-model", "ridge")
        valid = json.loads((self.folder / "l.json").read_text())["rule"]
        record = self.evaluate(data, "--policy", self.folder / "oof.csv", "--estimators",
                               "dr_ridge", "--correction", "plain", "--target", "population")
        policy = record["policies"][0]
        self.assertEqual(policy["name"], "learnt_out_of_fold")
        self.assertAlmostEqual(policy["estimates"][0]["value"], valid["value"], 9)
        self.assertAlmostEqual(policy["estimates"][0]["standard_error"], valid["standard_error"], 9)
        self.assertAlmostEqual(policy["treated_fraction"], valid["treated_fraction"], 9)

    def test_json_on_stdout_is_pure_and_the_same_every_time(self):
        data = self.write_rule(80)
        runs = [cone("learn", data, "--out", self.folder / "l.csv", "--json", "-", "--threads", t)
                for t in (1, 3)]
        self.assertEqual(runs[0].returncode, 0, runs[0].stderr)
        self.assertEqual(runs[0].stdout, runs[1].stdout)
        record = json.loads(runs[0].stdout)
        names = [value["name"] for value in record["comparisons"]]
        self.assertEqual(names, ["logged", "best single arm", "always 0", "always 1"])
        for value in record["comparisons"]:
            self.assertAlmostEqual(value["gain"], record["rule"]["value"] - value["value"], 9)
        self.assertEqual(len(record["fold_trees"]), 5)
        self.assertNotIn("wrote", cone("learn", data, "--out", self.folder / "l.csv", "-q").stderr)

    def test_budget_and_costs(self):
        data = self.write_rule()
        rows = self.learn(data, "--budget", 0.2)
        treated = sum(row["learnt"] == "1" for row in rows)
        self.assertTrue(0 < treated <= 40, treated)
        self.assertIn("over budget", self.output.stdout)
        rows = self.learn(data, "--cost", "1=100", "--json", self.folder / "learnt.json")
        self.assertEqual({row["learnt"] for row in rows}, {"0"})
        self.assertIn("net of costs: 1 costs 100", self.output.stdout)
        self.assertIn("No split improves the value", self.output.stdout)

    def test_a_picture_has_every_name_escaped_and_the_same_bytes(self):
        data = self.write_rule(names=("x", 'a<b>&"c" ' + "long " * 20), labels=("no", "a<&>b"))
        picture = self.folder / "tree.svg"
        self.learn(data, "--picture", picture, "--depth", 1)
        first = picture.read_bytes()
        texts = [e.text for e in xml.etree.ElementTree.fromstring(first).iter() if e.text]
        self.assertTrue(any(t.startswith('a<b>&"c"') for t in texts), texts)
        self.assertTrue(any(t == "assign a<&>b" for t in texts), texts)
        self.assertIn("yes", texts)
        self.learn(data, "--picture", picture, "--depth", 1)
        self.assertEqual(picture.read_bytes(), first)

    def test_wrong_usage_is_refused_before_the_work(self):
        data = self.write_rule(60)
        out = ["--out", self.folder / "l.csv"]
        for arguments, part in (([], "--out"), (["--out", self.folder / "no" / "l"], "--out"),
                                (["--out", data / "nodes.csv"], "would replace"),
                                ([*out, "--picture", data / "edges.csv"], "would replace"),
                                ([*out, "--json", self.folder / "l.csv"], "--json"),
                                ([*out, "--depth", 4], "--depth"),
                                ([*out, "--depth", 0], "--depth"),
                                ([*out, "--min-leaf", 0], "--min-leaf"),
                                ([*out, "--budget", 1.5], "--budget"),
                                ([*out, "--budget", "nan"], "--budget"),
                                ([*out, "--folds", 2], "--folds"),
                                ([*out, "--max-columns", 51], "--max-columns"),
                                ([*out, "--split-on", "foes"], "own, degree, neighbour_means"),
                                ([*out, "--cost", "1"], "LABEL=NUMBER"),
                                ([*out, "--cost", "1=xx"], "has no column 'xx', named by --cost"),
                                ([*out, "--cost", "1=nan"], "LABEL=NUMBER or LABEL=COLUMN"),
                                ([*out, "--cost", "2=1"], "no arm '2'"),
                                ([*out, "--cost", "1=1", "--cost", "1=2"], "already"),
                                ([*out, "--propensities", "given"], "no column"),
                                ([*out, "--dependence", "pooled"], "--dependence"),
                                ([*out, "--outcome-model", "ridge", "--undersmoothing", 1],
                                 "--undersmoothing"),
                                ([*out, "--propensities", "given", "--propensity-bound", 0.1],
                                 "--propensity-bound"),
                                ([*out, "--heads", 2], "--heads")):
            done = cone("learn", data, *arguments)
            self.assertEqual(done.returncode, 2, f"{arguments}: {done.stderr}")
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "l.csv").exists())
        self.assertIn("u0", (data / "nodes.csv").read_text())

    def test_bad_data_leaves_the_old_file(self):
        data = self.write_rule(60)
        self.write("l.csv", "old\n")
        for name, content, part in (("edges.csv", "source,target\nu1,unknown_id\n", "unknown_id"),
                                    ("nodes.csv", "id,treatment,outcome,x\na,0,1,2\nb,1,2,3\n", "")):
            self.write_rule(60)
            self.write(name, content)
            if name == "nodes.csv":
                (self.folder / "edges.csv").unlink()
            done = cone("learn", data, "--out", self.folder / "l.csv")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)
            self.assertEqual((self.folder / "l.csv").read_text(), "old\n")
        self.assertEqual(cone("learn", self.write_rule(60), "--out", "/dev/full").returncode, 1)

    def test_outcomes_that_do_not_vary_and_features_that_say_nothing(self):
        lines = "".join(f"u{i},{i % 2},1,7\n" for i in range(40))
        self.write("nodes.csv", "id,treatment,outcome,x\n" + lines)
        rows = self.learn(self.folder)
        self.assertEqual({row["learnt"] for row in rows}, {"0"})
        self.assertIn("0 of 1 columns", self.output.stdout)

    def test_given_propensities_are_used(self):
        data = self.write_rule()
        title, *lines = (data / "nodes.csv").read_text().splitlines()
        self.write("nodes.csv", title + ",propensity\n" + "".join(f"{l},0.5\n" for l in lines))
        self.learn(data, "--depth", 1, "--propensities", "given", "--json", self.folder / "l.json")
        record = json.loads((self.folder / "l.json").read_text())
        self.assertEqual(record["tree"]["column"], "z")
        self.assertEqual(record["config"]["propensities"], "given")

    def test_ctrl_c_stops_it_soon_and_leaves_the_old_file(self):
        done = cone("simulate", "--nodes", 3000, "--out", self.folder / "large", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.write("l.csv", "old\n")
        for words in ("scores 2 of 6", "variances of arm 1"):
            done = stop_at(words, "learn", self.folder / "large", "--out", self.folder / "l.csv",
                           "--depth", 3, "--budget", 0.3, "--min-leaf", 1)
            self.assertEqual(done.returncode, 130, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertIn("interrupted", done.stderr)
            self.assertEqual((self.folder / "l.csv").read_text(), "old\n")

    def test_help_and_completion_know_the_command(self):
        self.assertIn("Examples:", cone("learn", "--help").stdout)
        self.assertIn("cone learn", cone("--help").stdout)
        self.assertIn("split-on", cone("completion", "bash").stdout)


if __name__ == "__main__":
    unittest.main()
