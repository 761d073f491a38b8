"""Helpers of the tests of the Python package."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

import cone

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESSAGES = ROOT / "examples/messages"
COUPONS = ROOT / "examples/coupons"


def run_program(*words):
    """What the program prints on stdout; its stderr where it fails."""
    # With the kernels that were loaded here: the program would choose better ones for itself.
    kernels = {"OPENBLAS_CORETYPE": cone._core.blas_kernels()[0], **os.environ}
    done = subprocess.run([os.environ["CONE_BINARY"], *map(str, words)], capture_output=True,
                          text=True, env=kernels)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


def without_timings(text, *, data=True):
    """The lines of a record but for those about time (and, where asked, where the data was)."""
    record = json.loads(text)
    record.pop("timing_seconds", None)
    if not data:
        record["config"].pop("data")
        record["config"].pop("data_in_memory", None)
    return json.dumps(record, indent=2)


def make_log(num_nodes=240, seed=0):
    """Arrays of small logged data on a ring: treatment depends on the first feature, effects are 1."""
    random = numpy.random.default_rng(seed)
    features = random.normal(size=(num_nodes, 3))
    propensity = 1 / (1 + numpy.exp(-features[:, 0]))
    treatment = (random.uniform(size=num_nodes) < propensity).astype(int)
    outcome = features @ [1.0, 0.5, 0.0] + treatment + 0.3 * random.normal(size=num_nodes)
    rows = numpy.arange(num_nodes)
    edges = numpy.column_stack([rows, (rows + 1) % num_nodes])
    return {"features": features, "treatment": treatment, "outcome": outcome, "network": edges}


class FolderTest(unittest.TestCase):
    """A test with a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write_log(self, log, names=("x0", "x1", "x2")):
        """The logged data as files, with the ids that arrays have."""
        lines = [",".join(["id", "treatment", "outcome", *names])]
        for i, row in enumerate(log["features"]):
            numbers = [repr(float(x)) for x in row]
            lines.append(",".join([str(i), str(log["treatment"][i]), repr(float(log["outcome"][i])),
                                   *numbers]))
        (self.folder / "nodes.csv").write_text("\n".join(lines) + "\n")
        edges = "".join(f"{a},{b}\n" for a, b in log["network"])
        (self.folder / "edges.csv").write_text("source,target\n" + edges)
        return self.folder
