"""Worlds with known truth, from the command line."""

import csv
import filecmp
import json
import os
import pathlib
import unittest

import numpy

from support import ROOT, FolderTest, cone, values

WORLDS = ("hidden_confounding", "equal_edge_weights", "weak_overlap", "heterogeneous_effects",
          "randomised_log", "binary_outcomes", "nonlinear", "individual_effects", "observed_confounding",
          "dependent_noise")
SMALL = ["--nodes", 300, "--mean-degree", 8, "--words", 60, "--words-per-node", 6, "--topics", 5]


class Simulate(FolderTest):
    def simulate(self, name, *arguments):
        done = cone("simulate", "--out", f"{self.folder}/{name}", *SMALL, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / name

    def rows(self, folder):
        with open(folder / "nodes.csv") as lines:
            return list(csv.DictReader(lines))

    def assert_same_files(self, a, b):
        names = sorted(p.name for p in a.iterdir())
        self.assertEqual(names, sorted(p.name for p in b.iterdir()))
        self.assertEqual(filecmp.cmpfiles(a, b, names, shallow=False)[0], names)

    def test_the_same_options_give_the_same_bytes_at_any_number_of_threads(self):
        self.assert_same_files(self.simulate("a", "--simulation", 3, "--threads", 1),
                               self.simulate("b", "--simulation", 3, "--threads", 4))

    def test_a_geometric_network_has_the_degree_asked_for(self):
        folder = self.simulate("near", "--layout", "geometric")
        degree = 2 * (len((folder / "edges.csv").read_text().splitlines()) - 1) / 300
        self.assertTrue(5.5 < degree < 9, degree)  # 8 asked for; units at the rim have fewer

    def test_simulations_share_the_network_and_differ_in_the_log(self):
        a, b = self.simulate("a", "--simulation", 1), self.simulate("b", "--simulation", 2)
        self.assertTrue(filecmp.cmp(a / "edges.csv", b / "edges.csv", shallow=False))
        self.assertFalse(filecmp.cmp(a / "nodes.csv", b / "nodes.csv", shallow=False))

    def test_every_world_can_be_evaluated_against_its_truth(self):
        for world in WORLDS:
            folder = self.simulate(world, "--world", world, "--isolated-fraction", 0.1)
            record = self.evaluate(folder, "--policy", "random-weights:1", "treat-all",
                                   "--estimators", "naive,dr_ridge")
            self.assertIn("truth", record["policies"][0])
            rows = self.rows(folder)
            truth = sum(float(row["y1"]) for row in rows) / len(rows)
            self.assertAlmostEqual(record["policies"][1]["truth"], truth, places=12)
            for row in rows:
                self.assertEqual(row["outcome"], row["y1" if row["treatment"] == "1" else "y0"])
            if world == "binary_outcomes":
                self.assertLessEqual({row["outcome"] for row in rows}, {"0", "1"})
            self.assertEqual(record["diagnostics"]["num_isolated_nodes"], 30)

    def test_self_contained_worlds_can_be_evaluated_against_their_truth(self):
        for world, nodes, treated, more in (("blocks5", 800, "4", []), ("few_conversions", 1000, "1", []),
                                            ("villages", 800, "1", ["--cluster", "cluster"])):
            folder = self.folder / world
            done = cone("simulate", "--out", folder, "--world", world, "--simulation", 2)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{nodes:,} nodes", done.stderr)
            self.assertFalse((folder / "topics.npy").exists())
            record = self.evaluate(folder, "--policy", f"always:{treated}", "--estimators", "naive,dr_ridge", *more)
            rows = self.rows(folder)
            column = f"y:{treated}" if world == "blocks5" else f"y{treated}"
            self.assertAlmostEqual(record["policies"][0]["truth"],
                                   sum(float(row[column]) for row in rows) / len(rows), places=12)
            manifest = json.loads((folder / "manifest.json").read_text())
            self.assertEqual(manifest["data"], record["data"])
            self.assertEqual(manifest["config"], {"simulation": 2, "world": world, "seed": 0})

    def test_self_contained_worlds_refuse_options_without_effect(self):
        done = cone("simulate", "--out", self.folder / "x", "--world", "blocks", "--nodes", 50, "--arms", 3,
                    "--noise", 1, "--topics", 4)
        self.assertEqual(done.returncode, 2)
        for flag in ("--nodes", "--arms", "--noise", "--topics"):
            self.assertIn(flag, done.stderr)
        self.assertIn("has no effect with --world blocks", done.stderr)
        self.assertFalse((self.folder / "x").exists())

    def test_worlds_of_many_arms(self):
        for world in WORLDS:
            folder = self.simulate(world, "--world", world, "--arms", 4)
            rows = self.rows(folder)
            for row in rows:
                self.assertEqual(row["outcome"], row["y:" + row["treatment"]])
            manifest = json.loads((folder / "manifest.json").read_text())
            counts = [sum(row["treatment"] == arm for row in rows) for arm in "0123"]
            self.assertEqual([arm["num_nodes"] for arm in manifest["data"]["arms"]], counts)
            self.assertEqual(len(manifest["centroids"]), 3)
            record = self.evaluate(folder, "--policy", "always:3", "uniform", "--estimators", "naive")
            truth = sum(float(row["y:3"]) for row in rows) / len(rows)
            self.assertAlmostEqual(record["policies"][0]["truth"], truth, places=12)

    def test_numeric_features_of_the_nonlinear_world_load_as_dense_features(self):
        folder = self.simulate("a", "--world", "nonlinear", "--kappa2", 0)
        header = (folder / "nodes.csv").read_text().splitlines()[0]
        self.assertEqual(header, "id,treatment,outcome,y0,y1,m1,m2,m3,m4,m5")
        manifest = json.loads((folder / "manifest.json").read_text())
        self.assertEqual(manifest["data"]["num_numeric_features"], 5)
        self.assertEqual(manifest["data"]["num_features"], 65)
        record = self.evaluate(folder, "--policy", "treat-all", "--estimators", "naive,dm_ridge")
        self.assertEqual(manifest["data"], record["data"])
        naive, ridge = (e["value"] - record["policies"][0]["truth"]
                        for e in record["policies"][0]["estimates"])
        self.assertGreater(naive, 0.3)
        self.assertGreater(ridge, 0.3)

    def test_a_network_may_have_no_edges(self):
        folder = self.folder / "a"
        done = cone("simulate", "--out", folder, "--nodes", 300, "--mean-degree", 0,
                    "--world", "nonlinear")
        self.assertEqual(done.returncode, 0, done.stderr)
        manifest = json.loads((folder / "manifest.json").read_text())
        self.assertEqual(manifest["data"]["num_edges"], 0)
        record = self.evaluate(folder, "--policy", "treat-all", "--estimators", "naive,dm_ridge")
        self.assertEqual(manifest["data"], record["data"])
        done = cone("simulate", "--out", self.folder / "b", "--nodes", 300, "--mean-degree", 1)
        self.assertEqual(done.returncode, 2)
        self.assertIn("0 (no edges)", done.stderr)

    def test_the_manifest_says_what_was_written(self):
        folder = self.simulate("a", "--kappa2", 2)
        manifest = json.loads((folder / "manifest.json").read_text())
        record = self.evaluate(folder, "--policy", "uniform", "--estimators", "naive")
        self.assertEqual(manifest["data"], record["data"])
        self.assertEqual(manifest["config"]["kappa2"], 2)
        self.assertNotIn("passes", manifest["config"])
        structure = manifest["structure"]
        self.assertAlmostEqual(structure["mean_degree"], 8, delta=0.2)
        self.assertAlmostEqual(structure["homophily"], manifest["config"]["homophily"], delta=0.05)
        self.assertEqual(structure["largest_component"], 300)
        topics = numpy.load(folder / "topics.npy")
        self.assertEqual(topics.shape, (300, 5))
        numpy.testing.assert_allclose(topics.sum(axis=1), 1)

    def test_hidden_edge_weights_are_written_only_on_request(self):
        name = "hidden_edge_weights.csv"
        self.assertFalse((self.simulate("a") / name).exists())
        path = self.simulate("b", "--edge-weights") / name
        with open(path) as lines:
            weights = [float(row["weight"]) for row in csv.DictReader(lines)]
        self.assertEqual(len(weights), 1200)
        self.assertTrue(all(0.1 <= weight < 1 for weight in weights))

    def test_flags_and_folders_that_make_no_sense_are_refused(self):
        self.write("mine/notes.txt", "precious")
        for arguments, text in (
                (["--out", self.folder / "mine"], "not a simulation"),
                (["--out", self.folder / "x", "--passes", 3], "--passes"),
                (["--out", self.folder / "x", "--network", "no.mat"], "no.mat"),
                (["--out", self.folder / "x", "--network", "no.mat", "--nodes", 9], "--nodes"),
                (["--out", self.folder / "x", "--nodes", 10, "--mean-degree", 50], "--mean-degree"),
                (["--out", self.folder / "x", "--world", "flat"], "flat"), ([], "--out")):
            done = cone("simulate", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(text, done.stderr)
        self.assertEqual((self.folder / "mine/notes.txt").read_text(), "precious")

    def test_a_failed_run_leaves_what_was_there(self):
        folder = self.simulate("a", "--edge-weights")
        before = {p.name: p.read_bytes() for p in folder.iterdir()}
        done = cone("simulate", "--out", folder, *SMALL, "--kappa1", 0, "--kappa2", 0, "--noise", 0)
        self.assertEqual(done.returncode, 2)
        self.assertEqual({p.name: p.read_bytes() for p in folder.iterdir()}, before)
        self.simulate("a")  # replaces all of it, the weights too
        self.assertFalse((folder / "hidden_edge_weights.csv").exists())
        self.assertEqual([p.name for p in self.folder.iterdir()], ["a"])

    def test_other_files_of_the_folder_stay(self):
        folder = self.simulate("a", "--simulation", 1)
        mine = {"policy.csv": "id,p\n", "run.json": "{}", ".hidden": "x"}
        for name, text in mine.items():
            (folder / name).write_text(text)
        (folder / "link").symlink_to("/nowhere/at/all")
        self.write("a.partial/notes.txt", "precious")
        first = (folder / "nodes.csv").read_bytes()
        self.simulate("a/", "--simulation", 2)
        self.assertNotEqual((folder / "nodes.csv").read_bytes(), first)
        for name, text in mine.items():
            self.assertEqual((folder / name).read_text(), text)
        self.assertEqual(os.readlink(folder / "link"), "/nowhere/at/all")
        self.assertEqual((self.folder / "a.partial/notes.txt").read_text(), "precious")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a", "a.partial"])

    def test_folders_that_cannot_be_replaced_are_refused_and_keep_everything(self):
        self.write("web/manifest.json", '{"name": "an app", "icons": []}')
        self.write("web/index.html", "<html>")
        self.write("deep/manifest.json", "[" * 100000)
        edited = self.simulate("edited")
        (edited / "nodes.csv").write_text((edited / "nodes.csv").read_text() + "mine,1,0,0,0\n")
        added = self.simulate("added")
        (added / "features.npz").write_bytes(b"mine")
        below = self.simulate("below")
        (below / "tuned").mkdir()
        hostile = self.simulate("hostile")
        manifest = json.loads((hostile / "manifest.json").read_text())
        manifest["files"] = [{"name": "../web/index.html", "bytes": 6, "checksum": "x"}]
        (hostile / "manifest.json").write_text(json.dumps(manifest))
        before = {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}
        for name, text in (("web", "not a simulation's"), ("deep", "not a simulation's"),
                           ("edited", "nodes.csv was changed after the simulation"),
                           ("added", "features.npz"), ("below", "'tuned'"), ("hostile", "csv"),
                           ("/proc", "mount point")):
            done = cone("simulate", "--out", self.folder / name, *SMALL)
            self.assertEqual(done.returncode, 2, name)
            self.assertIn(text, done.stderr)
        for out, text in ((".", "current folder"), ("..", "current folder"), ("./", "current folder")):
            done = cone("simulate", "--out", out, *SMALL, cwd=edited)
            self.assertEqual(done.returncode, 2, out)
            self.assertIn(text, done.stderr)
        self.assertEqual({p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}, before)

    def test_links_are_followed_and_permissions_kept(self):
        folder = self.simulate("real/a")
        folder.chmod(0o750)
        (self.folder / "link").symlink_to("real/a")
        (self.folder / "dangling").symlink_to("real/b")
        for name in ("link", "link/", "dangling", "link/../c", "real/d/."):
            self.simulate(name, "--simulation", 5)
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertTrue((self.folder / "dangling").is_symlink())
        self.assert_same_files(self.folder / "real/a", self.folder / "real/b")
        self.assertEqual(folder.stat().st_mode & 0o777, 0o750)
        self.assertEqual(sorted(p.name for p in (self.folder / "real").iterdir()),
                         ["a", "b", "c", "d"])

    def test_sizes_beyond_the_machine_are_refused_at_once(self):
        for arguments in (["--nodes", 4000000000], ["--nodes", 90000000, "--topics", 9000]):
            done = cone("simulate", "--out", self.folder / "x", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


class Reproduce(FolderTest):
    def real_data(self):
        folder = pathlib.Path(os.environ.get("CONE_DATA_DIR", ROOT.parent / "shared/data"))
        if not (folder / "BlogCatalog.mat").exists():
            self.skipTest("BlogCatalog.mat and Flickr.mat are neither in $CONE_DATA_DIR nor in "
                          "../shared/data")
        return folder

    def test_table_1_is_written_in_three_forms(self):
        out = self.folder / "t"
        done = cone("reproduce", "table1", "--data", self.real_data(), "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(p.name for p in out.iterdir()),
                         ["table1.csv", "table1.md", "table1.txt"])
        with open(out / "table1.csv") as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual([(r["network"], r["kappa2"]) for r in rows],
                         [("BlogCatalog", "1"), ("BlogCatalog", "2"), ("Flickr", "1"),
                          ("Flickr", "2")])
        for row in rows:  # within half a standard deviation of the paper's row or so
            self.assertAlmostEqual(float(row["treated_mean"]), float(row["paper_treated_mean"]),
                                   delta=0.1 * float(row["paper_treated_mean"]))

    def test_a_real_network_keeps_the_top_words_of_its_topics(self):
        out = self.folder / "blog"
        done = cone("simulate", "--network", self.real_data() / "BlogCatalog.mat", "--kappa2", 2,
                    "--simulation", 3, "--seed", 1, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = json.loads((out / "manifest.json").read_text())["data"]
        self.assertEqual((data["num_nodes"], data["num_edges"]), (5196, 171743))
        self.assertTrue(2000 < data["num_features"] < 2500)

    def test_without_the_networks_it_says_where_they_are(self):
        done = cone("reproduce", "table1", "--data", self.folder, "--out", self.folder / "t")
        self.assertEqual(done.returncode, 2)
        self.assertIn("886e1d8dec043588247ef7188fe6459f2ba657b6b9211d73f255d28b42f06b0c", done.stderr)
        self.assertIn("AANE", done.stderr)


if __name__ == "__main__":
    unittest.main()
