#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

struct ColumnScale {
  double mean = 0;
  double sd = 0;
  double largest = 0;  ///< absolute value
};

/// Over the rows of all ranks of the context.
std::vector<ColumnScale> measure_columns(const Context& context, const Matrix<double>& columns);

/// For every column, the first earlier column that it is a copy of: the same numbers up to scale,
/// sign and shift. Constants are copies of nothing. A comparison ends at the first number that
/// differs, so this is about O(rows · columns + columns²). Over the rows of all ranks of the
/// context.
std::vector<std::optional<std::size_t>> find_copies(const Context& context,
                                                    const Matrix<double>& columns);

}  // namespace cone
