"""The study through the program: results, interruptions, and data that is not there."""

import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

import numpy
import scipy.io
import scipy.sparse

from support import BINARY, ROOT, FolderTest, cone

RESULTS = ("table2.txt", "table2.md", "table2.csv", "table2.json")


class Reproduce(FolderTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.mkdir()
        for seed, name in enumerate(("BlogCatalog", "Flickr")):
            self.write_network(self.data / f"{name}.mat", seed)

    def write_network(self, path, seed, nodes=160):
        """A small network under a real one's name."""
        draw = numpy.random.default_rng(seed)
        network = scipy.sparse.random(nodes, nodes, 0.05, random_state=seed)
        scipy.io.savemat(path, {
            "Network": ((network + network.T) != 0).astype(float),
            "Attributes": scipy.sparse.csc_matrix(draw.poisson(0.3, (nodes, 90)).astype(float)),
            "Label": draw.integers(1, 3, (nodes, 1)).astype(float)})

    def arguments(self, what, out, *more):
        return ["reproduce", what, "--data", self.data, "--out", self.folder / out,
                "--simulations", 2, "--no-tune", *more]

    def results(self, out):
        return [(self.folder / out / name).read_bytes() for name in RESULTS]

    def test_table2_killed_and_resumed_gives_the_same_bytes(self):
        done = cone(*self.arguments("table2", "whole", "--runs", 2))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cone_dm", done.stdout)
        self.assertIn("network_dr", done.stdout)
        self.assertIn("p (network_dm better)", done.stdout)
        self.assertIn("seconds of one core", done.stderr)
        command = [BINARY, *map(str, self.arguments("table2", "killed", "--runs", 2))]
        for pause in (0.3, 0.6):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(pause)
            process.send_signal(signal.SIGKILL)
            process.wait()
        resumed = cone(*self.arguments("table2", "killed", "--runs", 2, "--threads", 1))
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual(self.results("whole"), self.results("killed"))
        self.assertEqual(done.stdout, resumed.stdout)

    def start_shard(self, what, shard, *more):
        command = [BINARY, *map(str, self.arguments(what, "shared", "--shard", shard, *more))]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_shards_side_by_side_give_the_bytes_of_one_process(self):
        whole = cone(*self.arguments("table2", "whole", "--runs", 1))
        self.assertEqual(whole.returncode, 0, whole.stderr)
        killed = self.start_shard("table2", "2/3", "--runs", 1)
        time.sleep(0.3)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        shards = [self.start_shard("table2", f"{n}/3", "--runs", 1, "--threads", 1)
                  for n in (1, 2, 3)]
        printed = []
        for shard in shards:
            text, errors = shard.communicate()
            self.assertEqual(shard.returncode, 0, errors)
            printed.append(text)
        self.assertIn(whole.stdout, printed)
        for text in printed:
            self.assertTrue(text == whole.stdout or "jobs are left to other shards" in text, text)
        self.assertEqual(self.results("whole"), self.results("shared"))

    def test_the_examples_for_clusters_run(self):
        """As Slurm and ssh would start them; here the hosts are this machine."""
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "cone").symlink_to(pathlib.Path(BINARY).resolve())
        ssh = programs / "ssh"
        ssh.write_text('#!/bin/sh\nshift 3\nexec sh -c "$*"\n')  # -o, its value and the host
        ssh.chmod(0o755)
        flags = "--simulations 2 --runs 1 --no-tune"
        surroundings = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}",
                        "DATA": str(self.data), "FLAGS": flags}
        examples = ROOT / "examples/shards"
        done = subprocess.run([examples / "study_by_ssh.sh", "one", "two"], check=False,
                              capture_output=True, text=True,
                              env={**surroundings, "OUT": str(self.folder / "by ssh")})
        self.assertEqual(done.returncode, 0, done.stderr)
        for number in ("1", "2"):
            job = subprocess.run(["bash", examples / "study.sbatch"], check=False,
                                 capture_output=True, text=True,
                                 env={**surroundings, "OUT": str(self.folder / "slurm"),
                                      "SLURM_CPUS_PER_TASK": "1", "SLURM_ARRAY_TASK_ID": number,
                                      "SLURM_ARRAY_TASK_COUNT": "2"})
            self.assertEqual(job.returncode, 0, job.stderr)
        self.assertEqual(self.results("by ssh"), self.results("slurm"))

    def write_smaller_networks(self):
        for seed, name in enumerate(("BlogCatalog", "Flickr")):
            self.write_network(self.data / f"{name}.mat", seed, nodes=60)

    def test_shards_tune_together(self):
        self.write_smaller_networks()
        tuned = [self.folder / "data", "--simulations", 2, "--runs", 1, "--tune"]
        first = cone("reproduce", "figure2", "--data", *tuned, "--out", self.folder / "shared",
                     "--shard", "1/2")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("shard 1/2 is finished", first.stdout)
        self.assertFalse((self.folder / "shared/figure2.txt").exists())
        last = cone("reproduce", "figure2", "--data", *tuned, "--out", self.folder / "shared",
                    "--shard", "2/2")
        self.assertEqual(last.returncode, 0, last.stderr)
        whole = cone("reproduce", "figure2", "--data", *tuned, "--out", self.folder / "shared")
        self.assertEqual(last.stdout, whole.stdout)

    def test_an_invalid_shard_is_refused(self):
        for shard in ("0/3", "4/3", "two"):
            done = cone(*self.arguments("table2", "none", "--shard", shard))
            self.assertEqual(done.returncode, 2)
            self.assertIn("--shard", done.stderr)
            self.assertFalse((self.folder / "none").exists())

    def test_figure2_writes_tables_and_heat_maps(self):
        self.write_smaller_networks()
        done = cone(*self.arguments("figure2", "figure", "--quiet"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("gamma", done.stdout)
        self.assertTrue((self.folder / "figure/figure2.svg").read_text().startswith("<svg"))

    def run_twice(self, what, *more):
        """A study, and the same again, which must reuse all and print the same."""
        arguments = ["reproduce", what, "--data", self.data, "--out", self.folder / what,
                     "--simulations", 2, *more]
        done = cone(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = cone(*arguments, "--threads", 1)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(done.stdout, again.stdout)
        jobs = re.search(r"([\d,]+) jobs, 0 of them", done.stderr).group(1)
        self.assertIn(f"{jobs} jobs, {jobs} of them", again.stderr)
        folder = self.folder / what
        self.assertEqual((folder / f"{what}.txt").read_text(), done.stdout)
        self.assertTrue((folder / f"{what}.md").read_text().startswith("### "))
        with open(folder / f"{what}.csv") as lines:
            rows = list(csv.DictReader(lines))
        return json.loads((folder / f"{what}.json").read_text()), rows

    def test_values_compares_rows_with_the_oracle(self):
        record, rows = self.run_twice("values", "--estimators", "naive,dm_ridge")
        self.assertEqual({row["method"] for row in rows},
                         {"naive", "dm_ridge", "oracle topics"})
        self.assertEqual(len(rows), 3 * 4 * 3)
        self.assertEqual([p["name"] for p in record["policies"]],
                         ["random-weights", "treat-all", "treat-none"])
        for row in rows:
            self.assertGreater(float(row["rmse"]), 0)
            self.assertLessEqual(float(row["coverage"]), 1)
            if row["method"] == "oracle topics":
                self.assertEqual(float(row["rmse_over_reference"]), 1)

    def test_worlds_runs_real_and_synthetic_ones(self):
        record, rows = self.run_twice("worlds", "--estimators", "naive,network_dm", "--nodes", 120)
        settings = [s["name"] for s in record["policies"][0]["settings"]]
        for name in ("BlogCatalog, row-normalised", "Flickr, symmetric", "weak overlap",
                     "binary outcomes", "nonlinear, no edges"):
            self.assertIn(name, settings)
        self.assertEqual(len(rows), 3 * len(settings) * 2)
        self.assertEqual(len(record["verdicts"]), 3 * len(settings))
        self.assertEqual({v["best"] for v in record["verdicts"]}, {"naive"})

    def test_ablation_compares_parts_of_the_network_ridge_with_all_of_it(self):
        self.write_smaller_networks()
        record, rows = self.run_twice("ablation", "--nodes", 100)
        self.assertEqual(record["reference"], "network_dm")
        methods = [m["method"] for m in record["policies"][0]["settings"][0]["methods"]]
        self.assertEqual(methods[0], "network_dm")
        for name in ("without neighbour_effects", "constant noise", "undersmoothing 0.01"):
            self.assertIn(name, methods)
        self.assertEqual(len(rows), 3 * 8 * len(methods))

    def test_effects_are_shown_with_published_results(self):
        record, rows = self.run_twice("effects", "--estimators", "dm_ridge,network_dm")
        ours = [row for row in rows if row["source"] == "this run"]
        self.assertEqual(len(ours), 2 * 3 * 5)
        self.assertEqual(len(rows) - len(ours), 10)
        self.assertEqual(record["networks"][1]["published"][0]["root_pehe"], 6.38)
        done = cone("reproduce", "effects", "--data", self.data, "--out", self.folder / "e",
                    "--estimators", "dr_ridge")
        self.assertEqual(done.returncode, 2)
        self.assertIn("dr_ridge", done.stderr)

    def test_missing_networks_are_named_with_their_source_and_checksum(self):
        (self.data / "Flickr.mat").unlink()
        done = cone(*self.arguments("table2", "none"))
        self.assertEqual(done.returncode, 2)
        for word in ("Flickr.mat", "AANE", "sha256", "--data demo"):
            self.assertIn(word, done.stderr)

    def test_flags_that_do_nothing_are_refused(self):
        done = cone("reproduce", "table1", "--data", self.data, "--out", self.folder / "t1",
                    "--runs", 3)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--runs", done.stderr)
        done = cone(*self.arguments("values", "u", "--nodes", 200))
        self.assertEqual(done.returncode, 2)
        for flag in ("--nodes", "--tune"):
            self.assertIn(flag, done.stderr)

    def test_units_that_fail_are_named_and_do_not_stop_the_others(self):
        self.write_network(self.data / "Flickr.mat", 1, nodes=9)  # too few for five folds
        arguments = ["reproduce", "values", "--data", self.data, "--out", self.folder / "u",
                     "--simulations", 2, "--estimators", "dm_ridge"]
        done = cone(*arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("! failed: Flickr, kappa2 = 1, simulation 0", done.stderr)
        self.assertIn("8 of 16 jobs failed", done.stderr)
        self.assertIn("oracle topics", done.stdout)
        again = cone(*arguments, "--retry-failed")
        self.assertEqual(again.returncode, 1)
        self.assertEqual(done.stdout, again.stdout)

    def test_rows_that_do_not_exist_are_refused(self):
        done = cone("reproduce", "values", "--data", self.data, "--out", self.folder / "u",
                    "--estimators", "naive,nosuch")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nosuch", done.stderr)


if __name__ == "__main__":
    unittest.main()
