"""Ghost rows by messages (as between hosts) and in shared memory of one host: the same digits."""

import json
import os
import subprocess
import unittest

from rank_support import RanksTest, command, cone

VARIES = {"engine", "timing_seconds"}  # what may differ between two runs


class SharedMemory(RanksTest):
    def run_with(self, shares_memory, ranks, *options):
        out = self.folder / "out.json"
        setting = {"CONE_SHARED_MEMORY": "on" if shares_memory else "off"}
        run = subprocess.run(
            command(ranks, "evaluate", self.folder / "data", "--engine", "petsc", "--partition", "none",
                    "--policy", "treat-all", "--estimators", "network_dm", "--json", out, *options),
            capture_output=True, text=True, timeout=600, env={**os.environ, **setting})
        record = self.record_of(run, out)
        return {key: value for key, value in record.items() if key not in VARIES}

    def test_changes_no_digit(self):
        cone("simulate", "--out", self.folder / "data", "--nodes", 600, "--mean-degree", 8,
             "--words-per-node", 4, "--seed", 3, "-q")
        for solver in ("dense", "iterative"):
            for ranks in (2, 3, 7):
                shared, sent = (self.run_with(how, ranks, "--ridge-solver", solver)
                                for how in (True, False))
                self.assertEqual(json.dumps(shared), json.dumps(sent), f"{solver}, {ranks} ranks")


if __name__ == "__main__":
    unittest.main()
