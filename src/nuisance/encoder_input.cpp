#include "nuisance/encoder_input.hpp"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/numeric.hpp"
#include "data/column_units.hpp"

namespace cone {
namespace {

constexpr double kPerCent = 100;

double total_magnitude(std::span<const double> values) {
  double total = 0;
  for (const double value : values) total += std::abs(value);
  return total;
}

/// Reverses the measurements whose distribution leans to the left.
void orient_columns(std::size_t num_dense, const std::vector<std::uint32_t>& columns,
                    std::vector<double>& values) {
  std::vector<CompensatedSum> cubes(num_dense);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (columns[k] < num_dense) cubes[columns[k]].add(values[k] * values[k] * values[k]);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (columns[k] < num_dense && cubes[columns[k]].value() < 0) values[k] = -values[k];
  }
}

}  // namespace

SparseMatrix encoder_input(const FeatureTable& features) {
  const SparseMatrix& x = features.matrix;
  const std::vector<ColumnUnit> units = measure_columns(features);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  offsets.reserve(x.rows() + 1);
  columns.reserve(x.num_entries());
  values.reserve(x.num_entries());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const SparseMatrix::Row row = x.row(i);
    std::size_t k = 0;  // the next stored entry of the row
    for (std::uint32_t j = 0; j < features.num_dense; ++j) {
      const bool is_stored = k < row.size() && row.columns[k] == j;
      const double value = is_stored ? row.values[k] : 0.0;
      k += is_stored ? 1 : 0;
      if (units[j].scale == 0) continue;
      columns.push_back(j);
      values.push_back((value - units[j].mean) / units[j].scale);
    }
    const double total = total_magnitude(row.values.subspan(k));
    for (; k < row.size(); ++k) {
      columns.push_back(row.columns[k]);
      values.push_back(total > 0 ? kPerCent * (row.values[k] / total) : 0.0);
    }
    offsets.push_back(columns.size());
  }
  orient_columns(features.num_dense, columns, values);
  return {x.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace cone
