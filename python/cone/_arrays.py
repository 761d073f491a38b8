"""Converts networks, counts and names to what the compiled part takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _core
from ._columns import as_array, as_cells, as_numbers, as_texts, check_texts

if TYPE_CHECKING:  # numpy.typing takes 8 ms to import
    import numpy.typing as npt


def is_sparse(value: Any) -> bool:
    return hasattr(value, "tocsr")


def is_graph(value: Any) -> bool:
    """Whether it is a NetworkX graph."""
    return hasattr(value, "edges") and hasattr(value, "adj")


def is_arrow(value: Any) -> bool:
    """Whether it is a table of polars, pyarrow or DuckDB. Frames of pandas have row labels: is_frame."""
    return hasattr(value, "__arrow_c_stream__") and not hasattr(value, "index")


def is_frame(value: Any) -> bool:
    """Whether it is a pandas data frame."""
    return hasattr(value, "columns") and hasattr(value, "iloc")


def named_columns(table: Any, names: Optional[Iterable[Any]] = None) -> dict[str, Any]:
    """The columns of a data frame or an Arrow table, under their own names or the given ones."""
    if is_arrow(table):
        own, columns = _core.read_arrow(table.__arrow_c_stream__())
    else:
        own = [str(name) for name in table.columns]
        columns = [table.iloc[:, column] for column in range(len(own))]
    return pair_names(own if names is None else names, columns)


def pair_names(names: Iterable[Any], columns: Sequence[Any]) -> dict[str, Any]:
    """Columns by name: as many names as columns, all different."""
    listed = [str(name) for name in names]
    check_texts(listed, "column names")
    if len(listed) != len(columns):
        raise _core.Error(f"features: {len(columns)} columns have {len(listed)} names; give one name per "
                          "column, in order")
    found = dict(zip(listed, columns))
    if len(found) < len(listed):
        twice = next(name for name in listed if listed.count(name) > 1)
        raise _core.Error(f"table: two columns are called '{twice}'; rename one")
    return found


def _without_zeros(matrix: Any, num_nodes: int) -> Any:
    """A sparse adjacency matrix in compressed rows; a stored zero is not an edge."""
    rows = matrix.tocsr()
    if rows.shape != (num_nodes, num_nodes):
        raise _core.Error(f"network: is {rows.shape[0]} × {rows.shape[1]} where there are "
                          f"{num_nodes} nodes; pass one row and one column per node")
    if rows.data.dtype.kind in "fc" and np.isnan(rows.data).any():
        raise _core.Error("network: some edges of the matrix have a missing weight (NaN); leave these "
                          "edges out, or give them a weight")
    if np.any(rows.data == 0):
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows


def _rows_of_graph(graph: Any, ids: Optional[Sequence[Optional[str]]],
                   num_nodes: int) -> npt.NDArray[np.int64]:
    """Edges of a NetworkX graph as rows: its nodes are named by ids, or without ids by their row."""
    names = ids if ids is not None else [str(row) for row in range(num_nodes)]
    row_of = {name: row for row, name in enumerate(names)}
    ends = []
    for pair in graph.edges():
        for end in pair[:2]:
            if str(end) not in row_of:
                raise _core.Error(f"network: the graph has a node {end!r} that is not in the data; name "
                                  "its nodes as in ids=, or without ids= by their row, from 0")
            ends.append(row_of[str(end)])
    return np.array(ends, dtype=np.int64).reshape(-1, 2)


def network_arrays(network: Any, num_nodes: int,
                   ids: Optional[Sequence[Optional[str]]] = None) -> dict[str, Any]:
    """Edges as an array (m × 2, rows from 0), a sparse adjacency matrix, which is not copied, or a
    NetworkX graph."""
    if network is None:
        return {}
    if is_sparse(network):
        rows = _without_zeros(network, num_nodes)
        return {"neighbour_offsets": np.asarray(rows.indptr, dtype=np.uint64),
                "neighbours": np.asarray(rows.indices, dtype=np.uint32)}
    if is_graph(network):
        network = _rows_of_graph(network, ids, num_nodes)
    edges = as_array(network, "network")
    if edges.size == 0:
        return {}
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise _core.Error(f"network: has shape {edges.shape}; pass an array of m × 2 rows, counted "
                          "from 0, a sparse adjacency matrix, or a NetworkX graph")
    if edges.dtype.kind == "O" and any(end is None for end in edges.flat):
        raise _core.Error("network: some edges have a missing end; leave these edges out")
    if edges.dtype.kind not in "iu":
        raise _core.Error(f"network: holds {edges.dtype}; pass whole numbers: the rows of the two "
                          "ends, counted from 0")
    if edges.min() < 0:
        raise _core.Error(f"network: {edges.min()} is not a row; rows count from 0")
    if edges.max() >= num_nodes:
        raise _core.Error(f"network: {edges.max()} is not a row: there are {num_nodes}; rows count "
                          "from 0")
    return {"edges": np.ascontiguousarray(edges, dtype=np.uint32)}


def count_arrays(counts: Any) -> dict[str, Any]:
    """Counts in compressed sparse rows; those of a sparse matrix are not copied."""
    if is_sparse(counts):
        rows = counts.tocsr()
        if not rows.has_canonical_format:  # SciPy means the sum of repeated entries
            rows = rows.copy()
            rows.sum_duplicates()
        offsets, columns, values = rows.indptr, rows.indices, rows.data
        num_columns = int(rows.shape[1])
        if values.dtype.kind not in "biuf":
            raise _core.Error(f"counts: hold {values.dtype}; pass numbers")
    else:
        table = as_numbers(counts, "counts")
        if table.ndim > 2:
            raise _core.Error(f"counts: have shape {table.shape}; pass nodes × columns")
        table = table if table.ndim == 2 else table.reshape(-1, 1)
        columns = np.nonzero(table)[1]
        values, num_columns = table[table != 0], table.shape[1]
        offsets = np.concatenate([[0], np.cumsum((table != 0).sum(axis=1))])
    odd = np.flatnonzero(~np.isfinite(values))
    if odd.size:
        row = int(np.searchsorted(offsets, odd[0], "right")) - 1
        what = "are missing" if np.isnan(values[odd]).all() else "are missing or not finite"
        raise _core.Error(f"row {row}, counts: {odd.size} values {what}, the first in column {columns[odd[0]]}; "
                          "counts must not be missing: fill in 0, or leave the rows out")
    return {"count_offsets": offsets, "count_columns": columns, "count_values": values,
            "num_counts": num_columns}


def count_texts(counts: Any, names: Optional[Sequence[str]],
                ids: Sequence[Optional[str]]) -> tuple[bytes, bytes]:
    """Counts as the file loader reads them: features.csv and feature_names.csv."""
    found = count_arrays(counts)
    titles = [f"f{j}" for j in range(found["num_counts"])] if names is None else as_names(names)
    pair_names(titles, range(found["num_counts"]))
    rows = np.repeat(np.arange(len(ids)), np.diff(found["count_offsets"]))
    cells = [[ids[i] for i in rows], [titles[j] for j in found["count_columns"]],
             as_cells(found["count_values"], "counts")]
    return (_core.write_table(["node", "feature", "value"], cells),
            _core.write_table(["feature"], [titles]))


def refuse_mixed_indexes(**values: Any) -> None:
    """Refuses Series and frames with different indexes, whose rows cannot be matched."""
    indexed = {name: value for name, value in values.items() if hasattr(value, "reindex")}
    first = next(iter(indexed.items()), None)
    for name, value in indexed.items():
        if first is not None and not value.index.equals(first[1].index):
            raise _core.Error(f"{name}: has another index than {first[0]}; align them, or pass arrays "
                              "with one row per node")


def as_names(names: Union[str, Iterable[Any]]) -> list[str]:
    """A list of names, from a list or a comma-separated string."""
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else [str(name) for name in names]
    check_texts(listed, "column names")
    return listed


def feature_list(features: Union[str, Iterable[Any]]) -> list[str]:
    """The columns that features= names."""
    names = as_names(features)
    if not names:
        raise _core.Error("features: names no column, which would mean all columns; exclude them by ignore=, "
                          "or leave features= out")
    return names


def _text_of_rows(ends: npt.NDArray[Any], ids: Sequence[Optional[str]]) -> bytes:
    pairs = [[ids[row] for row in ends[:, side]] for side in (0, 1)]
    return _core.write_table(["source", "target"], pairs)


def network_text(network: Any, ids: Sequence[Optional[str]]) -> Optional[bytes]:
    """A network as network_arrays() takes it, as the text of an edge list between ids."""
    if network is None:
        return None
    if is_sparse(network):
        rows = _without_zeros(network, len(ids)).tocoo()
        return _text_of_rows(np.column_stack([rows.row, rows.col]), ids)
    return _text_of_rows(network_arrays(network, len(ids), ids).get("edges", np.empty((0, 2), int)), ids)


def edge_text(edges: Any, ids: Sequence[Optional[str]]) -> Optional[bytes]:
    """Edges between ids as the text of an edge list. A matrix has no ids: its rows are those of the
    table."""
    if edges is None:
        return None
    if is_sparse(edges):
        return network_text(edges, ids)
    if is_arrow(edges) or is_frame(edges):
        columns = named_columns(edges)
        return _core.write_table(list(columns), [as_cells(ends, f"edges, column {name}")
                                                 for name, ends in columns.items()])
    if is_graph(edges):
        edges = [(str(pair[0]), str(pair[1])) for pair in edges.edges()]
    if isinstance(edges, np.ndarray):
        pairs = list(edges.T) if edges.ndim == 2 else []
    else:
        listed = list(edges) if hasattr(edges, "__iter__") and not hasattr(edges, "reindex") else [edges]
        are_pairs = all(hasattr(pair, "__len__") and not isinstance(pair, str) for pair in listed)
        pairs = (list(zip(*listed)) if listed else [(), ()]) if are_pairs else []
    if len(pairs) < 2:
        raise _core.Error("edges: are not pairs; pass a frame of two columns, a list of pairs, a sparse "
                          "adjacency matrix, or a NetworkX graph")
    return _core.write_table(["source", "target"], [as_cells(end, "edges") for end in pairs[:2]])
