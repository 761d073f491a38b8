"""Whatever a user hands over: an error that says where and what to do, status 2, no output."""

import io
import json
import os
import pathlib
import signal
import subprocess
import unittest
import zipfile

from support import BINARY, COUPONS, FolderTest, cone, stop_at


class BrokenData(FolderTest):
    def test_no_policy_is_called_the_logged_policy(self):
        ids = [line.split(",")[0] for line in (COUPONS / "nodes.csv").read_text().splitlines()[1:]]
        self.write("p.csv", "id,logged\n" + "".join(f"{name},1\n" for name in ids))
        done = cone("evaluate", COUPONS, "--policy", self.folder / "p.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("a policy is named 'logged', which is reserved", done.stderr)

    def test_a_column_called_as_a_built_in_policy_holds_that_policy(self):
        ids = [line.split(",")[0] for line in (COUPONS / "nodes.csv").read_text().splitlines()[1:]]
        for command in ("evaluate", "check"):
            self.write("p.csv", "id,treat-all\n" + "".join(f"{name},0.2\n" for name in ids))
            done = cone(command, COUPONS, "--policy", self.folder / "p.csv")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            self.assertIn("treat-all: is the name of a built-in policy, but this one differs",
                          done.stderr)
            self.write("p.csv", "id,treat-all\n" + "".join(f"{name},1\n" for name in ids))
            done = cone(command, COUPONS, "--policy", self.folder / "p.csv")
            self.assertEqual(done.returncode, 0, done.stderr)

    def with_nodes(self, text):
        self.write_log()
        self.write("nodes.csv", text)
        return self.refused(self.folder, "--policy", "uniform")

    def edited(self, name, old, new):
        self.write_log()
        path = self.folder / name
        self.assertIn(old, path.read_text())
        self.write(name, path.read_text().replace(old, new, 1))
        return self.refused(self.folder, "--policy", self.folder / "policy.csv")

    def test_an_empty_file(self):
        self.assertIn("nodes.csv", self.with_nodes(""))

    def test_a_header_without_rows(self):
        self.assertIn("nodes.csv", self.with_nodes("id,treatment,outcome\n"))

    def test_a_missing_column(self):
        self.assertIn("outcome", self.with_nodes("id,treatment\na,1\nb,0\n"))

    def test_labels_without_a_control_arm(self):
        message = self.with_nodes("id,treatment,outcome\na,email,1\nb,sms,2\nc,sms,3\n")
        self.assertIn("'sms' (2 lines), 'email' (1 line)", message)
        self.assertIn("--control LABEL", message)

    def test_a_measurement_as_the_treatment(self):
        lines = "".join(f"{i},{i / 8},1\n" for i in range(40))
        self.assertIn("it looks like a continuous treatment",
                      self.with_nodes("id,treatment,outcome\n" + lines))

    def test_one_arm_only(self):
        self.assertIn("arm", self.with_nodes("id,treatment,outcome\na,1,1\nb,1,2\n"))

    def test_a_missing_outcome_and_a_nan_feature(self):
        message = self.with_nodes("id,treatment,outcome,age\na,1,,3\nb,0,2,nan\nc,0,1,inf\n")
        self.assertIn("nodes.csv:2, column outcome (a): missing in this line", message)
        self.assertIn("nodes.csv:3, column age", message)
        self.assertIn("nodes.csv:4, column age", message)

    def test_a_duplicate_id(self):
        message = self.with_nodes("id,treatment,outcome\na,1,1\nb,0,2\na,0,2\n")
        self.assertIn("nodes.csv:4", message)
        self.assertIn("line 2", message)

    def test_a_line_with_too_many_fields(self):
        self.assertIn("nodes.csv:3", self.with_nodes("id,treatment,outcome\na,1,1\nb,0,2,9\n"))

    def test_an_edge_to_nowhere(self):
        message = self.edited("edges.csv", "u0,u1", "u0,unknown_id")
        self.assertIn("edges.csv:2", message)
        self.assertIn("unknown_id", message)

    def test_a_probability_outside_zero_and_one(self):
        self.assertIn("policy.csv:2, column alternate", self.edited("policy.csv", "u0,0.2", "u0,1.2"))

    def test_a_policy_that_misses_a_node(self):
        self.assertIn("u3", self.edited("policy.csv", "u3,0.8\n", ""))

    def test_a_policy_for_an_unknown_node(self):
        self.assertIn("policy.csv:5", self.edited("policy.csv", "u3,0.8\n", "u3x,0.8\n"))

    def test_an_impossible_propensity(self):
        message = self.with_nodes("id,treatment,outcome,propensity\na,1,1,0\nb,0,2,1.5\nc,0,1,0.5\n")
        self.assertIn("nodes.csv:2, column propensity", message)
        self.assertIn("nodes.csv:3, column propensity", message)

    def test_text_in_another_encoding(self):
        self.assertIn("UTF-8", self.with_nodes("id,treatment,outcome\na,1,1\n".encode("utf-16")))

    def test_an_unterminated_quote(self):
        self.assertIn("quote", self.with_nodes('id,treatment,outcome\n"a,1,1\nb,0,2\n'))

    def test_all_faults_of_all_files_are_listed_together(self):
        self.write_log()
        self.write("nodes.csv", "id,treatment,outcome\na,,1\nb,0,x\n,1,2\nb,1,1\n")
        self.write("edges.csv", "source,target\na,nowhere\n")
        message = self.refused(self.folder, "--policy", "uniform")
        for place in ("nodes.csv:2", "nodes.csv:3", "nodes.csv:4", "nodes.csv:5", "edges.csv:2"):
            self.assertIn(place, message)

    def test_control_characters_do_not_reach_the_terminal(self):
        message = self.with_nodes("id,treatment,outcome\na\x1b[31m,7,1\nb,0,1\n")
        self.assertNotIn("\x1b", message)

    def test_a_truncated_archive_and_an_absurd_shape(self):
        self.write_log()
        archive = io.BytesIO()
        header = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little")
        text = "{'descr': '<i8', 'fortran_order': False, 'shape': (9000000000000000000,), }"
        with zipfile.ZipFile(archive, "w") as out:
            for name in ("indices", "indptr", "data", "shape", "format"):
                out.writestr(name + ".npy", header + text.ljust(117).encode() + b"\n")
        self.write("features.npz", archive.getvalue())
        self.assertIn("features.npz", self.refused(self.folder, "--policy", "uniform"))
        self.write("features.npz", archive.getvalue()[:200])
        self.assertIn("features.npz", self.refused(self.folder, "--policy", "uniform"))

    def test_a_mat_file_that_is_none(self):
        self.write("x.mat", b"MATLAB 5.0 MAT-file" + bytes(109) + b"\x0e\x00\x00\x00\xff\xff\xff\xff")
        self.assertIn("x.mat", self.refused(self.folder / "x.mat", "--policy", "uniform"))

    def test_semicolons_and_capital_letters(self):
        self.assertIn("only one arm", self.with_nodes("ID;Treatment;Outcome\na;1;2\nb;1;1\n"))
        self.assertIn("did you mean 'outcomes'?",
                      self.with_nodes("id,treatment,outcomes\na,1,2\nb,0,1\n"))

    def test_numbers_too_large_to_compute_with(self):
        self.assertIn("rescale", self.with_nodes("id,treatment,outcome\na,1,1e200\nb,0,1\n"))

    def test_a_folder_that_is_not_there(self):
        self.assertIn("nowhere", self.refused(self.folder / "nowhere", "--policy", "uniform"))


class WrongUsage(FolderTest):
    def test_unknown_names_come_with_suggestions(self):
        self.assertIn("did you mean snips?",
                      self.refused(COUPONS, "--policy", "uniform", "--estimators", "snisp"))
        self.assertIn("did you mean uniform?", self.refused(COUPONS, "--policy", "unifrom"))
        self.assertIn("did you mean neighbour_effects?", self.refused(COUPONS, "--policy", "uniform",
                                                            "--ridge-groups", "own,neighbour_efects"))
        self.assertIn("choose from own, smooth, curves, exponential, neighbour_sums, neighbour_effects, neighbour_means, mean_neighbour_effects",
                      self.refused(COUPONS, "--policy", "uniform", "--ridge-groups", "zzz"))

    def test_undersmoothing_is_a_share(self):
        for value in (0, 1.5, -0.1, 1e-5, "nan"):
            self.assertIn("--undersmoothing",
                          self.refused(COUPONS, "--policy", "uniform", "--undersmoothing", value))

    def test_options_out_of_range_are_listed_together(self):
        message = self.refused(COUPONS, "--policy", "uniform", "--folds", 1, "--level", 2,
                               "--clip", "nan")
        for flag in ("--folds", "--level", "--clip"):
            self.assertIn(flag, message)

    def test_flags_that_make_no_sense(self):
        for arguments in (["--policy"], ["--no-such-flag"], ["--policy", "uniform", "--seed", "-1"],
                          ["--policy", "uniform", "--seed", "99999999999999999999"],
                          ["--policy", "uniform", "--stratified"],
                          ["--policy", "uniform", "--protocol", "split", "--folds", "3"],
                          ["--policy", "x" * 5000], ["--policy", "uniform", "--clip", "inf"],
                          ["--policy", "uniform", "--folds", "3.5"],
                          ["--policy", "uniform", "--protocol", "other"], []):
            self.refused(COUPONS, *arguments)
        self.assertEqual(cone().returncode, 2)
        self.assertEqual(cone("no-such-command").returncode, 2)
        self.assertIn("did you mean evaluate?", cone("evaluat").stderr)

    def test_an_output_that_cannot_be_written_fails_before_the_work(self):
        message = self.refused(COUPONS, "--policy", "uniform", "--json",
                               self.folder / "missing" / "out.json")
        self.assertIn("--json", message)

    def test_more_folds_than_members_of_an_arm(self):
        self.assertIn("folds", self.refused(COUPONS, "--policy", "uniform", "--folds", 25))

    def test_given_without_columns(self):
        message = self.refused(self.write_log(), "--policy", "uniform", "--nuisances", "given")
        self.assertIn("propensity", message)

    def test_a_raw_network_has_no_log(self):
        import scipy.io
        import scipy.sparse
        scipy.io.savemat(self.folder / "raw.mat",
                         {"Network": scipy.sparse.eye(4, k=1).tocsc(),
                          "Attributes": scipy.sparse.eye(4).tocsc()})
        self.assertIn("simulate", self.refused(self.folder / "raw.mat", "--policy", "uniform"))

    def test_a_list_with_spaces_is_told_to_have_commas(self):
        done = cone("check", self.write_log(), "--ignore", "x", "z")
        self.assertEqual(done.returncode, 2)
        self.assertIn("lists have commas and no spaces (--ignore a,b)", done.stderr)
        self.assertIn("Ignore these columns (a,b,word_*)", cone("check", "--help").stdout)

    def test_help_version_and_completion(self):
        self.assertIn("Examples:", cone("--help").stdout)
        self.assertIn("Examples:", cone("evaluate", "--help").stdout)
        self.assertRegex(cone("--version").stdout, r"^cone \d+\.\d+\.\d+( \(.*\))?\n$")
        self.assertIn("dr_shrinkage", cone("estimators").stdout)
        script = cone("completion", "bash").stdout
        check = subprocess.run(
            ["bash", "-c", script + "\nCOMP_WORDS=(cone evaluate x --pro); COMP_CWORD=3; _cone; "
             "echo ${COMPREPLY[@]}"], capture_output=True, text=True)
        self.assertEqual(check.stdout.strip(), "--protocol --propensity-bound", check.stderr)
        for shell in ("zsh", "fish"):
            self.assertIn("evaluate", cone("completion", shell).stdout)


class Interrupts(FolderTest):
    def test_sigterm_has_a_status_of_its_own(self):
        done = stop_at("%", "evaluate", "demo", "--policy", "uniform", "--folds", 60,
                       by=signal.SIGTERM)
        self.assertEqual(done.returncode, 143, done.stderr)


class StrangeFiles(FolderTest):
    def test_pipes_are_refused_at_once(self):
        self.write_log()
        pipe = self.folder / "pipe.mat"
        os.mkfifo(pipe)
        model = self.folder / "pipe.model"
        os.mkfifo(model)
        for arguments in ([pipe, "--policy", "uniform"], [self.folder, "--policy", pipe],
                          [self.folder, "--policy", f"linear:{pipe}"],
                          [self.folder, "--policy", "uniform", "--options", pipe],
                          [self.folder, "--policy", "uniform", "--model", model]):
            self.assertIn("pipe", self.refused(*arguments))
        for name in ("features.npz", "edges.csv", "nodes.csv"):
            (self.folder / name).unlink(missing_ok=True)
            os.mkfifo(self.folder / name)
            self.assertIn(name, self.refused(self.folder, "--policy", "uniform"))

    def test_a_file_cut_while_it_is_read_ends_with_a_message(self):
        self.write_log()
        nodes = self.folder / "nodes.csv"
        text = nodes.read_text() + "".join(f"v{i},{i % 2},1.5,0.25,0.125\n" for i in range(600000))
        for _ in range(5):  # the program may be done before it is cut
            nodes.write_text(text)
            process = subprocess.Popen([BINARY, "evaluate", self.folder, "--policy", "uniform",
                                        "--estimators", "naive"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            maps = pathlib.Path(f"/proc/{process.pid}/maps")
            while process.poll() is None and str(nodes) not in maps.read_text():
                pass
            os.truncate(nodes, 100)
            _, stderr = process.communicate(timeout=120)
            if "became shorter" in stderr:
                break
        self.assertEqual(process.returncode, 2, stderr)
        self.assertIn("became shorter", stderr)

    def test_json_nested_without_end(self):
        self.write_log()
        for text in ("[" * 100000, '{"a":' * 100000, "[" * 100000 + "]" * 100000):
            for wrapped in (text, '{"schema": "cone.options/1", "options": {"gamma": ' + text + "}}"):
                message = self.refused(self.folder, "--policy", "uniform", "--options",
                                       self.write("o.json", wrapped))
                self.assertIn("levels deep", message)

    def test_a_path_that_is_not_utf8_does_not_cost_the_record(self):
        self.write_log()
        data = pathlib.Path(os.fsdecode(os.fsencode(self.folder) + b"/caf\xe9"))
        data.mkdir()
        for name in ("nodes.csv", "edges.csv"):
            (self.folder / name).rename(data / name)
        out = self.folder / "out.json"
        arguments = ["evaluate", data, "--policy", "uniform", "--estimators", "naive", "--json"]
        done = cone(*arguments, out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("caf\ufffd", json.loads(out.read_text())["config"]["data"])
        self.assertEqual(cone(*arguments, "-").returncode, 0)


class Outputs(FolderTest):
    def test_what_is_read_is_never_written_over(self):
        data = self.write_log()
        before = {path.name: path.read_bytes() for path in data.iterdir()}
        (data / "again").symlink_to("nodes.csv")
        fast = ["--estimators", "cone", "--epochs", "2", "--folds", "2"]
        policy = ["--policy", data / "policy.csv"]
        for arguments in (["evaluate", data, *policy, "--json", data / "nodes.csv"],
                          ["evaluate", data, *policy, "--json", data / "again"],
                          ["evaluate", data, *policy, "--nodes", data / "nodes.csv"],
                          ["evaluate", data, *policy, "--nodes", data / "policy.csv"],
                          ["evaluate", data, *policy, *fast, "--attention", data / "policy.csv"],
                          ["evaluate", data, *policy, *fast, "--embeddings", data / "edges.csv"],
                          ["evaluate", data / "nodes.csv", "--edges", data / "edges.csv",
                           "--policy", "uniform", "--json", data / "edges.csv"],
                          ["check", data, "--json", data / "nodes.csv"],
                          ["fit", data, "--epochs", "2", "--out", data / "nodes.csv"]):
            done = cone(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("which is read", done.stderr)
        (data / "again").unlink()
        self.assertEqual(before, {path.name: path.read_bytes() for path in data.iterdir()})

    def test_empty_names_are_refused(self):
        data = self.write_log()
        for arguments in (["fit", data, "--out", ""], ["tune", data, "--out", ""],
                          ["simulate", "--out", ""], ["evaluate", data, "--policy", "uniform",
                                                      "--json", ""],
                          ["evaluate", data, "--policy", "uniform", "--nodes", ""]):
            done = cone(*arguments, cwd=self.folder)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("is empty", done.stderr)

    def test_a_file_keeps_its_permissions_and_a_dangling_link_is_followed(self):
        out = self.write("private.json", "{}")
        out.chmod(0o600)
        link = self.folder / "link.json"
        link.symlink_to("made.json")
        for path in (out, link):
            done = cone("evaluate", COUPONS, "--policy", "uniform", "--json", path)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(out.stat().st_mode & 0o777, 0o600)
        self.assertTrue(link.is_symlink())
        self.assertIn("schema", json.loads((self.folder / "made.json").read_text()))
        lost = self.folder / "lost.json"
        lost.symlink_to("no/such/folder.json")
        done = cone("evaluate", COUPONS, "--policy", "uniform", "--json", lost)
        self.assertEqual(done.returncode, 2, "found only after the work")

    def test_a_full_device_is_a_failure_and_stays_a_device(self):
        self.assertEqual(cone("evaluate", COUPONS, "--policy", "uniform", "--json",
                              "/dev/full").returncode, 1)
        self.assertTrue(pathlib.Path("/dev/full").is_char_device())
        with open("/dev/full", "w") as full:
            for command in (["estimators"], ["--help"], ["evaluate", COUPONS, "--policy", "uniform"]):
                done = subprocess.run([BINARY, *map(str, command)], stdout=full,
                                      stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 1, command)


if __name__ == "__main__":
    unittest.main()
