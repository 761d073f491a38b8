#include "nuisance/encoder_input.hpp"

#include <algorithm>
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

/// Reverses the numeric features with negative skewness.
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
  const FeatureMatrix& x = features.matrix;
  const std::vector<ColumnUnit> units = measure_columns(features);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  offsets.reserve(x.rows() + 1);
  columns.reserve(x.num_stored());
  values.reserve(x.num_stored());
  std::vector<double> numeric(features.num_dense);
  std::vector<std::uint32_t> count_columns;
  std::vector<double> counts;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    std::fill(numeric.begin(), numeric.end(), 0.0);
    count_columns.clear();
    counts.clear();
    x.row(i).for_each([&](std::uint32_t j, double value) {
      if (j < features.num_dense) {
        numeric[j] = value;
      } else {
        count_columns.push_back(j);
        counts.push_back(value);
      }
    });
    for (std::uint32_t j = 0; j < features.num_dense; ++j) {
      if (units[j].scale == 0) continue;
      columns.push_back(j);
      values.push_back((numeric[j] - units[j].mean) / units[j].scale);
    }
    const double total = total_magnitude(counts);
    columns.insert(columns.end(), count_columns.begin(), count_columns.end());
    for (const double count : counts)
      values.push_back(total > 0 ? kPerCent * (count / total) : 0.0);
    offsets.push_back(columns.size());
  }
  orient_columns(features.num_dense, columns, values);
  return {x.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace cone
