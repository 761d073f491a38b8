"""What is printed: no characters that a terminal obeys, no numbers that are none."""

import csv
import json
import random
import re
import unittest

from support import FolderTest, cone

EVIL = "\x1b]0;owned\x07\x9b31m\u202e\u200f"
TREACHEROUS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class HostileNames(FolderTest):
    """Ids, columns, arms, policies and files whose names hold commands for a terminal."""

    def setUp(self):
        super().setUp()
        self.write_log(80)
        self.data = self.folder / f"data{EVIL}"
        self.data.mkdir()
        for name in ("nodes.csv", "edges.csv"):
            text = (self.folder / name).read_text().replace("u", f"u{EVIL}").replace(",z", f",z{EVIL}")
            text = text.replace(f"so{'u' + EVIL}rce", "source").replace(f"o{'u' + EVIL}tcome", "outcome")
            if name == "nodes.csv":
                title, *lines = text.splitlines()
                rows = [line.split(",") for line in lines]
                for row in rows:
                    row[1] = f"arm{EVIL}" if row[1] == "1" else "none"
                text = "\n".join([title, *map(",".join, rows)]) + "\n"
            (self.data / name).write_text(text)
        self.policy = self.data / f"policy{EVIL}.csv"
        self.policy.write_text(f"id,best{EVIL}\n" + "".join(
            f"u{EVIL}{i},{'arm' + EVIL if i % 2 else 'none'}\n" for i in range(80)))

    def run_clean(self, *arguments, status=0):
        done = cone(*arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        for text in (done.stdout, done.stderr):
            found = TREACHEROUS.search(text)
            self.assertIsNone(found, found and repr(text[max(0, found.start() - 200):found.end() + 20]))
        return done

    def pages_clean(self):
        for page in self.data.rglob("*.html"):
            self.assertIsNone(TREACHEROUS.search(page.read_text()), page.name)

    def test_no_command_prints_them(self):
        data, out = self.data, self.data / f"out{EVIL}"
        fast = ("--control", "none", "--threads", 1)
        policies = ("--policy", self.policy, f"always:arm{EVIL}")
        self.run_clean("check", data, *fast, *policies)
        self.run_clean("check", data, *fast, "--json", "-")
        done = self.run_clean("evaluate", data, *fast, *policies, "--estimators", "ips,dr_ridge,network_dm",
                              "--details", "--json", f"{out}.json", "--report", f"{out}.html",
                              "--nodes", f"{out}.csv")
        self.assertIn(r"\x1b]0;owned\x07\u009b31m\u202e\u200f: estimates by fold", done.stdout)
        names = [policy["name"] for policy in json.loads(
            self.run_clean("evaluate", data, *fast, *policies, "--estimators", "ips", "--json", "-").stdout)["policies"]]
        self.assertEqual(names, [f"best{EVIL}", f"always:arm{EVIL}"])
        self.run_clean("effects", data, *fast, "--out", f"{out}.effects.csv")
        self.run_clean("learn", data, *fast, "--depth", 1, "--out", f"{out}.learnt.csv", "--picture",
                       f"{out}.svg", "--json", f"{out}.rule.json")
        self.run_clean("sensitivity", data, *fast, *policies, "--lambdas", 3, "--json", f"{out}.sens.json")
        self.run_clean("refute", data, *fast, *policies, "--checks", "placebo", "--draws", 2, "--out", f"{out}.refuted")
        self.run_clean("tune", data, *fast, "--epochs", 2, "--head-size", 2, "--tune-folds", 2, "--out", f"{out}.tuned")
        self.run_clean("fit", data, *fast, "--parts", "network_ridge", "--out", f"{out}.model")
        self.run_clean("report", f"{out}.json", f"{out}.sens.json", f"{out}.rule.json", "--out", f"{out}.page.html")
        self.run_clean("simulate", "--nodes", 60, "--mean-degree", 6, "--words", 20, "--words-per-node", 4,
                       "--out", f"{out}.simulated")
        self.pages_clean()

    def test_no_error_prints_them(self):
        data = self.data
        for arguments in (("evaluate", data / "missing", "--policy", "treat-all"),
                          ("evaluate", data, "--policy", f"never{EVIL}"),
                          ("evaluate", data, "--policy", "treat-all", "--outcome", f"y{EVIL}"),
                          ("evaluate", data, "--policy", "treat-all", f"--poli{EVIL}"),
                          ("evaluate", data, "--policy", "treat-all", "--folds", f"5{EVIL}"),
                          ("evaluate", data, "--policy", "treat-all", "--estimators", f"ips{EVIL}"),
                          ("evaluate", data, "--policy", "treat-all", "--options", data / "edges.csv"),
                          ("evaluate", data, f"word{EVIL}", "--policy", "treat-all"),
                          ("report", data / "nodes.csv", "--out", data / "page.html"),
                          (f"eval{EVIL}",)):
            with self.subTest(arguments):
                self.run_clean(*arguments, status=2)


class Numbers(FolderTest):
    def test_no_number_is_printed_that_is_none(self):
        """Squares of the weights overflow: the effective sample size was inf / inf."""
        draw = random.Random(1)
        lines = ["id,treatment,outcome,x,propensity,mu0,mu1"]
        for i in range(140):
            t, x = draw.randrange(2), draw.gauss(0, 1)
            lines.append(f"u{i},{t},{x + t + draw.gauss(0, 0.3)!r},{x!r},{'1e-300' if i % 7 == 0 else 0.5},{x!r},{x + 1!r}")
        table = self.write("given.csv", "\n".join(lines) + "\n")
        done = cone("evaluate", table, "--nuisances", "given", "--policy", "uniform", "treat-all", "--details",
                    "--report", self.folder / "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = re.sub("<template.*?</template>", "", (self.folder / "page.html").read_text(), flags=re.S)
        for text in (done.stdout, done.stderr, page):
            self.assertNotRegex(text, r"(?i)(?<![a-z])-?(nan|inf)(?![a-z])")
        self.assertLess(max(map(len, done.stdout.splitlines())), 300)
        self.assertRegex(done.stdout, "effective sample size 1[0-9] of 140")


class Formulas(FolderTest):
    """Ids that a spreadsheet would compute."""

    ID = "=cmd|' /C calc'!A1"

    def setUp(self):
        super().setUp()
        self.write_log(60)
        for name in ("nodes.csv", "edges.csv", "policy.csv"):
            text = (self.folder / name).read_text()
            self.write(name, re.sub(r"\bu7\b", self.ID, text))

    def ids(self, name):
        with open(self.folder / name, newline="") as file:
            return [row["id"] for row in csv.DictReader(file)]

    def test_tables_keep_ids_unless_a_guard_is_asked_for(self):
        out = self.folder / "out.csv"
        for guard, expected in (((), self.ID), (("--spreadsheet-safe",), "'" + self.ID)):
            for command in (("effects",), ("learn", "--depth", 1)):
                done = cone(*command, self.folder, "--out", out, *guard)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.ids("out.csv")[7], expected)
            self.evaluate(self.folder, "--policy", "uniform", "--estimators", "dr_ridge", "--nodes", out, *guard)
            self.assertEqual(self.ids("out.csv")[7], expected)
            self.assertEqual(self.ids("out.csv")[8], "u8")
            self.assertNotIn("'-", out.read_text())  # numbers stay numbers


class Sentences(FolderTest):
    def test_without_edges_networks_are_trained_on_request_only(self):
        data = self.write_log(60) / "nodes.csv"
        done = cone("evaluate", data, "--policy", "uniform", "--json", self.folder / "a.json")
        note = "cone and cone_dm were left out, as the data has no edges: --estimators cone,cone_dm runs them"
        self.assertEqual(done.stderr.count(note), 1, done.stderr)
        self.assertNotIn(note, done.stdout)
        record = json.loads((self.folder / "a.json").read_text())
        self.assertNotIn("trainings", record["diagnostics"])
        self.assertIn(note, record["diagnostics"]["notes"])
        names = {e["estimator"] for e in record["policies"][0]["estimates"]}
        self.assertFalse(names & {"cone", "cone_dm"})
        record = self.evaluate(data, "--policy", "uniform", "--estimators", "cone", "--epochs", 2)
        self.assertEqual([e["estimator"] for e in record["policies"][0]["estimates"]], ["cone"])
        self.assertNotIn(note, record["diagnostics"]["notes"])

    def test_a_mistyped_flag_is_named(self):
        for words, expected in ((("--polcy", "treat-all"), "there is no --polcy; did you mean --policy?"),
                                (("--policy", "treat-all", "--no-sensitivity-intervl"), "there is no --no-sensitivity-intervl; did you mean --no-sensitivity-interval?"),
                                (("--policy", "treat-all", "--robust"), "--robust is called --sensitivity-interval now"),
                                (("--policy", "treat-all", "--no-robust"), "--no-robust is called --no-sensitivity-interval now"),
                                (("--policies", "treat-all"), "there is no --policies; did you mean --policy?"),
                                (("--policy", "treat-all", "--random-state", "3"), "did you mean --seed?"),
                                (("--policy", "treat-all", "--data", "x.csv"), "without a flag: cone evaluate DATA"),
                                (("--policy", "treat-all", "--zzzzzz=3"), "there is no --zzzzzz;")):
            message = self.refused("demo", *words)
            self.assertIn(expected, message)
            self.assertNotIn("required", message)

    def test_a_page_is_no_pdf(self):
        self.write_log(60)
        message = self.refused(self.folder, "--policy", "uniform", "--report", self.folder / "x.pdf")
        self.assertIn("would hold HTML", message)
        record = self.folder / "a.json"
        self.assertEqual(cone("evaluate", self.folder, "--policy", "uniform", "--estimators", "ips", "--json", record,
                              "--report", self.folder / "x.HTM").returncode, 0)
        self.assertEqual(cone("report", record, "--out", self.folder / "x.svg").returncode, 2)
        self.assertEqual(cone("report", record, "--out", "/dev/null").returncode, 0)

    def test_names_that_others_use_are_answered_with_ours(self):
        for name, expected in (("aipw", "dr_ridge is AIPW"), ("TMLE", "there is no TMLE; dr_ridge (AIPW)"),
                               ("ipw", "ips is inverse propensity weighting"), ("hajek", "snips is the Hajek"),
                               ("ate", "--policy treat-all treat-none")):
            self.assertIn(expected, self.refused("demo", "--policy", "treat-all", "--estimators", name))

    def test_a_warning_of_several_policies_is_one_sentence(self):
        draw = random.Random(2)
        table = self.write("few.csv", "id,treatment,outcome\n" + "".join(
            f"u{i},{i % 2},{draw.gauss(0, 1)!r}\n" for i in range(24)))
        done = cone("evaluate", table, "--policy", "treat-all", "treat-none", "uniform", "--estimators", "naive,dr_ridge",
                    "--json", self.folder / "a.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = cone("evaluate", table, "--policy", "treat-all", "treat-none", "uniform")
        warned = [line for line in done.stdout.splitlines() if line.startswith("! ") and "worse than a constant" in line]
        self.assertEqual(len(warned), 1, done.stdout)
        for name in ("treat-all", "treat-none"):
            self.assertIn(name, warned[0])
        self.assertNotIn("too narrow", done.stdout)  # the quantiles are of Student's t

    def test_given_models_stand_under_one_name(self):
        self.write_log(60)
        title, *lines = (self.folder / "nodes.csv").read_text().splitlines()
        self.write("nodes.csv", "\n".join([title + ",mu0,mu1"] + [f"{line},0.1,{0.5 + i % 3}" for i, line in enumerate(lines)]))
        record = self.evaluate(self.folder, "--policy", "treat-all", "--nuisances", "given", "--estimators",
                               "network_dm,dm_ridge,dm,dr_ridge")
        self.assertEqual([e["estimator"] for e in record["policies"][0]["estimates"]], ["dm", "dr"])
        self.assertEqual(record["decision"]["estimator"], "dr")


if __name__ == "__main__":
    unittest.main()
