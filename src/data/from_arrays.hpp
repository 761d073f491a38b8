#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "data/dataset.hpp"
#include "exec/context.hpp"
#include "graph/graph.hpp"

namespace cone {

/// One column of numbers per arm. Without labels, the columns are the arms in their order (the
/// control arm first); of two arms, a single column of propensities is the second's.
struct ArmArrays {
  std::vector<std::string> arms;  ///< labels of the columns, or none
  MatrixView<const double> table;

  bool is_given() const { return table.cols() > 0; }
};

/// Compressed sparse rows as SciPy has them; columns of a row in any order.
struct SparseArrays {
  std::span<const std::uint64_t> offsets;  ///< one more than there are nodes
  std::span<const std::uint32_t> columns;
  std::span<const double> values;
  std::size_t num_columns = 0;
  std::vector<std::string> names;  ///< one per column; without, f0, f1, ...

  bool is_given() const { return !offsets.empty(); }
};

/// A dataset as its owner has it in memory: one row per node, rows counted from 0. What is empty is
/// not there; treatment and outcome must be. Nothing here is kept.
struct DatasetArrays {
  std::span<const std::string> ids;  ///< without, "0", "1", ...
  /// What was done, as labels or as numbers: one of the two.
  std::span<const std::string> treatment;
  std::span<const double> treatment_numbers;
  std::string control;  ///< label of the control arm, where its name does not say so
  std::span<const double> outcome;
  MatrixView<const double> measurements;       ///< nodes × columns
  std::vector<std::string> measurement_names;  ///< without, x0, x1, ...
  SparseArrays counts;
  ArmArrays propensity, mu, truth;
  /// The network, as pairs of rows or as rows of neighbours; in any direction, with any repeats.
  std::span<const Edge> edges;
  std::span<const std::uint64_t> neighbour_offsets;
  std::span<const NodeIndex> neighbours;
};

/// A dataset from arrays, with the checks that files go through and in the same words: places are
/// "row 3 (ann), column outcome". Throws one Error(kData) with all faults. The same content has the
/// same checksum as from files.
LoadedData make_dataset(const Context& context, const DatasetArrays& arrays);

}  // namespace cone
