#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cone/base/sparse_matrix.hpp"

namespace cone::testing {

/// The sparse matrix of dense rows; zeros are not stored.
inline SparseMatrix sparse_of(const std::vector<std::vector<double>>& dense) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (const std::vector<double>& row : dense) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      columns.push_back(static_cast<std::uint32_t>(j));
      values.push_back(row[j]);
    }
    offsets.push_back(columns.size());
  }
  return {dense.empty() ? 0 : dense.front().size(), std::move(offsets), std::move(columns),
          std::move(values)};
}

}  // namespace cone::testing
