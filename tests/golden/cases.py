"""The runs whose records are kept in this folder, and how one compares with another.

A golden record is what `cone evaluate --json` writes, without what differs between machines and
versions. Fields are compared one by one: numbers of closed forms to 1e-9 (relative, or of the outcome's
standard deviation where they are in its units), numbers that
come out of a training in single precision to 1e-3 standard deviations of the outcome, all else
exactly. A field that is missing or new is a difference too.
"""

import csv
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(__file__).resolve().parent
BINARY = os.environ.get("CONE_BINARY", str(ROOT / "build/release/bin/cone"))
COUPONS = ROOT / "examples/coupons"
MESSAGES = ROOT / "examples/messages"
REFRESH = "if the change is meant, run tests/golden/update.py and commit what it writes"

# What differs between machines, builds and runs that are otherwise the same.
IGNORED = {"/version", "/revision", "/commit", "/run_id", "/timing_seconds", "/config/data",
           "/config/policy_arguments"}
CLOSED_FORM = 1e-9
NETWORK = 1e-3
NETWORK_ROWS = {"dm_nn", "dr_nn"}
SMALL_NETWORKS = ["--heads", 2, "--head-size", 4, "--hidden", 8, "--epochs", 30]


def simulated(folder):
    """A tiny network with an unmeasured confounder and known truth, the same on every machine."""
    run("simulate", "--nodes", 300, "--mean-degree", 6, "--topics", 4, "--words", 100,
        "--words-per-node", 20, "--seed", 7, "--out", folder, "--quiet")
    return folder


# name: (data, arguments); data is a folder or a function that writes one.
CASES = {
    "coupons": (COUPONS, ["--policy", COUPONS / "policy.csv", "treat-all"]),
    "coupons_given": (COUPONS, ["--policy", COUPONS / "policy.csv", "--nuisances", "given",
                                "--estimators", "naive,ips,snips,ips_clipped,dm_ridge,dr_ridge,"
                                "switch_dr,dr_shrinkage,okb"]),
    "messages": (MESSAGES, ["--policy", MESSAGES / "who.csv", MESSAGES / "policy.csv", "always:sms",
                            "random-weights:2", "--estimators",
                            "network_dm,network_dr,naive,ips,snips,ips_clipped,dm_ols1,dm_ols2,"
                            "dm_ridge,dr_ols1,dr_ols2,dr_ridge,switch_dr,dr_shrinkage,okb"]),
    "simulated": (simulated, ["--policy", "treat-all", "random-weights:3", "--estimators",
                              "network_dm,network_dr,naive,ips,snips,ips_clipped,dm_ols1,dm_ols2,"
                              "dm_ridge,dm_nn,dr_ols1,dr_ols2,dr_ridge,dr_nn,switch_dr,dr_shrinkage,okb,"
                              "cone,cone_dm,cone_ips,cone_snips,cone_okb", *SMALL_NETWORKS]),
    "split": (simulated, ["--policy", "random-weights:3", "--protocol", "split", "--seed", 5,
                          *SMALL_NETWORKS]),
}


def run(*arguments):
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"cone {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def evaluate(name):
    """The record of a case and the standard deviation of its outcomes."""
    data, arguments = CASES[name]
    with tempfile.TemporaryDirectory() as holder:
        folder = data(pathlib.Path(holder) / "data") if callable(data) else data
        with open(folder / "nodes.csv", newline="") as nodes:
            outcomes = [float(row["outcome"]) for row in csv.DictReader(nodes)]
        record = json.loads(run("evaluate", folder, *arguments, "--threads", 2, "--json", "-"))
    return without_ignored(record), statistics.pstdev(outcomes)


def without_ignored(value, place=""):
    if isinstance(value, dict):
        return {key: without_ignored(item, f"{place}/{key}") for key, item in value.items()
                if f"{place}/{key}" not in IGNORED}
    return value


def is_network(place, record):
    """Whether a number at this place comes out of a training."""
    row = re.match(r"/policies/(\d+)/estimates/(\d+)/", place)
    if row:
        name = record["policies"][int(row[1])]["estimates"][int(row[2])]["estimator"]
        return name in NETWORK_ROWS or name.startswith("cone")
    model = re.match(r"/diagnostics/(propensity_models|outcome_models)/(\d+)/", place)
    if model:
        return record["diagnostics"][model[1]][int(model[2])]["name"] in ("nn", "cone")
    return place.startswith("/diagnostics/trainings")


def same_number(place, golden, found, record, outcome_sd):
    # Values, errors and interval ends are in units of the outcome; weights, shares and losses have
    # a unit of their own, where the same relative precision is asked for.
    in_outcome_units = re.search(r"/(value|(population_)?(standard_error|interval/\d))$", place)
    if not is_network(place, record):
        smallest = CLOSED_FORM * outcome_sd if in_outcome_units else 1e-12  # a value may be near 0
        return math.isclose(golden, found, rel_tol=CLOSED_FORM, abs_tol=smallest)
    unit = outcome_sd if in_outcome_units else max(1.0, abs(golden))
    return abs(golden - found) <= NETWORK * unit


def differences(golden, found, record, outcome_sd, place=""):
    """One line for each difference of two records."""
    if isinstance(golden, dict) and isinstance(found, dict):
        lines = [f"{place}/{key}: is missing" for key in golden if key not in found]
        lines += [f"{place}/{key}: is new" for key in found if key not in golden]
        for key in golden:
            if key in found:
                lines += differences(golden[key], found[key], record, outcome_sd, f"{place}/{key}")
        return lines
    if isinstance(golden, list) and isinstance(found, list):
        if len(golden) != len(found):
            return [f"{place}: {len(found)} entries instead of {len(golden)}: {found}"]
        return [line for k, (a, b) in enumerate(zip(golden, found))
                for line in differences(a, b, record, outcome_sd, f"{place}/{k}")]
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (golden, found))
    if numbers and not (isinstance(golden, int) and isinstance(found, int)):
        if same_number(place, golden, found, record, outcome_sd):
            return []
    elif golden == found:
        return []
    return [f"{place}: {found!r} instead of {golden!r}"]
