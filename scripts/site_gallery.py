"""The gallery of the site: reports of the examples, made together with the site."""

import html
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MESSAGES = "evaluate examples/messages --policy always:email always:sms"
#: name: (title, description, commands, run one after the other in one folder)
REPORTS = {
    "messages": ("Three messages", "A network of 300 units, three arms, built-in policies and one from a file.",
                 [f"{MESSAGES} examples/messages/who.csv --report REPORT"]),
    "decision": ("A complete decision analysis",
                 "The same units with costs, a sensitivity analysis for unmeasured confounding, and a learnt policy.",
                 [f"{MESSAGES} --cost email=0.1 --cost sms=0.4 --json run.json",
                  "sensitivity examples/messages --policy always:email always:sms --json doubt.json",
                  "learn examples/messages --out rule.csv --json rule.json",
                  "report run.json doubt.json rule.json --out REPORT"]),
    "changed": ("Comparison of two evaluations", "The effect of leaving out a feature.",
                [f"{MESSAGES} --json before.json", f"{MESSAGES} --ignore age --json now.json",
                 "report before.json now.json --out REPORT"]),
    "coupons": ("Thirty customers: too few", "A report where the data do not support a conclusion.",
                ["evaluate examples/coupons --policy examples/coupons/policy.csv --report REPORT"]),
    "letters": ("A survey without a network", "One file, other column names, missing values.",
                ["evaluate examples/letters/survey.csv --id name --treatment letter --outcome voted "
                 "--ignore moved --missing indicate --policy treat-all treat-none --report REPORT"]),
    "truth": ("Simulated data with known truth", "Confounding that only the network reveals; the page shows the truth with the "
              "estimates.",
              ["simulate --nodes 400 --mean-degree 8 --words 60 --words-per-node 10 --seed 1 --out world",
               "evaluate world --policy treat-all uniform --estimators network_dm,dr_ridge,snips,naive "
               "--report REPORT"]),
    "study": ("A simulation study",
              "Coverage of the intervals in 24 worlds. Two small simulations of each: too few for "
              "conclusions, enough to show the page.",
              ["reproduce coverage --data demo --simulations 2 --unconfounded-simulations 2 --coverage-nodes 120 "
               "--out study",
               "report study/coverage.json --out REPORT"]),
}


def make_report(program, commands, page):
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")  # pages show paths as typed
        for command in commands:
            words = [str(page) if word == "REPORT" else word for word in command.split()]
            quiet = [] if words[0] == "report" else ["--quiet"]
            done = subprocess.run([str(program), *words, *quiet], cwd=folder, capture_output=True,
                                  text=True, env={k: v for k, v in os.environ.items() if k[:5] != "CONE_"})
            if done.returncode != 0:
                raise RuntimeError(f"cone {command}\n{done.stderr}")


def make_gallery(program, out):
    """Writes the reports; returns the body of the gallery page."""
    folder = out.resolve() / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    parts = ["<h1>Gallery of reports</h1>",
             "<p>Reports written by <code>--report</code> and <code>cone report</code>.</p>"]
    for name, (title, text, commands) in REPORTS.items():
        make_report(program, commands, folder / f"{name}.html")
        shown = "\n".join("cone " + command.replace("REPORT", f"{name}.html") for command in commands)
        parts.append(f'<h2><a href="gallery/{name}.html">{html.escape(title)}</a></h2>'
                     f"<p>{html.escape(text)}</p><pre>{html.escape(shown)}</pre>")
    return "\n".join(parts)
