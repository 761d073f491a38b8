"""What tests of many processes share: how to start them, and what of a record must agree with the
record of one process."""

import json
import os
import pathlib
import subprocess
import sys

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import BINARY, ROOT, FolderTest, cone  # noqa: E402

RANKS_BINARY = pathlib.Path(BINARY).parent / "petsc/cone"
SCHEMA = json.loads((ROOT / "docs/evaluation.schema.json").read_text())
RANKS = [1, 2, 3, 4, 7]
MPIRUN = ["mpirun", "--oversubscribe", *(["--allow-run-as-root"] if os.getuid() == 0 else [])]
TOLERANCE = 1e-8
# Looks of the run at its own log and models: figures, verdicts and sentences.
DIAGNOSTICS = ["propensity_model", "overlap", "weights", "positivity", "calibration", "balance",
               "residuals_by_degree", "variance_shares", "stability", "feature_scaling",
               "residual_association", "num_evaluated_nodes", "num_isolated_nodes",
               "num_self_loops_dropped", "num_edges_merged"]
# What the engine says of itself, and what one machine alone finds in the data.
ABOUT_DATA = ("--engine petsc", "the same for all nodes")


def command(ranks, *arguments):
    return [*MPIRUN, "-n", str(ranks), str(RANKS_BINARY), *map(str, arguments)]


def on_ranks(ranks, *arguments):
    return subprocess.run(command(ranks, *arguments), capture_output=True, text=True, timeout=600)


def add_tree(found, name, value):
    """Every number and sentence below, by where it stands."""
    if isinstance(value, dict):
        for key, part in value.items():
            add_tree(found, f"{name} {key}", part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            add_tree(found, f"{name}[{i}]", part)
    else:
        found[name] = value


def sentences_of(verdict, diagnostics):
    """What is said of the worst; of two arms that are off alike, rounding says which one it is."""
    if verdict["name"] != "calibration":
        return [verdict["sentence"]]
    entries = diagnostics["calibration"]
    said = next(entry for entry in entries if entry["sentence"] == verdict["sentence"])
    return sorted(entry["sentence"] for entry in entries
                  if abs(entry["mean_gap"] - said["mean_gap"]) < TOLERANCE)


def figures(record):
    """Every number that a reader would act on, and every word of doubt, by name."""
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
            for key in ("value", "standard_error", "sampling_interval", "population_standard_error",
                        "population_sampling_interval", "effective_sample_size", "max_weight", "mean_weight",
                        "clipped_fraction", "off_support_fraction", "status", "warnings",
                        "dependence", "confounding_bias_bound", "sensitivity_interval"):
                add(f"{name} {key}", row.get(key))
            for error in row["standard_errors"]:
                add(f"{name} by {error['dependence']}", error["standard_error"])
    for i, difference in enumerate(record["decision"]["differences"]):
        for key in ("difference", "sampling_interval", "sampling_joint_interval", "p"):
            add(f"difference {i} {key}", difference[key])
    for policy in record["decision"]["policies"]:
        for key in ("value", "gain", "sampling_gain_interval", "gain_p", "rank", "sensitivity_interval",
                    "sensitivity_gain_interval", "overturning_strength", "sentence"):
            add(f"{policy['name']} {key}", policy.get(key))
    add("headline", record["decision"]["estimator"])
    for key, value in record["diagnostics"].get("network_strength", {}).items():
        add(f"network strength {key}", str(value) if isinstance(value, bool) else value)
    add("who was treated", " ".join(warning for warning in record["diagnostics"]["warnings"]
                                    if warning.startswith("who was treated")))
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

    def record_of(self, run, path):
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        record = json.loads(path.read_text())
        path.unlink()
        return record

    def compare(self, data, *options, ranks=None, alone=(), together=(), tolerance=TOLERANCE,
                robust=False):
        """Figures of all numbers of ranks against one process; returns those of one process."""
        out = self.folder / "out.json"
        base = ["evaluate", data, "--estimators", self.estimators, "--json", out, *options,
                *([] if robust else ["--no-sensitivity-interval"])]
        expected = figures(self.record_of(cone(*base, *alone), out))
        for count in ranks or RANKS:
            run = on_ranks(count, *base, *together, "--engine", "petsc")
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
