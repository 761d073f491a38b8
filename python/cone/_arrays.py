"""Networks, counts and names as users bring them, as the compiled part takes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._columns import as_cells


def is_sparse(value: Any) -> bool:
    return hasattr(value, "tocsr")


def without_zeros(matrix: Any) -> Any:
    """A sparse matrix in compressed rows; a zero that is stored is no tie."""
    rows = matrix.tocsr()
    if np.any(rows.data == 0):
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows


def network_arrays(network: Any, num_nodes: int) -> dict[str, Any]:
    """An edge array (m × 2, rows from 0) or a sparse adjacency matrix, without copies of the latter."""
    if network is None:
        return {}
    if is_sparse(network):
        rows = without_zeros(network)
        if rows.shape != (num_nodes, num_nodes):
            raise _core.Error(f"network: is {rows.shape[0]} × {rows.shape[1]} where there are "
                              f"{num_nodes} nodes; bring one row and one column per node")
        return {"neighbour_offsets": np.asarray(rows.indptr, dtype=np.uint64),
                "neighbours": np.asarray(rows.indices, dtype=np.uint32)}
    edges = np.asarray(network)
    if edges.size == 0:
        return {}
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise _core.Error(f"network: has shape {edges.shape}; bring an array of m × 2 rows, counted "
                          "from 0, or a sparse adjacency matrix")
    if edges.dtype.kind not in "iu":
        raise _core.Error(f"network: holds {edges.dtype}; bring whole numbers: the rows of the two "
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
        offsets, columns, values = rows.indptr, rows.indices, rows.data
        num_columns = int(rows.shape[1])
    else:
        table = np.asarray(counts, dtype=np.float64)
        table = table.reshape(len(table), -1)
        columns = np.nonzero(table)[1]
        values, num_columns = table[table != 0], table.shape[1]
        offsets = np.concatenate([[0], np.cumsum((table != 0).sum(axis=1))])
    return {"count_offsets": offsets, "count_columns": columns, "count_values": values,
            "num_counts": num_columns}


def refuse_mixed_indexes(**values: Any) -> None:
    """Series and frames whose rows are about different nodes: an order of rows would be a guess."""
    indexed = {name: value for name, value in values.items() if hasattr(value, "reindex")}
    first = next(iter(indexed.items()), None)
    for name, value in indexed.items():
        if first is not None and not value.index.equals(first[1].index):
            raise _core.Error(f"{name}: has another index than {first[0]}; align them, or bring arrays "
                              "with one row per node")


def as_names(names: Union[str, Iterable[Any]]) -> list[str]:
    """A list of names, or a text with commas."""
    if isinstance(names, str):
        return [name.strip() for name in names.split(",")]
    return [str(name) for name in names]


def edge_text(edges: Any, num_nodes: int) -> Optional[bytes]:
    """Edges between ids as the text of an edge list."""
    if edges is None:
        return None
    if is_sparse(edges):
        pairs = without_zeros(edges).tocoo()
        ends = [np.asarray(pairs.row, dtype=np.int64), np.asarray(pairs.col, dtype=np.int64)]
        return _core.write_table(["source", "target"], ends)
    if hasattr(edges, "__arrow_c_stream__") and not hasattr(edges, "index"):
        names, cells = _core.read_arrow(edges.__arrow_c_stream__())
        return _core.write_table(names, cells)
    if hasattr(edges, "columns"):
        names = [str(name) for name in edges.columns]
        cells = [as_cells(edges[name]) for name in edges.columns]
        return _core.write_table(names, cells)
    if hasattr(edges, "reindex") or any(isinstance(pair, str) for pair in edges):
        raise _core.Error("edges: are no pairs; bring a frame of two columns, or a list of pairs")
    pairs = list(zip(*edges)) if not isinstance(edges, np.ndarray) else [edges[:, 0], edges[:, 1]]
    if not pairs:
        return b"source,target\n"
    return _core.write_table(["source", "target"], [as_cells(np.asarray(end)) for end in pairs[:2]])
