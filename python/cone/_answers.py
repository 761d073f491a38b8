"""The results of effects, learn and sensitivity."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _core
from ._html import escape, table_html
from ._report import write_page
from ._tables import as_table

if TYPE_CHECKING:  # numpy.typing takes 8 ms to import
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


class Effects:
    """Potential outcomes and treatment effects of every node by the network ridge, with standard
    deviations and a decomposition.

    >>> import cone
    >>> found = cone.effects(cone.simulate(nodes=200, mean_degree=6, words=40, words_per_node=8, seed=1))
    >>> found
    <cone.Effects of 200 nodes, arms 0, 1>
    >>> found.mu.shape, found.effect.shape, len(found.table)
    ((200, 2), (200, 1), 200)
    """

    def __init__(self, ids: list[str], arms: list[str], found: dict[str, Any]) -> None:
        self.ids = ids
        self.arms = arms
        #: nodes × arms: predicted outcomes, out of fold, and their standard deviations
        self.mu: Floats = found["mu"]
        self.mu_sd: Floats = found["mu_sd"]
        #: nodes × (arms − 1): each arm against the control arm, shrunk towards the mean effect
        self.effect: Floats = found["effect"]
        self.effect_sd: Floats = found["effect_sd"]
        #: per arm but the control arm: slope of effects on predicted ones, out of fold (1: calibrated; 0: their
        #: differences are noise; NaN: not identified), its standard error, and the shrinkage of effect (0: none;
        #: 1: all are the mean). Empty with effect_shrinkage="none".
        self.calibration_slope: Floats = found["calibration_slope"]
        self.calibration_slope_se: Floats = found["calibration_slope_se"]
        self.shrinkage: Floats = found["shrinkage"]
        #: nodes × arms × part_names: contribution of each part to mu
        self.part_names: list[str] = found["part_names"]
        self.parts: Floats = found["parts"].reshape(len(ids), len(arms), -1)
        self.text: str = found["text"]
        self.warnings: list[str] = found["warnings"]
        #: variance components of every arm: groups and noise
        self.learnt: list[dict[str, Any]] = found["arms"]

    @property
    def table(self) -> Any:
        """One row per node; a data frame if pandas is installed."""
        return as_table(self._rows(len(self.ids)))

    def _rows(self, count: int) -> list[dict[str, Any]]:
        rows = []
        for i, name in enumerate(self.ids[:count]):
            row: dict[str, Any] = {"id": name}
            for a, arm in enumerate(self.arms):
                row[f"mu:{arm}"] = float(self.mu[i, a])
            for a, arm in enumerate(self.arms[1:]):
                row[f"effect:{arm}"] = float(self.effect[i, a])
                row[f"effect_sd:{arm}"] = float(self.effect_sd[i, a])
            rows.append(row)
        return rows

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return _core.printable(f"<cone.Effects of {len(self.ids)} nodes, arms {', '.join(self.arms)}>")

    def _repr_html_(self) -> str:
        shown = self._rows(10)
        return table_html(shown, f"The first {len(shown)} of {len(self.ids)} nodes", self.warnings)


class Labels(list[str]):
    """The arms that a rule assigns, with the checksum of the data that it was learnt from: on the same data
    cone.evaluate() gives no verdict that would not be valid."""

    learnt_from: str = ""


class Rule:
    """A treatment rule (policy tree) and its cross-fitted value.

    >>> import cone
    >>> data = cone.simulate(nodes=200, mean_degree=6, words=40, words_per_node=8, seed=1)
    >>> rule = cone.learn(data, depth=1)
    >>> [row["alternative"] for row in rule.comparisons][:2]
    ['learnt rule', 'logged']
    """

    def __init__(self, arms: Sequence[str], found: dict[str, Any]) -> None:
        self._json: str = found["json"]
        self._svg: str = found["svg"]
        self.record: dict[str, Any] = json.loads(self._json)
        self.text: str = found["text"]
        #: the splits and the arms of the leaves
        self.rule: str = found["rule"]
        #: the label of the arm that the rule assigns to every node
        self.labels = Labels(arms[arm] for arm in found["arm"])
        self.labels.learnt_from = found["learnt_from"]
        #: the same by trees that were learnt without the node's fold: valid with estimators=["dr_ridge"]
        self.out_of_fold_labels = Labels(arms[arm] for arm in found["out_of_fold_arm"])
        self.out_of_fold_labels.learnt_from = found["learnt_from"] + ":out_of_fold"

    def to_json(self) -> str:
        """The record: the bytes that cone learn --json writes."""
        return self._json + "\n"

    def to_svg(self) -> str:
        """A plot of the tree (SVG)."""
        return self._svg

    @property
    def comparisons(self) -> list[dict[str, Any]]:
        """The cross-fitted value of the rule, the values of its alternatives (the logged policy and every
        single arm), and the gain of the rule over each, with its verdict."""
        rows = [self.record["rule"], *self.record["comparisons"]]
        return [{"alternative": row["name"], "value": row["value"], "low": row["sampling_interval"][0],
                 "high": row["sampling_interval"][1], "rule_gains": row["gain"],
                 "gain_low": row["sampling_gain_interval"][0], "gain_high": row["sampling_gain_interval"][1],
                 "sensitivity_gain_low": row.get("sensitivity_gain_interval", [None])[0],
                 "sensitivity_gain_high": row.get("sensitivity_gain_interval", [None])[-1],
                 "verdict": row.get("verdict")}
                for row in rows]

    @property
    def table(self) -> Any:
        """The comparisons, as a data frame if pandas is installed."""
        return as_table(self.comparisons)

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes an HTML report with the tree and its value, as cone report does."""
        write_page([self], path)

    @property
    def warnings(self) -> list[str]:
        """Warnings about the estimates."""
        return _core.spell_as_keywords(self.record["warnings"])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return _core.printable(f"<cone.Rule: {self.record['verdict']}>")

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.rule)}</pre>" + table_html(self.comparisons, "", self.warnings)


class Sensitivity:
    """A sensitivity analysis: how strong unmeasured confounding must be to change a conclusion.

    >>> import cone
    >>> data = cone.simulate(nodes=200, mean_degree=6, words=40, words_per_node=8, seed=1)
    >>> analysis = cone.sensitivity(data, ["treat-all"], lambdas=3)
    >>> list(analysis.sentences)
    ['treat-all']
    """

    def __init__(self, record_json: str, text: str) -> None:
        self._json = record_json
        self.text = text
        self.record: dict[str, Any] = json.loads(record_json)

    def to_json(self) -> str:
        """The record: the bytes that cone sensitivity --json writes."""
        return self._json + "\n"

    @property
    def table(self) -> Any:
        """One row per policy: value, the odds ratio of the marginal sensitivity model at which the conclusion
        changes (breakdown), and the partial R² of an omitted variable that changes it (robustness value)."""
        return as_table(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [{"policy": policy["name"], "value": policy["value"],
                 "standard_error": policy["standard_error"], "low": policy["sampling_interval"][0],
                 "high": policy["sampling_interval"][1], "breakdown": policy["marginal"]["breakdown"],
                 "breakdown_with_confidence": policy["marginal"]["breakdown_with_confidence"],
                 "robustness_value": policy["omitted_variable"]["robustness_value"],
                 "robustness_value_with_confidence":
                     policy["omitted_variable"]["robustness_value_with_confidence"]}
                for policy in self.record["policies"]]

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes an HTML report with curves and tables, as cone report does."""
        write_page([self], path)

    @property
    def sentences(self) -> dict[str, list[str]]:
        """The conclusions in sentences, per policy."""
        return {policy["name"]: policy["sentences"] for policy in self.record["policies"]}

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        names = ", ".join(policy["name"] for policy in self.record["policies"])
        return _core.printable(f"<cone.Sensitivity of {names}>")

    def _repr_html_(self) -> str:
        return table_html(self._rows(), "", list(self.record.get("warnings", [])))


class Study:
    """The tables of a simulation study with known truth. print() shows them."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.text: str = found["text"]
        #: None for table1, which has no record
        self.record: Optional[dict[str, Any]] = json.loads(found["json"]) if found["json"] else None
        self.num_units: int = found["num_units"]
        self.num_reused: int = found["num_reused"]
        #: messages of jobs that failed; retry_failed=True tries them again
        self.failures: list[str] = found["failures"]
        self.remarks: list[str] = found["remarks"]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<cone.Study: {self.num_units} jobs, {len(self.failures)} failed>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>" + table_html([], "", self.failures)
