#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// One column of some rows, by the ranks of its distinct values.
struct SortedColumn {
  std::vector<double> values;        ///< distinct, ascending
  std::vector<std::uint32_t> rank;   ///< of every row: its index in `values`
  std::vector<std::uint32_t> order;  ///< the rows by rank
  std::vector<std::uint32_t> begin;  ///< where each rank starts in `order`, and its end

  std::size_t num_ranks() const { return values.size(); }
  std::span<const std::uint32_t> rows_of(std::size_t rank_wanted) const {
    return {order.data() + begin[rank_wanted], begin[rank_wanted + 1] - begin[rank_wanted]};
  }
};

using SortedColumns = std::vector<SortedColumn>;

/// O(columns · rows · log rows).
SortedColumns sort_columns(const Context& context, MatrixView<const double> columns);

/// Only the given rows, which become 0, 1, ... in that order. O(columns · rows), without sorting.
SortedColumns take_rows_sorted(const Context& context, const SortedColumns& columns,
                               std::span<const std::uint32_t> rows);

/// The rows up to that rank of the column (left) and the others (right), each ascending.
struct RowSplit {
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> right;
};
RowSplit split_rows(const SortedColumn& column, std::size_t rank);

}  // namespace cone
