"""cone evaluate --engine petsc beside the program of one process: the same figures at any number of
processes, the same faults, and no half-written file."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

import numpy

from together import MPIRUN, RANKS_BINARY, RanksTest, command, figures, on_ranks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import COUPONS, MESSAGES, cone  # noqa: E402


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


class SameAnswer(RanksTest):
    def test_three_arms_and_measurements(self):
        self.assertGreater(len(self.compare(MESSAGES, "--policy", "always:email", "uniform")), 50)

    def test_a_policy_file(self):
        self.compare(COUPONS, "--policy", COUPONS / "policy.csv", "treat-all")

    def test_words(self):
        data = self.folder / "words"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.compare(data, "--policy", "treat-all", "treat-none", "uniform", ranks=[1, 3, 7])

    def test_without_edges(self):
        self.write_log(80)
        (self.folder / "edges.csv").unlink()
        self.compare(self.folder, "--policy", "treat-all", "treat-none", ranks=[1, 3])

    def test_quoted_fields(self):
        self.write_log(90)
        header, *rows = (self.folder / "nodes.csv").read_text().splitlines()
        rows = [row.split(",") for row in rows]
        self.write("nodes.csv", header + "\n" + "".join(
            ",".join(['"{}, ""jr"""'.format(row[0]), f'"{row[1]}"', *row[2:]]) + "\n"
            for row in rows))
        source, *ties = (self.folder / "edges.csv").read_text().splitlines()
        self.write("edges.csv", source + "\n" + "".join(
            ",".join(f'"{end}, ""jr"""' for end in tie.split(",")) + "\n" for tie in ties))
        self.compare(self.folder, "--policy", "treat-all", ranks=[1, 4])

    def test_other_seed_and_folds(self):
        self.compare(MESSAGES, "--policy", "uniform", "--seed", 5, "--folds", 4, ranks=[3])

    def test_conjugate_gradients_come_to_the_exact_solution(self):
        data = self.folder / "words"
        cone("simulate", "--out", data, "--nodes", 1500, "--mean-degree", 12, "--seed", 3,
             "--noise", 1, "-q")
        # As far as on one machine: the iterations end at 3e-8 of a column's size.
        self.compare(data, "--policy", "treat-all", "uniform", ranks=[1, 2, 4], tolerance=1e-7,
                     alone=["--ridge-solver", "dense"], together=["--ridge-solver", "iterative"])

    def test_conjugate_gradients_are_those_of_one_machine(self):
        """Words that stand out, measurements, and ranks that have nobody of a small arm."""
        data = self.folder / "words"
        cone("simulate", "--out", data, "--nodes", 4000, "--mean-degree", 12, "--seed", 4,
             "--noise", 1, "--words-per-node", 20, "-q")
        self.compare(data, "--policy", "treat-all", "uniform", "--ridge-solver", "iterative",
                     ranks=[1, 3])
        self.compare(MESSAGES, "--policy", "always:email", "uniform", "--ridge-solver", "iterative",
                     ranks=[1, 3, 7])

    def test_arms_that_are_too_large_to_be_solved_exactly(self):
        data = self.folder / "large"
        cone("simulate", "--out", data, "--nodes", 11000, "--mean-degree", 6, "--seed", 5,
             "--words", 300, "--words-per-node", 5, "--noise", 1, "-q")
        self.compare(data, "--policy", "treat-all", "--folds", 2, ranks=[2])
        # One machine iterates for all arms or for none, ranks for those that are large.
        rows = [line.split(",") for line in (data / "nodes.csv").read_text().splitlines()]
        for row in rows[1:]:
            if int(row[0]) % 3 > 0:
                row[1], row[2] = "0", row[3]
        (data / "nodes.csv").write_text("".join(",".join(row) + "\n" for row in rows))
        self.compare(data, "--policy", "treat-all", "--folds", 2, ranks=[2], tolerance=1e-7)

    def test_order_of_lines_does_not_matter(self):
        values = []
        for order in (None, random.Random(2).sample(range(120), 120)):
            self.write_log(120, order=order)
            out = self.folder / "out.json"
            run = on_ranks(3, "evaluate", self.folder, "--engine", "petsc", "--policy", "treat-all",
                           "--estimators", "network_dm", "--json", out)
            values.append(figures(self.record_of(run, out)))
        for name, value in values[0].items():
            if name == "residual_association p":
                continue  # permutations go by the order of the lines, on one machine too
            if value is not None:
                self.assertAlmostEqual(value, values[1][name], 8, name)


class FriendsTogether(RanksTest):
    """--partition scotch: other processes, the same figures."""

    def test_moving_people_changes_no_figure(self):
        data = self.folder / "words"
        cone("simulate", "--out", data, "--nodes", 400, "--mean-degree", 10, "--seed", 3, "-q")
        self.compare(data, "--policy", "treat-all", "uniform", ranks=[1, 2, 7],
                     together=["--partition", "scotch"])
        self.compare(MESSAGES, "--policy", "always:email", ranks=[3],
                     together=["--partition", "scotch"])

    def test_iterations_on_moved_people(self):
        data = self.folder / "words"
        cone("simulate", "--out", data, "--nodes", 1500, "--mean-degree", 12, "--seed", 3,
             "--noise", 1, "-q")
        self.compare(data, "--policy", "treat-all", ranks=[3], tolerance=1e-7,
                     alone=["--ridge-solver", "dense"],
                     together=["--ridge-solver", "iterative", "--partition", "scotch"])

    def test_people_without_friends(self):
        self.write_log(80)
        (self.folder / "edges.csv").write_text("source,target\nu1,u2\n")
        self.compare(self.folder, "--policy", "treat-all", ranks=[4],
                     together=["--partition", "scotch"])

    def test_lines_in_no_order_gain_most(self):
        data = self.folder / "map"
        cone("simulate", "--out", data, "--nodes", 4000, "--mean-degree", 10, "--layout",
             "geometric", "--seed", 3, "-q")
        header, *lines = (data / "nodes.csv").read_text().splitlines()
        random.Random(1).shuffle(lines)
        (data / "nodes.csv").write_text("\n".join([header, *lines]) + "\n")
        out = self.folder / "out.json"
        ghosts = {}
        for way in ("none", "scotch", "auto"):
            run = on_ranks(4, "evaluate", data, "--engine", "petsc", "--policy", "treat-all",
                           "--partition", way, "--estimators", "naive", "--json", out)
            engine = self.record_of(run, out)["engine"]
            ghosts[way] = engine["largest_ghosts"]
            self.assertEqual(engine["partition"]["moved"], way != "none", engine["partition"])
        for way in ("scotch", "auto"):
            self.assertLess(ghosts[way], ghosts["none"] / 3)

    def test_one_machine_has_nothing_to_part(self):
        run = cone("evaluate", MESSAGES, "--policy", "uniform", "--partition", "scotch")
        self.assertEqual(run.returncode, 2)
        self.assertIn("without --engine petsc", run.stderr)


class LittleMemory(RanksTest):
    """Data that one process cannot hold, and four can."""

    MOST_BYTES = 390_000_000  # per process; libraries take some 240,000,000 of it

    def write_messages(self, people=400, lines=8_000_000):
        """One line per message: few pairs of people, which nobody knows before all lines are read."""
        draw = random.Random(1)
        self.write("nodes.csv", "id,treatment,outcome,age\n" + "".join(
            f"u{i},{i % 2},{draw.gauss(i % 2, 1):.4f},{draw.gauss(40, 9):.2f}\n"
            for i in range(people)))
        block = "".join("u{},u{}\n".format(*draw.sample(range(people), 2)) for _ in range(10_000))
        with open(self.folder / "edges.csv", "w") as edges:
            edges.write("source,target\n")
            for _ in range(lines // 10_000):
                edges.write(block)

    def run_with_limit(self, ranks):
        program = ["prlimit", f"--data={self.MOST_BYTES}", RANKS_BINARY]
        words = [*MPIRUN, "-n", ranks, *program, "evaluate", self.folder, "--engine", "petsc",
                 "--policy", "treat-all", "--json", self.folder / "out.json"]
        return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              timeout=600, env={**os.environ, "OMP_NUM_THREADS": "1"})

    def test_one_process_fails_and_four_finish(self):
        self.write_messages()
        alone = self.run_with_limit(1)
        self.assertNotEqual(alone.returncode, 0)
        self.assertIn("out of memory", alone.stderr)
        self.assertFalse((self.folder / "out.json").exists())
        together = self.run_with_limit(4)
        record = self.record_of(together, self.folder / "out.json")
        self.assertEqual(record["engine"]["ranks"], 4)
        self.assertGreater(record["diagnostics"]["num_edges_merged"], 7_000_000)


class WordMatrix(RanksTest):
    """features.npz, which cone writes where there are many words."""

    def test_rows_of_a_matrix(self):
        data = self.folder / "words"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.make_matrix(data)
        self.compare(data, "--policy", "treat-all", ranks=[1, 3, 7])

    def test_a_matrix_of_other_people_is_refused(self):
        data = self.folder / "words"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.make_matrix(data, left_out=1)
        run = on_ranks(3, "evaluate", data, "--policy", "treat-all", "--engine", "petsc")
        self.assertEqual(run.returncode, 2)
        self.assertIn("299 rows where nodes.csv has 300", run.stderr)
        self.assertEqual(run.stderr.count("299 rows"), 1)

    def test_a_damaged_matrix_is_refused_once(self):
        data = self.folder / "words"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.make_matrix(data)
        whole = (data / "features.npz").read_bytes()
        (data / "features.npz").write_bytes(whole[:len(whole) // 2])
        run = on_ranks(3, "evaluate", data, "--policy", "treat-all", "--engine", "petsc")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr.count("is not a .npz archive"), 1)

    def make_matrix(self, data, left_out=0):
        """features.csv becomes features.npz, as SciPy would write it."""
        names = (data / "feature_names.csv").read_text().splitlines()[1:]
        ids = [line.split(",")[0] for line in (data / "nodes.csv").read_text().splitlines()[1:]]
        rows = {node: [] for node in ids}
        for line in (data / "features.csv").read_text().splitlines()[1:]:
            node, word, value = line.split(",")
            rows[node].append((names.index(word), float(value)))
        kept = [sorted(rows[node]) for node in ids[left_out:]]
        numpy.savez_compressed(
            data / "features.npz", format=numpy.array(b"csr"), shape=[len(kept), len(names)],
            indptr=numpy.cumsum([0] + [len(row) for row in kept]),
            indices=numpy.array([column for row in kept for column, _ in row], dtype="int32"),
            data=numpy.array([value for row in kept for _, value in row]))
        (data / "features.csv").unlink()


class Faults(RanksTest):
    def refuse_as_alone(self, *options, part=None):
        """Both refuse with the same words, once."""
        base = ["evaluate", self.folder, "--policy", *(options or ["treat-all"])]
        alone, run = cone(*base), on_ranks(3, *base, "--engine", "petsc")
        self.assertEqual((alone.returncode, run.returncode, run.stdout), (2, 2, ""), run.stderr)
        self.assertIn(part, alone.stderr)
        self.assertEqual(run.stderr.count(part), alone.stderr.count(part), run.stderr)

    def test_a_feature_that_is_the_outcome_or_the_treatment(self):
        self.write_log(60)
        header, *lines = (self.folder / "nodes.csv").read_text().splitlines()
        for name, column, factor in (("outcome", 2, 2), ("treatment", 1, -1)):
            added = [f"{line},{factor * float(line.split(',')[column]) + 1}" for line in lines]
            self.write("nodes.csv", "\n".join([header + ",leak", *added]) + "\n")
            self.refuse_as_alone(part=f"the feature is the {name} itself")

    def test_packed_files_are_not_taken_for_missing_ones(self):
        self.write_log(60)
        edges = self.folder / "edges.csv"
        subprocess.run(["gzip", edges], check=True)
        run = on_ranks(2, "evaluate", self.folder, "--engine", "petsc", "--policy", "treat-all")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("edges.csv.gz: is packed", run.stderr)

    def test_names_of_policies(self):
        self.write_log(60)
        ids = [line.split(",")[0] for line in
               (self.folder / "nodes.csv").read_text().splitlines()[1:]]
        for name, part in (("what was done", "'what was done', as the log itself is"),
                           ("treat-all", "is the name of a built-in policy"),
                           ("same", "two policies are named 'same'")):
            rows = "".join(f"{node},0.3\n" for node in ids)
            self.write("one.csv", f"id,{name}\n{rows}")
            self.write("two.csv", f"id,same\n{rows}")
            self.refuse_as_alone(self.folder / "one.csv", self.folder / "two.csv", part=part)

    def test_true_outcomes_that_contradict_the_log_are_not_shown(self):
        self.write_log(60)
        header, *lines = (self.folder / "nodes.csv").read_text().splitlines()
        self.write("nodes.csv", "\n".join([header + ",y0,y1", *(f"{line},7,8" for line in lines)])
                   + "\n")
        out = self.folder / "out.json"
        run = on_ranks(3, "evaluate", self.folder, "--engine", "petsc", "--policy", "treat-all",
                       "--estimators", "naive", "--json", out)
        record = self.record_of(run, out)
        self.assertNotIn("truth", record["policies"][0])
        self.assertIn("the outcome of 60 of 60 nodes is another",
                      " ".join(record["diagnostics"]["warnings"]))

    def test_wrong_usage_is_said_once(self):
        for options, part in ((["--engine", "petsc", "--clip", "-1"], "--clip: is -1"),
                              (["--engine", "petsc", "--model", "m"], "--model: is not known"),
                              (["--engine", "petsc", "--attention", "a.csv"], "--attention: is not"),
                              (["--polciy", "x"], "--polciy"),
                              ([], "mpirun started 3 processes")):
            run = on_ranks(3, "evaluate", MESSAGES, "--policy", "uniform", *options)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertEqual(run.stderr.count(part), 1, run.stderr)

    def test_wrong_usage_of_one_process_ends_all(self):
        """Its arguments are its own: nobody else speaks of them, and nobody waits for it."""
        right = command(1, "evaluate", MESSAGES, "--policy", "uniform", "--engine", "petsc")
        wrong = command(1, "evaluate", MESSAGES, "--polciy", "x")[len(MPIRUN):]
        run = subprocess.run([*right, ":", *wrong], capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
        self.assertEqual(run.stderr.count("--policy is required"), 1, run.stderr)

    def test_faults_of_all_ranks_are_listed_as_one_process_lists_them(self):
        self.write_log(60)
        lines = (self.folder / "nodes.csv").read_text().splitlines()
        # Each on another rank.
        lines[3] = "u2,1,broken,0,0"
        lines[30] = "u29,1,1e999,0,0"
        lines[58] = "u57,1,0.5"
        self.write("nodes.csv", "\n".join(lines) + "\n")
        alone = cone("evaluate", self.folder, "--policy", "treat-all")
        run = on_ranks(4, "evaluate", self.folder, "--policy", "treat-all", "--engine", "petsc")
        self.assertEqual((alone.returncode, run.returncode, run.stdout), (2, 2, ""))

        def faults(text):  # where and what, without the advice
            return [line.strip().split(";")[0] for line in text.splitlines() if "nodes.csv:" in line]

        self.assertEqual(len(faults(alone.stderr)), 3)
        self.assertEqual(sorted(faults(run.stderr)), sorted(faults(alone.stderr)))

    def test_line_ends_in_quotes_where_the_file_is_cut(self):
        self.write_log(60)
        header, *rows = (self.folder / "nodes.csv").read_text().splitlines()
        rows = ['"u{}{}",{}'.format(i, "\n" * 40, row.split(",", 1)[1])
                for i, row in enumerate(rows)]
        self.write("nodes.csv", "\n".join([header, *rows]) + "\n")
        (self.folder / "edges.csv").unlink()
        run = on_ranks(5, "evaluate", self.folder, "--policy", "treat-all", "--engine", "petsc")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("a quoted field has a line end where processes cut the file", run.stderr)

    def test_unknown_ids(self):
        self.write_log(60)
        with open(self.folder / "edges.csv", "a") as edges:
            edges.write("u1,zzz\n")
        run = on_ranks(3, "evaluate", self.folder, "--policy", "treat-all", "--engine", "petsc")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("'zzz' is not an id of nodes.csv", run.stderr)

    def test_an_arm_without_variation_is_refused(self):
        self.write_log(60)
        rows = [line.split(",") for line in (self.folder / "nodes.csv").read_text().splitlines()]
        for row in rows[1:]:
            if row[1] == "1":
                row[2] = "5"
        self.write("nodes.csv", "".join(",".join(row) + "\n" for row in rows))
        run = on_ranks(3, "evaluate", self.folder, "--policy", "treat-all", "--engine", "petsc")
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertIn("every outcome is the same", run.stderr)

    def test_estimators_that_stay_on_one_machine(self):
        run = on_ranks(2, "evaluate", MESSAGES, "--policy", "uniform", "--engine", "petsc",
                       "--estimators", "cone,network_dm")
        self.assertEqual(run.returncode, 2)
        self.assertIn("does not know cone", run.stderr)

    def test_the_plain_program_has_no_mpi_and_says_so(self):
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
        """What a run says that is stopped when its ranks have worked for a second."""
        data = self.folder / "large"
        cone("simulate", "--out", data, "--nodes", 9000, "--mean-degree", 20, "--seed", 3, "-q")
        out = self.write("out.json", "what was there")
        run = subprocess.Popen(
            command(3, "evaluate", data, "--policy", "treat-all", "--engine", "petsc", "-q",
                    "--estimators", "network_dm", "--json", out),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        stop(run, self.wait_for_ranks(run))
        _, errors = run.communicate(timeout=120)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(out.read_text(), "what was there")
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
