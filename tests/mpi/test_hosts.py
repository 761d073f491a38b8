"""Ranks on several hosts, which are network namespaces (tests/support/hosts.py): the figures of one
process, and an end with a reason when a host dies or a link breaks."""

import pathlib
import subprocess
import sys
import time
import unittest

from rank_support import RANKS_BINARY, RanksTest, cone, without_joint_model

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("cli", "support")]
from hosts import Hosts, why_no_hosts  # noqa: E402
from support import MESSAGES  # noqa: E402

WHY_NONE = why_no_hosts()


def command(hosts, ranks, *arguments):
    return [*hosts.mpirun(ranks), str(RANKS_BINARY), *map(str, without_joint_model(arguments))]


@unittest.skipIf(WHY_NONE, WHY_NONE)
class SameFigures(RanksTest):
    def on_hosts(self, num_hosts, **link):
        """Starts every number of ranks on so many hosts."""
        hosts = self.enterContext(Hosts(num_hosts, **link))
        self.start_ranks = lambda ranks, *arguments: subprocess.run(
            command(hosts, ranks, *arguments), capture_output=True, text=True, timeout=300)
        return hosts

    def test_on_two_hosts_with_a_slow_link(self):
        hosts = self.on_hosts(2, megabits=1000)
        self.compare(MESSAGES, "--policy", "always:email", "--ridge-solver", "iterative", ranks=[2])
        self.assertGreater(hosts.sent_bytes(), 1_000_000)  # nothing else connects them

    def test_with_a_delay(self):
        self.on_hosts(2, delay=0.001)
        self.compare(MESSAGES, "--policy", "always:email", ranks=[2])

    def test_on_four_hosts_of_which_one_has_two_ranks(self):
        data = self.folder / "counts"
        cone("simulate", "--out", data, "--nodes", 300, "--mean-degree", 8, "--seed", 3, "-q")
        self.on_hosts(4)
        self.compare(data, "--policy", "treat-all", "uniform", ranks=[4, 5])


@unittest.skipIf(WHY_NONE, WHY_NONE)
class LostHosts(RanksTest):
    """The run ends on all hosts, and leaves the old file."""

    MOST_SECONDS = 30  # from the loss to the end

    def lose(self, lose, num_hosts=2):
        """Loses a host while ranks compute; returns the run, which has ended."""
        data = self.folder / "large"
        cone("simulate", "--out", data, "--nodes", 9000, "--mean-degree", 20, "--seed", 3, "-q")
        out = self.write("out.json", "previous content")
        with Hosts(num_hosts) as hosts:
            run = subprocess.Popen(
                command(hosts, num_hosts, "evaluate", data, "--policy", "treat-all", "--engine",
                        "petsc", "-q", "--estimators", "network_dm", "--json", out),
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_for_ranks(hosts)
            self.assertIsNone(run.poll())
            lose(hosts)
            stdout, stderr = run.communicate(timeout=self.MOST_SECONDS)
            self.wait_for_end(hosts)
        self.assertEqual(stdout, "")
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(out.read_text(), "previous content")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["large", "out.json"])
        return stderr

    def wait_for_ranks(self, hosts):
        """Until the ranks of all hosts have exchanged some data."""
        for _ in range(300):
            time.sleep(0.1)
            if hosts.sent_bytes() > 3_000_000:
                return
        self.fail("the ranks did not start")

    def wait_for_end(self, hosts):
        """Until no host has a process left."""
        for _ in range(10 * self.MOST_SECONDS):
            if not any(hosts.processes(k) for k in range(len(hosts.names))):
                return
            time.sleep(0.1)
        self.fail("some processes did not end")

    def test_a_host_that_dies(self):
        # Of two messages of Open MPI the first to be written: of a rank, or of what started it.
        self.assertRegex(self.lose(lambda hosts: hosts.kill(1)),
                         "peer process has unexpectedly disconnected|"
                         "lost communication with a remote daemon|"
                         "unable to reliably start one or more daemons")

    def test_the_first_host_dies(self):
        self.lose(lambda hosts: hosts.kill(0))

    def test_a_link_that_breaks(self):
        self.assertIn("lost communication with a remote daemon", self.lose(lambda hosts: hosts.cut(1)))


if __name__ == "__main__":
    unittest.main()
