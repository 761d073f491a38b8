"""The benchmark pages' parts on --engine petsc: tables of bench/results/ranks.json and hosts.json, and an
extrapolation to a billion nodes."""

import math

from benchmark_text import ROOT, has_clean_record, machine, record, table

MARKS = {name: (f"<!-- {name}: begin (scripts/render_benchmarks.py) -->\n", f"<!-- {name}: end -->\n")
         for name in ("measured", "hosts")}
#: Display names of phases in the records.
NAMES = {"words": "count features", "places": "positions", "hidden confounding": "unmeasured confounding"}
PHASES = ["load", "inputs", "variances", "preconditioner", "predictions", "weights", "estimates"]
START_BYTES = 45e6  # of a rank without data: libraries and buffers
OVERSUBSCRIBED = "\n`*`: more ranks than cores.\n"
FAR = {"nodes": 1e9, "edges": 5e10, "bytes_per_rank": 64 * 2**30, "bytes_per_second": 12.5e9}


def in_order(result):
    """Runs by size of the data, then by number of ranks or threads."""
    return sorted(result["runs"], key=lambda run: (run["nodes"], run.get("ranks") or run["threads"], "threads" in run))


def name_of(run):
    return (f"{run['ranks']} ranks" if run["ranks"] > 1 else "1 rank") if "ranks" in run else (
        f"{run['threads']} threads" if run["threads"] > 1 else "1 thread")


def size_of(run):
    return [f"{run['nodes']:,}", f"{run['edges']:,}"]


def seconds_of(run):
    return f"{run['seconds']:.1f} s" + (" *" if run.get("oversubscribed") else "")


def difference(run, name):
    value = run.get(f"largest_difference_in_{name}")
    return "" if value is None else f"{value:.0e}"


def ranks():
    result = record("ranks")
    rows, phases = [], []
    for run in in_order(result):
        rows.append([*size_of(run), name_of(run), seconds_of(run), f"{run['peak_bytes'] / 2**30:.2f} GiB",
                     difference(run, "values"), difference(run, "standard_errors")])
        if "engine" in run:
            phases.append([*size_of(run), run["ranks"],
                           *(f"{run['phase_seconds'][name]:.1f}" if name in run["phase_seconds"] else ""
                             for name in PHASES)])
    oversubscribed = any(run.get("oversubscribed") for run in result["runs"])
    return f"""## Distributed engine

`./dev bench ranks`. {machine(result)}
`cone evaluate --engine petsc --estimators {result['estimator']}` (MPI ranks) and threads of one process on the same cores: two policies, 25
edges and 20 count features per node unless the table shows others, complete runs without sensitivity intervals. Memory is the largest of all ranks; the last two
columns are the largest differences from one process, relative for figures larger than 1. [scale.md](scale.md) has communication and memory.

{table(["nodes", "edges", "", "wall", "memory", "values", "standard errors"], rows)}
{OVERSUBSCRIBED if oversubscribed else ""}
Seconds by phase:

{table(["nodes", "edges", "ranks", *(NAMES.get(name, name) for name in PHASES)], phases)}
"""


def largest_run(result):
    """The run to extrapolate from: the most edges, then the most ranks."""
    spread = [run for run in result["runs"] if run.get("ranks", 1) > 1 and run["iterations"]]
    return max(spread, key=lambda run: (run["edges"], run["ranks"]), default=None)


def bytes_of_data(run):
    """Memory that grows with the data: not libraries, the sample for variances and the small factors of the preconditioner."""
    phases = run["engine"]["phases"].items()
    return max(phase["largest_peak_bytes"] for name, phase in phases
               if name not in ("variances", "preconditioner")) - START_BYTES


def measured_rows(result):
    rows = []
    for run in in_order(result):
        if "engine" not in run:
            continue
        nodes = run["nodes"] / run["ranks"]
        own = bytes_of_data(run)
        sent = run.get("sent_bytes_per_iteration")
        ghosts = run["engine"]["largest_ghosts"]
        rows.append([*size_of(run), run["ranks"], f"{run['peak_bytes'] / 2**20:,.0f} MiB",
                     f"{own / nodes:,.0f}", f"{own * run['ranks'] / run['edges']:,.0f}",
                     f"{ghosts / nodes:.2f}", run["iterations"] or "exact",
                     f"{sent / 1e6:.2f} MB" if sent is not None else "",
                     f"{sent / run['ranks'] / ghosts:,.0f}" if sent and ghosts else "",
                     f"{run['exchanges_per_iteration']:.0f}" if sent is not None else ""])
    return rows


def speed(result):
    """Ranks against threads on the same cores and against one rank."""
    rows = []
    for run in in_order(result):
        if run.get("ranks", 1) == 1:
            continue
        same = [other for other in result["runs"] if other["nodes"] == run["nodes"]]
        threads = next((other["seconds"] for other in same if other.get("threads") == run["ranks"]), None)
        alone = next((other["seconds"] for other in same if other.get("ranks") == 1), None)
        rows.append([*size_of(run), run["ranks"], seconds_of(run),
                     f"{threads:.1f} s ({run['seconds'] / threads:.2f} ×)" if threads else "",
                     f"{alone:.1f} s ({alone / run['seconds']:.1f} × faster)" if alone else "not measured",
                     f"{100 * run['engine']['exchanging_seconds'] / run['seconds']:.1f} %"])
    return table(["nodes", "edges", "ranks", "wall", "as many threads", "one rank", "communication"],
                 rows) + "\n\n"


def peak_rows(result):
    """Peak memory by phase, the largest of all ranks."""
    runs = [run for run in in_order(result) if "engine" in run]
    names = list(dict.fromkeys(name for run in runs for name in run["engine"]["phases"]))
    rows = []
    for run in runs:
        phases = run["engine"]["phases"]
        rows.append([*size_of(run), run["ranks"],
                     *(f"{phases[name]['largest_peak_bytes'] / 1e6:,.0f}" if name in phases else ""
                       for name in names)])
    return table(["nodes", "edges", "ranks", *(NAMES.get(name, name) for name in names)], rows)


def expected_ghosts(nodes, degree, ranks_):
    """Ghosts per rank in a network without communities."""
    return nodes * (1 - 1 / ranks_) * (1 - math.exp(-degree / ranks_))


def look_ahead(run):
    """Extrapolates the largest run to ranks with FAR's memory."""
    bytes_per_node = bytes_of_data(run) / (run["nodes"] / run["ranks"])
    per_ghost = (run["sent_bytes_per_iteration"] / run["ranks"]
                 / max(run["engine"]["largest_ghosts"], 1))
    degree = 2 * FAR["edges"] / FAR["nodes"]
    bytes_per_node *= max(1, degree / (2 * run["edges"] / run["nodes"]))  # as if all were edges
    ranks_ = 1
    while (FAR["nodes"] / ranks_ * bytes_per_node
           + expected_ghosts(FAR["nodes"], degree, ranks_) * per_ghost) > FAR["bytes_per_rank"]:
        ranks_ += max(1, ranks_ // 50)
    ghosts = expected_ghosts(FAR["nodes"], degree, ranks_)
    phase = run["engine"]["phases"]["predictions"]
    computing = ((phase["seconds"] - phase["exchanging_seconds"]) / run["iterations"]
                 / (run["edges"] / run["ranks"]))
    return {"ranks": ranks_, "ghosts": ghosts, "sent": ghosts * per_ghost,
            "bytes_per_node": bytes_per_node, "computing": computing * FAR["edges"] / ranks_,
            "sending": ghosts * per_ghost / FAR["bytes_per_second"]}


def describe_far(run):
    far = look_ahead(run)
    iterations = run["iterations"]
    return f"""Extrapolation of the run with {run['edges']:,} edges on {run['ranks']} ranks to {FAR['nodes']:.0e} nodes and {FAR['edges']:.0e} edges in a network without
communities, on ranks with one core and {FAR['bytes_per_rank'] / 2**30:.0f} GiB each:

{table(["what", "figure"], [
    ["memory per node, without ghost rows", f"{far['bytes_per_node']:,.0f} bytes"],
    ["ranks", f"{far['ranks']:,}"],
    ["ghosts per rank", f"{far['ghosts']:.1e} ({far['ghosts'] / (FAR['nodes'] / far['ranks']):.0f} per own node)"],
    ["sent per rank and iteration", f"{far['sent'] / 1e9:.1f} GB, {far['sending']:.1f} s at {FAR['bytes_per_second'] / 1e9:.1f} GB/s per rank"],
    ["computation per iteration", f"{far['computing']:.1f} s"],
    [f"{iterations} iterations, as in that run", f"{iterations * (far['computing'] + far['sending']) / 3600:.1f} h for the predictions, about as much for the weights of each policy"]])}
"""


def measured():
    if not has_clean_record("ranks"):
        return "Not measured on a clean tree: run `./dev bench ranks`.\n"
    result = record("ranks")
    header = ["nodes", "edges", "ranks", "largest memory", "bytes per own node", "per own edge",
              "ghosts per own node", "iterations", "sent per iteration",
              "bytes per ghost and iteration", "collectives per iteration"]
    text = (f"{machine(result)} Complete runs of `--engine petsc`; \"one rank\" is the same program on one rank, \"communication\" the share of "
            "time in collectives, including waiting for slower ranks.\n\n")
    text += speed(result)
    text += (f"Bytes per node and edge exclude what does not grow with the data: {START_BYTES / 1e6:.0f} MB of libraries, the sample for variances, and "
             "the small factors of the preconditioner during its set-up (two tables of its columns per rank).\n\n")
    text += table(header, measured_rows(result)) + "\n\n"
    text += "Peak memory by phase, the largest of all ranks, in MB, libraries included:\n\n" + peak_rows(result) + "\n"
    run = largest_run(result)
    return text + ("\n" + describe_far(run) if run else "")


LINKS = {"loopback": "loopback", "10000": "10 Gbit/s", "1000": "1 Gbit/s", "1000+1": "1 Gbit/s, 1 ms"}


def hosts():
    if not has_clean_record("hosts"):
        return "Not measured on a clean tree: run `./dev bench hosts`.\n"
    result = record("hosts")
    rows = []
    for run in result["runs"]:
        wire = run["wire_bytes"]
        rows.append([run["layout"], f"{run['nodes']:,}", run["hosts"], LINKS.get(run["link"], run["link"]),
                     f"{run['largest_ghosts']:,}", f"{run['sent_bytes_per_iteration'] / 1e6:.2f} MB",
                     f"{run['exchanges_per_iteration']:.0f}", f"{100 * run['exchanging_share']:.0f} %",
                     f"{run['times_loopback_per_iteration']:.2f} ×", f"{run['times_loopback']:.2f} ×",
                     f"{wire / 1e6:.0f} MB" if wire is not None else ""])
    return f"`./dev bench hosts`. {machine(result)}\n\n" + table(
        ["network", "nodes", "hosts", "link", "ghosts of the largest rank", "sent per iteration", "collectives and exchanges",
         "waiting", "time per iteration", "complete run", "on the wire"], rows) + "\n"


def write_scale():
    """Writes the tables of docs/scale.md."""
    page = ROOT / "docs/scale.md"
    text = page.read_text()
    for name, written in (("measured", measured()), ("hosts", hosts())):
        begin, end = MARKS[name]
        before, rest = text.split(begin)
        text = before + begin + "\n" + written + "\n" + end + rest.split(end)[1]
    page.write_text(text)
