"""cone report, and cone evaluate --report: the page as files and exit statuses show it."""

import base64
import html
import json
import re
import shlex
import shutil
import unittest
import zlib

import jsonschema

from support import COUPONS, MESSAGES, ROOT, FolderTest, cone

SCHEMA = json.loads((ROOT / "docs/evaluation.schema.json").read_text())
STUDY = ROOT / "bench/results/study"
ESTIMATORS = ("network_dm,network_dr,naive,ips,snips,ips_clipped,dm_ols1,dm_ols2,dm_ridge,dm_nn,dr_ols1,"
              "dr_ols2,dr_ridge,dr_nn,switch_dr,dr_shrinkage,okb,cone,cone_dm,cone_snips")


def record_inside(page):
    """What a reader without cone does to get the record back."""
    packed = re.search(r'<template id="record"[^>]*>([^<]*)</template>', page).group(1)
    return json.loads(zlib.decompress(base64.b64decode(packed)))


class Warnings(FolderTest):
    def test_warnings_stand_right_below_the_answer_and_what_is_fine_is_folded(self):
        data = self.write_communities()
        page, record = self.folder / "page.html", self.folder / "run.json"
        done = cone("evaluate", data, "--policy", "treat-all", "treat-none", "--estimators", "network_dm,dr_ridge",
                    "--control", "0", "--report", page, "--json", record)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = html.unescape(page.read_text())
        warnings = [line[2:] for line in done.stdout.splitlines()
                    if line.startswith("! treatment depends on the network")]
        self.assertEqual(len(warnings), 1, done.stdout)
        box = text.index('<ul class="verdicts" id="warnings">')
        end = text.index("</ul>", box)
        self.assertLess(text.index('class="lead"'), box)
        self.assertLess(end, text.index("<figure"))
        self.assertIn(f'<li class="caution"><b>Warning</b>: {warnings[0]}', text[box:end])
        self.assertNotIn("Note</b>: treatment depends", text)
        self.assertNotIn("<b>Ok", text[:end])
        fine = text.index("<summary>Diagnostics without findings</summary>")
        self.assertGreater(text.index("<b>Ok"), fine)
        self.assertNotRegex(text, r"for 0\.0 % of the nodes|>0\.0 % of the nodes")


class Report(FolderTest):
    runs = {}

    def run_messages(self, name, *more):
        """Record and page of one run, which is done once for all tests that ask for it."""
        if more not in self.runs:
            self.runs[more] = self.run_anew(name, *more)
        copies = self.folder / f"{name}.json", self.folder / f"{name}.html"
        for path, written in zip(copies, self.runs[more]):
            path.write_bytes(written)
        return copies

    def run_anew(self, name, *more):
        record, page = self.folder / f"{name}.json", self.folder / f"{name}.html"
        done = cone("evaluate", MESSAGES, "--policy", MESSAGES / "policy.csv", "--estimators",
                    "network_dm,dr_ridge,snips,naive", "--json", record, "--report", page, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("open it in a browser", done.stderr)
        return record.read_bytes(), page.read_bytes()

    def report(self, *records, name="out.html"):
        out = self.folder / name
        done = cone("report", *records, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out.read_text()

    def refused(self, *arguments, status=2):
        out = self.folder / "refused.html"
        done = cone("report", *arguments, "--out", out)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertFalse(out.exists())
        return done.stderr

    def test_evaluate_record_and_page_give_the_same_bytes(self):
        record, page = self.run_messages("run")
        self.assertEqual(self.report(record), page.read_text())
        self.assertEqual(self.report(page, name="again.html"), page.read_text())

    def test_a_report_adds_the_picture_to_the_record_and_changes_nothing_else(self):
        record, _ = self.run_messages("run")
        with_report = json.loads(record.read_text())
        jsonschema.validate(with_report, SCHEMA)
        done = cone("evaluate", MESSAGES, "--policy", MESSAGES / "policy.csv", "--estimators",
                    "network_dm,dr_ridge,snips,naive", "--json", "-")
        without = json.loads(done.stdout)
        self.assertEqual(len(with_report.pop("network_sample")["nodes"]), 90)
        for run in (with_report, without):
            del run["timing_seconds"]
        self.assertEqual(with_report, without)

    def test_the_record_inside_is_the_record(self):
        record, page = self.run_messages("run")
        self.assertEqual(record_inside(page.read_text()), [json.loads(record.read_text())])

    def command_on(self, page):
        command = html.unescape(re.search(r"<pre><code>(.*?)</code>", page).group(1))
        words = shlex.split(command)
        self.assertEqual(words[0], "cone")
        return words[1:]

    def assert_repeats(self, *arguments):
        """The command on the page of a run does that run again, in the same folder."""
        done = cone("evaluate", *arguments, "--json", "r.json", "--report", "r.html", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = self.command_on((self.folder / "r.html").read_text())
        again = cone(*words, "--json", "-", cwd=self.folder)
        self.assertEqual(again.returncode, 0, again.stderr)
        before, after = json.loads((self.folder / "r.json").read_text()), json.loads(again.stdout)
        before.pop("network_sample", None)
        for run in (before, after):
            del run["timing_seconds"]
            jsonschema.validate({**run, "timing_seconds": {"total": 1}}, SCHEMA)
        self.assertEqual(before, after)
        return words

    def test_the_command_on_the_page_runs_the_same_evaluation(self):
        for example in (MESSAGES, COUPONS):
            shutil.copytree(example, self.folder / example.name)
        shutil.copy(COUPONS / "policy.csv", self.folder / "my policies.csv")
        fast = ["--estimators", "network_dm,dr_ridge,snips"]
        words = self.assert_repeats("messages", "--policy", "messages/policy.csv", "always:sms", *fast,
                                    "--seed", 5, "--folds", 4, "--no-sensitivity-interval", "--clip", "7.5",
                                    "--cost", "sms=0.25", "--cost", "email=visits")
        self.assertIn("messages/policy.csv", words)
        words = self.assert_repeats("coupons/nodes.csv", "--policy", "my policies.csv",
                                    "linear:coupons/loyalty.csv", *fast, "--rank", "visits,rare_visitors",
                                    "--ignore", "propensity", "--edges", "coupons/edges.csv")
        self.assertEqual(words[1:5], ["coupons/nodes.csv", "--policy", "my policies.csv",
                                      "linear:coupons/loyalty.csv"])
        done = cone("fit", "coupons", "--out", "a model", "--epochs", 3, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_repeats("coupons", "--policy", "treat-all", "--model", "a model")

    def test_where_things_were_found_is_no_part_of_what_a_run_is(self):
        runs = []
        for name in ("here", "there"):
            shutil.copytree(COUPONS, self.folder / name)
            done = cone("evaluate", name, "--policy", f"{name}/policy.csv", "--estimators", "snips",
                        "--json", "-", cwd=self.folder)
            runs.append(json.loads(done.stdout))
        self.assertNotEqual(runs[0]["config"], runs[1]["config"])
        self.assertEqual(runs[0]["run_id"], runs[1]["run_id"])

    def test_older_records_name_no_files_of_policies(self):
        record, _ = self.run_messages("run")
        run = json.loads(record.read_text())
        del run["config"]["policy_arguments"]
        page = self.report(self.write("older.json", json.dumps(run)))
        self.assertIn("POLICIES.csv", self.command_on(page))
        self.assertIn("the record does not name it", page)

    def test_data_and_policies_from_memory_are_said_to_be(self):
        record, _ = self.run_messages("run")
        run = json.loads(record.read_text())
        run["config"].update({"data": "arrays", "data_in_memory": True, "id": "(index)",
                              "weight": "units", "ignore": ["a b", "c"], "missing": "drop",
                              "policy_arguments": ["uniform", None, None]})
        jsonschema.validate(run, SCHEMA)
        page = self.report(self.write("memory.json", json.dumps(run)))
        self.assertEqual(self.command_on(page)[:5],
                         ["evaluate", "DATA", "--policy", "uniform", "POLICIES.csv"])
        self.assertEqual(self.command_on(page)[-6:],
                         ["--weight", "units", "--ignore", "a b,c", "--missing", "drop"])
        self.assertIn("The data was in memory", page)
        self.assertIn("policies that were in memory", page)

    def test_says_where_the_network_shows_nothing_beyond_chance(self):
        record, page = self.run_messages("run")
        found = json.loads(record.read_text())
        self.assertFalse(found["diagnostics"]["network_strength"]["is_clear"])
        self.assertIn("sensitivity intervals use the upper confidence limit", page.read_text())
        found["diagnostics"]["network_strength"]["is_clear"] = True
        clear = self.report(self.write("clear.json", json.dumps(found)))
        self.assertNotIn("sensitivity intervals use the upper confidence limit", clear)

    def test_ids_of_units_are_nowhere(self):
        folder = self.write_log()
        text = (folder / "nodes.csv").read_text().replace("\nu", "\nsecret-unit-")
        (folder / "nodes.csv").write_text(text)
        edges = (folder / "edges.csv").read_text().replace("u", "secret-unit-")
        (folder / "edges.csv").write_text(edges.replace("sosecret-unit-rce", "source"))
        page = self.folder / "page.html"
        done = cone("evaluate", folder, "--policy", "treat-all", "--report", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Part of the network", page.read_text())
        self.assertNotIn("secret-unit", page.read_text())
        self.assertNotIn("secret-unit", json.dumps(record_inside(page.read_text())))
        done = cone("evaluate", folder, "--policy", "treat-all", "--report", page, "--report-ids")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("secret-unit-7", page.read_text())
        self.assertEqual(cone("evaluate", folder, "--policy", "treat-all", "--report-ids").returncode, 2)

    def test_twenty_policies_by_twenty_estimators_are_at_most_300_kb(self):
        page = self.folder / "page.html"
        policies = [f"random-weights:{i}" for i in range(20)]
        done = cone("evaluate", COUPONS, "--policy", *policies, "--estimators", ESTIMATORS,
                    "--report", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(page.stat().st_size, 300_000)
        self.assertEqual(page.read_text().count("<title>Estimates of"), 20)

    def test_training_curves_are_in_record_and_page_where_networks_were_trained(self):
        data, model = self.write_log(), self.folder / "m"
        small = ["--epochs", 70, "--patience", 70, "--heads", 2, "--head-size", 4, "--hidden", 8]
        record, page = self.folder / "r.json", self.folder / "r.html"
        done = cone("evaluate", data, "--policy", "uniform", "--estimators", "cone", *small, "--folds",
                    12, "--json", record, "--report", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        run = json.loads(record.read_text())
        jsonschema.validate(run, SCHEMA)
        trainings = run["diagnostics"]["trainings"]
        self.assertEqual(["curves" in fold for fold in trainings], 10 * [True] + 2 * [False])
        for fold in trainings[:10]:
            curves = fold["curves"]
            self.assertIn(fold["best_epoch"], curves["epoch"])
            self.assertEqual(curves["epoch"][-1], fold["epochs"])
            self.assertEqual({len(losses) for losses in curves.values()}, {len(curves["epoch"])})
        self.assertEqual(page.read_text().count("<title>Training of fold"), 10)
        self.assertIn("10 of 12 folds", page.read_text())
        self.assertGreater(max(fold["epochs"] for fold in trainings), 24)
        self.assertEqual(cone("fit", data, "--out", model, *small).returncode, 0)
        done = cone("evaluate", data, "--policy", "uniform", "--model", model, "--json", "-")
        jsonschema.validate(json.loads(done.stdout), SCHEMA)
        self.assertNotIn("curves", json.loads(done.stdout)["diagnostics"]["trainings"][0])

    def test_two_runs_are_compared(self):
        before, _ = self.run_messages("before")
        after, _ = self.run_messages("after", "--dependence", "independent")
        page = self.report(before, after)
        self.assertLess(page.index("What changed"), page.index("The newer run"))
        self.assertIn("<th>dependence<td>largest<td>independent", page)
        self.assertEqual(len(record_inside(page)), 2)
        self.assertIn("third evaluation", self.refused(before, after, before))

    def test_sensitivity_and_rule_stand_beside_an_evaluation(self):
        record, _ = self.run_messages("run")
        sensitivity, rule = self.folder / "sensitivity.json", self.folder / "rule.json"
        for arguments in (["sensitivity", COUPONS, "--policy", "treat-all", "--json", sensitivity],
                          ["learn", MESSAGES, "--out", self.folder / "p.csv", "--json", rule]):
            done = cone(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        page = self.report(record, sensitivity, rule)
        self.assertIn("Sensitivity to unmeasured confounding", page)
        self.assertIn("The learnt rule", page)
        policy = json.loads(sensitivity.read_text())["policies"][0]
        self.assertIn(f"Doubly robust {policy['value']:.4g}, network ridge "
                      f"{policy['network_ridge_value']:.4g}. The bounds are around the doubly robust",
                      page)
        self.assertIn("The answer above uses network_dm", page)
        self.assertIn("than the evaluation on this page", page)
        alone = self.report(sensitivity, rule)
        self.assertIn("than the first analysis on this page", alone)
        self.assertNotIn("The answer above", alone)
        for sentence in policy["sentences"]:
            self.assertIn(html.escape(sentence).replace("&#x27;", "&#39;"), page)

    def test_studies_get_a_page_too(self):
        page = self.report(STUDY / "table2.json", STUDY / "coverage.json", STUDY / "figure2.json")
        self.assertIn("Table 2", page)
        rmse = json.loads((STUDY / "table2.json").read_text())["settings"][0]["methods"][0]["rmse"]
        self.assertIn(f"<th>cone<td>{rmse:.4g}", page)

    def test_older_records_and_all_that_fuzzing_starts_from_give_a_page(self):
        for record in sorted((ROOT / "tests/fuzz/corpus/report").iterdir()):
            if not record.name.startswith("find-"):
                self.report(record)
        older = self.report(ROOT / "tests/fuzz/corpus/report/evaluation-older")
        self.assertNotIn("for the sample", older)
        self.assertNotIn("for the population", older)

    def test_what_is_no_record_is_refused(self):
        self.assertIn("is not JSON", self.refused(self.write("a.json", "{")))
        self.assertIn("has no schema", self.refused(self.write("b.json", "{}")))
        self.assertIn("(schema): is cone.unheard/1, which cone report does not read",
                      self.refused(self.write("c.json", '{"schema": "cone.unheard/1"}')))
        for kind, old, new in (("evaluation", 4, 5), ("sensitivity", 1, 2), ("policy", 1, 3),
                               ("coverage", 1, 2)):
            record = self.write("old.json", f'{{"schema": "cone.{kind}/{old}"}}')
            self.assertIn(f"old.json (schema): is cone.{kind}/{old}, and this version of cone reads "
                          f"cone.{kind}/{new}; run the command that wrote the record again with this "
                          "version", self.refused(record))
        self.assertIn("has no", self.refused(self.write("d.json", '{"schema": "cone.evaluation/5"}')))
        self.assertIn("without the record",
                      self.refused(self.write("e.html", "<!doctype html><p>hello")))
        self.refused(self.folder / "missing.json")
        self.refused(self.folder)

    def test_a_damaged_page_is_refused(self):
        _, page = self.run_messages("run")
        text = page.read_text()
        at = text.index("</template>")
        damaged = self.write("damaged.html", text[:at - 900] + text[at - 400:])
        self.assertIn("damaged record", self.refused(damaged))

    def test_inputs_are_not_overwritten(self):
        record, page = self.run_messages("run")
        before = record.read_text()
        self.assertEqual(cone("report", record, "--out", record).returncode, 2)
        self.assertEqual(record.read_text(), before)
        self.assertEqual(cone("evaluate", COUPONS, "--policy", "uniform", "--report", "r.html",
                              "--json", "r.html", cwd=self.folder).returncode, 2)
        self.assertEqual(cone("report", record).returncode, 2)

    def test_help_and_completion_know_the_command(self):
        self.assertIn("old.html", cone("report", "--help").stdout)
        self.assertIn("--report", cone("evaluate", "--help").stdout)
        self.assertIn("report", cone("completion", "bash").stdout)


if __name__ == "__main__":
    unittest.main()
