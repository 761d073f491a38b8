"""Complete records of --engine petsc against those of one process, key by key. Known differences
are listed here with their reasons; any other difference fails."""

import csv
import pathlib
import sys
import unittest

from rank_support import ABOUT_DATA, TOLERANCE, RanksTest, cone, on_ranks, sentences_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import COUPONS, MESSAGES  # noqa: E402

# A key with [] for list indices, or the beginning of one.
EXCUSED = {
    "timing_seconds": "every run has its own",
    "engine": "one process has none",
}


def prepare(record):
    """Without warnings of data checks, which only one process makes, and the engine's note about
    them. Where several arms have the same calibration gap, with the sentences of all of them."""
    diagnostics = record["diagnostics"]
    diagnostics["warnings"] = [warning for warning in diagnostics["warnings"]
                               if not warning.startswith(ABOUT_DATA)]
    for verdict in diagnostics["verdicts"]:
        verdict["sentence"] = sentences_of(verdict, diagnostics)
    return record


def flatten(value, key=""):
    """Every leaf by its key; lists add their length."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from flatten(part, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        yield f"{key}[#]", len(value)
        for position, part in enumerate(value):
            yield from flatten(part, f"{key}[{position}]")
    else:
        yield key, value


def without_indices(key):
    return "".join(part if k % 2 == 0 else "[]"
                   for k, part in enumerate(key.replace("]", "[").split("[")))


def agree(one, other):
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (one, other))
    return abs(one - other) <= TOLERANCE * max(1.0, abs(one)) if numbers else one == other


def differences(expected, got):
    """Keys without indices, each with one example of the difference."""
    one, other = dict(flatten(expected)), dict(flatten(got))
    found = {}
    for key in sorted(one.keys() | other.keys()):
        values = one.get(key, "missing"), other.get(key, "missing")
        if not agree(*values):
            found.setdefault(without_indices(key), (key, *values))
    return found


def is_excused(key):
    return any(key == known or key.startswith((known + ".", known + "[]")) for known in EXCUSED)


class SameRecord(RanksTest):
    def compare_records(self, data, *options, ranks=(1, 3)):
        """Returns the record of one process."""
        out = self.folder / "out.json"
        base = ["evaluate", data, "--json", out, *options]
        expected = prepare(self.record_of(cone(*base), out))
        for count in ranks:
            run = on_ranks(count, *base, "--engine", "petsc")
            got = prepare(self.record_of(run, out))
            found = {key: values for key, values in differences(expected, got).items()
                     if not is_excused(key)}
            self.assertEqual(found, {}, f"{count} ranks")
        return expected

    def test_three_arms_and_numeric_features(self):
        self.compare_records(MESSAGES, "--policy", "always:email", "uniform", "--estimators",
                             "naive,snips,dm_ols2,dr_ridge,network_dm")

    def test_a_policy_file(self):
        self.compare_records(COUPONS, "--policy", COUPONS / "policy.csv", "treat-all",
                             "--estimators", "ips,dr_ridge,network_dm")

    def test_count_features_and_known_truth(self):
        data = self.folder / "counts"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.compare_records(data, "--policy", "treat-all", "uniform", "--estimators",
                             "dr_ridge,network_dm", ranks=[3])

    def test_rows_of_nodes(self):
        """Without survey weights and with them: the same file, in the order of the data."""
        for options in ([], ["--weight", "visits"]):
            tables = []
            base = ["evaluate", MESSAGES, "--policy", "always:email", "--estimators", "network_dm",
                    "--no-sensitivity-interval", "--nodes", self.folder / "nodes.csv", *options]
            for run in (cone(*base), on_ranks(3, *base, "--engine", "petsc")):
                self.assertEqual(run.returncode, 0, run.stderr)
                with open(self.folder / "nodes.csv", newline="") as table:
                    tables.append(list(csv.reader(table)))
            self.assertGreater(len(tables[0]), 100)
            for alone, together in zip(*tables, strict=True):
                for one, other in zip(alone, together, strict=True):
                    if one != other:
                        self.assertAlmostEqual(float(one), float(other), 8)

    def test_runs_have_the_same_id_and_checksums(self):
        """Without an id column, three arms, no edges; then given propensities and a policy file."""
        lines = (MESSAGES / "nodes.csv").read_text().splitlines()
        self.write("log/nodes.csv", "".join(line.split(",", 1)[1] + "\n" for line in lines))
        for data, policy in ((self.folder / "log", "uniform"), (COUPONS, COUPONS / "policy.csv")):
            out = self.folder / "out.json"
            base = ["evaluate", data, "--policy", policy, "--json", out, "--no-sensitivity-interval",
                    "--estimators", "ips"]
            expected = self.record_of(cone(*base), out)
            for count in (1, 2, 7):
                got = self.record_of(on_ranks(count, *base, "--engine", "petsc"), out)
                self.assertEqual(got["data"]["checksum"], expected["data"]["checksum"])
                self.assertEqual(got["policies"][0]["checksum"], expected["policies"][0]["checksum"])
                self.assertEqual(got["run_id"], expected["run_id"], f"{count} ranks")


if __name__ == "__main__":
    unittest.main()
