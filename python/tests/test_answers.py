"""Results as tables, reports and in notebooks; and the list of keywords."""

import unittest
from html.parser import HTMLParser

import numpy

import cone
from support import MESSAGES, FolderTest, make_log, run_program


class Tags(HTMLParser):
    """Tags that were opened and not closed, and the names of all."""

    def __init__(self, page):
        super().__init__()
        self.opened, self.seen = [], set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.opened.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag, tag


def rows_of(table):
    return table if isinstance(table, list) else table.to_dict("records")


class Warnings(unittest.TestCase):
    def test_what_the_program_marks_is_a_warning(self):
        log = make_log()
        features, treatment = log["features"], log["treatment"]
        mu = numpy.column_stack([features[:, 0], features[:, 0] + 1])
        rare = numpy.where(treatment == 1, 0.001, 0.999)
        for given, estimators, text in (({"mu": mu}, ["network_dm", "dm"], "with the given outcome model (mu0, mu1) network_dm is the same as dm or dr"),
                                         ({"mu": mu, "propensity": rare}, None, "weight")):
            data = cone.Dataset.from_arrays(**log, **given)
            answer = cone.evaluate(data, ["treat-all"], estimators, nuisances="given")
            marked = [line[2:] for line in answer.text.splitlines() if line.startswith("! ")]
            self.assertLessEqual(set(cone._core.spell_as_keywords(marked)), set(answer.warnings))
            self.assertIn(text, str(answer.warnings))
            self.assertEqual(len(answer.warnings), len(set(answer.warnings)))
        self.assertGreater(len(marked), 1)
        unused = cone.evaluate(data, ["treat-all"], ["dr_ridge"]).warnings
        self.assertIn('were not used: nuisances="given" uses them', str(unused))
        self.assertNotIn("--", str(unused))


class Answers(FolderTest):
    @classmethod
    def setUpClass(cls):
        log = make_log()
        log["treatment"] = ["<i>sent</i>" if t else "no" for t in log["treatment"]]
        cls.data = cone.Dataset.from_arrays(**log)
        cls.rule = cone.learn(cls.data, depth=1)
        cls.analysis = cone.sensitivity(cls.data, {"<b>all</b>": "always:<i>sent</i>"}, lambdas=3)
        cls.effects = cone.effects(cls.data)

    def test_notebooks_show_tables_without_script_or_names_that_are_markup(self):
        for answer in (self.data, self.rule, self.analysis, self.effects):
            with self.subTest(answer):
                page = answer._repr_html_()
                tags = Tags(page)
                self.assertEqual(tags.opened, [])
                self.assertIn("table", tags.seen)
                self.assertTrue(tags.seen.isdisjoint({"i", "b", "script"}), tags.seen)

    def test_a_dataset_shows_its_arms(self):
        page = self.data._repr_html_()
        self.assertIn("240 nodes, 240 edges", page)
        self.assertIn("&lt;i&gt;sent&lt;/i&gt;", page)

    def test_effects_show_their_first_rows(self):
        self.assertEqual(self.effects._repr_html_().count("<tr>"), 11)
        self.assertIn("The first 10 of 240 nodes", self.effects._repr_html_())

    def test_a_rule_is_compared_with_all_simpler_policies(self):
        rows = rows_of(self.rule.table)
        self.assertEqual([row["alternative"] for row in rows][:3],
                         ["learnt rule", "logged", "best single arm"])
        for row, alternative in zip(rows[1:], self.rule.record["comparisons"]):
            self.assertEqual(row["value"], alternative["value"])
            self.assertAlmostEqual(row["rule_gains"], rows[0]["value"] - row["value"])

    def test_every_answer_makes_the_page_of_the_program(self):
        for name, answer in (("rule", self.rule), ("analysis", self.analysis)):
            (self.folder / f"{name}.json").write_text(answer.to_json())
            run_program("report", self.folder / f"{name}.json", "--out", self.folder / "program.html")
            answer.report(self.folder / "python.html")
            self.assertEqual((self.folder / "python.html").read_text(),
                             (self.folder / "program.html").read_text())


class Keywords(unittest.TestCase):
    def test_every_keyword_that_is_listed_is_taken(self):
        data = cone.Dataset.load(MESSAGES)
        calls = {"evaluate": lambda **options: cone.evaluate(data, ["uniform"], ["naive"], **options),
                 "effects": lambda **options: cone.effects(data, **options)}
        for function, call in calls.items():
            listed = {row["keyword"] for row in rows_of(cone.options(function))}
            with self.assertRaises(cone.Error) as caught:
                call(qqqq=1)
            named = str(caught.exception).partition("choose from ")[2].split(", ")
            self.assertEqual(listed, set(named))

    def test_defaults_and_limits_are_those_of_the_program(self):
        text = run_program("evaluate", "--help")
        for row in rows_of(cone.options("evaluate")):
            self.assertIn("--" + row["keyword"].replace("_", "-"), text)
            self.assertNotIn("--", row["meaning"])
        folds = next(row for row in rows_of(cone.options("evaluate")) if row["keyword"] == "folds")
        self.assertEqual((folds["default"], folds["may_be"]), (5, "whole number, between 2 and 1000"))

    def test_every_function_has_a_list(self):
        for function in ("load", "evaluate", "effects", "learn", "sensitivity", "simulate", "reproduce"):
            self.assertGreater(len(cone.options(function)), 5)
        with self.assertRaisesRegex(cone.Error, "there is no function 'fit' with options; choose from"):
            cone.options("fit")


if __name__ == "__main__":
    unittest.main()
