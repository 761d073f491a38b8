"""cone evaluate --engine petsc against one process: the same figures for any number of ranks."""

import os
import pathlib
import random
import subprocess
import sys
import unittest

import numpy

from rank_support import MPIRUN, RANKS_BINARY, RanksTest, cone, figures, on_ranks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import COUPONS, MESSAGES  # noqa: E402

SHARDED = ["--reading", "sharded"]


class SameAnswer(RanksTest):
    def test_three_arms_and_numeric_features(self):
        self.assertGreater(len(self.compare(MESSAGES, "--policy", "always:email", "uniform")), 50)

    def test_a_policy_file(self):
        for reading in ("whole", "sharded"):
            self.compare(COUPONS, "--policy", COUPONS / "policy.csv", "treat-all",
                         distributed=["--reading", reading])

    def test_count_features(self):
        data = self.folder / "counts"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.compare(data, "--policy", "treat-all", "treat-none", "uniform", ranks=[1, 7])
        self.compare(data, "--policy", "treat-all", "uniform", ranks=[3], distributed=SHARDED)

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
        source, *edges = (self.folder / "edges.csv").read_text().splitlines()
        self.write("edges.csv", source + "\n" + "".join(
            ",".join(f'"{end}, ""jr"""' for end in edge.split(",")) + "\n" for edge in edges))
        self.compare(self.folder, "--policy", "treat-all", ranks=[1, 4], distributed=SHARDED)

    def test_other_seed_and_folds(self):
        self.compare(MESSAGES, "--policy", "uniform", "--seed", 5, "--folds", 4, ranks=[3])

    def test_conjugate_gradients_converge_to_the_exact_solution(self):
        data = self.folder / "counts"
        cone("simulate", "--out", data, "--nodes", 1500, "--mean-degree", 12, "--seed", 3,
             "--noise", 1, "-q")
        # The iterations end at 3e-8 of a column's norm; p values are the most sensitive.
        self.compare(data, "--policy", "treat-all", "uniform", ranks=[1, 2, 4], tolerance=1e-6,
                     alone=["--ridge-solver", "dense"], distributed=["--ridge-solver", "iterative"])

    def test_conjugate_gradients_are_those_of_one_process(self):
        """Frequent count features, numeric features, and ranks without nodes of a small arm."""
        data = self.folder / "counts"
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
        # One process iterates for all arms or for none, ranks for large arms only.
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
                continue  # permutations depend on the order of the lines, in one process too
            if value is not None:
                self.assertAlmostEqual(value, values[1][name], 8, name)


class LittleMemory(RanksTest):
    """Data that exceed the memory of one rank, but not of four."""

    MOST_BYTES = 500_000_000  # per rank; libraries take some 240,000,000 of it

    def write_messages(self, nodes=400, lines=8_000_000):
        """One line per message between few nodes: most edges are duplicates."""
        draw = random.Random(1)
        self.write("nodes.csv", "id,treatment,outcome,age\n" + "".join(
            f"u{i},{i % 2},{draw.gauss(i % 2, 1):.4f},{draw.gauss(40, 9):.2f}\n"
            for i in range(nodes)))
        block = "".join("u{},u{}\n".format(*draw.sample(range(nodes), 2)) for _ in range(10_000))
        with open(self.folder / "edges.csv", "w") as edges:
            edges.write("source,target\n")
            for _ in range(lines // 10_000):
                edges.write(block)

    def run_with_limit(self, ranks):
        program = ["prlimit", f"--data={self.MOST_BYTES}", RANKS_BINARY]
        arguments = [*MPIRUN, "-n", ranks, *program, "evaluate", self.folder, "--engine", "petsc",
                     "--reading", "sharded", "--policy", "treat-all", "--json", self.folder / "out.json"]
        return subprocess.run(list(map(str, arguments)), capture_output=True, text=True, timeout=600,
                              env={**os.environ, "OMP_NUM_THREADS": "1"})

    def test_one_rank_fails_and_four_finish(self):
        self.write_messages()
        one = self.run_with_limit(1)
        self.assertNotEqual(one.returncode, 0)
        self.assertIn("out of memory", one.stderr)
        self.assertFalse((self.folder / "out.json").exists())
        four = self.run_with_limit(4)
        record = self.record_of(four, self.folder / "out.json")
        self.assertEqual(record["engine"]["ranks"], 4)
        self.assertGreater(record["diagnostics"]["num_edges_merged"], 7_000_000)


class CountMatrix(RanksTest):
    """features.npz, which cone writes where there are many count features."""

    def test_rows_of_a_matrix(self):
        data = self.folder / "counts"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.make_matrix(data)
        self.compare(data, "--policy", "treat-all", ranks=[1, 3, 7], distributed=SHARDED)

    def test_a_matrix_with_other_rows_is_refused(self):
        data = self.folder / "counts"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.make_matrix(data, left_out=1)
        run = on_ranks(3, "evaluate", data, "--policy", "treat-all", "--engine", "petsc", *SHARDED)
        self.assertEqual(run.returncode, 2)
        self.assertIn("299 rows, but nodes.csv has 300", run.stderr)
        self.assertEqual(run.stderr.count("299 rows"), 1)

    def test_a_damaged_matrix_is_refused_once(self):
        data = self.folder / "counts"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.make_matrix(data)
        content = (data / "features.npz").read_bytes()
        (data / "features.npz").write_bytes(content[:len(content) // 2])
        run = on_ranks(3, "evaluate", data, "--policy", "treat-all", "--engine", "petsc", *SHARDED)
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr.count("is not a .npz archive"), 1)

    def make_matrix(self, data, left_out=0):
        """features.csv becomes features.npz, as SciPy would write it."""
        names = (data / "feature_names.csv").read_text().splitlines()[1:]
        ids = [line.split(",")[0] for line in (data / "nodes.csv").read_text().splitlines()[1:]]
        rows = {node: [] for node in ids}
        for line in (data / "features.csv").read_text().splitlines()[1:]:
            node, feature, value = line.split(",")
            rows[node].append((names.index(feature), float(value)))
        kept = [sorted(rows[node]) for node in ids[left_out:]]
        numpy.savez_compressed(
            data / "features.npz", format=numpy.array(b"csr"), shape=[len(kept), len(names)],
            indptr=numpy.cumsum([0] + [len(row) for row in kept]),
            indices=numpy.array([column for row in kept for column, _ in row], dtype="int32"),
            data=numpy.array([value for row in kept for _, value in row]))
        (data / "features.csv").unlink()


if __name__ == "__main__":
    unittest.main()
