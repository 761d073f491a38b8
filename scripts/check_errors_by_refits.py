#!/usr/bin/env python3
"""Standard errors of network_dm compared with the RMSE of refits to bootstrap samples.

    scripts/check_errors_by_refits.py [--binary FILE] [--draws N] [--out FOLDER]

Prints the table of docs/inference.md. Resumes an interrupted run."""

import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETTINGS = [("examples/messages", "always:email"), ("examples/messages", "always:sms"),
            ("examples/coupons", "treat-all")]


def refute(binary, data, policies, units, draws, out):
    folder = out / f"{data.replace('/', '_')}_{units}"
    subprocess.run([binary, "refute", data, "--policy", *policies, "--checks", "bootstrap",
                    "--bootstrap-by", units, "--draws", str(draws), "--out", folder, "--quiet"],
                   check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    record = json.loads((folder / "refutation.json").read_text())
    return {p["name"]: (p["standard_error"], p["checks"][0]["moved"]) for p in record["policies"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=ROOT / "build/release/bin/cone", type=pathlib.Path)
    parser.add_argument("--draws", default=100, type=int)
    parser.add_argument("--out", default=ROOT / "build/refits", type=pathlib.Path)
    options = parser.parse_args()
    binary, out = options.binary.resolve(), options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    print("| data | policy | standard error | refits, nodes | ratio | refits, clusters | ratio |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for data in dict.fromkeys(data for data, _ in SETTINGS):
        policies = [policy for where, policy in SETTINGS if where == data]
        by_units = {units: refute(binary, data, policies, units, options.draws, out)
                    for units in ("nodes", "clusters")}
        for policy in policies:
            error, nodes = by_units["nodes"][policy]
            _, clusters = by_units["clusters"][policy]
            print(f"| `{data}` | {policy} | {error:.4f} | {nodes:.4f} | {nodes / error:.2f} "
                  f"| {clusters:.4f} | {clusters / error:.2f} |", flush=True)


if __name__ == "__main__":
    main()
