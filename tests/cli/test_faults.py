"""Every call that changes a file fails once, and the process is killed at each: old output or new.

tests/faults/fault_shim.cpp, preloaded, counts the calls below the folder of the outputs and disturbs
one. Nothing is sampled: each row of output_table.py is run once per call and kind of fault.
"""

import concurrent.futures
import errno
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from output_table import ROWS, TINY
from support import BINARY, ROOT, FolderTest

SHIM = os.environ.get("CONE_FAULT_SHIM", str(ROOT / "build/release/bin/libcone_fault_shim.so"))
KILL = 0
#: What a call fails with; all others with EACCES.
ERRORS = {"write": errno.ENOSPC, "fsync": errno.EIO, "open": errno.ENOSPC, "mkdir": errno.ENOSPC}
#: Calls that come before the computation where there are no units: where they fail it is left alone.
STARTS = ("open", "mkdir")
REMOVALS = ("unlink", "rmdir", "remove")


def content(path):
    """The bytes of a file, without what differs from run to run."""
    if path.name == "table2_timing.txt":
        return bytes(c for c in path.read_bytes() if chr(c).isalpha())
    if path.suffix == ".html":  # timings are in it: whether it is whole is what counts
        page = path.read_bytes()
        return b"a whole page" if page.endswith(b"</html>\n") else page
    if path.suffix != ".json":
        return path.read_bytes()
    record = json.loads(path.read_text())
    for name in ("seconds", "checksum", "timing_seconds"):
        record.pop(name, None)
    return json.dumps(record).encode()


def is_temporary(path):
    return any(part.startswith(".cone-tmp-") for part in path.parts)


def snapshot(folder):
    """Every file of a folder, temporary ones aside."""
    return {str(p.relative_to(folder)): content(p) for p in sorted(folder.rglob("*"))
            if p.is_file() and not is_temporary(p.relative_to(folder))}


def temporaries(folder):
    return [p for p in folder.rglob("*") if is_temporary(p.relative_to(folder))]


class Faults(FolderTest):
    exchange = True  # whether the file system can exchange two folders
    nameless = True  # whether it can have files without a name
    rows = []

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(SHIM):
            raise unittest.SkipTest(f"{SHIM} is not built (./dev test builds it)")

    @classmethod
    def tearDownClass(cls):
        """What was there after each fault. Part: files that do not belong together, each old or
        new. Aside: old and new both whole under other names, put back by the next run."""
        left = ("old", "part", "new", "aside")
        print(f"\n{'':34}{'':6}{'failed':>10}{'':18}{'killed':>10}\n{'command':34}{'calls':>6}"
              + 2 * "".join(f"{kind:>7}" for kind in left))
        for name, calls, *found in cls.rows:
            print(f"{name:34}{calls:6}" + "".join(f"{of.count(kind):7}" for of in found
                                                  for kind in left))

    def run_once(self, work, arguments, call=0, fault=KILL):
        """Status, messages and the (call, path) list of one run with `work` as current folder."""
        log = work.parent / (work.name + ".log")
        log.unlink(missing_ok=True)
        environment = dict(os.environ, LD_PRELOAD=SHIM, CONE_FAULT_FOLDER=str(work),
                           CONE_FAULT_LOG=str(log), CONE_FAULT_CALL=str(call),
                           CONE_FAULT_ERROR=str(fault))
        if not self.exchange:
            environment["CONE_FAULT_NO_EXCHANGE"] = "1"
        if not self.nameless:
            environment["CONE_FAULT_NO_TMPFILE"] = "1"
        threads = [] if arguments[0] == "report" else ["--threads", "1"]
        done = subprocess.run([BINARY, *map(str, arguments), *threads, "--quiet"], cwd=work,
                              capture_output=True, text=True, timeout=300, env=environment)
        calls = [line.split(" ", 2)[1:] for line in log.read_text().splitlines()]
        return done, calls

    def disturb(self, name, arguments, prepare, as_a_whole=False):
        """Runs the command once per call and kind of fault, each in a fresh copy of what `prepare`
        makes. Output files are the old ones or the new ones, one by one or as a whole."""
        base = pathlib.Path(os.path.realpath(self.folder))
        start = base / "start"
        start.mkdir()
        prepare(start)
        old = snapshot(start)
        undisturbed = base / "undisturbed"
        shutil.copytree(start, undisturbed, symlinks=True)
        done, calls = self.run_once(undisturbed, arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = done.stdout
        new = snapshot(undisturbed)
        self.assertNotEqual(old, new)
        self.assertEqual(temporaries(undisturbed), [])

        def check(number, fault):
            call, path = calls[number - 1]
            what = f"{name}, call {number} of {len(calls)} ({call}), " + (
                "killed" if fault == KILL else os.strerror(fault))
            work = base / f"{number}-{fault}"
            shutil.copytree(start, work, symlinks=True)
            disturbed, _ = self.run_once(work, arguments, number, fault)
            now = snapshot(work)
            if as_a_whole:
                missing_for_now = not self.exchange and fault == KILL and not (work / "out").exists()
                self.assertTrue(now in (old, new) or missing_for_now, what)
            for file in {**old, **now}:
                if not as_a_whole:
                    self.assertIn(now.get(file), (old.get(file), new.get(file)), f"{what}: {file}")
            if fault == KILL:
                self.assertEqual(disturbed.returncode, -9, what)
                again, _ = self.run_once(work, arguments)
                self.assertEqual(again.returncode, 0, f"{what}: {again.stderr}")
                self.assertEqual(snapshot(work), new, what)
            elif disturbed.returncode == 0:
                self.assertEqual(now, new, what)
            else:
                self.assertEqual(disturbed.returncode, 1, f"{what}: {disturbed.stderr}")
                if call in STARTS:
                    self.assertEqual((now, disturbed.stdout), (old, ""), what)
                elif not as_a_whole and "/units" not in path:  # the answer, and all files but one
                    self.assertEqual(disturbed.stdout, answer, what)
                    self.assertEqual(len([f for f in new if now.get(f) != new[f]]), 1, what)
                self.assertTrue(disturbed.stderr.startswith("cone: "), what)
                self.assertNotIn("internal", disturbed.stderr, what)
            if call not in REMOVALS and self.exchange:
                self.assertEqual(temporaries(work), [], what)
            shutil.rmtree(work)
            if as_a_whole and now not in (old, new):
                return "aside"
            return "new" if now == new else "old" if now == old else "part"

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            numbers = range(1, len(calls) + 1)
            failed = list(pool.map(
                lambda k: check(k, ERRORS.get(calls[k - 1][0], errno.EACCES)), numbers))
            killed = list(pool.map(lambda k: check(k, KILL), numbers))
        Faults.rows.append((name, len(calls), failed, killed))

    def simulate_over(self, start):
        done = subprocess.run([BINARY, "simulate", "--out", "out", *map(str, TINY),
                               "--simulation", "7", "--edge-weights", "-q"], cwd=start)
        self.assertEqual(done.returncode, 0)
        (start / "out" / "policy.csv").write_text("mine")
        (start / "out" / "link").symlink_to("policy.csv")
        (start / "out.partial").mkdir()
        (start / "out.partial" / "notes.txt").write_text("mine")

    def test_simulate(self):
        self.disturb("simulate", ["simulate", "--out", "out", *TINY], lambda start: None, True)

    def test_simulate_below_new_folders(self):
        self.disturb("simulate, two new folders above", ["simulate", "--out", "a/b/out", *TINY],
                     lambda start: None, True)

    def test_simulate_over_an_older_one(self):
        self.disturb("simulate over an older one", ["simulate", "--out", "out", *TINY],
                     self.simulate_over, True)

    def test_simulate_where_folders_cannot_be_exchanged(self):
        self.exchange = False
        self.disturb("simulate, no exchange of folders", ["simulate", "--out", "out", *TINY],
                     self.simulate_over, True)

    @staticmethod
    def old_files(*names):
        def prepare(start):
            for name in names:
                (start / name).write_text('{"old": true}')
                (start / name).chmod(0o600)
        return prepare

    def disturb_row(self, name):
        """A row of the table, where some of its files are there already."""
        row = ROWS[name]
        self.write_log(24)
        if name == "report":
            done = subprocess.run([BINARY, "evaluate", self.folder, "--policy", "uniform", "-q",
                                   "--estimators", "naive", "--json", self.folder / "run.json"],
                                  stdout=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0)
        self.disturb(name, row.command_line(self.folder), self.old_files(*list(row.files.values())[::2]))

    def test_rows(self):
        for name in ROWS:
            if name == "simulate":
                continue
            with self.subTest(name):
                shutil.rmtree(self.folder)
                self.folder.mkdir()
                self.disturb_row(name)

    def test_where_every_file_has_a_name(self):
        self.nameless = False
        self.disturb_row("evaluate")

    def test_reproduce_one_unit(self):
        import numpy
        import scipy.io
        import scipy.sparse
        data = self.folder / "data"
        data.mkdir()
        for seed, name in enumerate(("BlogCatalog", "Flickr")):
            draw = numpy.random.default_rng(seed)
            network = scipy.sparse.random(60, 60, 0.1, random_state=seed)
            scipy.io.savemat(data / f"{name}.mat", {
                "Network": ((network + network.T) != 0).astype(float),
                "Attributes": scipy.sparse.csc_matrix(draw.poisson(0.5, (60, 20)).astype(float))})
        arguments = ["reproduce", "table2", "--data", data, "--out", "study", "--simulations", 2,
                     "--runs", 1, "--no-tune"]

        def prepare(start):
            done = subprocess.run([BINARY, *map(str, arguments), "-q"], cwd=start,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            for table in (start / "study").glob("table2*"):
                table.write_text('{"old": true}')
            min((start / "study" / "units").iterdir(), key=self.seconds).unlink()
        self.disturb("reproduce, one unit left", arguments, prepare)

    @staticmethod
    def seconds(unit):
        return json.loads(unit.read_text())["seconds"]


if __name__ == "__main__":
    unittest.main()
