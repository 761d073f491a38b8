"""Runs the cone binary on folders written by the test."""

import json
import os
import pathlib
import pty
import random
import re
import signal
import subprocess
import tempfile
import time
import tty
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.path.abspath(os.environ.get("CONE_BINARY", ROOT / "build/release/bin/cone"))
COUPONS = ROOT / "examples/coupons"
MESSAGES = ROOT / "examples/messages"


def cone(*arguments, **options):
    """Exit status, stdout and stderr of one run."""
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, **options)


def read_until(reader, words=None):
    """What is written up to the first that matches the words, or to the end."""
    seen = ""
    while words is None or not re.search(words, seen):
        try:
            more = os.read(reader, 4096)
        except OSError:  # Linux reports this for a terminal whose other end is closed
            break
        if not more:
            break
        seen += more.decode(errors="replace")
    return seen


def stop_at(words, *arguments, by=signal.SIGINT, times=1, **options):
    """Exit status, stdout and stderr of a run that gets a signal, that many times, when its progress
    shows the words (a pattern), which is shown on terminals only. Where there are none, after three
    seconds. `by` may be a function of the process to call instead."""
    try:
        reader, writer = pty.openpty()
        tty.setraw(writer)
        has_terminal = True
    except OSError:
        reader, writer = os.pipe()
        has_terminal = False
    process = subprocess.Popen([BINARY, *map(str, arguments)], stdout=subprocess.PIPE, stderr=writer,
                               text=True, **options)
    os.close(writer)
    seen = ""
    if has_terminal:
        seen = read_until(reader, words)
    else:
        time.sleep(3)
    if process.poll() is not None:
        raise AssertionError(f"over before it showed '{words}': {seen}")
    for _ in range(times):
        by(process) if callable(by) else process.send_signal(by)
    seen += read_until(reader)
    os.close(reader)
    stdout, _ = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, stdout,
                                       seen.replace("\r\x1b[K", "\n"))


class FolderTest(unittest.TestCase):
    """A test with a temporary folder and a way to write data into it."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)
        return path

    def write_log(self, num_nodes=60, seed=1, shift=0.0, swap=False, order=None):
        """A small valid folder: two features, confounded treatment, a ring of edges."""
        draw = random.Random(seed)
        lines = []
        for i in range(num_nodes):
            x, z = draw.gauss(0, 1), draw.gauss(0, 1)
            t = int(draw.random() < (0.7 if x > 0 else 0.3))
            y = x + t * (1 + z) + draw.gauss(0, 0.3) + shift
            lines.append(f"u{i},{1 - t if swap else t},{y!r},{x!r},{z!r}")
        if order is not None:
            lines = [lines[i] for i in order]
        self.write("nodes.csv", "id,treatment,outcome,x,z\n" + "\n".join(lines) + "\n")
        edges = "".join(f"u{i},u{(i + 1) % num_nodes}\n" for i in range(num_nodes))
        self.write("edges.csv", "source,target\n" + edges)
        treats = (lambda p: 1 - p) if swap else (lambda p: p)
        rows = "".join(f"u{i},{treats(0.2 + 0.6 * (i % 2))!r}\n" for i in range(num_nodes))
        self.write("policy.csv", "id,alternate\n" + rows)
        return self.folder

    def write_communities(self, num_nodes=240, obedience=0.95):
        """Six communities. The group decides the outcome and, for that share of its members,
        the treatment, which has no effect. The feature is independent of both."""
        draw = random.Random(2)
        level = [-1.2, 1.0, -0.5, 0.8, -1.0, 1.3]
        lines, edges = [], set()
        for i in range(num_nodes):
            group = i % 6
            obeys = draw.random() < obedience
            t = int(level[group] > 0) if obeys else draw.randrange(2)
            lines.append(f"u{i},{t},{level[group] + draw.gauss(0, 0.5)!r},{draw.gauss(0, 1)!r}\n")
            for _ in range(4):
                neighbour = group + 6 * draw.randrange(num_nodes // 6)
                edges.add((min(i, neighbour), max(i, neighbour)))
        self.write("nodes.csv", "id,treatment,outcome,x\n" + "".join(lines))
        self.write("edges.csv", "source,target\n" + "".join(
            f"u{a},u{b}\n" for a, b in sorted(edges) if a != b))
        return self.folder

    def write_rare_arm(self):
        """Three hundred units, six of them with an arm that the policy gives to a fifth. Returns the
        policy's file."""
        draw = random.Random(4)
        arms = ["rare"] * 6 + ["control", "email"] * 147
        self.write("nodes.csv", "id,treatment,outcome,x\n" + "".join(
            f"u{i},{arm},{draw.gauss(0, 1)!r},{draw.gauss(0, 1)!r}\n" for i, arm in enumerate(arms)))
        return self.write("mix.csv", "id,mix:email,mix:rare\n" + "".join(
            f"u{i},0.8,0.2\n" for i in range(len(arms))))

    def with_truth(self):
        """The lines of nodes.csv with true outcomes: y1 is 2 above y0; the mean of both."""
        title, *lines = (self.folder / "nodes.csv").read_text().splitlines()
        told, total = [title + ",y0,y1"], 0.0
        for line in lines:
            t, y = int(line.split(",")[1]), float(line.split(",")[2])
            told.append(f"{line},{y - 2 * t!r},{y - 2 * t + 2!r}")
            total += y - 2 * t + 1
        return "\n".join(told), total / len(lines)

    def evaluate(self, *arguments):
        """The JSON record of a run that must succeed."""
        done = cone("evaluate", *arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, *arguments, status=2):
        """The message of a run that must fail with that status and print no result."""
        done = cone("evaluate", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr


def values(record):
    return {(p["name"], e["estimator"]): e["value"] for p in record["policies"]
            for e in p["estimates"]}
