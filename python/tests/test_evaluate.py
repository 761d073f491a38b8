"""cone.evaluate: the record of the program, from files and from arrays; policies in every form."""

import io
import re
import threading
import time
import unittest
import warnings

import numpy

import cone
from support import COUPONS, MESSAGES, FolderTest, make_log, run_program, without_timings

FAST = ["network_dm", "dr_ridge", "snips", "naive"]


class SameRecord(FolderTest):
    def assert_same(self, answer, *words, data=True):
        program = run_program("evaluate", *words, "--json", "-")
        self.assertEqual(without_timings(answer.to_json(), data=data),
                         without_timings(program, data=data))

    def test_a_loaded_file_gives_the_bytes_of_the_program(self):
        data = cone.Dataset.load(MESSAGES)
        answer = cone.evaluate(data, ["always:sms", "uniform"], FAST, seed=3, folds=4)
        self.assert_same(answer, MESSAGES, "--policy", "always:sms", "uniform", "--estimators",
                         ",".join(FAST), "--seed", 3, "--folds", 4)
        self.assertTrue(answer.to_json().startswith('{\n  "schema": "cone.evaluation/5",\n'))

    def test_defaults_are_those_of_the_program(self):
        answer = cone.evaluate(cone.Dataset.load(COUPONS), [COUPONS / "policy.csv", "treat-all"])
        self.assert_same(answer, COUPONS, "--policy", COUPONS / "policy.csv", "treat-all")

    def test_options_of_every_kind_reach_the_run(self):
        data = cone.Dataset.load(MESSAGES, ignore=["age"], control="email")
        answer = cone.evaluate(data, ["uniform"], "dr_ridge,switch_dr", protocol="split",
                               stratified=True, train_fraction=0.5, switch_threshold=3,
                               sensitivity_interval=False)
        self.assert_same(answer, MESSAGES, "--ignore", "age", "--control", "email", "--policy",
                         "uniform", "--estimators", "dr_ridge,switch_dr", "--protocol", "split",
                         "--stratified", "--train-fraction", 0.5, "--switch-threshold", 3,
                         "--no-sensitivity-interval")

    def test_a_direction_that_the_outcome_calls_for_is_asked_for_in_keywords(self):
        self.write_log(make_log(80))
        nodes = self.folder / "nodes.csv"
        nodes.write_text(nodes.read_text().replace("outcome", "days_ill", 1))
        data = cone.Dataset.load(self.folder, outcome="days_ill")
        for function in (lambda **given: cone.evaluate(data, ["treat-all"], ["dr_ridge"], **given),
                         lambda **given: cone.learn(data, depth=1, **given)):
            question, = (warning for warning in function().warnings if "counts as better" in warning)
            self.assertIn("use lower_is_better=True if lower is better, lower_is_better=False if higher is", question)
            for lower in (True, False):
                self.assertFalse(any("counts as better" in warning
                                     for warning in function(lower_is_better=lower).warnings))

    def test_columns_that_costs_name_are_read_again(self):
        log = make_log()
        self.write_log(log, names=("x0", "x1", "price"))
        data = cone.Dataset.load(self.folder)
        answer = cone.evaluate(data, ["treat-all"], FAST, cost={"1": "price"})
        self.assert_same(answer, self.folder, "--policy", "treat-all", "--estimators",
                         ",".join(FAST), "--cost", "1=price")

    def test_arrays_give_the_same_but_for_the_name_of_the_data(self):
        log = make_log()
        words = [self.write_log(log), "--policy", "treat-all", "--estimators", ",".join(FAST)]
        answer = cone.evaluate(cone.Dataset.from_arrays(**log), ["treat-all"], FAST)
        self.assert_same(answer, *words, data=False)
        self.assertEqual(answer.record["config"]["data"], "arrays")
        self.assertTrue(answer.record["config"]["data_in_memory"])

    def test_the_page_says_what_came_from_memory(self):
        half = numpy.full(240, 0.5)
        answer = cone.evaluate(cone.Dataset.from_arrays(**make_log()),
                               {"half": half, "treat-all": "treat-all"}, FAST)
        self.assertEqual(answer.record["config"]["policy_arguments"], [None, "treat-all"])
        answer.report(self.folder / "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn("cone evaluate DATA --policy POLICIES.csv treat-all", page)
        self.assertIn("The data was in memory", page)
        loaded = cone.evaluate(cone.Dataset.load(COUPONS), [COUPONS / "policy.csv"], FAST)
        self.assertEqual(loaded.record["config"]["policy_arguments"], [str(COUPONS / "policy.csv")])
        self.assertNotIn("data_in_memory", loaded.record["config"])

    def command_on_page(self, data):
        answer = cone.evaluate(data, ["treat-all"], ["naive"])
        answer.report(self.folder / "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn("The data was in memory", page)
        return re.search(r"<pre><code>(.*?)</code>", page).group(1)

    def test_the_command_says_how_data_from_memory_was_read(self):
        weight, cluster = 1 + numpy.arange(240) % 2, ["a", "b", "c", "d"] * 60
        arrays = cone.Dataset.from_arrays(**make_log(), weight=weight, cluster=cluster, control=0)
        command = self.command_on_page(arrays)
        self.assertTrue(command.startswith("cone evaluate DATA --policy treat-all"), command)
        for words in ("--weight weight", "--cluster cluster", "--control 0"):
            self.assertIn(words, command)
        try:
            import pandas
        except ImportError:
            return
        log = make_log()
        frame = pandas.DataFrame({"sent": log["treatment"], "bought": log["outcome"], "id": "not this",
                                  "x": log["features"][:, 0], "units": weight, "village": cluster},
                                 index=[f"p{i}" for i in range(240)])
        command = self.command_on_page(cone.Dataset.from_pandas(
            frame, treatment="sent", outcome="bought", weight="units", cluster="village", control="1",
            ignore=["id"], missing="drop"))
        for words in ("--treatment sent", "--outcome bought", "--weight units", "--cluster village",
                      "--control 1", "--ignore id", "--missing drop"):
            self.assertIn(words, command)
        self.assertNotIn("(index)", command)

    def test_the_folder_of_a_simulation_without_a_path_is_not_on_the_page(self):
        small = {"nodes": 100, "mean_degree": 4, "words": 40, "words_per_node": 8}
        made = cone.simulate(**small)
        self.assertTrue(self.command_on_page(made).startswith("cone evaluate DATA --policy"))
        kept = cone.evaluate(cone.simulate(self.folder / "made", **small), ["treat-all"], ["naive"])
        self.assertEqual(kept.record["config"]["data"], str(self.folder / "made"))
        self.assertNotIn("data_in_memory", kept.record["config"])
        with self.assertRaisesRegex(cone.Error, "nor a column that this dataset keeps"):
            cone.evaluate(made, ["treat-all"], ["naive"], cost={1: "price"})

    def test_threads_change_nothing(self):
        data = cone.Dataset.load(MESSAGES)
        texts = {without_timings(cone.evaluate(data, ["uniform"], FAST, threads=n).to_json())
                 for n in (1, 3)}
        self.assertEqual(len(texts), 1)


class Policies(unittest.TestCase):
    def setUp(self):
        self.data = cone.Dataset.from_arrays(**make_log())
        self.half = numpy.full(240, 0.5)

    def value(self, policy, data=None):
        answer = cone.evaluate(data or self.data, {"p": policy}, ["dr_ridge"])
        self.assertEqual(answer.record["policies"][0]["name"], "p")
        return answer.record["policies"][0]["estimates"][0]["value"]

    def test_names_arrays_and_functions_give_the_same(self):
        known = self.value("uniform")
        self.assertEqual(self.value(self.half), known)
        self.assertEqual(self.value(list(self.half)), known)
        self.assertEqual(self.value(numpy.column_stack([self.half, self.half])), known)
        self.assertEqual(self.value(lambda x: numpy.full(len(x), 0.5)), known)

    def test_labels_assign_arms(self):
        everyone = self.value("treat-all")
        self.assertEqual(self.value(numpy.ones(240, dtype=bool)), everyone)
        self.assertEqual(self.value(["1"] * 240), everyone)
        messages = cone.Dataset.load(MESSAGES)
        self.assertEqual(self.value(["sms"] * 300, messages), self.value("always:sms", messages))

    def test_classifiers_are_asked_for_probabilities_by_their_classes(self):
        class Classifier:
            classes_ = numpy.array([1, 0])  # not in the order of the arms

            def predict_proba(self, features):
                assert features.shape == (240, 3)
                return numpy.column_stack([numpy.ones(240), numpy.zeros(240)])

        self.assertEqual(self.value(Classifier()), self.value("treat-all"))
        Classifier.classes_ = numpy.array([0, 2])
        with self.assertRaisesRegex(cone.Error, "p: its classes are 0, 2 where the arms are 0, 1"):
            self.value(Classifier())

    def test_invalid_policies_are_refused_by_row(self):
        broken = self.half.copy()
        broken[7] = 1.5
        with self.assertRaisesRegex(cone.Error, r"row 7 \(7\), column p: '1.5' is not a probability"):
            self.value(broken)
        with self.assertRaisesRegex(cone.Error, "has 3 rows where the data has 240 nodes"):
            self.value([0.1, 0.2, 0.3])
        table = numpy.full((240, 2), 0.4)
        with self.assertRaisesRegex(cone.Error, "add up to 0.8, not 1"):
            self.value(table)
        with self.assertRaisesRegex(cone.Error, "'tretment' is not an arm"):
            self.value(["tretment"] * 240)
        with self.assertRaisesRegex(cone.Error, "did you mean treat-all?"):
            self.value("treat-al")

    def test_a_function_may_raise(self):
        def broken(features):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            self.value(broken)


class Errors(unittest.TestCase):
    def setUp(self):
        self.data = cone.Dataset.from_arrays(**make_log(60))

    def test_unknown_options_are_errors_with_the_nearest_name(self):
        with self.assertRaises(cone.Error) as caught:
            cone.evaluate(self.data, ["uniform"], foldes=3, gamma="x")
        self.assertIsInstance(caught.exception, ValueError)
        self.assertEqual(caught.exception.kind, "usage")
        self.assertEqual(str(caught.exception).splitlines(),
                         ['gamma: is "x", must be a number', "foldes: is not an option; did you mean folds?"])
        self.assertEqual(caught.exception.faults[1],
                         {"place": "foldes", "what": "is not an option", "advice": "did you mean folds?"})

    def test_options_without_effect_are_refused(self):
        with self.assertRaisesRegex(cone.Error, 'folds: has no effect with protocol="split"'):
            cone.evaluate(self.data, ["uniform"], protocol="split", folds=3)
        with self.assertRaisesRegex(cone.Error, "threads: is -1"):
            cone.evaluate(self.data, ["uniform"], threads=-1)

    def test_ranges_are_checked(self):
        with self.assertRaisesRegex(cone.Error, "folds: is 1, must be between 2 and 1000"):
            cone.evaluate(self.data, ["uniform"], folds=1)
        with self.assertRaisesRegex(cone.Error, "folds: is 2.5, must be a whole number"):
            cone.evaluate(self.data, ["uniform"], folds=2.5)
        with self.assertRaisesRegex(cone.Error, "estimators: is an array, must be a list of strings"):
            cone.evaluate(self.data, ["uniform"], estimators=[1])


class Watching(unittest.TestCase):
    LONG = {"estimators": ["cone"], "epochs": 100000, "patience": 100000}

    def small(self):
        """Half a second of a core, where the demo takes three."""
        return cone.simulate(nodes=1500, mean_degree=10, seed=1)

    def test_progress_is_reported_and_may_stop_the_run(self):
        data = cone.Dataset.load("demo")
        seen = []

        def watch(what, share):
            seen.append((what, share))
            if len(seen) == 3:
                raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            cone.evaluate(data, ["uniform"], progress=watch, **self.LONG)
        self.assertEqual(len(seen), 3)
        self.assertTrue(all(0 <= share <= 1 for _, share in seen))

    def test_a_line_is_shown_and_taken_away(self):
        from unittest import mock

        from cone import _progress
        shown = io.StringIO()
        with mock.patch.object(_progress, "_PATIENCE", 0), mock.patch("sys.stderr", shown), \
                mock.patch.object(_progress, "_make_display", _progress._Line):
            cone.evaluate(self.small(), ["uniform"], ["dr_ridge"], progress=True)
        self.assertIn("%", shown.getvalue())
        self.assertTrue(shown.getvalue().endswith("\r"))

    def test_an_interrupt_raises_keyboard_interrupt_soon(self):
        import signal
        data = cone.Dataset.load("demo")
        started = threading.Event()
        sent = []

        def interrupt():
            started.wait()
            time.sleep(0.5)
            sent.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)

        sender = threading.Thread(target=interrupt)
        sender.start()
        with self.assertRaises(KeyboardInterrupt):
            cone.evaluate(data, ["uniform"], progress=lambda *_: started.set(), **self.LONG)
        sender.join()
        self.assertTrue(sent)  # and not because the run was over

    def test_other_threads_keep_running(self):
        data = self.small()
        ticks = []
        stop = threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.005)

        ticker = threading.Thread(target=tick)
        ticker.start()
        cone.evaluate(data, ["uniform"], ["dr_ridge"])
        stop.set()
        ticker.join()
        self.assertGreater(len(ticks), 5)


class Result(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        data = cone.Dataset.load(MESSAGES)
        cls.answer = cone.evaluate(data, {"<b>sms</b>": "always:sms", "mixed": "uniform"}, FAST,
                                   cost={"sms": 0.4})

    def rows(self, table):
        return table if isinstance(table, list) else table.to_dict("records")

    def test_tables_hold_the_numbers_of_the_record(self):
        decision = self.answer.record["decision"]
        rows = self.rows(self.answer.table)
        self.assertEqual([row["policy"] for row in rows], ["logged", "<b>sms</b>", "mixed"])
        for row, entry in zip(rows, decision["policies"]):
            for name in ("value", "cost", "net_value"):
                self.assertEqual(row[name], entry[name])
            self.assertEqual([row["low"], row["high"]], entry["interval"])
            self.assertEqual([row["net_low"], row["net_high"]], entry["net_interval"])
        self.assertAlmostEqual(rows[1]["value"] - rows[1]["net_value"], 0.4)
        self.assertAlmostEqual(rows[1]["gain"], rows[1]["net_value"] - rows[0]["net_value"])
        self.assertEqual(len(self.rows(self.answer.estimates)), 2 * len(FAST))
        self.assertEqual(len(self.rows(self.answer.differences)), 3)
        self.assertEqual(self.answer.ranks["<b>sms</b>"], (2, 3))  # with an unmeasured confounder
        self.assertEqual([row["ranks"] for row in self.answer.record["decision"]["policies"]
                          if row["name"] == "<b>sms</b>"], [[3, 3]])
        self.assertIsNone(self.answer.single_best)
        self.assertEqual(self.answer.best, ["logged", "mixed"])
        self.assertEqual([row["verdict"] for row in rows], [None, "conditional", "not_shown"])

    def test_lower_may_be_better(self):
        data = cone.Dataset.load(MESSAGES)
        policies = ["always:sms", "always:email"]
        higher, lower = (cone.evaluate(data, policies, FAST, randomised=True, lower_is_better=lower)
                         for lower in (False, True))
        self.assertEqual([row["value"] for row in self.rows(higher.table)],
                         [row["value"] for row in self.rows(lower.table)])
        self.assertEqual((higher.single_best, lower.single_best), ("always:email", "always:sms"))
        self.assertEqual(lower.ranks["always:sms"], (1, 1))
        self.assertIn("(lower is better)", str(lower).splitlines()[0])
        self.assertIn("(lower is better)", str(cone.learn(data, depth=1, lower_is_better=True)).splitlines()[0])

    def test_warnings_of_budgets_are_among_the_warnings(self):
        data = cone.Dataset.load(MESSAGES)
        few_scores = [[0, 0, 1] if i > 30 else [1, 0, 0] for i in range(len(data.ids))]
        answer = cone.evaluate(data, {"late": few_scores}, FAST, rank="late", rank_arm="sms")
        curve, = answer.record["budget_curves"]
        self.assertNotEqual(curve["warnings"], [])
        self.assertLessEqual({f"budgets by late: {warning}" for warning in curve["warnings"]}, set(answer.warnings))

    def test_a_learnt_rule_may_be_of_a_randomised_log(self):
        data = cone.Dataset.load(MESSAGES)
        usual, declared = (cone.learn(data, depth=1, cost={"email": 3, "sms": 0.5}, randomised=flag)
                           for flag in (False, True))
        self.assertEqual((usual.record["randomised"], declared.record["randomised"]), (False, True))
        self.assertEqual([row["verdict"] for row in usual.comparisons][:2], [None, "conditional"])
        self.assertEqual([row["verdict"] for row in declared.comparisons][:2], [None, "supported"])

    def test_without_costs_there_are_no_columns_of_costs(self):
        free = cone.evaluate(cone.Dataset.load(MESSAGES), ["always:sms"], FAST)
        row = self.rows(free.table)[1]
        self.assertEqual([name for name in row if "net" in name or "cost" in name], [])
        self.assertAlmostEqual(row["value"], self.rows(self.answer.table)[1]["value"])

    def test_the_text_is_that_of_the_program(self):
        self.assertIn("Net value:", str(self.answer))
        self.assertEqual(repr(self.answer), "<cone.Evaluation of <b>sms</b>, mixed>")

    def test_nothing_that_is_shown_can_command_a_terminal(self):
        evil = "\x1b]0;owned\x07\x9b31m\u202e\u200f"
        log = make_log(80)
        log["treatment"] = [f"arm{evil}" if t else "none" for t in log["treatment"]]
        data = cone.Dataset.from_arrays(**log, control="none")
        answer = cone.evaluate(data, {f"best{evil}": f"always:arm{evil}"}, estimators=["dr_ridge", "network_dm"])
        rule = cone.learn(data, depth=1)
        analysis = cone.sensitivity(data, {f"best{evil}": f"always:arm{evil}"}, lambdas=3)
        shown = [f(x) for x in (answer, rule, analysis, cone.effects(data)) for f in (str, repr, lambda x: x._repr_html_())]
        shown += [repr(data), answer.to_json(), *answer.warnings]
        for policies in ({f"p{evil}": "nowhere.csv"}, {f"p{evil}": [1, 2]}, [f"word{evil}"]):
            with self.assertRaises(cone.Error) as raised:
                cone.evaluate(data, policies)
            shown.append(str(raised.exception))
        with self.assertRaises(cone.Error) as raised:
            cone.Dataset.load(f"missing{evil}")
        shown.append(str(raised.exception))
        for text in shown:
            self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e]")
        self.assertEqual(answer.record["policies"][0]["name"], f"best{evil}")

    def test_html_escapes_names_and_needs_no_script(self):
        html = self.answer._repr_html_()
        self.assertIn("&lt;b&gt;sms", html)
        self.assertIn("<th>cost</th><th>net value</th>", html)
        self.assertNotIn("<b>", html)
        self.assertNotIn("<script", html)
        self.assertNotIn("http", html)

    def test_plots_need_matplotlib(self):
        try:
            import matplotlib
        except ImportError:
            with self.assertRaisesRegex(ImportError, "plot\\(\\) needs matplotlib"):
                self.answer.plot()
            return
        matplotlib.use("agg")
        axes = self.answer.plot()
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()],
                         ["mixed", "<b>sms</b>"])
        self.assertIn("net of costs", axes.get_xlabel())


if __name__ == "__main__":
    warnings.simplefilter("error")
    unittest.main()
