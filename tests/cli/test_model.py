"""cone fit, cone evaluate --model, and the files that explain a fit."""

import csv
import struct
import unittest

import numpy

from support import FolderTest, cone, values

SMALL = ["--folds", 2, "--epochs", 4, "--heads", 2, "--head-size", 4, "--hidden", 8, "--seed", 3]
CONE = "cone,cone_dm,cone_ips,cone_snips"
RIDGE = "network_dm,network_joint,network_dr"


class ModelTest(FolderTest):
    def fit(self, *arguments, options=tuple(SMALL)):
        """Fits to a small folder; the path of the model."""
        data = self.write_log()
        model = self.folder / "small.model"
        done = cone("fit", data, "--out", model, *options, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.output = done
        return model

    def attention(self, path):
        with open(path, newline="") as file:
            header, *rows = csv.reader(file)
        return header, [row[:2] for row in rows], numpy.array([row[2:] for row in rows], float)


class Fitting(ModelTest):
    def test_a_fit_prints_a_line_a_fold_and_writes_one_file(self):
        model = self.fit()
        self.assertEqual(self.output.stdout.count("completed"), 2)
        self.assertIn(f"{model.stat().st_size:,} bytes", self.output.stderr)
        self.assertEqual({p.name for p in self.folder.iterdir()},
                         {"nodes.csv", "edges.csv", "policy.csv", "small.model"})

    def test_the_same_fit_is_the_same_file_at_any_number_of_threads(self):
        first = self.fit("--threads", 1).read_bytes()
        self.assertEqual(first, self.fit("--threads", 3).read_bytes())
        self.assertNotEqual(first, self.fit("--zeta", 0.5).read_bytes())
        self.assertNotEqual(first, self.fit("--undersmoothing", 0.5).read_bytes())

    def test_parts_say_what_is_fitted(self):
        sizes = {}
        for parts in ("networks", "network_ridge", "networks,network_ridge"):
            options = ["--folds", 2, "--seed", 3, "--parts", parts]
            if "networks" in parts.split(","):
                options = [*SMALL, "--parts", parts]
            sizes[parts] = self.fit(options=options).stat().st_size
            self.assertEqual("own_smooth" in self.output.stdout, "network_ridge" in parts)
            self.assertEqual("completed" in self.output.stdout, "networks" in parts.split(","))
        self.assertLess(sizes["network_ridge"], 2000)
        self.assertEqual(self.fit().stat().st_size, sizes["networks,network_ridge"])

    def test_the_rows_of_a_model_are_announced(self):
        model = self.fit()
        done = cone("evaluate", self.folder, "--model", model, "--policy", "uniform")
        self.assertIn("with --model only estimators that use the model are run", done.stderr)
        done = cone("evaluate", self.folder, "--model", model, "--policy", "uniform", "--estimators",
                    "network_dm,naive")
        self.assertNotIn("with --model only", done.stderr)

    def test_quiet_says_nothing_but_the_table(self):
        self.fit("--quiet")
        self.assertEqual(self.output.stderr, "")

    def test_wrong_usage_is_refused_before_the_work(self):
        data = self.write_log()
        out = ["--out", self.folder / "m"]
        for arguments, part in (([], "--out"), (["--out", self.folder / "no" / "m"], "--out"),
                                (["--out", self.folder], "--out"),
                                ([*out, "--attention", self.folder / "no" / "a"], "--attention"),
                                ([*out, "--embeddings", self.folder], "--embeddings"),
                                ([*out, "--heads", 0, "--folds", 1], "--heads"),
                                ([*out, "--heads", 0, "--folds", 1], "--folds"),
                                ([*out, "--attention", self.folder / "m"], "the same file"),
                                ([*out, "--stratified"], "--stratified"),
                                ([*out, "--encoder", "mean", "--attention", self.folder / "a"],
                                 "has no attention weights"),
                                ([*out, "--parts", "network_fridge"], "did you mean network_ridge"),
                                ([*out, "--parts", "network_ridge", "--heads", 2], "--heads"),
                                ([*out, "--parts", "networks", "--undersmoothing", 1],
                                 "--undersmoothing"),
                                ([*out, "--parts", "network_ridge", "--attention",
                                  self.folder / "a"], "--attention"),
                                ([*out, "--clip", 3], "--clip")):
            done = cone("fit", data, *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)
        self.assertFalse((self.folder / "m").exists())

    def test_help_and_completion_know_the_command(self):
        self.assertIn("Examples:", cone("fit", "--help").stdout)
        self.assertIn("cone fit", cone("--help").stdout)
        for shell in ("bash", "fish"):
            script = cone("completion", shell).stdout
            self.assertIn("fit", script)
            self.assertIn("embeddings", script)


class Evaluating(ModelTest):
    def test_a_model_gives_the_numbers_of_an_evaluation_that_trains(self):
        for options in (SMALL, ["--protocol", "split", "--epochs", 4, "--heads", 1, "--seed", 5],
                        [*SMALL, "--encoder", "mean", "--ridge-solver", "iterative"],
                        [*SMALL, "--ridge-variances", "per_fold", "--ridge-groups", "own,neighbour_effects"]):
            model = self.fit(options=options)
            policies = ["--policy", self.folder / "policy.csv", "treat-all"]
            names = f"{CONE},{RIDGE},snips,dr_ridge"
            direct = self.evaluate(self.folder, *policies, *options, "--estimators", names)
            beside = self.evaluate(self.folder, *policies, "--model", model, "--estimators", names)
            self.assertEqual(direct["policies"], beside["policies"])
            for training in direct["diagnostics"]["trainings"]:
                del training["curves"]  # a model file does not hold them
            self.assertEqual(direct["diagnostics"], beside["diagnostics"])
            self.assertEqual(beside["config"].pop("model"), model.read_bytes()[-32:].decode())
            self.assertEqual(beside["config"].pop("model_file"), str(model))
            self.assertEqual(direct["config"], beside["config"])

    def test_without_names_the_estimators_are_those_of_the_model(self):
        for parts, names in (("networks", CONE), ("network_ridge", RIDGE),
                             ("networks,network_ridge", f"{RIDGE},{CONE}")):
            options = ["--folds", 2, "--parts", parts]
            if parts != "network_ridge":
                options += ["--epochs", 2, "--heads", 1]
            record = self.evaluate(self.folder, "--policy", "uniform", "--model",
                                   self.fit(options=options))
            self.assertEqual([name for _, name in values(record)], names.split(","))

    def test_estimators_that_need_what_the_model_lacks_are_refused(self):
        for parts, row, lacks in (("network_ridge", "cone_dm", "cone's networks"),
                                  ("networks", "network_dr", "the network ridge")):
            options = ["--folds", 2, "--parts", parts]
            if parts == "networks":
                options += ["--epochs", 2, "--heads", 1]
            model = self.fit(options=options)
            message = self.refused(self.folder, "--policy", "uniform", "--model", model,
                                   "--estimators", row)
            self.assertIn(f"{row}: needs {lacks}, which ", message)
            self.assertIn("small.model does not hold", message)
            self.assertIn("--parts", message)
        model = self.fit(options=["--folds", 2, "--parts", "network_ridge"])
        message = self.refused(self.folder, "--policy", "uniform", "--model", model, "--attention",
                               self.folder / "a.csv")
        self.assertIn("--attention: has no effect", message)

    def test_flags_that_the_model_decides_are_refused(self):
        model = self.fit()
        options = self.write("options.json", '{"schema": "cone.options/1", "options": {}}')
        for flag in (["--seed", 3], ["--folds", 2], ["--protocol", "cross_fit"], ["--heads", 2],
                     ["--selection-folds", 3], ["--stratified"], ["--epochs", 4], ["--gamma", 1],
                     ["--undersmoothing", 0.1], ["--ridge-groups", "own"],
                     ["--options", options]):
            message = self.refused(self.folder, "--policy", "uniform", "--model", model, *flag)
            self.assertIn(f"{flag[0]}: is fixed by the model", message)

    def test_flags_of_cone_are_refused_where_cone_does_not_run(self):
        model = self.fit()
        for flag in (["--model", model], ["--attention", self.folder / "a.csv"],
                     ["--embeddings", self.folder / "z.npy"]):
            message = self.refused(self.folder, "--policy", "uniform", "--estimators", "snips",
                                   *flag)
            self.assertIn(f"{flag[0]}: has no effect", message)

    def test_other_data_is_refused(self):
        for options in (SMALL, ["--folds", 2, "--parts", "network_ridge"]):
            model = self.fit(options=options)
            self.write_log(shift=1)
            message = self.refused(self.folder, "--policy", "uniform", "--model", model)
            self.assertIn("small.model: was fitted to other data", message)
            self.assertIn("cone fit", message)

    def test_the_same_data_read_in_another_way_is_named(self):
        rows = "".join(f"n{i},{'abc'[i % 3]},{i * 7 % 11},{i * 5 % 13},{i * 3 % 17}\n"
                       for i in range(60))
        self.write("arms.csv", "id,treatment,outcome,x,z\n" + rows)
        data = self.folder / "arms.csv"
        model = self.folder / "arms.model"
        done = cone("fit", data, "--control", "b", "--out", model, "--parts",
                    "networks,network_ridge", *SMALL)
        self.assertEqual(done.returncode, 0, done.stderr)
        for flags, words in ((["--control", "a"], "read with other options: its control arm is 'b', "
                              "here it is 'a'; use --control b"),
                             (["--control", "b", "--ignore", "z"], "to 2 features, here there are 1"),
                             (["--control", "b", "--outcome", "x"], "read with other options"),
                             (["--treatment", "x", "--ignore", "treatment"],
                              "its arms are 'b', 'a', 'c', here they are '0', '1', '2'")):
            message = self.refused(data, "--policy", "uniform", "--model", model, *flags)
            self.assertIn(words, message)

    def test_a_damaged_model_is_refused_with_a_reason(self):
        whole = self.fit().read_bytes()
        oldest, older, newer = (whole[:8] + struct.pack("<I", version) + whole[12:]
                                for version in (2, 3, 5))
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 0x40
        damages = [
            (b"", "is not a cone model file"),
            (b"source,target\n", "is not a cone model file"),
            (whole[1:], "is not a cone model file"),
            (whole[:10], "ends before the format version"),
            (oldest, "was written by an older version; fit it again with cone fit"),
            (older, "was written by an older version; fit it again with cone fit"),
            (newer, "was written by a newer version"),
            (whole[:len(whole) // 2], "bytes long and is"),
            (whole[:-1], "bytes long and is"),
            (whole + b"\n", "bytes long and is"),
            (bytes(flipped), "checksum does not match"),
            (whole[:-32] + b"0" * 32, "checksum does not match"),
            (whole[:12] + struct.pack("<Q", 2 ** 63) + whole[20:], "bytes long and is"),
            (whole.replace(b"\nfolds=2", b"\nfolds=9"), "checksum does not match"),
        ]
        for content, reason in damages:
            path = self.write("damaged.model", content)
            message = self.refused(self.folder, "--policy", "uniform", "--model", path)
            self.assertIn(reason, message)
            self.assertIn("damaged.model", message)
            self.assertIn("; ", message)
        for path in (self.folder, self.folder / "nowhere", "/dev/null"):
            self.refused(self.folder, "--policy", "uniform", "--model", path)

    def test_a_model_of_the_ridge_cut_or_changed_anywhere_is_refused(self):
        whole = self.fit(options=["--folds", 2, "--parts", "network_ridge"]).read_bytes()
        self.assertIn(b"undersmoothing=0.1\n", whole)
        for at in (*range(20, len(whole) - 1, 97), len(whole) - 33):
            flipped = bytearray(whole)
            flipped[at] ^= 0x10
            for content in (whole[:at], bytes(flipped)):
                path = self.write("damaged.model", content)
                message = self.refused(self.folder, "--policy", "uniform", "--model", path)
                self.assertIn("damaged.model", message)
                self.assertIn("; ", message)


class Explaining(ModelTest):
    def test_attention_has_a_line_a_tie_and_sums_to_one(self):
        self.fit("--attention", self.folder / "a.csv")
        header, pairs, weights = self.attention(self.folder / "a.csv")
        self.assertEqual(header, ["source", "target", "treatment_head1", "treatment_head2",
                                  "outcome_head1", "outcome_head2"])
        expected = {(f"u{i}", f"u{(i + step) % 60}") for i in range(60) for step in (-1, 0, 1)}
        self.assertEqual({tuple(pair) for pair in pairs}, expected)
        self.assertEqual(len(pairs), len(expected))
        for i in range(60):
            mine = weights[[pair[0] == f"u{i}" for pair in pairs]]
            numpy.testing.assert_allclose(mine.sum(axis=0), 1, atol=1e-5)
        self.assertTrue((weights > 0).all())
        self.assertGreater(weights.std(), 0)

    def test_embeddings_have_a_row_a_node_in_the_order_of_the_data(self):
        self.fit("--embeddings", self.folder / "z.npy")
        z = numpy.load(self.folder / "z.npy")
        self.assertEqual(z.shape, (60, 16))
        self.assertEqual(z.dtype, numpy.float32)
        self.assertTrue(numpy.isfinite(z).all())
        self.assertGreater((z != 0).mean(), 0.5)

    def test_an_evaluation_writes_the_same_with_and_without_a_model(self):
        model = self.fit("--attention", self.folder / "a0", "--embeddings", self.folder / "z0")
        for number, arguments in ((1, ["--model", model]), (2, [*SMALL, "--estimators", "cone"])):
            self.evaluate(self.folder, "--policy", "uniform", *arguments, "--attention",
                          self.folder / f"a{number}", "--embeddings", self.folder / f"z{number}")
            for name in "az":
                self.assertEqual((self.folder / f"{name}0").read_bytes(),
                                 (self.folder / f"{name}{number}").read_bytes())

    def test_ids_that_need_quotes_get_them(self):
        self.write_log()
        for name in ("nodes.csv", "edges.csv"):
            text = (self.folder / name).read_text()
            self.write(name, text.replace("u7,", '"u,""7",').replace(",u7\n", ',"u,""7"\n'))
        done = cone("fit", self.folder, "--out", self.folder / "m", *SMALL, "--attention",
                    self.folder / "a.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        _, pairs, _ = self.attention(self.folder / "a.csv")
        self.assertIn(['u,"7', "u8"], pairs)

    def test_without_self_loops_no_node_attends_to_itself(self):
        self.fit("--attention", self.folder / "a.csv", "--self-loops=false")
        _, pairs, _ = self.attention(self.folder / "a.csv")
        self.assertEqual(len(pairs), 120)
        self.assertTrue(all(source != target for source, target in pairs))

    def test_a_full_device_is_a_failure(self):
        data = self.write_log()
        for flag in ("--attention", "--embeddings"):
            done = cone("fit", data, "--out", self.folder / "m", *SMALL, flag, "/dev/full")
            self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(cone("fit", data, "--out", "/dev/full", *SMALL).returncode, 1)


if __name__ == "__main__":
    unittest.main()
