"""Arguments of Dataset.from_arrays, as arrays for the compiled part or as a table for the loader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _core
from ._arrays import (as_names, count_arrays, count_texts, is_arrow, is_frame, is_sparse, named_columns,
                      network_arrays, pair_names)
from ._columns import as_array, as_cells, as_column, as_label, as_labels, as_texts, check_texts, is_numeric

if TYPE_CHECKING:  # numpy.typing takes 8 ms to import
    import numpy.typing as npt

    from ._columns import Cells

#: Column names in tables of arguments of from_arrays.
_TITLES = {"propensity": "propensity", "mu": "mu", "truth": "y"}


def _texts(cells: Cells) -> list[str]:
    texts = as_texts(cells.tolist()) if isinstance(cells, np.ndarray) else cells
    return ["" if text is None else text for text in texts]


def _as_table(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array if array.ndim == 2 else array.reshape(-1, 1)


class Given:
    """The arguments by keyword, one row per node, all of one length."""

    def __init__(self, treatment: Any, outcome: Any, features: Any, feature_names: Optional[Sequence[str]],
                 ids: Optional[Iterable[Any]], control: Any, weight: Any, cluster: Any, counts: Any,
                 count_names: Optional[Sequence[str]], tables: Mapping[str, Any],
                 keep: Mapping[str, Any], network: Any) -> None:
        self.network = network
        self.control = as_label(control)
        self.treatment = as_labels(as_cells(treatment, "treatment"))
        if ids is not None and not hasattr(ids, "__iter__"):
            raise _core.Error(f"ids: {ids!r} are not ids; pass one per node")
        self.ids = None if ids is None else as_texts(ids, "ids")
        self.cluster = None if cluster is None else as_cells(cluster, "cluster")
        self.numbers = {"outcome": as_column(outcome, "outcome")}
        if weight is not None:
            self.numbers["weight"] = as_column(weight, "weight")
        self.keep = {str(name): as_column(value, f"keep, {name}") for name, value in keep.items()}
        check_texts(self.keep, "keep")
        self.tables = {name: self._arm_table(table, name) for name, table in tables.items()
                       if table is not None}
        self.counts, self.count_names = counts, count_names
        self.feature_names = None if feature_names is None else as_names(feature_names)
        self.matrix: Optional[npt.NDArray[Any]] = None
        self.columns: Optional[dict[str, Any]] = None  # of a frame
        if is_arrow(features) or is_frame(features):
            self.columns = named_columns(features, self.feature_names)
        elif features is not None:
            self.matrix = as_array(features, "features")
            self._refuse_depth("features", self.matrix)
        self._check_lengths()
        if self.matrix is not None:
            self.matrix = _as_table(self.matrix)
            check_texts(self.feature_names or [], "feature_names")

    @staticmethod
    def _refuse_depth(name: str, array: npt.NDArray[Any]) -> None:
        if array.ndim > 2:
            raise _core.Error(f"{name}: has shape {array.shape}; pass one row per node and one column per "
                              + ("feature" if name == "features" else "arm"))

    def _arm_table(self, table: Any, name: str) -> npt.NDArray[Any]:
        """Nodes × arms. Columns of a frame that are named as the arms are put in their order."""
        if is_frame(table):
            column_of = {as_label(title): j for j, title in enumerate(table.columns)}
            arms = _core.choose_arms(self.treatment, self.control or "")
            if arms and set(column_of) == set(arms):
                table = table.iloc[:, [column_of[arm] for arm in arms]]
        array = as_array(table, name)
        self._refuse_depth(name, array)
        return _as_table(array)

    def _check_lengths(self) -> None:
        num_nodes = len(self.numbers["outcome"])
        sizes = {"treatment": len(self.treatment), "ids": self.ids, "cluster": self.cluster,
                 "features": self.matrix, **self.numbers, **self.tables,
                 **{f"keep, {name}": column for name, column in self.keep.items()}}
        for name, column in (self.columns or {}).items():
            sizes[f"features, column {name}"] = column
        if self.counts is not None:
            sizes["counts"] = self.counts.shape[0] if is_sparse(self.counts) else self.counts
        for name, column in sizes.items():
            if column is None:
                continue
            size = column if isinstance(column, int) else len(column)
            if size != num_nodes:
                raise _core.Error(f"{name}: has {size} rows where the outcome has {num_nodes}; pass one "
                                  "per node")

    def is_numeric(self) -> bool:
        """Whether all is numeric, so that the loader, which encodes text, is not needed."""
        arrays = [*self.numbers.values(), *self.keep.values(), *self.tables.values()]
        if self.matrix is not None:
            arrays.append(self.matrix)
        return self.columns is None and all(array.dtype.kind in "biuf" for array in arrays)

    def arrays(self) -> dict[str, Any]:
        """The arrays, if is_numeric()."""
        given: dict[str, Any] = {"control": self.control, "feature_names": self.feature_names,
                                 "features": self.matrix, "ids": None if self.ids is None else
                                 ["" if name is None else name for name in self.ids]}
        is_number = is_numeric(self.treatment)
        given["treatment" if is_number else "labels"] = (self.treatment if is_number else
                                                         _texts(self.treatment))
        if self.cluster is not None:
            given["cluster"] = _texts(self.cluster)
        if self.counts is not None:
            given.update(count_arrays(self.counts), count_names=self._count_names())
        given.update(self.numbers)
        given.update(self.tables)
        given["keep"] = self.keep
        given.update(network_arrays(self.network, len(self.numbers["outcome"]), self.ids))
        return given

    def _count_names(self) -> Optional[list[str]]:
        if self.count_names is None:
            return None
        names = as_names(self.count_names)
        check_texts(names, "count_names")
        return names

    def table(self) -> tuple[dict[str, Any], dict[str, Any], tuple[bytes, ...]]:
        """The columns, their roles, and the counts as text if there are any."""
        num_nodes = len(self.numbers["outcome"])
        features = self.columns if self.columns is not None else {}
        if self.matrix is not None:
            names = self.feature_names or [f"x{j}" for j in range(self.matrix.shape[1])]
            features = pair_names(names, list(self.matrix.T))
        for name in features:
            if name.endswith("*"):
                raise _core.Error(f"features: the name '{name}' would stand for all columns that begin so; "
                                  "rename the column")
        ids = self.ids if self.ids is not None else [str(row) for row in range(num_nodes)]
        parts: dict[str, Any] = {"id": ids, "treatment": self.treatment, **self.numbers}
        if self.cluster is not None:
            parts["cluster"] = self.cluster
        table: dict[str, Any] = {}
        roles: dict[str, Any] = {"control": self.control, "features": list(features) or None}
        for role, values in parts.items():
            roles[role] = role if role not in features and role not in self.keep else f"({role})"
            table[roles[role]] = values
        for own in (self._arm_columns(), self.keep, features):
            for name in own:
                if name in table:
                    raise _core.Error(f"features: a column is called '{name}', as one from keep= or a table of "
                                      "arms; rename it")
            table.update(own)
        extra = () if self.counts is None else count_texts(self.counts, self._count_names(), ids)
        return table, roles, extra

    def _arm_columns(self) -> dict[str, npt.NDArray[Any]]:
        """Propensities, outcome models and potential outcomes under their column names in tables."""
        arms = _core.choose_arms(self.treatment, self.control or "") if self.tables else []
        columns = {}
        for name, array in self.tables.items():
            labels = arms[1:] if name == "propensity" and array.shape[1] == 1 and len(arms) == 2 else arms
            if arms and array.shape[1] != len(labels):
                raise _core.Error(f"{name}: has {array.shape[1]} columns where the treatment has "
                                  f"{len(arms)} arms; give one per arm, the control arm first")
            columns.update({f"{_TITLES[name]}:{arm}": array[:, j] for j, arm in enumerate(labels)})
        return columns
