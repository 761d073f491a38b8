"""The result of an evaluation."""

from __future__ import annotations

import importlib
import json
import os
from typing import Any, Optional, Union

from . import _core
from ._html import table_html
from ._report import Recorded, write_page
from ._tables import as_table


class Evaluation:
    """Estimated policy values. print() shows a summary; in a notebook it is a table.

    record is the full record as Python objects, to_json() its text as cone evaluate --json writes it.

    >>> import cone
    >>> data = cone.simulate(nodes=200, mean_degree=6, words=40, words_per_node=8, seed=1)
    >>> answer = cone.evaluate(data, ["treat-all", "uniform"], estimators=["network_dm", "dr_ridge"])
    >>> answer
    <cone.Evaluation of treat-all, uniform>
    >>> len(answer.table), len(answer.estimates), len(answer.differences)
    (3, 4, 3)
    """

    def __init__(self, record_json: str, text: str) -> None:
        self._json = record_json
        self.text: str = text
        self.record: dict[str, Any] = json.loads(record_json)

    def to_json(self) -> str:
        """The record: the bytes that the program writes."""
        return self._json + "\n"

    @property
    def estimates(self) -> Any:
        """The estimates of every estimator and policy, before costs; a data frame if pandas is installed."""
        rows = []
        for policy in self.record["policies"]:
            for entry in policy["estimates"]:
                rows.append({"policy": policy["name"], "estimator": entry["estimator"],
                             "value": entry["value"], "standard_error": entry["standard_error"],
                             "low": entry["interval"][0], "high": entry["interval"][1],
                             "sensitivity_low": entry["sensitivity_interval"][0],
                             "sensitivity_high": entry["sensitivity_interval"][1],
                             "effective_sample_size": entry["effective_sample_size"],
                             "truth": policy.get("truth"), "status": entry["status"],
                             "warnings": "; ".join(entry["warnings"])})
        return as_table(rows)

    def _decision_rows(self) -> list[dict[str, Any]]:
        decision = self.record.get("decision")
        if not decision:
            return []
        gains = {row["second"]: (-row["difference"], -row["interval"][1], -row["interval"][0])
                 for row in decision["differences"] if row["first"] == "logged"}
        rows = []
        for entry in decision["policies"]:
            gain = gains.get(entry["name"], (None, None, None))
            ranks, may_be_best = entry["sensitivity_ranks"], entry["sensitivity_may_be_best"]
            if ranks[0] is None:  # no strength of unmeasured confounding is known
                ranks, may_be_best = entry["ranks"], entry["may_be_best"]
            row = {"policy": entry["name"], "value": entry["value"],
                   "low": entry["interval"][0], "high": entry["interval"][1],
                   "sensitivity_low": entry["sensitivity_interval"][0],
                   "sensitivity_high": entry["sensitivity_interval"][1]}
            if "costs" in decision:
                net, sensitivity = entry["net_interval"], entry["net_sensitivity_interval"]
                row.update({"cost": entry["cost"], "net_value": entry["net_value"],
                            "net_low": net[0], "net_high": net[1],
                            "net_sensitivity_low": sensitivity[0], "net_sensitivity_high": sensitivity[1]})
            row.update({"gain": gain[0], "gain_low": gain[1], "gain_high": gain[2],
                        "verdict": entry.get("verdict"),
                        "rank_low": ranks[0], "rank_high": ranks[1], "may_be_best": may_be_best})
            rows.append(row)
        return rows

    @property
    def table(self) -> Any:
        """One row per policy by the recommended estimator, the logged policy first; without a decision, the
        estimates. value, low and high are before costs. With costs there are also cost, net_value,
        net_low and net_high; gains and ranks are net of costs. verdict says whether the difference from the
        logged policy is "supported" (also with an unmeasured confounder as strong as the network, or under
        random assignment), "conditional" on no unmeasured confounding, or "not_shown"."""
        rows = self._decision_rows()
        return as_table(rows) if rows else self.estimates

    @property
    def differences(self) -> Any:
        """Every pair of policies: first minus second. For more than `list_pairs_up_to` (50) policies, those
        with the logged policy."""
        decision = self.record.get("decision") or {}
        return as_table([{"first": row["first"], "second": row["second"],
                          "difference": row["difference"], "standard_error": row["standard_error"],
                          "low": row["interval"][0], "high": row["interval"][1], "p": row["p"],
                          "sensitivity_low": row["sensitivity_interval"][0],
                          "sensitivity_high": row["sensitivity_interval"][1], "verdict": row["verdict"]}
                         for row in decision.get("differences", [])])

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The best and the worst rank that every policy may have, 1 is the best; allowing for unmeasured
        confounding where its strength is known."""
        return {row["policy"]: (row["rank_low"], row["rank_high"]) for row in self._decision_rows()}

    @property
    def best(self) -> list[str]:
        """The policies that may be the best, the logged policy included; allowing for unmeasured
        confounding where its strength is known."""
        return [row["policy"] for row in self._decision_rows() if row["may_be_best"]]

    @property
    def single_best(self) -> Optional[str]:
        """The policy that is supported against every other, or None."""
        return (self.record.get("decision") or {}).get("single_best")

    @property
    def warnings(self) -> list[str]:
        """Warnings, which the program marks by "!": about the recommended estimates (without a decision,
        about all of them), from the diagnostics, and about the run."""
        decision, found = self.record.get("decision") or {}, []
        if self.record.get("unfinished"):
            found.append(f"interrupted: {', '.join(self.record['unfinished'])} not finished")
        for policy in self.record["policies"]:
            for entry in policy["estimates"]:
                if entry["estimator"] == decision.get("estimator", entry["estimator"]):
                    found += [_core.printable(f"{policy['name']}: {warning}") for warning in entry["warnings"]]
        diagnostics = self.record["diagnostics"]
        found += [row["sentence"] for row in diagnostics.get("verdicts", []) if row["verdict"] == "caution"]
        for curve in self.record.get("budget_curves", []):
            found += [_core.printable(f"budgets by {curve['ranking']}: {warning}")
                      for warning in curve["warnings"]]
        found += diagnostics["warnings"]
        return _core.spell_as_keywords(list(dict.fromkeys(found)))  # each once

    def plot(self, axes: Any = None) -> Any:
        """A forest plot of the policies, net of costs where arms have costs; needs matplotlib. Returns
        the axes."""
        try:
            pyplot: Any = importlib.import_module("matplotlib.pyplot")
        except ImportError as failure:
            raise ImportError("plot() needs matplotlib: pip install matplotlib, or look at "
                              ".table") from failure
        if axes is None:
            axes = pyplot.subplots(figsize=(7, 1 + 0.5 * len(self.record["policies"])))[1]
        decided = self._decision_rows()
        is_net = any("net_value" in row for row in decided)
        if is_net:
            decided = [{**row, **{name: row["net_" + name] for name in
                                  ("value", "low", "high", "sensitivity_low", "sensitivity_high")}}
                       for row in decided]
        rows = [row for row in decided if row["policy"] != "logged"]
        if not rows:
            first = self.record["policies"][0]["estimates"][0]["estimator"]
            rows = [{"policy": p["name"], "value": e["value"], "low": e["interval"][0],
                     "high": e["interval"][1], "sensitivity_low": None, "sensitivity_high": None}
                    for p in self.record["policies"] for e in p["estimates"]
                    if e["estimator"] == first]
        for y, row in enumerate(reversed(rows)):
            if row["sensitivity_low"] is not None:
                axes.plot([row["sensitivity_low"], row["sensitivity_high"]], [y, y], color="0.7",
                          linewidth=1, label="sensitivity interval" if y == 0 else None)
            if row["low"] is not None:
                axes.plot([row["low"], row["high"]], [y, y], color="C0", linewidth=3,
                          label="confidence interval" if y == 0 else None)
            axes.plot([row["value"]], [y], marker="o", color="C0")
        logged = [row for row in decided if row["policy"] == "logged"]
        if logged:
            axes.axvline(logged[0]["value"], linestyle="--", color="0.4", label="logged")
        axes.set_yticks(range(len(rows)), [row["policy"] for row in reversed(rows)])
        axes.set_xlabel("value, net of costs" if is_net else "value")
        axes.legend(loc="best", fontsize="small")
        return axes

    def report(self, path: Union[str, os.PathLike[str]], *beside: Recorded) -> None:
        """Writes an HTML report with charts and tables, as cone report does. beside: further results to
        show: a sensitivity analysis, a learnt rule, or a later evaluation to compare with."""
        write_page([self, *beside], path)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        names = ", ".join(policy["name"] for policy in self.record["policies"])
        return _core.printable(f"<cone.Evaluation of {names}>")

    def _repr_html_(self) -> str:
        decision = self.record.get("decision") or {}
        rows = self._decision_rows()
        if not rows:
            rows = [{"policy": p["name"], "estimator": e["estimator"], "value": e["value"],
                     "low": e["interval"][0], "high": e["interval"][1]}
                    for p in self.record["policies"] for e in p["estimates"]]
        return table_html(rows, decision.get("summary", ""), self.warnings)
