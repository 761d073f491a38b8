#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cone/matrix.hpp"
#include "cone/totals.hpp"

namespace cone {

/// Rows of numbers that one process each worked out for all.
struct DealtRows {
  Matrix<double> rows;
  std::vector<bool> is_filled;
};

/// Deals work out that all processes would do alike: work(k, row) of process k mod size fills row
/// k, and all processes get all rows, to the last bit. `work` must wait for no other process. It
/// returns whether it could fill the row; what is left is for all to do together.
template <class Work>
DealtRows deal_rows(const Totals& totals, std::size_t num_rows, std::size_t width,
                    const Work& work) {
  Matrix<double> found(num_rows, width + 1, 0.0);  // the last column: whether it is filled
  for (std::size_t k = totals.rank(); k < num_rows; k += totals.size()) {
    const auto row = found.row(k);
    row[width] = work(k, row.first(width)) ? 1 : 0;
    if (row[width] == 0) std::ranges::fill(row, 0.0);
  }
  totals.allreduce(found.values());
  DealtRows out{Matrix<double>(num_rows, width), {}};
  for (std::size_t k = 0; k < num_rows; ++k) {
    const double count = found(k, width);  // of processes that filled it, alike: one
    out.is_filled.push_back(count > 0);
    if (!out.is_filled[k]) continue;
    for (std::size_t c = 0; c < width; ++c) out.rows(k, c) = found(k, c) / count;
  }
  return out;
}

}  // namespace cone
