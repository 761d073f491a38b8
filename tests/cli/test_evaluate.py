"""What cone evaluate promises: the contract, and invariances through the whole program."""

import json
import random
import unittest

import jsonschema
import numpy
import scipy.io
import scipy.sparse

from support import COUPONS, ROOT, FolderTest, cone, values

SCHEMA = json.loads((ROOT / "docs/evaluation.schema.json").read_text())
FEATURE_ESTIMATORS = ("naive ips snips ips_clipped dm_ols1 dm_ols2 dm_ridge dm_nn dr_ols1 "
                      "dr_ols2 dr_ridge dr_nn switch_dr dr_shrinkage").split()
RIDGE_ESTIMATORS = ["network_dm", "network_joint", "network_dr"]
CONE_ESTIMATORS = ["cone", "cone_dm", "cone_ips", "cone_snips"]
ON_FEATURES = ["--estimators", ",".join(RIDGE_ESTIMATORS + FEATURE_ESTIMATORS)]


class Contract(FolderTest):
    def test_networks_that_all_diverged_have_no_interval(self):
        record = self.evaluate(COUPONS, "--policy", "treat-all", "--estimators", "cone",
                               "--learning-rate", 1e6, "--epochs", 20)
        statuses = [t["status"] for t in record["diagnostics"]["trainings"]]
        self.assertEqual(set(statuses), {"diverged"})
        estimate = record["policies"][0]["estimates"][0]
        self.assertEqual(estimate["sampling_interval"], [None, None])
        self.assertIn("so no interval is valid", " ".join(estimate["warnings"]))
        decided = record["decision"]["policies"][1]
        self.assertIn("no valid interval", decided["sentence"])

    def test_the_example_runs_as_its_readme_says(self):
        policy = COUPONS / "policy.csv"
        for arguments in ([policy], ["treat-all", f"linear:{COUPONS}/loyalty.csv"],
                          [policy, "--nuisances", "given"]):
            done = cone("evaluate", COUPONS, "--policy", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("value", done.stdout)
            self.assertIn("30 nodes", done.stderr)

    def test_json_follows_the_schema_for_every_kind_of_run(self):
        data = self.write_log()
        for arguments in ([], ["--protocol", "split", "--stratified"],
                          ["--estimators", "snips,dr_ols1", "--correction", "literal"]):
            record = self.evaluate(data, "--policy", data / "policy.csv", "treat-all", *arguments)
            jsonschema.validate(record, SCHEMA)
        record = self.evaluate(COUPONS, "--policy", COUPONS / "policy.csv", "--nuisances", "given")
        jsonschema.validate(record, SCHEMA)
        self.assertEqual(record["diagnostics"]["propensity_models"][0]["name"], "given")

    def test_the_default_runs_the_network_ridge_every_estimator_on_features_and_cone(self):
        data = self.write_log()
        record = self.evaluate(data, "--policy", "uniform", data / "policy.csv")
        for policy in record["policies"]:
            self.assertEqual([e["estimator"] for e in policy["estimates"]],
                             [*RIDGE_ESTIMATORS, *FEATURE_ESTIMATORS, "cone", "cone_dm"])
        self.assertEqual(record["data"]["num_nodes"], 60)
        self.assertEqual(record["data"]["num_edges"], 60)

    def test_the_record_says_what_the_network_ridge_learnt(self):
        data = self.write_log()
        record = self.evaluate(data, "--policy", "uniform", "--estimators", "network_dm",
                               "--ridge-groups", "own,neighbour_effects", "--undersmoothing", 0.5)
        jsonschema.validate(record, SCHEMA)
        ridge = record["diagnostics"]["network_ridge"]
        self.assertEqual((ridge["solver"], ridge["undersmoothing"]), ("dense", 0.5))
        self.assertEqual([arm["arm"] for arm in ridge["arms"]], ["0", "1"])
        for arm in ridge["arms"]:
            self.assertEqual(set(arm["variances"]), {"own_numeric", "neighbour_effects"})
            self.assertEqual((arm["num_nodes"], arm["converged"]), (30, True))
        estimate = record["policies"][0]["estimates"][0]
        self.assertEqual(estimate["target"], "population")
        self.assertEqual(estimate["population_standard_error"], estimate["standard_error"])
        self.assertGreater(estimate["standard_error"], estimate["sample_standard_error"])
        per_fold = self.evaluate(data, "--policy", "uniform", "--estimators", "network_dm",
                                 "--ridge-variances", "per_fold", "--folds", 3)
        self.assertEqual(len(per_fold["diagnostics"]["network_ridge"]["arms"]), 6)
        without = self.evaluate(data, "--policy", "uniform", "--estimators", "naive")
        self.assertNotIn("network_ridge", without["diagnostics"])

    def test_json_goes_to_a_file_beside_the_table(self):
        out = self.folder / "out.json"
        done = cone("evaluate", COUPONS, "--policy", "uniform", "--json", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("logged", done.stdout)
        self.assertNotIn("dr_ridge", done.stdout)
        self.assertIn("dr_ridge", cone("evaluate", COUPONS, "--policy", "uniform", "--details").stdout)
        jsonschema.validate(json.loads(out.read_text()), SCHEMA)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["out.json"])

    def test_quiet_says_nothing_but_the_table(self):
        done = cone("evaluate", COUPONS, "--policy", "uniform", "--quiet")
        self.assertEqual(done.stderr, "")

    def test_the_truth_is_shown_and_never_used(self):
        data = self.write_log()
        plain = self.evaluate(data, "--policy", "uniform")
        text, truth = self.with_truth()
        self.write("nodes.csv", text)
        told = self.evaluate(data, "--policy", "uniform")
        self.assertAlmostEqual(told["policies"][0]["truth"], truth, places=12)
        self.assertNotIn("truth", plain["policies"][0])
        self.assertEqual(values(plain), values(told))

    def test_a_mat_file_is_a_dataset(self):
        draw = numpy.random.default_rng(3)
        n = 80
        network = scipy.sparse.random(n, n, 0.05, random_state=1)
        treatment = draw.integers(0, 2, n)
        y0 = draw.normal(size=n)
        path = self.folder / "small.mat"
        scipy.io.savemat(path, {
            "Network": ((network + network.T) != 0).astype(float),
            "Attributes": scipy.sparse.csc_matrix(draw.poisson(0.3, (n, 9)).astype(float)),
            "T": treatment.reshape(-1, 1), "Y0": y0.reshape(1, -1), "Y1": y0.reshape(1, -1) + 1,
        }, do_compression=True)
        record = self.evaluate(path, "--policy", "treat-all", "random-weights:4")
        self.assertEqual(record["data"]["num_features"], 9)
        self.assertEqual(record["data"]["num_treated"], int(treatment.sum()))
        self.assertAlmostEqual(record["policies"][0]["truth"], y0.mean() + 1, places=12)

    def test_every_diagnostic_has_a_verdict_and_a_line_in_the_details(self):
        data = self.write_log(num_nodes=200)
        record = self.evaluate(data, "--policy", "treat-all", data / "policy.csv", "--estimators", "network_dr")
        jsonschema.validate(record, SCHEMA)
        found = record["diagnostics"]
        for name, entries in {"overlap": 2, "weights": 2, "positivity": 2, "calibration": 2, "balance": 2,
                              "residuals_by_degree": 1, "variance_shares": 2, "stability": 2}.items():
            self.assertEqual(len(found[name]), entries, name)
        self.assertEqual([(c["name"], c["of"]) for c in found["balance"][0]["columns"]],
                         [("x", "own"), ("z", "own"), ("x", "neighbours"), ("z", "neighbours")])
        text = cone("evaluate", data, "--policy", "treat-all", data / "policy.csv", "--estimators",
                    "network_dr").stdout
        self.assertEqual(len(found["verdicts"]), 10)
        for verdict in found["verdicts"]:
            self.assertRegex(text, f"{verdict['name']} +{verdict['verdict']} ")
            self.assertIn(verdict["sentence"], text)

    def test_a_caution_of_a_diagnostic_is_a_warning_without_details(self):
        data = self.write_log(num_nodes=500)
        lines = (data / "nodes.csv").read_text().splitlines()
        rows = [line.split(",") for line in lines[1:]]
        # Treated is whose neighbour on the ring has a high x, which no own feature shows.
        for k, row in enumerate(rows):
            high = float(rows[(k + 1) % len(rows)][3]) > 0
            row[1] = str(int(high if k % 4 else not high))
        self.write("nodes.csv", "\n".join([lines[0], *map(",".join, rows)]) + "\n")
        short = ["evaluate", data, "--policy", "uniform", "--epochs", 2]
        warning = "! after weighting, the standardised mean difference of "
        self.assertIn(warning, cone(*short).stdout)
        details = cone(*short, "--details").stdout
        self.assertNotIn(warning, details)
        self.assertRegex(details, "balance +caution +after weighting, the standardised mean difference")


class ValidIntervals(FolderTest):
    """No interval where none is valid, and a warning where overlap fails."""

    def warnings(self, record, name):
        rows = [e for e in record["policies"][0]["estimates"] if e["estimator"] == name]
        return " | ".join(rows[0]["warnings"])

    def test_rows_that_take_the_outcome_model_as_exact_have_no_interval(self):
        data = self.write_log()
        record = self.evaluate(data, "--policy", "treat-all", "--epochs", 5)
        jsonschema.validate(record, SCHEMA)
        valid = {"dm_nn": "dr_nn", "cone_dm": "cone"}
        for estimate in record["policies"][0]["estimates"]:
            name = estimate["estimator"]
            if name in valid:
                self.assertIsNone(estimate["standard_error"], name)
                self.assertEqual(estimate["sampling_interval"], [None, None], name)
                self.assertEqual(estimate["status"], "caution", name)
                self.assertIn(f"; {valid[name]} has one", " ".join(estimate["warnings"]))
            else:
                self.assertIsNotNone(estimate["standard_error"], name)
        table = cone("evaluate", data, "--policy", "treat-all", "--estimators", "dm_nn").stdout
        row = [line for line in table.splitlines() if line.startswith("dm_nn")][0]
        self.assertEqual(row.split()[2:4], ["-", "-"])

    def write_unsupported(self):
        """A log with logged propensities, where 31 of 100 nodes could never be treated."""
        draw = random.Random(2)
        lines = []
        for i in range(100):
            e = 0 if i < 31 else 0.5
            x = draw.gauss(0, 1)
            t = int(draw.random() < e)
            lines.append(f"u{i},{t},{3 + x + t + draw.gauss(0, 0.3)!r},{x!r},{e}\n")
        self.write("nodes.csv", "id,treatment,outcome,x,propensity\n" + "".join(lines))
        self.write("edges.csv", "source,target\nu1,u2\n")
        return self.folder

    def test_nodes_that_the_log_could_never_treat_are_loud_in_every_row(self):
        data = self.write_unsupported()
        names = "naive,ips,snips,ips_clipped,dm_ols1,dm_ridge,dr_ridge,switch_dr,okb"
        record = self.evaluate(data, "--policy", "treat-all", "--nuisances", "given",
                               "--estimators", names)
        jsonschema.validate(record, SCHEMA)
        for estimate in record["policies"][0]["estimates"]:
            name = estimate["estimator"]
            self.assertEqual(estimate["status"], "caution", name)
            self.assertAlmostEqual(estimate["off_support_fraction"], 0.31, msg=name)
            self.assertLess(estimate["mean_weight"], 0.95, name)
            self.assertIn("31 % of the policy's assignments are off support (propensity 0)", " ".join(estimate["warnings"]))
            if name in ("ips", "snips", "ips_clipped", "dr_ridge", "switch_dr"):
                self.assertEqual(estimate["sampling_interval"], [None, None], name)

    def test_rows_without_propensities_show_the_overlap_too(self):
        data = self.write_log()
        for names in ("dm_ridge", "naive", "okb", "cone_dm"):
            record = self.evaluate(data, "--policy", "treat-all", "--estimators", names,
                                   "--epochs", 3)
            estimate = record["policies"][0]["estimates"][0]
            self.assertGreater(estimate["mean_weight"], 0.5, names)
            self.assertIsNotNone(estimate["off_support_fraction"], names)

    def test_data_too_small_for_a_fit_still_has_a_naive_estimate(self):
        self.write("nodes.csv", "id,treatment,outcome\na,0,1\nb,1,2\nc,0,1.5\n")
        self.write("edges.csv", "source,target\n")
        record = self.evaluate(self.folder, "--policy", "treat-all", "--estimators", "naive")
        jsonschema.validate(record, SCHEMA)
        self.assertIsNone(record["policies"][0]["estimates"][0]["mean_weight"])
        self.assertIn("no propensity model could be fitted", record["diagnostics"]["warnings"][0])

    def test_few_units_of_an_arm_leave_few_degrees_of_freedom(self):
        policy = self.write_rare_arm()
        record = self.evaluate(self.folder, "--policy", policy, "always:email", "--estimators",
                               "network_dm,dr_ridge,snips")
        for mixed, plain in zip(*(policy["estimates"] for policy in record["policies"])):
            self.assertLess(mixed["degrees_of_freedom"], 30)
            self.assertGreater(plain["degrees_of_freedom"], 60)

    def test_columns_that_nothing_reads_are_mentioned_once(self):
        said = "the data's own propensity was not used: --nuisances given"
        record = self.evaluate(COUPONS, "--policy", COUPONS / "policy.csv")
        self.assertEqual(sum(w.startswith(said) for w in record["diagnostics"]["warnings"]), 1)
        done = cone("evaluate", COUPONS, "--policy", COUPONS / "policy.csv")
        self.assertEqual((done.stdout + done.stderr).count(said), 1)
        given = cone("evaluate", COUPONS, "--policy", "uniform", "--nuisances", "given")
        self.assertNotIn(said, given.stdout + given.stderr)


class Invariances(FolderTest):
    def test_threads_change_no_digit(self):
        data = self.write_log()
        runs = [self.evaluate(data, "--policy", "random-weights:1", "--threads", n)
                for n in (1, 2, 5)]
        for run in runs:
            del run["timing_seconds"]
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(runs[0], runs[2])

    def test_swapping_arms_and_policy_changes_no_estimate(self):
        self.write_log()
        plain = values(self.evaluate(self.folder, "--policy", self.folder / "policy.csv",
                                     *ON_FEATURES))
        self.write_log(swap=True)
        swapped = values(self.evaluate(self.folder, "--policy", self.folder / "policy.csv",
                                     *ON_FEATURES))
        for key, value in plain.items():
            self.assertAlmostEqual(value, swapped[key], places=6, msg=key)

    def test_shifting_outcomes_shifts_estimates(self):
        self.write_log()
        plain = values(self.evaluate(self.folder, "--policy", "uniform", *ON_FEATURES))
        self.write_log(shift=10)
        shifted = values(self.evaluate(self.folder, "--policy", "uniform", *ON_FEATURES))
        for (policy, name), value in plain.items():
            if name not in ("ips", "ips_clipped"):
                self.assertAlmostEqual(shifted[policy, name], value + 10, places=7, msg=name)

    def test_the_order_of_lines_changes_nothing(self):
        self.write_log()
        plain = values(self.evaluate(self.folder, "--policy", self.folder / "policy.csv",
                                     *ON_FEATURES))
        order = list(range(60))
        random.Random(9).shuffle(order)
        self.write_log(order=order)
        shuffled = values(self.evaluate(self.folder, "--policy", self.folder / "policy.csv",
                                     *ON_FEATURES))
        for key, value in plain.items():
            # Training in single precision adds up in the order of the lines, and may stop an epoch
            # earlier for it.
            close = 5e-3 if key[1].endswith("nn") else 1e-6
            self.assertAlmostEqual(value, shuffled[key], delta=close, msg=key)

    def test_every_estimation_option_changes_a_result(self):
        data = self.write_log()
        base = ["--policy", data / "policy.csv"]
        split = [*base, "--protocol", "split"]
        plain, plain_split = self.evaluate(data, *base), self.evaluate(data, *split)
        cone_changes = [["--encoder", "mean"], ["--heads", 2], ["--head-size", 3], ["--layers", 2], ["--hidden", 7],
                        ["--no-self-loops"], ["--gamma", 0.1], ["--zeta", 1],
                        ["--learning-rate", 0.01], ["--weight-decay", 0.5],
                        ["--clip-gradient", 0.01], ["--dropout", 0.5], ["--epochs", 3],
                        ["--patience", 1]]
        changes = [["--estimators", "snips"], ["--protocol", "split"], ["--folds", 3],
                   ["--selection-folds", 2], ["--correction", "plain"], ["--clip", 1],
                   ["--switch-threshold", 1], ["--shrinkage-lambda", 1], ["--level", 0.5],
                   ["--propensity-bound", 0.4], ["--feature-scaling", "none"], ["--seed", 5]]
        for change in changes:
            self.assertNotEqual(plain["policies"], self.evaluate(data, *base, *change)["policies"],
                                change)
        only_cone = [*base[:2], "--estimators", "cone"]
        plain_cone = self.evaluate(data, *only_cone)
        for change in cone_changes:
            self.assertNotEqual(plain_cone["policies"],
                                self.evaluate(data, *only_cone, *change)["policies"], change)
        only_kernel = [*base[:2], "--estimators", "okb,cone_okb", "--epochs", 5]
        plain_kernel = self.evaluate(data, *only_kernel)
        kernel_changes = [["--kernel-bandwidth", 2], ["--kernel-unit", "absolute"],
                          ["--kernel-lambda", 0.5], ["--no-kernel-normalised"]]
        for change in kernel_changes:
            self.assertNotEqual(plain_kernel["policies"],
                                self.evaluate(data, *only_kernel, *change)["policies"], change)
        # The log above is a ring, where no noise can grow with the degree.
        network = self.folder / "network"
        cone("simulate", "--nodes", 300, "--mean-degree", 6, "--topics", 3, "--words", 60,
             "--words-per-node", 10, "--out", network)
        only_ridge = [*base[:1], "uniform", "--estimators", "network_dm"]
        plain_ridge = self.evaluate(network, *only_ridge)
        ridge_changes = [["--ridge-groups", "own,neighbour_effects"], ["--undersmoothing", 1],
                         ["--ridge-noise", "constant"], ["--ridge-variances", "per_fold"],
                         ["--ridge-criterion", "cross_validation"],
                         ["--ridge-solver", "iterative"]]
        for change in ridge_changes:
            other = self.evaluate(network, *only_ridge, *change)
            self.assertNotEqual((plain_ridge["policies"], plain_ridge["diagnostics"]),
                                (other["policies"], other["diagnostics"]), change)
        declared = self.evaluate(network, *only_ridge, "--randomised")["decision"]
        self.assertTrue(declared["randomised"])
        self.assertNotEqual(plain_ridge["decision"], declared)
        lower = self.evaluate(network, *only_ridge, "--lower-is-better")["decision"]
        self.assertNotEqual(plain_ridge["decision"], lower)
        costs = self.evaluate(network, *only_ridge, "--cost", "1=0.5")
        self.assertNotEqual(plain_ridge["decision"], costs["decision"])
        ranked = ["--policy", "uniform", "--estimators", "network_dm", "--rank"]
        curves = [self.evaluate(data, *ranked, *change)["budget_curves"]
                  for change in (["x"], ["z"], ["x", "--budget-steps", 5])]
        self.assertNotEqual(curves[0], curves[1])
        self.assertNotEqual(curves[0], curves[2])
        interval_changes = [["--no-sensitivity-interval"], ["--no-joint-model"], ["--repeats", 3],
                            ["--target", "sample"],
                            ["--dependence", "neighbours"], ["--arm-noise", "worst_case"]]
        for change in interval_changes:
            self.assertNotEqual(plain_ridge["policies"],
                                self.evaluate(network, *only_ridge, *change)["policies"], change)
        for change in (["--train-fraction", 0.5], ["--validation-fraction", 0.3], ["--stratified"]):
            self.assertNotEqual(plain_split["policies"],
                                self.evaluate(data, *split, *change)["policies"], change)
        flags = cone("evaluate", "--help").stdout
        tested = {c[0].replace("--no-", "--") 
                  for c in changes + cone_changes + kernel_changes + ridge_changes} - {"--seed"} | {"--train-fraction", "--validation-fraction",
                                            "--stratified", "--nuisances"} | {
                      "--sensitivity-interval", "--joint-model", "--target", "--dependence", "--arm-noise", "--repeats",
                      "--cost",
                      "--randomised", "--lower-is-better", "--rank", "--budget-steps"}
        tested.add("--rank-arm")  # of more arms: test_budget.py
        tested.add("--list-pairs-up-to")  # of more policies: test_limits.py
        declared = {w.split(",")[0] for w in flags.split("Estimation:")[1].split("DATA is")[0].split()
                    if w.startswith("--")}
        self.assertEqual(tested, declared - {"--seed"})  # which a help text mentions


class GivenNuisances(FolderTest):
    def write_given(self):
        """Reference values of the estimators, as a dataset."""
        fixture = json.loads((ROOT / "tests/fixtures/estimators.json").read_text())
        columns = zip(fixture["treatment"], fixture["outcome"], fixture["propensity"],
                      fixture["outcome_model_0"], fixture["outcome_model_1"])
        self.write("nodes.csv", "id,treatment,outcome,propensity,mu0,mu1\n" + "".join(
            f"n{i},{','.join(map(repr, row))}\n" for i, row in enumerate(columns)))
        self.write("edges.csv", "source,target\n")
        self.write("policy.csv", "id,p\n" + "".join(
            f"n{i},{p!r}\n" for i, p in enumerate(fixture["policy"])))
        return fixture

    def test_the_reference_values_come_out_of_the_whole_program(self):
        fixture = self.write_given()
        options = ["--policy", self.folder / "policy.csv", "--nuisances", "given",
                   "--clip", fixture["clip"], "--switch-threshold", fixture["switch_threshold"],
                   "--shrinkage-lambda", fixture["shrinkage_lambda"]]
        expected = fixture["expected"]
        found = values(self.evaluate(self.folder, *options))
        for name in ("ips", "snips", "ips_clipped", "dm", "switch_dr", "dr_shrinkage"):
            self.assertAlmostEqual(found["p", name], expected[name], places=9, msg=name)
        for correction, key in (("plain", "dr"), ("self_normalised", "dr_self_normalised"),
                                ("literal", "dr_paper_literal")):
            found = values(self.evaluate(self.folder, *options, "--correction", correction))
            self.assertAlmostEqual(found["p", "dr"], expected[key], places=9, msg=key)

    def test_names_of_fitted_models_use_the_given_one_and_say_so(self):
        self.write_given()
        record = self.evaluate(self.folder, "--policy", self.folder / "policy.csv", "--nuisances",
                               "given", "--estimators", "dm,dm_ols1,dr,dr_ols2")
        self.assertEqual([e["estimator"] for e in record["policies"][0]["estimates"]], ["dm", "dr"])
        self.assertIn("with the given outcome model (mu0, mu1) dm_ols1, dr_ols2 are the same as dm or dr",
                      record["diagnostics"]["notes"])

    def test_given_propensities_can_correct_a_fitted_outcome_model(self):
        record = self.evaluate(COUPONS, "--policy", "uniform", "--nuisances", "given",
                               "--estimators", "ips,dr_ridge")
        self.assertEqual(record["diagnostics"]["outcome_models"][0]["name"], "ridge")
        self.assertEqual(record["diagnostics"]["propensity_models"][0]["name"], "given")


if __name__ == "__main__":
    unittest.main()
