"""cone tune: the same answer however often it was killed, and files that evaluate takes back."""

import json
import signal
import subprocess
import time
import unittest

from support import BINARY, COUPONS, FolderTest, cone, stop_at

FEW = ["--epochs", 5, "--layers", 1, "--heads", 1, "--head-size", 4, "--hidden", 8, "--folds", 2]
GRID = ["--gamma", "0.1,1", "--learning-rate", "0.005,0.02,0.05", "--dropout", 0, "--weight-decay", 0]


class Tune(FolderTest):
    def tune(self, name, *arguments, data=None):
        """Exit status 0, stdout, and the folder written."""
        out = self.folder / name
        done = cone("tune", data or self.data(), "--out", out, *FEW, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, out

    def data(self):
        if not (self.folder / "nodes.csv").exists():
            self.write_log()
        return self.folder

    def tune_refused(self, *arguments, data=None):
        done = cone("tune", data or self.data(), "--out", self.folder / "refused", *arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "refused" / "best.json").exists())
        return done.stderr

    def test_ranks_the_grid_and_writes_the_best(self):
        done, out = self.tune("a", *GRID)
        header, rule, *rows = done.stdout.splitlines()
        self.assertEqual(header.split()[-2:], ["gamma", "learning_rate"])
        self.assertEqual([row.split()[0] for row in rows], ["1", "2", "3", "4", "5", "6"])
        scores = [float(row.split()[1]) for row in rows]
        self.assertEqual(scores, sorted(scores))
        best = json.loads((out / "best.json").read_text())
        self.assertEqual(best["schema"], "cone.options/1")
        self.assertEqual(best["options"]["gamma"], float(rows[0].split()[-2]))
        self.assertEqual(best["options"]["learning_rate"], float(rows[0].split()[-1]))
        self.assertEqual(best["options"]["epochs"], 5)
        self.assertAlmostEqual(best["tuning"]["score"], scores[0], places=4)
        records = [json.loads(p.read_text()) for p in (out / "units").iterdir()]
        self.assertEqual(len(records), 6)
        self.assertEqual({r["schema"] for r in records}, {"cone.unit/3"})

    def test_threads_change_no_digit(self):
        runs = [self.tune(f"t{n}", *GRID, "--threads", n, "-q") for n in (1, 2, 5)]
        for done, out in runs:
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.stdout, runs[0][0].stdout)
            self.assertEqual((out / "best.json").read_bytes(),
                             (runs[0][1] / "best.json").read_bytes())

    def test_shards_give_the_bytes_of_one_process(self):
        _, whole = self.tune("whole", *GRID)
        first, shared = self.tune("shared", *GRID, "--shard", "1/2")
        self.assertIn("3 of 6 jobs are left to other shards", first.stdout)
        self.assertFalse((shared / "best.json").exists())
        self.tune("shared", *GRID, "--shard", "2/2")
        self.assertEqual((whole / "best.json").read_bytes(), (shared / "best.json").read_bytes())

    def test_a_shard_of_a_wider_grid_leaves_no_best_of_the_old_one(self):
        _, out = self.tune("grid", *GRID)
        self.assertTrue((out / "best.json").exists())
        arguments = [*GRID]
        arguments[arguments.index("--gamma") + 1] = "0.1,0.5,1,2,3"
        done, _ = self.tune("grid", *arguments, "--shard", "1/2")
        self.assertIn("left to other shards", done.stdout)
        self.assertIn("best.json: it belonged to another run", done.stderr)
        self.assertFalse((out / "best.json").exists())
        self.tune("grid", *arguments, "--shard", "2/2")
        self.assertTrue((out / "best.json").exists())
        self.write("grid/best.json", "mine")
        arguments[arguments.index("--gamma") + 1] = "0.1,0.5,1,2,3,4,5"
        self.tune("grid", *arguments, "--shard", "1/2")
        self.assertEqual((out / "best.json").read_text(), "mine")

    def test_the_truth_is_not_used(self):
        plain, _ = self.tune("a", *GRID)
        told = self.write("told/nodes.csv", self.with_truth()[0])
        self.write("told/edges.csv", (self.folder / "edges.csv").read_text())
        self.assertEqual(self.tune("b", *GRID, data=told.parent)[0].stdout, plain.stdout)

    def test_killed_at_any_moment_the_same_command_goes_on(self):
        data = self.folder / "net"
        simulated = cone("simulate", "--out", data, "--nodes", 600, "--mean-degree", 10)
        self.assertEqual(simulated.returncode, 0, simulated.stderr)
        arguments = ["--epochs", 60, "--patience", 60, "--layers", 1, "--gamma", "0.1,1",
                     "--learning-rate", "0.005,0.02", "--dropout", "0,0.2", "--threads", 2]
        whole = cone("tune", data, "--out", self.folder / "whole", *arguments)
        self.assertEqual(whole.returncode, 0, whole.stderr)

        out = self.folder / "killed"
        command = [BINARY, "tune", str(data), "--out", str(out), *map(str, arguments)]
        for num_units in (1, 4):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while process.poll() is None and len(list(out.glob("units/*.json"))) < num_units:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            self.assertFalse((out / "best.json").exists(), "killed too late to say anything")
        finished = {p.name: p.stat().st_mtime_ns for p in out.glob("units/*.json")}
        self.assertGreaterEqual(len(finished), 4)
        resumed = cone("tune", data, "--out", out, *arguments)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertIn(f"{len(finished)} of 8 fits were reused", resumed.stderr)
        self.assertEqual(resumed.stdout, whole.stdout)
        self.assertEqual((out / "best.json").read_bytes(),
                         (self.folder / "whole" / "best.json").read_bytes())
        for name, written in finished.items():
            self.assertEqual((out / "units" / name).stat().st_mtime_ns, written, name)

    def test_two_processes_may_share_a_folder(self):
        out = self.folder / "shared"
        command = [BINARY, "tune", self.data(), "--out", out, *FEW, *GRID, "-q"]
        processes = [subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True) for _ in range(3)]
        results = [process.communicate(timeout=300) for process in processes]
        alone, _ = self.tune("alone", *GRID, "-q")
        for process, result in zip(processes, results):
            self.assertEqual(process.returncode, 0, result[1])
            self.assertEqual(result, (alone.stdout, ""))
        self.assertEqual(len(list((out / "units").iterdir())), 6)

    def test_ctrl_c_stops_soon_and_keeps_what_is_finished(self):
        out = self.folder / "stopped"
        done = stop_at("%", "tune", "demo", "--out", out, "--epochs", 100000, "--patience", 100000,
                       "--threads", 2)
        self.assertEqual(done.returncode, 130, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(list(out.rglob("*.json*")), [])

    def test_a_run_that_is_stopped_leaves_no_best_of_another(self):
        _, out = self.tune("tuned", *GRID)
        best = (out / "best.json").read_bytes()
        done = stop_at("%", "tune", "demo", "--out", out, "--epochs", 100000, "--patience", 100000)
        self.assertEqual(done.returncode, 130, done.stderr)
        self.assertIn("best.json: it belonged to another run", done.stderr)
        self.assertFalse((out / "best.json").exists())
        done, _ = self.tune("tuned", *GRID)  # its units are there
        self.assertNotIn("removed", done.stderr)
        self.assertEqual((out / "best.json").read_bytes(), best)

    def test_half_written_units_of_killed_processes_go(self):
        left = self.write("tuned/units/.cone-tmp-0123456789abcdef-0", "half")
        self.tune("tuned", *GRID)
        self.assertFalse(left.exists())

    def test_a_damaged_record_is_computed_anew(self):
        plain, out = self.tune("a", *GRID)
        victim = sorted((out / "units").iterdir())[2]
        victim.write_text(victim.read_text()[:100])
        again, _ = self.tune("a", *GRID)
        self.assertIn(victim.name, again.stderr)
        self.assertIn("5 of 6 fits were reused", again.stderr)
        self.assertEqual(again.stdout, plain.stdout)

    def test_what_diverges_is_reported_and_retried_on_request(self):
        arguments = ["--gamma", 1, "--learning-rate", "0.01,1e30", "--dropout", 0,
                     "--weight-decay", 0]
        done, out = self.tune("a", *arguments)
        self.assertIn("diverged", done.stdout)
        self.assertIn("1 of 2 fits failed", done.stderr)
        self.assertEqual(json.loads((out / "best.json").read_text())["tuning"]["num_failed"], 1)
        self.assertIn("2 of 2 fits were reused", self.tune("a", *arguments)[0].stderr)
        self.assertIn("1 of 2 fits were reused",
                      self.tune("a", *arguments, "--retry-failed")[0].stderr)
        self.assertIn("every point of the grid failed", self.tune_refused("--learning-rate", 1e30))

    def test_bad_grids_are_usage_errors(self):
        message = self.tune_refused("--gamma", "0.1,x", "--hidden", "8,,16", "--dropout", "0,2",
                                    "--zeta", "1,1.0")
        for part in ("--gamma", "'x'", "--hidden", "''", "--dropout", "--zeta", "twice"):
            self.assertIn(part, message)
        self.assertFalse((self.folder / "refused").exists())
        for arguments in (["--gamma", ""], ["--epochs", "0"], ["--self-loops", "perhaps"],
                          ["--gamma", "1", "--gamma", "2"], ["--no-such", "1"],
                          ["--tune-folds", "6"], ["--tune-folds", "0"], ["--train-fraction", "0.5"],
                          ["--protocol", "split", "--tune-folds", "2"]):
            self.tune_refused(*arguments)

    def test_unusable_folders_are_refused(self):
        self.tune_refused(data=self.folder / "nowhere")
        taken = self.write("taken", "a file")
        done = cone("tune", self.data(), "--out", taken, *FEW, *GRID)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("taken", done.stderr)

    def test_help_and_completion_know_it(self):
        self.assertIn("cone tune", cone("--help").stdout)
        self.assertIn("Examples:", cone("tune", "--help").stdout)
        self.assertIn("--retry-failed", cone("completion", "bash").stdout)
        self.assertIn("tune", cone("completion", "fish").stdout)


class OptionsFile(FolderTest):
    ARGUMENTS = ["--policy", "uniform", "--estimators", "cone_dm", "--folds", 2]

    def file(self, options, **more):
        return self.write("best.json", json.dumps({"schema": "cone.options/1", "options": options,
                                                   **more}))

    def test_evaluate_takes_the_values_and_flags_win(self):
        data = self.write_log()
        file = self.file({"epochs": 4, "hidden": 8, "gamma": 0.25, "self_loops": False})
        config = self.evaluate(data, *self.ARGUMENTS, "--options", file, "--gamma", 0.5)["config"]
        self.assertEqual((config["epochs"], config["hidden"], config["gamma"], config["self_loops"]),
                         (4, 8, 0.5, False))
        self.assertEqual(config["zeta"], 0.01)
        by_flags = self.evaluate(data, *self.ARGUMENTS, "--epochs", 4, "--hidden", 8, "--gamma",
                                 0.5, "--self-loops=false")
        by_file = self.evaluate(data, *self.ARGUMENTS, "--options", file, "--gamma", 0.5)
        self.assertEqual(by_flags["policies"], by_file["policies"])
        self.assertEqual(by_flags["run_id"], by_file["run_id"])

    def test_evaluate_takes_what_tune_wrote(self):
        data = self.write_log()
        done = cone("tune", data, "--out", self.folder / "run", *FEW, *GRID)
        self.assertEqual(done.returncode, 0, done.stderr)
        best = self.folder / "run" / "best.json"
        config = self.evaluate(data, *self.ARGUMENTS, "--options", best)["config"]
        for name, value in json.loads(best.read_text())["options"].items():
            self.assertEqual(config[name], value, name)

    def test_broken_files_are_refused_with_file_and_key(self):
        cases = [({"no_such": 1}, "no_such"), ({"gama": 1}, "did you mean gamma?"),
                 ({"gamma": "1"}, "gamma"), ({"gamma": None}, "gamma"), ({"gamma": -1}, "gamma"),
                 ({"gamma": True}, "gamma"), ({"epochs": 1.5}, "epochs"), ({"epochs": -1}, "epochs"),
                 ({"epochs": 0}, "epochs"), ({"epochs": 2**32}, "epochs"),
                 ({"dropout": 1}, "dropout"), ({"self_loops": 1}, "self_loops"), ([], "options")]
        for options, part in cases:
            message = self.refused(COUPONS, *self.ARGUMENTS, "--options", self.file(options))
            self.assertIn("best.json", message)
            self.assertIn(part, message)
        message = self.refused(COUPONS, *self.ARGUMENTS, "--options",
                               self.file({"gamma": -1, "zeta": "x", "other": 3}))
        for key in ("gamma", "zeta", "other"):
            self.assertIn(key, message)
        for text in ("", "{", "[]", "{}", '{"schema": "cone.unit/1", "options": {}}', "\x00\xff",
                     '{"schema": "cone.options/1", "options": {"gamma": 1, "gamma": 2}}'):
            file = self.write("best.json", text)
            self.assertIn("best.json", self.refused(COUPONS, *self.ARGUMENTS, "--options", file))
        self.refused(COUPONS, *self.ARGUMENTS, "--options", self.folder / "nowhere.json")
        self.refused(COUPONS, *self.ARGUMENTS, "--options", self.folder)


if __name__ == "__main__":
    unittest.main()
