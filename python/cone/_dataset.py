"""Logged data: treatments, outcomes, features and the network."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _core
from ._arrays import (as_names, edge_text, feature_list, is_arrow, is_frame, is_graph, is_sparse, named_columns,
                      network_text, pair_names, refuse_mixed_indexes)
from ._columns import as_cells, as_texts, check_texts, is_numeric
from ._given import Given
from ._html import table_html
from ._inputs import refuse_input
from ._options import as_threads, encode, refuse_unknown
from ._progress import Progress, watching

if TYPE_CHECKING:  # numpy.typing takes 8 ms to import
    import numpy.typing as npt

    from ._columns import Cells

    Floats = npt.NDArray[np.float64]


class Dataset:
    """A validated dataset. Make one by from_arrays, from_pandas, from_arrow, from_networkx or load, all
    with the same checks and messages.

    >>> data = Dataset.from_arrays(treatment=[0, 1] * 20, outcome=range(40),
    ...                            features=[[i % 7] for i in range(40)])
    >>> data
    <cone.Dataset: 40 nodes, 0 edges, 1 feature, arms '0', '1'>
    """

    def __init__(self, core: _core.Dataset, frame: Any = None,
                 rows: Optional[Sequence[str]] = None) -> None:
        self._core = core
        self._frame = frame
        left_out = set(core.left_out)
        self._kept_rows: Optional[npt.NDArray[np.intp]] = None  # None: every row is a node
        if left_out and rows is not None:
            self._kept_rows = np.flatnonzero([name not in left_out for name in rows])

    # ---- constructors ---------------------------------------------------------------------------

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]], *, keep: Sequence[str] = (), threads: int = 0,
             progress: Progress = None, **options: Any) -> Dataset:
        """Reads a CSV file, a folder, a .mat file, or "demo", as the program does.

        Options are those of the command line, with _ for -: id, treatment, control, outcome, weight,
        cluster, features, ignore, categories, counts, missing, edges. keep: numeric columns that are not
        features, for cost= and rank= of an evaluation; not needed for data in files, which are read
        again with them.
        """
        if not isinstance(path, (str, os.PathLike)):
            refuse_input("path", path, "load()", "a path")
        check_texts([os.fspath(path)], "path")
        with watching(progress) as observer:
            return cls(_core.Dataset.load(os.fspath(path), encode(options), as_names(keep),
                                          as_threads(threads), observer))

    @classmethod
    def from_arrays(cls, *, treatment: Any, outcome: Any, features: Any = None, network: Any = None,
                    ids: Optional[Iterable[Any]] = None,
                    feature_names: Optional[Sequence[str]] = None, counts: Any = None,
                    count_names: Optional[Sequence[str]] = None, control: Any = None,
                    weight: Any = None, cluster: Any = None, propensity: Any = None, mu: Any = None,
                    truth: Any = None, keep: Optional[Mapping[str, Any]] = None,
                    missing: Optional[str] = None, threads: int = 0,
                    progress: Progress = None, **unknown: Any) -> Dataset:
        """Arrays with one row per node.

        treatment: 0 and 1, or labels of 2 to 16 arms. outcome: numeric. features: nodes × columns,
        numeric; a SciPy sparse matrix holds count features, like counts=. A table of pandas, polars or
        pyarrow has its own names, and may hold text. network: an array of m × 2 rows counted from 0, a
        sparse adjacency matrix, or a NetworkX graph whose nodes are named as ids. propensity, mu: given
        nuisances, one column per arm, the control arm first, or a data frame whose columns are named as
        the arms. truth: potential outcomes of a simulation. keep: numeric columns by name that are not
        features, for cost= and rank=. control: the label of the control arm, if its name does not imply
        it. missing: "refuse" (the default), "indicate" or "drop"; masked cells are missing.
        """
        if unknown:
            refuse_unknown(unknown, list(inspect.signature(cls.from_arrays).parameters)[:-1])
        kept = {} if keep is None else named_columns(keep) if is_frame(keep) else keep
        if not isinstance(kept, Mapping):
            raise _core.Error("keep: has no names; pass a dictionary from names to numbers, or a data frame")
        if count_names is None and is_frame(counts):
            count_names = [str(name) for name in counts.columns]
        refuse_mixed_indexes(features=features, treatment=treatment, outcome=outcome, weight=weight,
                             cluster=cluster, counts=counts, propensity=propensity, mu=mu, truth=truth,
                             **{f"keep, {name}": column for name, column in kept.items()})
        if is_sparse(features):
            if counts is not None:
                raise _core.Error("features: are a sparse matrix, which holds count features, and counts= is "
                                  "given too; join them, or pass one of them as an array")
            counts, count_names, frame = features, feature_names or count_names, features
            features = feature_names = None
        else:
            frame = features if features is not None else counts
        given = Given(treatment, outcome, features, feature_names, ids, control, weight, cluster, counts,
                      count_names, {"propensity": propensity, "mu": mu, "truth": truth}, kept, network)
        if missing in (None, "refuse") and given.is_numeric():
            with watching(progress) as observer:
                return cls(_core.Dataset.read_arrays(given.arrays(), as_threads(threads), observer),
                           frame=frame)
        columns, roles, extra = given.table()
        roles["missing"] = missing
        return cls._from_table(columns, roles, network_text(network, columns[roles["id"]]), list(kept),
                               threads, progress, frame, *extra)

    @classmethod
    def from_pandas(cls, frame: Any, *, treatment: str, outcome: str,
                    features: Optional[Sequence[str]] = None, edges: Any = None,
                    id: Optional[str] = None, keep: Sequence[str] = (), threads: int = 0,
                    progress: Progress = None, **options: Any) -> Dataset:
        """A data frame with one row per node.

        features: columns; by default all others. Text, categories and booleans are encoded, and missing
        values refused or imputed, as in a CSV file; further options are those of Dataset.load. Nodes
        are named by the frame's index, or by the column id= (by default a column called id, if the
        index only counts); edges, a frame of two columns, pairs or a NetworkX graph, use these names;
        the rows and columns of a sparse adjacency matrix are the rows of the frame.
        """
        if is_arrow(frame):  # of polars, say, whose frames have no index
            return cls.from_arrow(frame, treatment=treatment, outcome=outcome, features=features,
                                  edges=edges, id=id, keep=keep, threads=threads, progress=progress,
                                  **options)
        if not is_frame(frame):
            refuse_input("frame", frame, "from_pandas()", "a data frame")
        columns = named_columns(frame)
        roles: dict[str, Any] = {"treatment": treatment, "outcome": outcome, **options}
        index_counts = frame.index.name is None and frame.index.dtype.kind in "iu"
        if id is None and "id" in columns and index_counts:
            id = "id"  # the index has no names
        if id is None:
            id = "id" if "id" not in columns else "(index)"
            columns = {id: as_texts(frame.index, "index"), **columns}
        roles["id"] = id = str(id)
        used = [name for name in columns if name not in (treatment, outcome, id)]
        if features is not None:
            roles["features"] = used = feature_list(features)
        coded = [name for name in used if str(getattr(columns[name], "dtype", "")) == "category"
                 and is_numeric(as_cells(columns[name], name))] if set(used) <= set(columns) else []
        if coded:  # numeric codes of categories
            roles["categories"] = [*as_names(roles.get("categories") or ()), *coded]
        known = [column for column, name in enumerate(frame.columns) if str(name) in used]
        return cls._from_columns(columns, roles, edges, keep, threads, progress, frame.iloc[:, known])

    @classmethod
    def from_arrow(cls, table: Any, *, treatment: str, outcome: str,
                   features: Optional[Sequence[str]] = None, edges: Any = None,
                   id: Optional[str] = None, keep: Sequence[str] = (), threads: int = 0,
                   progress: Progress = None, **options: Any) -> Dataset:
        """Any Arrow table (__arrow_c_stream__): polars, pyarrow, DuckDB. As from_pandas, except that rows
        have no labels: without id= nodes are numbered from 0. edges may be such a table too.
        """
        if not hasattr(table, "__arrow_c_stream__"):
            refuse_input("table", table, "from_arrow()", "an Arrow table")
        columns = pair_names(*_core.read_arrow(table.__arrow_c_stream__()))
        roles: dict[str, Any] = {"treatment": treatment, "outcome": outcome, **options}
        if id is None:
            id = "(row)"
            columns[id] = as_texts(range(len(next(iter(columns.values()), ()))))
        roles["id"] = str(id)
        if features is not None:
            roles["features"] = feature_list(features)
        return cls._from_columns(columns, roles, edges, keep, threads, progress, table)

    @classmethod
    def from_networkx(cls, graph: Any, *, treatment: str, outcome: str,
                      features: Optional[Sequence[str]] = None, **options: Any) -> Dataset:
        """A NetworkX graph: its node attributes are the columns, its edges the network."""
        if not is_graph(graph):
            refuse_input("graph", graph, "from_networkx()", "a NetworkX graph")
        attributes = dict(graph.nodes(data=True))
        names: dict[str, None] = {}
        for row in attributes.values():
            names.update(dict.fromkeys(row))
        columns: dict[str, Any] = {"(node)": [str(node) for node in attributes]}
        columns.update(pair_names(names, [[row.get(name) for row in attributes.values()]
                                          for name in names]))
        if len(set(columns["(node)"])) < len(attributes):
            raise _core.Error("network: two nodes have the same text; relabel them")
        roles: dict[str, Any] = {"id": "(node)", "treatment": treatment, "outcome": outcome, **options}
        if features is not None:
            roles["features"] = feature_list(features)
        threads, progress = roles.pop("threads", 0), roles.pop("progress", None)
        keep = roles.pop("keep", ())
        return cls._from_columns(columns, roles, graph, keep, threads, progress, None)

    @classmethod
    def _from_columns(cls, columns: dict[str, Any], roles: dict[str, Any], edges: Any,
                      keep: Sequence[str], threads: int, progress: Progress, frame: Any) -> Dataset:
        """Columns of one table, with their roles; edges are pairs of its ids."""
        for role in ("treatment", "outcome", "weight", "cluster"):
            if roles.get(role) is not None:
                roles[role] = str(roles[role])  # column names may be numbers
        ids: list[Optional[str]] = []
        if roles["id"] in columns:  # else the loader refuses it, with the nearest name
            columns[roles["id"]] = ids = as_texts(columns[roles["id"]], roles["id"])
        return cls._from_table(columns, roles, edge_text(edges, ids), as_names(keep), threads, progress,
                               frame)

    @classmethod
    def _from_table(cls, columns: Mapping[str, Any], roles: Mapping[str, Any], edges: Optional[bytes],
                    keep: Sequence[str], threads: int, progress: Progress, frame: Any,
                    counts: Optional[bytes] = None, count_names: Optional[bytes] = None) -> Dataset:
        """Through the file loader, which encodes text and handles missing values."""
        cells: list[Cells] = [as_cells(column, name) for name, column in columns.items()]
        lengths = {name: len(column) for name, column in zip(columns, cells)}
        if len(set(lengths.values())) > 1:
            raise _core.Error("columns have different lengths: " +
                              ", ".join(f"{name} {length}" for name, length in lengths.items()))
        nodes = _core.write_table(list(columns), cells)
        files = {"nodes.csv": nodes, "edges.csv": edges, "features.csv": counts,
                 "feature_names.csv": count_names}
        with watching(progress) as observer:
            core = _core.Dataset.read_text({name: text for name, text in files.items() if text is not None},
                                           encode(roles), list(keep), "table", as_threads(threads),
                                           observer)
        return cls(core, frame=frame, rows=columns[roles["id"]])

    # ---- what it holds --------------------------------------------------------------------------

    @property
    def num_nodes(self) -> int:
        """Number of nodes, without rows left out because of missing values."""
        return self._core.num_nodes

    @property
    def num_edges(self) -> int:
        """Number of undirected edges."""
        return self._core.num_edges

    @property
    def arms(self) -> list[str]:
        """Labels of the arms, the control arm first."""
        return self._core.arms

    @property
    def ids(self) -> list[str]:
        """Names of the nodes."""
        return self._core.ids

    @property
    def left_out(self) -> list[str]:
        """Rows that were left out because of missing values (missing="drop" or "indicate")."""
        return self._core.left_out

    @property
    def treatment(self) -> npt.NDArray[np.uint8]:
        """The arm of every node, as an index in arms."""
        return self._core.treatment

    @property
    def outcome(self) -> Floats:
        """Outcomes of the nodes."""
        return self._core.outcome

    @property
    def features(self) -> Floats:
        """Nodes × features as models see them: categories encoded, missing values imputed."""
        return self._core.features

    @property
    def feature_names(self) -> list[str]:
        """One per column of features."""
        return self._core.feature_names

    @property
    def edges(self) -> npt.NDArray[np.int64]:
        """Every edge once, as a pair of rows."""
        return self._core.edges

    @property
    def truth(self) -> Optional[Floats]:
        """Potential outcomes, nodes × arms; only of simulations, otherwise None."""
        return self._core.truth

    @property
    def frame(self) -> Any:
        """The argument of policies that are functions: the columns as passed, else features."""
        return self.features if self._frame is None else self._frame

    @property
    def notes(self) -> list[str]:
        """Choices of the loader."""
        return self._core.notes

    @property
    def warnings(self) -> list[str]:
        """Possible mistakes in the data."""
        return self._core.warnings

    @property
    def checksum(self) -> str:
        """The same content has the same checksum, wherever it came from."""
        return self._core.checksum

    def check(self) -> str:
        """How the data was read: the report of cone check."""
        return self._core.check_text()

    def __len__(self) -> int:
        return self.num_nodes

    def __repr__(self) -> str:
        num_features = len(self.feature_names)
        arms = ", ".join(f"'{arm}'" for arm in self.arms)
        return _core.printable(
            f"<cone.Dataset: {self.num_nodes} nodes, {self.num_edges} edges, {num_features} "
            f"feature{'' if num_features == 1 else 's'}, arms {arms}>")

    def _repr_html_(self) -> str:
        rows: list[dict[str, Any]] = []
        for number, arm in enumerate(self.arms):
            outcomes = self.outcome[self.treatment == number]
            rows.append({"arm": arm, "nodes": len(outcomes),
                         "mean outcome": float(outcomes.mean()) if len(outcomes) else None})
        return table_html(rows, repr(self)[1:-1], self.warnings)
