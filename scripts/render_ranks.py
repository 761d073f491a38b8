"""The pages' parts on many processes: tables of bench/results/ranks.json and partition.json, and what the figures come to at a billion units."""

import math

from benchmark_text import ROOT, has_clean_record, machine, record, table

MARKS = {name: (f"<!-- {name}: begin (scripts/render_benchmarks.py) -->\n", f"<!-- {name}: end -->\n")
         for name in ("measured", "neighbours")}
PHASES = ["load", "inputs", "variances", "preconditioner", "predictions", "weights", "estimates"]
START_BYTES = 45e6  # of a process that has no data yet: libraries and buffers
FAR = {"nodes": 1e9, "edges": 5e10, "bytes_per_rank": 64 * 2**30, "bytes_per_second": 12.5e9}


def in_order(result):
    """Runs from small data to large, and of the same data from few processes or threads to many."""
    return sorted(result["runs"], key=lambda run: (run["nodes"], run.get("ranks") or run["threads"], "threads" in run))


def name_of(run):
    return (f"{run['ranks']} processes" if run["ranks"] > 1 else "1 process") if "ranks" in run else (
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
        engine = run.get("engine")
        sent = run.get("sent_bytes_per_iteration")
        rows.append([*size_of(run), name_of(run), seconds_of(run),
                     f"{run['peak_bytes'] / 2**30:.2f} GiB", run["iterations"] or "exact",
                     f"{sent / 1e6:.2f} MB" if sent is not None else "",
                     f"{run['exchanges_per_iteration']:.0f}" if sent is not None else "",
                     f"{engine['exchanging_seconds'] / run['seconds']:.0%}" if engine else "",
                     difference(run, "values"), difference(run, "standard_errors")])
        phases.append([*size_of(run), name_of(run),
                       *(f"{run['phase_seconds'][name]:.1f} s" if name in run["phase_seconds"] else ""
                         for name in PHASES)])
    return f"""## Many processes

`./dev bench ranks`. {machine(result)}
`cone evaluate --engine petsc --estimators {result['estimator']}` beside our own threads on the same cores: two policies, 25 edges and 20
words per node unless the table shows others, whole processes, without sensitivity intervals. Memory is that of the process that needed most; bytes (of all
processes) and exchanges per iteration are those of the predictions; "exchanging" is the share of the time in sums and exchanges, waiting for
slower processes included; the last two columns are the largest differences to one machine, relative where figures are larger than 1.

{table(["nodes", "edges", "", "wall", "memory", "iterations", "sent per iteration", "exchanges", "exchanging", "values", "standard errors"], rows)}

`*`: more processes than cores, which take turns: machines of their own would be faster.

{table(["nodes", "edges", "", *PHASES], phases)}
"""


def largest_run(result):
    """The run that says most about more: of the most edges, the most processes."""
    spread = [run for run in result["runs"] if run.get("ranks", 1) > 1 and run["iterations"]]
    return max(spread, key=lambda run: (run["edges"], run["ranks"]), default=None)


def bytes_of_share(run):
    """What grows with the data: libraries, the sample that variances are learnt from and the small factors of the preconditioner,
    which every process adds its part to, do not."""
    phases = run["engine"]["phases"].items()
    return max(phase["largest_peak_bytes"] for name, phase in phases
               if name not in ("variances", "preconditioner")) - START_BYTES


def measured_rows(result):
    rows = []
    for run in in_order(result):
        if "engine" not in run:
            continue
        share = run["nodes"] / run["ranks"]
        own = bytes_of_share(run)
        sent = run.get("sent_bytes_per_iteration")
        ghosts = run["engine"]["largest_ghosts"]
        rows.append([*size_of(run), run["ranks"], f"{run['peak_bytes'] / 2**20:,.0f} MiB",
                     f"{own / share:,.0f}", f"{own * run['ranks'] / run['edges']:,.0f}",
                     f"{ghosts / share:.2f}", run["iterations"] or "exact",
                     f"{sent / 1e6:.2f} MB" if sent is not None else "",
                     f"{sent / run['ranks'] / ghosts:,.0f}" if sent and ghosts else "",
                     f"{run['exchanges_per_iteration']:.0f}" if sent is not None else ""])
    return rows


def speed(result):
    """Processes against threads on the same cores and against one process."""
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
                     f"{run['engine']['exchanging_seconds'] / run['seconds']:.1%}"])
    return table(["nodes", "edges", "processes", "wall", "as many threads", "one process", "exchanging, waiting included"],
                 rows) + "\n\n"


def peak_rows(result):
    """Memory of the largest process by phase."""
    runs = [run for run in in_order(result) if "engine" in run]
    names = list(dict.fromkeys(name for run in runs for name in run["engine"]["phases"]))
    rows = []
    for run in runs:
        phases = run["engine"]["phases"]
        rows.append([*size_of(run), run["ranks"],
                     *(f"{phases[name]['largest_peak_bytes'] / 1e6:,.0f}" if name in phases else ""
                       for name in names)])
    return table(["nodes", "edges", "processes", *names], rows)


def expected_ghosts(nodes, degree, ranks_):
    """Of one process, where neighbours are anywhere: nodes elsewhere that a neighbour here knows."""
    return nodes * (1 - 1 / ranks_) * (1 - math.exp(-degree / ranks_))


def look_ahead(run):
    """The largest run in proportion, on processes of FAR's memory."""
    share = run["nodes"] / run["ranks"]
    bytes_per_node = bytes_of_share(run) / share
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
    return f"""In proportion to the run of {run['edges']:,} edges on {run['ranks']} processes, {FAR['nodes']:.0e} units with {FAR['edges']:.0e} edges whose neighbours are
anywhere, on processes of one core and {FAR['bytes_per_rank'] / 2**30:.0f} GiB each:

{table(["what", "figure"], [
    ["memory per unit, rows of neighbours elsewhere aside", f"{far['bytes_per_node']:,.0f} bytes"],
    ["processes", f"{far['ranks']:,}"],
    ["neighbours elsewhere, per process", f"{far['ghosts']:.1e} ({far['ghosts'] / (FAR['nodes'] / far['ranks']):.0f} per own unit)"],
    ["sent per process and iteration", f"{far['sent'] / 1e9:.1f} GB, {far['sending']:.1f} s at {FAR['bytes_per_second'] / 1e9:.1f} GB/s per process"],
    ["computing per iteration", f"{far['computing']:.1f} s"],
    [f"{iterations} iterations, as there", f"{iterations * (far['computing'] + far['sending']) / 3600:.1f} h for the predictions, about as much for the weights of each policy"]])}
"""


def measured():
    if not has_clean_record("ranks"):
        return "Not measured on a clean tree since the last changes: `./dev bench ranks` does it.\n"
    result = record("ranks")
    header = ["nodes", "edges", "processes", "memory of the largest", "bytes per own node", "per own edge",
              "neighbours elsewhere per own node", "iterations", "sent per iteration",
              "bytes per neighbour elsewhere and iteration", "exchanges per iteration"]
    text = (f"{machine(result)} Bytes per node and edge leave out what does not grow with the data: {START_BYTES / 1e6:.0f} MB of libraries, "
            "the sample that variances are learnt from, and the small factors of the preconditioner while they are made (two tables of its columns "
            "per process).\n\n")
    text += speed(result)
    text += table(header, measured_rows(result)) + "\n\n"
    text += "Peaks of the largest process by phase, in MB, libraries included:\n\n" + peak_rows(result) + "\n"
    run = largest_run(result)
    return text + ("\n" + describe_far(run) if run else "")


def neighbours():
    if not has_clean_record("partition"):
        return "Not measured on a clean tree since the last changes: `./dev bench partition` does it.\n"
    result = record("partition")
    rows = []
    for run in result["runs"]:
        before, after = run["partition"]["as_read"], run["partition"]["proposed"]
        rows.append([run["network"], f"{run['nodes']:,}", f"{run['edges']:,}", run["ranks"],
                     f"{before['largest_ghosts']:,} → {after['largest_ghosts']:,}",
                     f"{before['imbalance']:.2f} → {after['imbalance']:.2f}",
                     "yes" if run["partition"]["moved"] else "no", f"{run['seconds']:.1f} s"])
    return f"`./dev bench partition`. {machine(result)}\n\n" + table(
        ["network", "units", "ties", "processes", "neighbours elsewhere, largest process",
         "work of the largest over the mean", "`auto` moves", "asking and moving"], rows) + "\n"


def write_scale():
    """Fills the figures into docs/scale.md."""
    page = ROOT / "docs/scale.md"
    text = page.read_text()
    for name, written in (("measured", measured()), ("neighbours", neighbours())):
        begin, end = MARKS[name]
        before, rest = text.split(begin)
        text = before + begin + "\n" + written + "\n" + end + rest.split(end)[1]
    page.write_text(text)
