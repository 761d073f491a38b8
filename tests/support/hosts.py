"""Several hosts on one machine, for tests and benchmarks of ranks that have no memory in common:
network namespaces with names of their own, joined by a switch. Traffic does not leave them.

    with Hosts(2, megabits=1000) as hosts:
        subprocess.run([*hosts.mpirun(ranks=2), program, ...])
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

SUPPORT = pathlib.Path(__file__).resolve().parent
REMOTE_SHELL = SUPPORT / "start_on_host.sh"
# Open MPI starts processes on the other hosts by this script, and connects ranks by TCP only. A host
# that does not answer for 2 + 3 · 1 seconds is lost; by default that takes eight minutes.
# Hosts share the cores of one machine: a rank that waits lets the others compute.
SETTINGS = {"mpi_yield_when_idle": 1, "plm_rsh_agent": REMOTE_SHELL, "btl": "tcp,self",
            "btl_tcp_if_include": "eth0", "oob_tcp_if_include": "eth0",
            "oob_tcp_keepalive_time": 2, "oob_tcp_keepalive_intvl": 1,
            "oob_tcp_keepalive_probes": 3}
# Largest frames: the switch forwards few of them per second (delaying_switch.py).
DELAYED_MTU = 65000
BURST_SECONDS = 0.002  # what a link may send at once


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def why_no_hosts():
    """Why this machine cannot have them; empty where it can."""
    if os.getuid() != 0:
        return "network namespaces need root"
    try:
        with Hosts(2):
            return ""
    except (OSError, RuntimeError) as error:
        return f"no network namespaces: {error}"


class Hosts:
    """`megabits`: that each host may send per second; `delay`: seconds of a frame on its way."""

    def __init__(self, count, megabits=None, delay=0):
        self.names = [f"cone{os.getpid()}-{k}" for k in range(count)]
        self.middle = f"cone{os.getpid()}-switch"
        self.megabits, self.delay = megabits, delay
        self.relay = self.guard = None

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_):
        self.remove()

    def make(self):
        # Removes everything when its input ends: also where this process is killed.
        self.guard = subprocess.Popen([SUPPORT / "remove_hosts.sh", *self.names, self.middle],
                                      stdin=subprocess.PIPE, start_new_session=True)
        for name in (*self.names, self.middle):
            run("ip", "netns", "add", name)
        self.plug_into_relay() if self.delay else self.plug_into_bridge()
        for k, name in enumerate(self.names):
            run("ip", "-n", name, "address", "add", f"10.77.0.{k + 1}/24", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
            if self.megabits:
                burst = int(self.megabits * 1e6 / 8 * BURST_SECONDS)
                run("tc", "-n", name, "qdisc", "add", "dev", "eth0", "root", "tbf", "rate",
                    f"{self.megabits}mbit", "burst", burst, "limit", 10 * burst)

    def plug_into_bridge(self):
        run("ip", "-n", self.middle, "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", self.middle, "link", "set", "bridge", "up")
        for k, name in enumerate(self.names):
            run("ip", "-n", self.middle, "link", "add", f"port{k}", "type", "veth",
                "peer", "name", "eth0", "netns", name)
            run("ip", "-n", self.middle, "link", "set", f"port{k}", "master", "bridge", "up")

    def plug_into_relay(self):
        self.relay = subprocess.Popen(
            ["ip", "netns", "exec", self.middle, sys.executable, SUPPORT / "delaying_switch.py",
             str(self.delay), *self.names], stdout=subprocess.PIPE, text=True)
        if self.relay.stdout.readline() != "ready\n":
            raise RuntimeError("the delaying switch did not start")
        for k, name in enumerate(self.names):
            run("ip", "-n", name, "link", "set", "eth0", "address", f"02:00:00:00:00:{k:02x}",
                "mtu", DELAYED_MTU)

    def remove(self):
        if self.guard is not None:
            self.guard.communicate()
        if self.relay is not None:
            self.relay.communicate()

    def mpirun(self, ranks):
        """The command to which a program is appended; mpirun itself runs on the first host, and
        ranks are assigned to hosts in turns."""
        slots = -(-ranks // len(self.names))
        hosts = ",".join(f"{name}:{slots}" for name in self.names)
        settings = [str(word) for pair in SETTINGS.items() for word in ("--mca", *pair)]
        return ["ip", "netns", "exec", self.names[0], "unshare", "--uts", "sh", "-c",
                'hostname "$0" && exec "$@"', self.names[0], "mpirun", "--allow-run-as-root",
                "--host", hosts, "--map-by", "node", "--bind-to", "none", *settings,
                "-n", str(ranks)]

    def processes(self, k):
        listed = subprocess.run(["ip", "netns", "pids", self.names[k]], capture_output=True,
                                text=True)
        return [int(word) for word in listed.stdout.split()]

    def kill(self, k):
        """The host dies: all its processes at once."""
        for _ in range(100):  # some may start others meanwhile
            found = self.processes(k)
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if not found:
                return
            time.sleep(0.02)

    def cut(self, k):
        """The host's link breaks."""
        run("ip", "-n", self.names[k], "link", "set", "eth0", "down")

    def sent_bytes(self):
        """What all hosts have sent, with the headers of all protocols."""
        return sum(int(run("ip", "netns", "exec", name, "cat",
                           "/sys/class/net/eth0/statistics/tx_bytes")) for name in self.names)
