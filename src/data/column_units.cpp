#include "data/column_units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/numeric.hpp"

namespace cone {
namespace {

struct ColumnRange {
  std::uint64_t num_entries = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  CompensatedSum sum;
  CompensatedSum squares;  // of deviations, over the squared largest magnitude

  double largest() const { return std::max(std::abs(low), std::abs(high)); }
};

}  // namespace

std::vector<ColumnUnit> measure_columns(const FeatureTable& features) {
  const FeatureMatrix& x = features.matrix;
  const auto num_rows = static_cast<double>(x.rows());
  std::vector<ColumnRange> columns(x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    x.row(i).for_each([&](std::uint32_t j, double value) {
      ColumnRange& column = columns[j];
      ++column.num_entries;
      column.low = std::min(column.low, value);
      column.high = std::max(column.high, value);
      column.sum.add(value);
    });
  }
  std::vector<ColumnUnit> units(x.cols());
  for (std::size_t j = 0; j < x.cols(); ++j) {
    if (columns[j].num_entries < x.rows()) {
      columns[j].low = std::min(columns[j].low, 0.0);
      columns[j].high = std::max(columns[j].high, 0.0);
    }
    if (x.rows() > 0) units[j].mean = columns[j].sum.value() / num_rows;
  }
  for (std::size_t i = 0; i < x.rows(); ++i) {
    x.row(i).for_each([&](std::uint32_t j, double value) {
      const double largest = columns[j].largest();
      if (!(largest > 0)) return;
      const double deviation = (value - units[j].mean) / largest;
      columns[j].squares.add(deviation * deviation);
    });
  }
  for (std::size_t j = 0; j < x.cols(); ++j) {
    const ColumnRange& column = columns[j];
    if (!(column.low < column.high)) continue;
    const double absent = units[j].mean / column.largest();
    const double num_absent = num_rows - static_cast<double>(column.num_entries);
    const double spread =
        std::sqrt((column.squares.value() + num_absent * absent * absent) / num_rows);
    units[j].differs_by_rounding_only = !(spread > kRoundingSpread);
    if (!units[j].differs_by_rounding_only) units[j].scale = spread * column.largest();
  }
  return units;
}

}  // namespace cone
