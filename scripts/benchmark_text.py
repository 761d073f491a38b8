"""Shared by the pages about benchmarks: records, tables, and the description of the machine."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"


def is_clean(result):
    """Whether all parts were measured on a clean tree, so that others can check out their commit."""
    return not isinstance(result, dict) or (not str(result.get("commit", "")).endswith("-dirty")
                                            and all(is_clean(part) for part in result.values()))


def record(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


def has_clean_record(name):
    return (RESULTS / f"{name}.json").exists() and is_clean(record(name))


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def machine(result):
    hardware = result["hardware"]
    return (f"Commit `{result['commit']}`, {hardware['cores']} cores of an {hardware['cpu']}, "
            f"{hardware['memory_bytes'] / 2**30:.0f} GiB.")
