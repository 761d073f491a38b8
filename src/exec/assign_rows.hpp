#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Rows that one rank each computed for all ranks.
struct AssignedRows {
  Matrix<double> rows;
  std::vector<bool> is_filled;
};

/// Divides work that would be the same on every rank: rank k mod size computes row k by
/// work(k, row), and all ranks get all rows, equal to the last bit. `work` must not be collective.
/// It returns whether it filled the row; the other rows are for all ranks to compute together.
template <class Work>
AssignedRows assign_rows(const Communicator& comm, std::size_t num_rows, std::size_t width,
                         const Work& work) {
  Matrix<double> found(num_rows, width + 1, 0.0);  // the last column: whether the row is filled
  for (std::size_t k = comm.rank(); k < num_rows; k += comm.size()) {
    const auto row = found.row(k);
    row[width] = work(k, row.first(width)) ? 1 : 0;
    if (row[width] == 0) std::ranges::fill(row, 0.0);
  }
  comm.allreduce(found.values());
  AssignedRows out{Matrix<double>(num_rows, width), {}};
  for (std::size_t k = 0; k < num_rows; ++k) {
    const double count = found(k, width);  // number of ranks that filled the row: 0 or 1
    out.is_filled.push_back(count > 0);
    if (!out.is_filled[k]) continue;
    for (std::size_t c = 0; c < width; ++c) out.rows(k, c) = found(k, c) / count;
  }
  return out;
}

}  // namespace cone
