#!/usr/bin/env python3
"""Import time of cone beyond NumPy: scripts/measure_import.py [--runs 15]

In fresh interpreters that have imported NumPy. On a busy machine use the CPU time. Run it with the Python whose
cone is to be measured: that of an environment, or PYTHONPATH=build/release/python.
"""

import argparse
import statistics
import subprocess
import sys

CODE = """import time
import numpy
begin, used = time.perf_counter(), time.process_time()
import cone
print(1e3 * (time.perf_counter() - begin), 1e3 * (time.process_time() - used))"""


def measure():
    """Milliseconds of `import cone` in a new interpreter with NumPy: wall time and CPU time."""
    done = subprocess.run([sys.executable, "-c", CODE], check=True, stdout=subprocess.PIPE, text=True)
    return [float(word) for word in done.stdout.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    measure()  # loads the files into the page cache
    found = [measure() for _ in range(runs)]
    for name, column in (("wall time", 0), ("CPU time", 1)):
        times = sorted(row[column] for row in found)
        print(f"import cone after NumPy, {name}: median {statistics.median(times):.1f} ms, from "
              f"{times[0]:.1f} to {times[-1]:.1f} ms in {runs} runs")


if __name__ == "__main__":
    main()
