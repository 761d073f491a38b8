"""Faults with --engine petsc: as in one process, reported once, and no half-written file."""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from rank_support import MPIRUN, RanksTest, command, cone, on_ranks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import MESSAGES  # noqa: E402

SHARDED = ["--engine", "petsc", "--reading", "sharded"]


def children_of(pid):
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = (process / "stat").read_text().rsplit(")", 1)[1].split()[1]
            is_rank = "petsc/cone" in (process / "cmdline").read_text()
        except OSError:  # gone in the meantime
            continue
        if is_rank and int(parent) == pid:
            found.append(int(process.name))
    return sorted(found)


class Faults(RanksTest):
    def refuse_as_alone(self, *options, part=None):
        """All refuse with the same message, once."""
        base = ["evaluate", self.folder, "--policy", *(options or ["treat-all"])]
        alone = cone(*base)
        self.assertEqual(alone.returncode, 2)
        self.assertIn(part, alone.stderr)
        for reading in ("whole", "sharded"):
            run = on_ranks(3, *base, "--engine", "petsc", "--reading", reading)
            self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
            self.assertEqual(run.stderr.count(part), alone.stderr.count(part), run.stderr)

    def test_a_feature_that_is_the_outcome_or_the_treatment(self):
        self.write_log(60)
        header, *lines = (self.folder / "nodes.csv").read_text().splitlines()
        for name, column, factor in (("outcome", 2, 2), ("treatment", 1, -1)):
            added = [f"{line},{factor * float(line.split(',')[column]) + 1}" for line in lines]
            self.write("nodes.csv", "\n".join([header + ",leak", *added]) + "\n")
            self.refuse_as_alone(part=f"the feature is a copy of the {name}")

    def test_compressed_files_are_not_taken_for_missing_ones(self):
        self.write_log(60)
        edges = self.folder / "edges.csv"
        subprocess.run(["gzip", edges], check=True)
        run = on_ranks(2, "evaluate", self.folder, *SHARDED, "--policy", "treat-all")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("edges.csv.gz: is compressed", run.stderr)

    def test_names_of_policies(self):
        self.write_log(60)
        ids = [line.split(",")[0] for line in
               (self.folder / "nodes.csv").read_text().splitlines()[1:]]
        for name, part in (("logged", "a policy is named 'logged'"),
                           ("treat-all", "is the name of a built-in policy"),
                           ("same", "two policies are named 'same'")):
            rows = "".join(f"{node},0.3\n" for node in ids)
            self.write("one.csv", f"id,{name}\n{rows}")
            self.write("two.csv", f"id,same\n{rows}")
            self.refuse_as_alone(self.folder / "one.csv", self.folder / "two.csv", part=part)

    def test_true_outcomes_that_contradict_the_data_are_not_shown(self):
        self.write_log(60)
        header, *lines = (self.folder / "nodes.csv").read_text().splitlines()
        self.write("nodes.csv", "\n".join([header + ",y0,y1", *(f"{line},7,8" for line in lines)])
                   + "\n")
        out = self.folder / "out.json"
        run = on_ranks(3, "evaluate", self.folder, *SHARDED, "--policy", "treat-all",
                       "--estimators", "naive", "--json", out)
        record = self.record_of(run, out)
        self.assertNotIn("truth", record["policies"][0])
        self.assertIn("contradict the outcome of 60 of 60 nodes",
                      " ".join(record["diagnostics"]["warnings"]))

    def test_wrong_usage_is_reported_once(self):
        for options, part in ((["--engine", "petsc", "--clip", "-1"], "--clip: is -1"),
                              (["--engine", "petsc", "--attention", "a.csv"], "--attention: is about"),
                              ([*SHARDED, "--nodes", "n.csv"], "--nodes: needs all nodes"),
                              (["--polciy", "x"], "--polciy"),
                              ([], "mpirun started 3 processes")):
            run = on_ranks(3, "evaluate", MESSAGES, "--policy", "uniform", *options)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertEqual(run.stderr.count(part), 1, run.stderr)

    def test_wrong_usage_of_one_rank_ends_all(self):
        """Ranks may have different arguments: this one reports its own; no other waits for it."""
        right = command(1, "evaluate", MESSAGES, "--policy", "uniform", "--engine", "petsc")
        wrong = command(1, "evaluate", MESSAGES, "--polciy", "x")[len(MPIRUN):]
        run = subprocess.run([*right, ":", *wrong], capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
        self.assertEqual(run.stderr.count("did you mean --policy?"), 1, run.stderr)

    def test_faults_of_all_ranks_are_listed_as_one_process_lists_them(self):
        self.write_log(60)
        lines = (self.folder / "nodes.csv").read_text().splitlines()
        # Each on a different rank.
        lines[3] = "u2,1,broken,0,0"
        lines[30] = "u29,1,1e999,0,0"
        lines[58] = "u57,1,0.5"
        self.write("nodes.csv", "\n".join(lines) + "\n")
        alone = cone("evaluate", self.folder, "--policy", "treat-all")
        run = on_ranks(4, "evaluate", self.folder, "--policy", "treat-all", *SHARDED)
        self.assertEqual((alone.returncode, run.returncode, run.stdout), (2, 2, ""))

        def faults(text):  # where and what, without the advice
            return [line.strip().split(";")[0] for line in text.splitlines() if "nodes.csv:" in line]

        self.assertEqual(len(faults(alone.stderr)), 3)
        self.assertEqual(sorted(faults(run.stderr)), sorted(faults(alone.stderr)))

    def test_line_ends_in_quotes_where_the_file_is_split(self):
        self.write_log(60)
        header, *rows = (self.folder / "nodes.csv").read_text().splitlines()
        rows = ['"u{}{}",{}'.format(i, "\n" * 40, row.split(",", 1)[1])
                for i, row in enumerate(rows)]
        self.write("nodes.csv", "\n".join([header, *rows]) + "\n")
        (self.folder / "edges.csv").unlink()
        run = on_ranks(5, "evaluate", self.folder, "--policy", "treat-all", *SHARDED)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("a quoted field has a line end where the file is split", run.stderr)

    def test_unknown_ids(self):
        self.write_log(60)
        with open(self.folder / "edges.csv", "a") as edges:
            edges.write("u1,zzz\n")
        run = on_ranks(3, "evaluate", self.folder, "--policy", "treat-all", *SHARDED)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("'zzz' is not an id of nodes.csv", run.stderr)

    def test_an_arm_without_variation_is_predicted_by_its_mean(self):
        self.write_log(60)
        rows = [line.split(",") for line in (self.folder / "nodes.csv").read_text().splitlines()]
        for row in rows[1:]:
            if row[1] == "1":
                row[2] = "5"
        self.write("nodes.csv", "".join(",".join(row) + "\n" for row in rows))
        expected = self.compare(self.folder, "--policy", "treat-all", ranks=[3])
        self.assertAlmostEqual(expected["treat-all network_dm value"], 5)

    def test_estimators_that_need_one_process(self):
        run = on_ranks(2, "evaluate", MESSAGES, "--policy", "uniform", "--engine", "petsc",
                       "--estimators", "cone,network_dm")
        self.assertEqual(run.returncode, 2)
        self.assertIn("does not support cone", run.stderr)

    def test_the_program_without_mpi_refuses_the_engine(self):
        run = cone("evaluate", MESSAGES, "--policy", "uniform", "--engine", "petsc")
        self.assertEqual(run.returncode, 2)
        self.assertIn("./dev petsc", run.stderr)

    def test_a_killed_rank_ends_the_run_and_leaves_the_old_file(self):
        errors = self.stop_long_run(lambda run, ranks: os.kill(ranks[1], signal.SIGKILL))
        self.assertIn("signal 9", errors)

    def test_an_interrupt_ends_the_run_and_leaves_the_old_file(self):
        errors = self.stop_long_run(lambda run, ranks: run.send_signal(signal.SIGINT))
        self.assertIn("interrupted; nothing was written", errors)

    def stop_long_run(self, stop):
        """Stops a run when its ranks have worked for a second; returns its stderr."""
        data = self.folder / "large"
        cone("simulate", "--out", data, "--nodes", 9000, "--mean-degree", 20, "--seed", 3, "-q")
        out = self.write("out.json", "previous content")
        run = subprocess.Popen(
            command(3, "evaluate", data, "--policy", "treat-all", "--engine", "petsc", "-q",
                    "--estimators", "network_dm", "--json", out),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        stop(run, self.wait_for_ranks(run))
        _, errors = run.communicate(timeout=120)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(out.read_text(), "previous content")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["large", "out.json"])
        return errors

    def wait_for_ranks(self, run):
        for _ in range(100):
            time.sleep(0.1)
            ranks = children_of(run.pid)
            if len(ranks) == 3:
                time.sleep(1)
                return ranks
        return self.fail("the ranks did not start")


if __name__ == "__main__":
    unittest.main()
