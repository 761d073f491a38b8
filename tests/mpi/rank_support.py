"""Support for tests with several ranks: how to start them, and which parts of a record must agree
with the record of one process."""

import json
import os
import pathlib
import subprocess
import sys

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import support  # noqa: E402
from support import BINARY, ROOT, FolderTest  # noqa: E402

RANKS_BINARY = pathlib.Path(BINARY).parent / "petsc/cone"
SCHEMA = json.loads((ROOT / "docs/evaluation.schema.json").read_text())
RANKS = [1, 2, 3, 4, 7]
MPIRUN = ["mpirun", "--oversubscribe", *(["--allow-run-as-root"] if os.getuid() == 0 else [])]
TOLERANCE = 1e-8
# Diagnostics of overlap and models: figures, verdicts and sentences.
DIAGNOSTICS = ["propensity_model", "overlap", "weights", "positivity", "calibration", "balance",
               "residuals_by_degree", "variance_shares", "stability", "feature_scaling",
               "residual_association", "num_evaluated_nodes", "num_isolated_nodes",
               "num_self_loops_dropped", "num_edges_merged"]
# Notes of the engine, and data checks that only one process makes.
ABOUT_DATA = ("--reading sharded", "constant over all nodes")


def without_joint_model(arguments):
    """Its conjugate gradients take most of the time where ranks share a core; tests/distributed compares it on threads
    as ranks."""
    return [*arguments, "--no-joint-model"] if arguments[0] == "evaluate" else arguments


def cone(*arguments, **options):
    return support.cone(*without_joint_model(arguments), **options)


def command(ranks, *arguments):
    return [*MPIRUN, "-n", str(ranks), str(RANKS_BINARY), *map(str, without_joint_model(arguments))]


def on_ranks(ranks, *arguments):
    return subprocess.run(command(ranks, *arguments), capture_output=True, text=True, timeout=600)


def add_tree(found, name, value):
    """Every number and sentence of a tree, by its path."""
    if isinstance(value, dict):
        for key, part in value.items():
            add_tree(found, f"{name} {key}", part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            add_tree(found, f"{name}[{i}]", part)
    else:
        found[name] = value


def sentences_of(verdict, diagnostics):
    """The sentences of all arms with the largest gap: rounding decides which one is reported."""
    if verdict["name"] != "calibration":
        return [verdict["sentence"]]
    entries = diagnostics["calibration"]
    said = next(entry for entry in entries if entry["sentence"] == verdict["sentence"])
    return sorted(entry["sentence"] for entry in entries
                  if abs(entry["mean_gap"] - said["mean_gap"]) < TOLERANCE)


def figures(record):
    """Every figure and warning of a record, by name."""
    found = {}

    def add(name, value):
        if isinstance(value, list):
            for i, part in enumerate(value):
                add(f"{name}[{i}]", part)
        elif not isinstance(value, (dict, bool)):
            found[name] = value

    for policy in record["policies"]:
        for key in ("truth", "treated_fraction"):
            add(f"{policy['name']} {key}", policy.get(key))
        for row in policy["estimates"]:
            name = f"{policy['name']} {row['estimator']}"
            for key in ("value", "standard_error", "interval", "degrees_of_freedom", "sampling_interval", "population_standard_error",
                        "population_sampling_interval", "effective_sample_size", "max_weight",
                        "mean_weight", "clipped_fraction", "off_support_fraction", "status",
                        "warnings", "dependence", "confounding_bias_bound", "sensitivity_interval"):
                add(f"{name} {key}", row.get(key))
            for error in row["standard_errors"]:
                add(f"{name} by {error['dependence']}", error["standard_error"])
    for i, difference in enumerate(record["decision"]["differences"]):
        for key in ("difference", "sampling_interval", "sampling_joint_interval", "p"):
            add(f"difference {i} {key}", difference[key])
    for policy in record["decision"]["policies"]:
        for key in ("value", "gain", "sampling_gain_interval", "gain_p", "rank",
                    "sensitivity_interval", "sensitivity_gain_interval", "overturning_strength",
                    "sentence"):
            add(f"{policy['name']} {key}", policy.get(key))
    add("headline", record["decision"]["estimator"])
    for key, value in record["diagnostics"].get("network_strength", {}).items():
        add(f"network strength {key}", str(value) if isinstance(value, bool) else value)
    add("treatment model", " ".join(warning for warning in record["diagnostics"]["warnings"]
                                    if warning.startswith("treatment depends on the network")))
    for kind in ("propensity_models", "outcome_models"):
        for model in record["diagnostics"].get(kind, []):
            for key, value in model.items():
                add(f"{kind} {model['name']} {key}", value)
    for kind in DIAGNOSTICS:
        add_tree(found, kind, record["diagnostics"].get(kind))
    for verdict in record["diagnostics"]["verdicts"]:
        sentences = sentences_of(verdict, record["diagnostics"])
        add_tree(found, f"verdict {verdict['name']}", [verdict["verdict"], *sentences])
    found["warnings"] = [warning for warning in record["diagnostics"]["warnings"]
                         if not warning.startswith(ABOUT_DATA)]
    return found


class RanksTest(FolderTest):
    estimators = "network_dm"
    start_ranks = staticmethod(on_ranks)

    def record_of(self, run, path):
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        record = json.loads(path.read_text())
        path.unlink()
        return record

    def compare(self, data, *options, ranks=None, alone=(), distributed=(), tolerance=TOLERANCE,
                sensitivity=False):
        """Compares the figures for all numbers of ranks with those of one process; returns these."""
        out = self.folder / "out.json"
        base = ["evaluate", data, "--estimators", self.estimators, "--json", out, *options,
                *([] if sensitivity else ["--no-sensitivity-interval"])]
        expected = figures(self.record_of(cone(*base, *alone), out))
        for count in ranks or RANKS:
            run = self.start_ranks(count, *base, *distributed, "--engine", "petsc")
            record = self.record_of(run, out)
            jsonschema.validate(record, SCHEMA)
            self.assertEqual(record["engine"]["ranks"], count)
            got = figures(record)
            self.assertEqual(got.keys(), expected.keys())
            for name in expected:
                if not isinstance(expected[name], (int, float)) or got[name] is None:
                    self.assertEqual(got[name], expected[name], f"{count} ranks: {name}")
                else:
                    scale = max(1.0, abs(expected[name]))
                    self.assertLess(abs(got[name] - expected[name]) / scale, tolerance,
                                    f"{count} ranks: {name}")
        return expected
