"""No finished computation is lost: whatever becomes of one output, the others are written."""

import fcntl
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import threading
import unittest

from output_table import NETWORKS, ROWS
from support import BINARY, FolderTest, cone, stop_at

#: Networks that train for a second or two.
LONGER = ["--epochs", 15000, "--patience", 15000, *NETWORKS[2:]]
TRAINING = "training representations|fitting folds"
#: Those whose outputs are files that can be disturbed one by one.
FILE_ROWS = {name: row for name, row in ROWS.items() if row.outputs()}


def files_of(folder):
    """Files below it that are no links."""
    paths = (os.path.join(above, name) for above, _, names in os.walk(folder) for name in names)
    return {path for path in paths if not os.path.islink(path)}


class OutputTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.write_log(24)
        self.number = 0

    def fresh(self):
        """A new folder to run in."""
        self.number += 1
        work = self.folder / f"run{self.number}"
        work.mkdir()
        if not (self.folder / "run.json").exists():
            done = cone("evaluate", self.folder, "--policy", "uniform", "--estimators", "naive",
                        "--json", self.folder / "run.json", "-q")
            self.assertEqual(done.returncode, 0, done.stderr)
        return work

    def run_row(self, row, work, files=None, **options):
        """A run of a row of the table in a folder, with other files for some flags."""
        arguments = row.command_line(self.folder, **(files or {}))
        if row.arguments[0] != "report":
            arguments += ["--threads", "1"]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.run([BINARY, *arguments, "--quiet"], cwd=work, text=True, timeout=300,
                              **options)

    def for_each_output(self, check):
        """Calls it with a row, an output and a fresh folder."""
        for name, row in FILE_ROWS.items():
            for output in row.outputs():
                with self.subTest(name, output=output):
                    check(row, output, self.fresh())

    @staticmethod
    def instead(row, output, work, other):
        """The files of a run whose output is another path: by its flag, or by a link in its folder."""
        for flag, file in row.files.items():
            if file == output:
                return {flag: other}
        (work / output).parent.mkdir(exist_ok=True)
        (work / output).symlink_to(other)
        return {}

    def assert_written(self, row, work, but=()):
        for output in row.outputs():
            if output not in but:
                self.assertGreater((work / output).stat().st_size, 0, output)

    def assert_clean(self, work):
        self.assertEqual([p for p in files_of(work) if ".cone-tmp-" in p], [])


class Table(OutputTest):
    def test_it_has_every_output_of_the_help(self):
        commands = re.findall(r"^  ([a-z]+)  ", cone("--help").stdout, re.MULTILINE)
        self.assertIn("evaluate", commands)
        for command in commands:
            helped = {flag for flag, about in re.findall(r"^  (--[a-z-]+) TEXT(.*)$", cone(
                command, "--help").stdout, re.MULTILINE)
                if re.search(r"\b(write|draw)\b", about, re.IGNORECASE)}
            rows = [row for row in ROWS.values() if row.arguments[0] == command]
            listed = {flag for row in rows for flag in row.files} | {"--out" for row in rows
                                                                      if row.folder}
            self.assertEqual(helped, listed, f"cone {command}: tests/cli/output_table.py")


class OneFails(OutputTest):
    def test_on_a_full_disk_all_others_are_written(self):
        def check(row, output, work):
            done = self.run_row(row, work, self.instead(row, output, work, "/dev/full"))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("No space left on device", done.stderr)
            self.assertEqual(bool(done.stdout), row.prints)
            self.assert_written(row, work, but=[output])
        self.for_each_output(check)

    def test_all_failures_are_named_together(self):
        row, work = ROWS["learn"], self.fresh()
        done = self.run_row(row, work, {flag: "/dev/full" for flag in row.files})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("No space left on device"), len(row.files))
        self.assertIn("cone: 4 problems", done.stderr)
        self.assertNotEqual(done.stdout, "")

    def test_a_pipe_whose_reader_leaves(self):
        for row in (ROWS["evaluate"], ROWS["fit"]):
            for flag, output in row.files.items():
                work = self.fresh()
                os.mkfifo(work / "pipe")
                reader = os.open(work / "pipe", os.O_RDONLY | os.O_NONBLOCK)
                fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)

                def leave():
                    select.select([reader], [], [], 60)  # the first bytes are there
                    os.close(reader)
                thread = threading.Thread(target=leave)
                thread.start()
                done = self.run_row(row, work, {flag: "pipe"})
                thread.join()
                small = done.returncode == 0  # it fitted into the pipe
                self.assertTrue(small or "Broken pipe" in done.stderr, done.stderr)
                self.assertIn(done.returncode, (0, 1))
                if flag in ("--report", "--json"):
                    self.assertFalse(small)
                self.assertNotEqual(done.stdout, "")
                self.assert_written(row, work, but=[output])

    def test_a_folder_that_goes_meanwhile(self):
        (self.folder / "gone").mkdir()
        (self.folder / "kept").mkdir()
        self.write_log(200)
        done = stop_at(TRAINING, "evaluate", self.folder, "--policy", "uniform",
                       "--estimators", "naive,cone_dm", *LONGER,
                       "--json", self.folder / "kept/record.json",
                       "--nodes", self.folder / "gone/nodes.csv",
                       by=lambda _: shutil.rmtree(self.folder / "gone"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("gone/nodes.csv: cannot be written: No such file", done.stderr)
        self.assertIn("uniform", done.stdout)
        self.assertEqual(json.loads((self.folder / "kept/record.json").read_text())["status"],
                         "completed")


class Refused(OutputTest):
    """Before anything is computed, with status 2 and nothing written."""

    def refused(self, row, work, files, words, **options):
        before = files_of(work)
        done = self.run_row(row, work, files, **options)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, words)
        self.assertEqual(files_of(work), before)
        return done

    def test_what_no_file_can_be(self):
        def check(row, output, work):
            (work / "folder").mkdir()
            (work / "loop").symlink_to("loop")
            for other, words in ((work / "folder", "directory"), (work / "loop", "symbolic links"),
                                 ("n" * 256, "name too long"),
                                 (work / "nowhere/file", "No such file")):
                files = self.instead(row, output, work, other)
                self.refused(row, work, files, words)
                if not files:
                    (work / output).unlink()
        self.for_each_output(check)

    def test_folders_to_write(self):
        for name, row in ROWS.items():
            if not row.folder:
                continue
            with self.subTest(name):
                work = self.fresh()
                (work / "loop").symlink_to("loop")
                (work / "file").write_text("text")
                for folder in ("n" * 256, "loop", "file", "file/below"):
                    self.refused(row._replace(folder=folder), work, {}, ".")

    @unittest.skipUnless(os.geteuid() == 0, "only root can take another's place")
    def test_a_sticky_folder_and_immutable_files(self):
        row, work = ROWS["check"], self.fresh()
        (work / "record.json").write_text("old")
        if subprocess.run(["chattr", "+i", work / "record.json"], stderr=subprocess.DEVNULL).returncode == 0:
            try:
                self.refused(row, work, {}, "not permitted")
            finally:
                subprocess.run(["chattr", "-i", work / "record.json"])
        for folder in (self.folder, work):
            folder.chmod(0o755)
        work.chmod(0o1777)
        self.refused(row, work, {}, "not permitted", user=65534)
        self.assertEqual((work / "record.json").read_text(), "old")
        work.chmod(0o755)
        self.refused(row, work, {}, "Permission denied", user=65534)

    def test_outputs_that_are_inputs(self):
        """Every file of a command against all that it reads."""
        best = '{"schema": "cone.options/1", "options": {}}'
        edges = (self.folder / "edges.csv").read_text()
        def check(row, output, work):
            command = row.arguments[0]
            (work / "best.json").write_text(best)
            (work / "edges.csv").write_text(edges)
            (work / "p.csv").write_text((self.folder / "policy.csv").read_text())
            extra = {"--edges": "edges.csv"} if command not in ("report", "reproduce") else {}
            if command in ("evaluate", "sensitivity", "refute", "check"):
                extra["--policy"] = "p.csv"
            if command in ("evaluate", "fit"):
                extra["--options"] = "best.json"
            if command == "sensitivity":
                extra["--against"] = "p.csv"
            inputs = {*extra.values()}
            if command not in ("report", "reproduce"):
                inputs |= {self.folder / "nodes.csv"}
            if command == "report":
                inputs = {self.folder / "run.json"}
            for read in inputs:
                files = self.instead(row, output, work, read)
                if not files:  # the link is in a folder
                    (work / output).unlink()
                    (work / output).symlink_to((work / read).resolve())
                old = (work / read).read_bytes()
                # A page that is called as a table is refused for its name.
                self.refused(row, work, {**extra, **files},
                             "would replace .*, which is read|would hold HTML")
                self.assertEqual((work / read).read_bytes(), old)
                if not files:
                    (work / output).unlink()
        self.for_each_output(check)

    def test_one_file_for_two(self):
        for row in FILE_ROWS.values():
            work = self.fresh()
            flags = list(row.files)
            for one, other in zip(flags, flags[1:]):
                self.refused(row, work, {one: "same", other: "./same"}, "names the same file as")


class Readers(OutputTest):
    """A pipe without a reader does not stop a run."""

    def closed_pipe(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        return writer

    def test_of_stdout(self):
        for name, row in FILE_ROWS.items():
            with self.subTest(name):
                work = self.fresh()
                done = self.run_row(row, work, stdout=self.closed_pipe())
                self.assertEqual(done.returncode, 141 if row.prints else 0, done.stderr)
                self.assertEqual(done.stderr, "")
                self.assert_written(row, work)

    def test_of_stderr(self):
        for name, row in FILE_ROWS.items():
            with self.subTest(name):
                work = self.fresh()
                arguments = [word for word in row.command_line(self.folder)]
                done = subprocess.run([BINARY, *arguments], cwd=work, stdout=subprocess.PIPE,
                                      stderr=self.closed_pipe())
                self.assertEqual(done.returncode, 0)
                self.assert_written(row, work)

    def test_of_streams_that_are_closed(self):
        """Files that are opened must not take their numbers, and what is printed."""
        for streams in (">&-", "2>&-", "<&- >&- 2>&-"):
            done = subprocess.run(
                ["sh", "-c", f'exec "$@" {streams}', "sh", BINARY, "evaluate", str(self.folder),
                 "--policy", "uniform", "--estimators", "snips", "--json", "out.json", "--nodes",
                 "n.csv", "--report", "page.html"], cwd=self.folder, capture_output=True)
            self.assertEqual(done.returncode, 0 if streams == "2>&-" else 1, streams)
            self.assertEqual(json.loads((self.folder / "out.json").read_text())["status"], "completed")
            self.assertTrue((self.folder / "n.csv").read_text().startswith("id,"), streams)
            self.assertTrue((self.folder / "page.html").read_text().startswith("<!DOCTYPE"), streams)

    def test_of_help(self):
        done = subprocess.run([BINARY, "estimators"], stdout=self.closed_pipe(),
                              stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (141, b""))


class Signals(OutputTest):
    STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGUSR1,
             signal.SIGUSR2)
    LONG = ["--estimators", "naive,snips,cone", "--epochs", 1000000, "--patience", 1000000]

    def stop(self, *arguments, **options):
        return stop_at("training representations", "evaluate", self.folder, "--policy", "uniform",
                       *self.LONG, "--json", self.folder / "out.json", *arguments, **options)

    def test_each_keeps_what_is_finished(self):
        for number in self.STOPS:
            # Terminals that close, limits on time and timeout(1) send several at once.
            done = self.stop(by=number, times=3)
            self.assertEqual(done.returncode, 128 + number, done.stderr)
            record = json.loads((self.folder / "out.json").read_text())
            self.assertEqual(record["unfinished"], ["cone"])
            self.assertIn("snips", done.stdout)
            (self.folder / "out.json").unlink()
        self.assert_clean(self.folder)

    def test_a_signal_that_is_ignored_at_the_start_stays_ignored(self):
        self.write_log(200)
        def ignore():
            for number in self.STOPS:
                signal.signal(number, signal.SIG_IGN)

        def send(process):
            for number in self.STOPS:
                process.send_signal(number)
        done = stop_at(TRAINING, "evaluate", self.folder, "--policy", "uniform", "--estimators",
                       "cone_dm", *LONGER, "--json", self.folder / "out.json", by=send,
                       preexec_fn=ignore)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["status"], "completed")

    def test_old_files_stay_after_a_signal(self):
        for name in ("out.json", "z.npy"):
            (self.folder / name).write_text("old")
        done = self.stop("--embeddings", self.folder / "z.npy")
        self.assertEqual(done.returncode, 130, done.stderr)
        self.assertEqual((self.folder / "z.npy").read_text(), "old")
        self.assertIn("z.npy was not written", done.stderr)
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["unfinished"], ["cone"])
        self.assertLess(done.stderr.index("this may take about"),
                        done.stderr.index("training representations"))
        self.assert_clean(self.folder)

    def test_networks_that_are_finished_are_kept(self):
        large = self.folder / "large"
        self.assertEqual(cone("simulate", "--out", large, "--nodes", 1500, "--mean-degree", 8,
                              "--topics", 3, "--words", 30, "--words-per-node", 5).returncode, 0)
        files = {"--embeddings": self.folder / "z.npy", "--attention": self.folder / "a.csv"}
        done = stop_at("variances of arm", "evaluate", large, "--policy", "uniform", "--estimators",
                       "cone_dm,network_dm", *NETWORKS, *(w for f in files.items() for w in f))
        self.assertEqual(done.returncode, 130, done.stderr)
        self.assertIn("cone: interrupted; ", done.stderr)
        for file in files.values():
            self.assertGreater(file.stat().st_size, 1500)

    def test_a_limit_on_the_size_of_files(self):
        for name, row in FILE_ROWS.items():
            work = self.fresh()
            done = self.run_row(row, work, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (1, 1)))
            self.assertEqual(done.returncode, 1, f"{name}: {done.stderr}")
            self.assertIn("File too large", done.stderr)
            self.assert_clean(work)

    def test_a_small_stack(self):
        """Where the stack begins is random: several times."""
        for number in range(10):
            out = self.folder / f"{number}.json"
            done = subprocess.run(
                ["sh", "-c", f'ulimit -s 64; exec "{BINARY}" check "{self.folder}" --json "$0"', out],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(out.exists())


if __name__ == "__main__":
    unittest.main()
