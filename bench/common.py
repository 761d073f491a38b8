"""Shared by all benchmark scripts: paths of programs and data, and a description of the machine."""

import argparse
import csv
import json
import os
import pathlib
import platform
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "scripts"))
import compact_json  # noqa: E402
CORES = len(os.sched_getaffinity(0))


def parser(description):
    """Arguments of every script; scripts add their own."""
    result = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin",
                        help="folder of the built programs (-DCONE_BUILD_BENCHMARKS=ON)")
    result.add_argument("--threads", type=int, default=os.cpu_count())
    result.add_argument("--json", type=pathlib.Path, help="write the results here as well")
    return result


def mpirun(ranks):
    command = ["mpirun", "-n", ranks]
    if ranks > CORES:
        command.append("--oversubscribe")
    if os.getuid() == 0:
        command.append("--allow-run-as-root")
    return command


def data_folder():
    """The folder of the two real networks, the same as in the tests."""
    return pathlib.Path(os.environ.get("CONE_DATA_DIR", ROOT.parent / "shared/data"))


def built_commit(bin_folder):
    """The commit that the measured programs were built from, which may differ from that of the tree."""
    line = subprocess.run([str(bin_folder / "cone"), "--version"], capture_output=True, text=True,
                          check=True).stdout
    return line.split("commit ")[1].split(",")[0]


def environment(bin_folder):
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo")
                if line.startswith("model name")), platform.processor())
    return {"commit": built_commit(bin_folder),
            "hardware": {"cpu": cpu, "cores": CORES,
                         "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
                         "load_average": os.getloadavg()[0]}}


def make_peer_python(folder_name, packages):
    """A Python environment in build/bench with those peers that can be installed."""
    folder = ROOT / "build/bench" / folder_name
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    for package in packages:
        done = subprocess.run([str(python), "-m", "pip", "install", "-q", package], check=False,
                              capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{package} cannot be installed from PyPI")
    return python


def run_json(command):
    """The JSON that a program prints."""
    done = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE,
                          text=True)
    return json.loads(done.stdout)


def time_json(command):
    """The JSON that a program prints, its wall time and resource usage."""
    command = [str(word) for word in command]
    with tempfile.TemporaryFile("w+") as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command[:2])} ... ended with status {process.returncode}")
        out.seek(0)
        return json.load(out), seconds, usage


def simulate(bin_folder, folder, *options):
    """A dataset of `cone simulate` in the folder."""
    command = [bin_folder / "cone", "simulate", "--out", folder, "--seed", 1, "--quiet", *options]
    if subprocess.run([str(word) for word in command], check=False).returncode != 0:
        sys.exit("cone simulate cannot make this dataset")


def write_policy(folder):
    """A policy for all programs: every node has its own random treatment probability."""
    draw, path = random.Random(1), folder / "policy.csv"
    with open(folder / "nodes.csv", newline="") as nodes, open(path, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["id", "by_chance"])
        for node in csv.DictReader(nodes):
            writer.writerow([node["id"], f"{draw.random():.6f}"])
    return path


def write_json(path, result):
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(compact_json.dumps(result))
