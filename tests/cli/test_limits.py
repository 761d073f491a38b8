"""Little time and little memory: what the program says and keeps when it must end early."""

import json
import random
import resource
import subprocess

from support import BINARY, FolderTest, stop_at


class Interrupts(FolderTest):
    ESTIMATORS = "naive,snips,dr_ridge,cone"

    def interrupt(self, *arguments):
        """A run whose networks train for hours, told to stop when it has begun with them."""
        self.write_log(num_nodes=400)
        done = stop_at("training representations", "evaluate", self.folder, "--policy", "uniform",
                       "--estimators", self.ESTIMATORS, "--epochs", 1000000, "--patience", 1000000,
                       *arguments)
        self.assertEqual(done.returncode, 130, done.stderr)
        self.assertIn("cone: interrupted; not finished: cone\n", done.stderr)
        return done.stdout, done.stderr

    def test_prints_the_estimators_that_were_finished(self):
        stdout, stderr = self.interrupt()
        self.assertTrue(stdout.startswith("! Interrupted: cone not finished."), stdout)
        rows = [line.split()[0] for line in stdout.splitlines() if line[:1].isalpha()]
        first = rows.index("estimator") + 1  # of the table, after what to make of it
        self.assertEqual(rows[first:first + 3], ["naive", "snips", "dr_ridge"], stdout)
        self.assertNotIn("cone", rows)
        self.assertRegex(stderr, r"this may take about .*cone .*; Ctrl-C keeps what is finished")

    def test_records_what_was_finished_and_what_was_not(self):
        self.interrupt("--json", str(self.folder / "out.json"))
        record = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(record["status"], "interrupted")
        self.assertEqual(record["unfinished"], ["cone"])
        names = [e["estimator"] for e in record["policies"][0]["estimates"]]
        self.assertEqual(names, ["naive", "snips", "dr_ridge"])
        whole = self.evaluate(self.folder, "--policy", "uniform", "--estimators",
                              "naive,snips,dr_ridge")
        self.assertEqual(whole["status"], "completed")
        self.assertEqual(whole["unfinished"], [])
        self.assertEqual(whole["policies"][0]["estimates"],
                         record["policies"][0]["estimates"])


class LittleMemory(FolderTest):
    def test_ends_with_a_result_or_a_message_at_any_limit(self):
        """OpenBLAS asks for memory again and again, forever, where the system refuses it."""
        self.write_log(num_nodes=200)
        statuses = set()
        for megabytes in (150, 200, 250, 300, 350, 400, 450, 500, 600, 800, 1200, 2000):
            limit = megabytes << 20
            done = subprocess.run(
                [BINARY, "evaluate", str(self.folder), "--policy", "uniform", "--estimators",
                 "dm_ridge,dm_nn,okb", "--epochs", "3", "--threads", "2", "--quiet"],
                capture_output=True, text=True, timeout=60,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            statuses.add(done.returncode)
            if done.returncode == 0:
                self.assertIn("dm_ridge", done.stdout)
            elif done.returncode != 127:  # not even the libraries could be loaded
                self.assertEqual(done.returncode, 1, (megabytes, done.stderr))
                self.assertIn("out of memory", done.stderr)
        self.assertLessEqual({0, 1}, statuses)


class ManyThreads(FolderTest):
    def test_any_number_of_threads_gives_the_same_record_and_nothing_else(self):
        """OpenBLAS has room for 128 callers; it would write to stdout and crash with more."""
        self.write_log(num_nodes=200)
        records = []
        for threads in ("1", "1000", "4096"):
            done = subprocess.run(
                [BINARY, "evaluate", str(self.folder), "--policy", "uniform", "--threads", threads,
                 "--estimators", "snips,dr_ridge,network_dm", "--json", "-"],
                capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("OpenBLAS", done.stderr)
            record = json.loads(done.stdout)  # nothing but the record
            del record["timing_seconds"]
            records.append(record)
        self.assertEqual(records[0], records[1])
        self.assertEqual(records[0], records[2])


class ManyPolicies(FolderTest):
    def write_policies(self, count, num_nodes=60):
        self.write_log(num_nodes=num_nodes)
        draw = random.Random(3)
        lines = ["id," + ",".join(f"p{k}" for k in range(count))]
        for i in range(num_nodes):
            lines.append(f"u{i}," + ",".join(f"{draw.random():.3f}" for _ in range(count)))
        self.write("many.csv", "\n".join(lines) + "\n")
        return str(self.folder / "many.csv")

    def evaluate_many(self, count, *arguments):
        policies = self.write_policies(count)
        out = self.folder / "out.json"
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(
            [BINARY, "evaluate", str(self.folder), "--policy", policies, "--estimators", "snips",
             "--quiet", "--json", str(out), *arguments], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        return json.loads(out.read_text())["decision"], out.stat().st_size, seconds

    def test_of_up_to_fifty_all_pairs_are_listed(self):
        decision, _, _ = self.evaluate_many(50)
        self.assertEqual(len(decision["differences"]), 51 * 50 // 2)
        self.assertNotIn("num_differences_left_out", decision)

    def test_of_more_those_from_the_log_are_and_the_others_where_asked_for(self):
        few, _, _ = self.evaluate_many(51)
        self.assertEqual(len(few["differences"]), 51)
        self.assertEqual({row["first"] for row in few["differences"]}, {"logged"})
        self.assertEqual(few["num_differences_left_out"], 51 * 50 // 2)
        every, _, _ = self.evaluate_many(51, "--list-pairs-up-to", "51")
        self.assertEqual(len(every["differences"]), 52 * 51 // 2)
        self.assertEqual(few["policies"], every["policies"])
        self.assertEqual(few["differences"], every["differences"][:51])

    def test_a_thousand_take_seconds_and_megabytes(self):
        decision, size, seconds = self.evaluate_many(1000)
        self.assertLess(size, 20e6)
        self.assertLess(seconds, 20)  # 3 on an idle machine; it was 30, and 4 GB
        self.assertEqual(len(decision["policies"]), 1001)
        page = self.folder / "page.html"
        done = subprocess.run([BINARY, "report", str(self.folder / "out.json"), "--out", str(page)],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("499,500 pairs of policies", page.read_text())

    def test_too_many_are_refused_by_the_header(self):
        policies = self.write_policies(5001, num_nodes=40)
        done = subprocess.run([BINARY, "evaluate", str(self.folder), "--policy", policies],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"many.csv:1: 5,001 policies are more than the limit of 5,000")

    def test_too_little_memory_names_the_policies_where_they_are_what_is_large(self):
        policies = self.write_policies(1500)
        limit = 600 << 20
        done = subprocess.run(
            [BINARY, "evaluate", str(self.folder), "--policy", policies, "--estimators", "snips",
             "--threads", "1", "--quiet", "--list-pairs-up-to", "5000"], capture_output=True, text=True,
            timeout=120, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"out of memory; most of it is needed for .*policies")


class Forecasts(FolderTest):
    def test_every_long_command_says_how_long_it_may_take_before_it_begins(self):
        self.write_log(num_nodes=4000)
        out = self.folder / "out"
        for command in (["evaluate", "--policy", "uniform", "--estimators", "network_dm"],
                        ["effects", "--out", out], ["learn", "--out", out],
                        ["sensitivity", "--policy", "uniform"],
                        ["fit", "--out", out], ["refute", "--policy", "uniform", "--out", out]):
            with self.subTest(command=command[0]):
                done = stop_at("this may take about", command[0], self.folder, *command[1:],
                               "--threads", 1)
                self.assertEqual(done.returncode, 130, done.stderr)
                self.assertRegex(done.stderr, r"this may take about .* \(.+ (s|min)\)")
