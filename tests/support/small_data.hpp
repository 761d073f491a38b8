#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/matrix.hpp"

namespace cone::testing {

/// A matrix given as a list of dense rows; zeros are not stored.
inline SparseMatrix sparse_from_rows(const std::vector<std::vector<double>>& rows) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      columns.push_back(static_cast<std::uint32_t>(j));
      values.push_back(row[j]);
    }
    offsets.push_back(columns.size());
  }
  return {rows.empty() ? 0 : rows[0].size(), std::move(offsets), std::move(columns),
          std::move(values)};
}

}  // namespace cone::testing
