"""Little time and little memory: what the program says and keeps when it must end early."""

import json
import resource
import subprocess

from support import BINARY, FolderTest, stop_at


class Interrupts(FolderTest):
    ESTIMATORS = "naive,snips,dr_ridge,cone"

    def interrupt(self, *arguments):
        """A run whose networks train for hours, told to stop when it has begun with them."""
        self.write_log(num_nodes=400)
        done = stop_at("training representations", "evaluate", self.folder, "--policy", "uniform",
                       "--estimators", self.ESTIMATORS, "--epochs", 1000000, "--patience", 1000000,
                       *arguments)
        self.assertEqual(done.returncode, 130, done.stderr)
        self.assertIn("cone: interrupted; not finished: cone\n", done.stderr)
        return done.stdout, done.stderr

    def test_prints_the_estimators_that_were_finished(self):
        stdout, stderr = self.interrupt()
        self.assertTrue(stdout.startswith("! Interrupted: cone not finished."), stdout)
        rows = [line.split()[0] for line in stdout.splitlines() if line[:1].isalpha()]
        first = rows.index("estimator") + 1  # of the table, after what to make of it
        self.assertEqual(rows[first:first + 3], ["naive", "snips", "dr_ridge"], stdout)
        self.assertNotIn("cone", rows)
        self.assertRegex(stderr, r"this may take about .*cone .*; Ctrl-C keeps what is finished")

    def test_records_what_was_finished_and_what_was_not(self):
        self.interrupt("--json", str(self.folder / "out.json"))
        record = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(record["status"], "interrupted")
        self.assertEqual(record["unfinished"], ["cone"])
        names = [e["estimator"] for e in record["policies"][0]["estimates"]]
        self.assertEqual(names, ["naive", "snips", "dr_ridge"])
        whole = self.evaluate(self.folder, "--policy", "uniform", "--estimators",
                              "naive,snips,dr_ridge")
        self.assertEqual(whole["status"], "completed")
        self.assertEqual(whole["unfinished"], [])
        self.assertEqual(whole["policies"][0]["estimates"],
                         record["policies"][0]["estimates"])


class LittleMemory(FolderTest):
    def test_ends_with_a_result_or_a_message_at_any_limit(self):
        """OpenBLAS asks for memory again and again, forever, where the system refuses it."""
        self.write_log(num_nodes=200)
        statuses = set()
        for megabytes in (150, 200, 250, 300, 350, 400, 450, 500, 600, 800, 1200, 2000):
            limit = megabytes << 20
            done = subprocess.run(
                [BINARY, "evaluate", str(self.folder), "--policy", "uniform", "--estimators",
                 "dm_ridge,dm_nn,okb", "--epochs", "3", "--threads", "2", "--quiet"],
                capture_output=True, text=True, timeout=60,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            statuses.add(done.returncode)
            if done.returncode == 0:
                self.assertIn("dm_ridge", done.stdout)
            elif done.returncode != 127:  # not even the libraries could be loaded
                self.assertEqual(done.returncode, 1, (megabytes, done.stderr))
                self.assertIn("out of memory", done.stderr)
        self.assertLessEqual({0, 1}, statuses)
