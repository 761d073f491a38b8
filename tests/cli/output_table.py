"""Every output of every command, in one table: a new output is one row or one entry here.

test_outputs.py goes through it with full disks, pipes and paths that cannot be written, and compares
it with the flags of --help; test_faults.py fails every single call that writes.
"""

import typing

TINY = ["--nodes", 40, "--mean-degree", 4, "--words", 20, "--words-per-node", 4, "--topics", 3]
NETWORKS = ["--epochs", 2, "--layers", 1, "--heads", 1, "--head-size", 2, "--hidden", 4,
            "--folds", 2]


class Row(typing.NamedTuple):
    #: The command and its arguments but the outputs; {folder} is where the test wrote its data.
    arguments: list[object]
    #: By flag: the file to name.
    files: dict[str, str]
    #: The folder that --out names, and the files in it that are written beside units.
    folder: str = ""
    inside: tuple[str, ...] = ()
    #: Whether the answer goes to stdout.
    prints: bool = True

    def command_line(self, folder, **files):
        """With these files in place of the usual ones."""
        named = {**self.files, **files}
        if self.folder:
            named["--out"] = self.folder
        words = [str(word).replace("{folder}", str(folder)) for word in self.arguments]
        return [*words, *(word for flag, file in named.items() for word in (flag, str(file)))]

    def outputs(self):
        """The files to write, relative to the current folder."""
        return [*self.files.values(), *(f"{self.folder}/{name}" for name in self.inside)]


DATA = "{folder}"
CHEAP = ["--estimators", "naive,snips", "--folds", 2]
ROWS = {
    "evaluate": Row(["evaluate", DATA, "--policy", "random-weights:1", *CHEAP, "--budget-steps", 4],
                    {"--json": "record.json", "--report": "page.html", "--nodes": "nodes.csv",
                     "--budget-curve": "curve.csv"}),
    "evaluate, networks": Row(
        ["evaluate", DATA, "--policy", "uniform", "--estimators", "naive,cone_dm", *NETWORKS],
        {"--json": "record.json", "--attention": "a.csv", "--embeddings": "z.npy"}),
    "fit": Row(["fit", DATA, *NETWORKS],
               {"--out": "model", "--attention": "a.csv", "--embeddings": "z.npy"}),
    "effects": Row(["effects", DATA, "--folds", 2], {"--out": "effects.csv"}),
    "learn": Row(["learn", DATA, "--folds", 3, "--outcome-model", "ridge"],
                 {"--out": "policy.csv", "--out-of-fold": "decisions.csv", "--picture": "tree.svg",
                  "--json": "record.json"}),
    "sensitivity": Row(["sensitivity", DATA, "--policy", "uniform", "--benchmarks", "none"],
                       {"--json": "record.json"}),
    "check": Row(["check", DATA], {"--json": "record.json"}),
    "report": Row(["report", "{folder}/run.json"], {"--out": "page.html"}, prints=False),
    "refute": Row(["refute", DATA, "--policy", "uniform", "--checks", "seeds", "--draws", 2,
                   "--folds", 2], {}, "refuted", ("refutation.json",)),
    "tune": Row(["tune", DATA, *NETWORKS, "--gamma", "0.1,1", "--learning-rate", "0.01", "--dropout",
                 0], {}, "tuned", ("best.json",)),
    "reproduce": Row(["reproduce", "table1", "--data", "demo", "--simulations", 2], {}, "study",
                     ("table1.txt", "table1.md", "table1.csv")),
    "simulate": Row(["simulate", *TINY], {}, "out", prints=False),
}
