#pragma once

#include "cone/error.hpp"
#include "cone/load.hpp"
#include "cone/matrix.hpp"

namespace cone::load {

/// Refuses arrays of different lengths. All checks of single rows come after this one.
void check_lengths(const DatasetArrays& arrays, FaultList& faults);

/// The ids, all different and readable as text.
IdTable take_ids(const DatasetArrays& arrays, FaultList& faults);

/// The edges, from either form; an end that is out of range is a fault.
std::vector<Edge> take_edges(const DatasetArrays& arrays, FaultList& faults);

/// The count features with ascending columns and without zeros; faults where the arrays are not a
/// CSR matrix.
SparseMatrix take_counts(const DatasetArrays& arrays, FaultList& faults);

/// The names of numeric and count features, all different and readable as text.
std::vector<std::string> take_names(const DatasetArrays& arrays, FaultList& faults);

}  // namespace cone::load
