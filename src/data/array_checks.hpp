#pragma once

#include "cone/error.hpp"
#include "cone/features.hpp"
#include "cone/load.hpp"

namespace cone::load {

/// Refuses arrays of different lengths. Nothing can be looked at row by row before.
void check_lengths(const DatasetArrays& arrays, FaultList& faults);

/// The ids, all different and readable as text.
IdTable take_ids(const DatasetArrays& arrays, FaultList& faults);

/// The edges of either form; those to rows that are not there are faults.
std::vector<Edge> take_edges(const DatasetArrays& arrays, FaultList& faults);

/// The counts with ascending columns and without zeros; faults for what is no such matrix.
SparseMatrix take_counts(const DatasetArrays& arrays, FaultList& faults);

/// The names of measurements and counts, all different and readable as text.
std::vector<std::string> take_names(const DatasetArrays& arrays, FaultList& faults);

}  // namespace cone::load
