"""Fuzzes the readers: ./dev fuzz [TARGET] [SECONDS]. Needs the executables of the preset `fuzz`.

Each target first replays the inputs in tests/fuzz/corpus/TARGET and those that earlier runs kept in
build/fuzz/corpus/TARGET, then mutates them for the given time. Prints a table at the end.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = ROOT / "tests" / "fuzz" / "corpus"
BUILD = ROOT / "build" / "fuzz"
LIMITS = ["-timeout=10", "-rss_limit_mb=1024", "-max_len=4096"]
# Entropic scheduling takes two thirds of the time of a small reader and deep allocation stacks a
# tenth; a smaller quarantine leaves more memory to the reader.
FAST = ["-entropic=0"]
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1",
               "ASAN_OPTIONS": "malloc_context_size=2:quarantine_size_mb=64"}


def call(command, **variables):
    result = subprocess.run(command, env={**ENVIRONMENT, **variables}, cwd=ROOT, check=False,
                            text=True, errors="replace", stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    return result.returncode, result.stdout


def run(target, seconds):
    """Returns status and log; failing inputs are in build/fuzz/finds/TARGET-*."""
    program = BUILD / "bin" / f"fuzz_{target}"
    kept = BUILD / "corpus" / target
    finds = BUILD / "finds"
    for folder in (kept, finds):
        folder.mkdir(parents=True, exist_ok=True)
    # The corpus must follow changes of the format: all inputs except former findings are valid.
    valid = [path for path in (SEEDS / target).iterdir() if not path.name.startswith("find-")]
    status, log = call([program, *sorted(valid)], CONE_FUZZ_VALID="1")
    if status != 0:
        return status, log + "\ntests/fuzz/make_corpus.py rewrites the inputs\n"
    dictionary = ROOT / "tests" / "fuzz" / f"{target}.dict"
    return call([program, kept, SEEDS / target, *LIMITS, *FAST, "-print_final_stats=1",
                 f"-artifact_prefix={finds}/{target}-",
                 f"-max_total_time={seconds}" if seconds else "-runs=0",
                 *([f"-dict={dictionary}"] if dictionary.exists() else [])])


def last_number(pattern, log):
    found = re.findall(pattern, log)
    return int(found[-1]) if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", nargs="?", default="all")
    parser.add_argument("seconds", nargs="?", type=int, default=60,
                        help="for each target; 0 only replays the inputs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    targets = sorted(folder.name for folder in SEEDS.iterdir())
    if arguments.target != "all":
        if arguments.target not in targets:
            parser.error(f"there is no target '{arguments.target}': choose from {', '.join(targets)}")
        targets = [arguments.target]

    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda name: run(name, arguments.seconds), targets))
    failed = [(name, log) for name, (status, log) in zip(targets, results) if status != 0]
    print(f"{'target':16}{'executions':>12}{'per second':>12}{'edges':>8}{'inputs':>8}")
    for name, (status, log) in zip(targets, results):
        print(f"{name:16}{last_number(r'number_of_executed_units: *([0-9]+)', log):12,}"
              f"{last_number(r'average_exec_per_sec: *([0-9]+)', log):12,}"
              f"{last_number(r' cov: ([0-9]+)', log):8,}"
              f"{last_number(r' corp: ([0-9]+)', log):8,}{'' if status == 0 else '  FAILED'}")
    for name, log in failed:
        print(f"\n== {name}\n" + "\n".join(log.splitlines()[-60:]), file=sys.stderr)
    if failed:
        print("\nThe inputs are in build/fuzz/finds; build/fuzz/bin/fuzz_TARGET FILE repeats one. After"
              "\nthe fix, keep it in tests/fuzz/corpus/TARGET.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
