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

/// Compensated sums of many columns, a row at a time. Without a branch, so that columns are added
/// side by side; digit for digit what CompensatedSum finds.
class SumsOfRows {
 public:
  explicit SumsOfRows(std::size_t size) : sum_(size, 0.0), compensation_(size, 0.0) {}
  void add(const double* row) {
    for (std::size_t d = 0; d < sum_.size(); ++d) {
      const double before = sum_[d];
      const double next = before + row[d];
      const double added = next - before;
      compensation_[d] += (before - (next - added)) + (row[d] - added);
      sum_[d] = next;
    }
  }
  double value(std::size_t d) const { return sum_[d] + compensation_[d]; }

 private:
  std::vector<double> sum_;
  std::vector<double> compensation_;
};

/// Extremes and sums of the dense columns; their zeros are entries like all others.
void measure_dense_ranges(const FeatureMatrix& x, std::vector<ColumnRange>& columns) {
  const std::size_t num_dense = x.dense_columns().size();
  std::vector<double> low(num_dense, std::numeric_limits<double>::infinity());
  std::vector<double> high(num_dense, -std::numeric_limits<double>::infinity());
  SumsOfRows sums(num_dense);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const double* const row = x.dense().row(i).data();
    for (std::size_t d = 0; d < num_dense; ++d) {
      low[d] = std::min(low[d], row[d]);
      high[d] = std::max(high[d], row[d]);
    }
    sums.add(row);
  }
  for (std::size_t d = 0; d < num_dense; ++d) {
    ColumnRange& column = columns[x.dense_columns()[d]];
    column.num_entries = x.rows();
    column.low = low[d];
    column.high = high[d];
    column.sum.add(sums.value(d));
  }
}

/// Squared deviations of the dense columns from their means.
void measure_dense_spreads(const FeatureMatrix& x, const std::vector<ColumnUnit>& units,
                           std::vector<ColumnRange>& columns) {
  const std::size_t num_dense = x.dense_columns().size();
  std::vector<double> mean(num_dense);
  std::vector<double> largest(num_dense);
  for (std::size_t d = 0; d < num_dense; ++d) {
    mean[d] = units[x.dense_columns()[d]].mean;
    largest[d] = columns[x.dense_columns()[d]].largest();
    if (!(largest[d] > 0)) largest[d] = 1;  // all zero
  }
  SumsOfRows sums(num_dense);
  std::vector<double> squares(num_dense);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const double* const row = x.dense().row(i).data();
    for (std::size_t d = 0; d < num_dense; ++d) {
      const double deviation = (row[d] - mean[d]) / largest[d];
      squares[d] = deviation * deviation;
    }
    sums.add(squares.data());
  }
  for (std::size_t d = 0; d < num_dense; ++d) {
    columns[x.dense_columns()[d]].squares.add(sums.value(d));
  }
}

/// body(column, value) for the entries of the sparse columns.
template <class Body>
void for_each_sparse_entry(const SparseMatrix& x, const Body& body) {
  for (std::size_t k = 0; k < x.num_entries(); ++k) body(x.columns()[k], x.values()[k]);
}

}  // namespace

std::vector<ColumnUnit> measure_columns(const FeatureTable& features) {
  const FeatureMatrix& x = features.matrix;
  const auto num_rows = static_cast<double>(x.rows());
  std::vector<ColumnRange> columns(x.cols());
  measure_dense_ranges(x, columns);
  for_each_sparse_entry(x.sparse(), [&](std::uint32_t j, double value) {
    ColumnRange& column = columns[j];
    ++column.num_entries;
    column.low = std::min(column.low, value);
    column.high = std::max(column.high, value);
    column.sum.add(value);
  });
  std::vector<ColumnUnit> units(x.cols());
  for (std::size_t j = 0; j < x.cols(); ++j) {
    if (columns[j].num_entries < x.rows()) {
      columns[j].low = std::min(columns[j].low, 0.0);
      columns[j].high = std::max(columns[j].high, 0.0);
    }
    if (x.rows() > 0) units[j].mean = columns[j].sum.value() / num_rows;
  }
  measure_dense_spreads(x, units, columns);
  for_each_sparse_entry(x.sparse(), [&](std::uint32_t j, double value) {
    const double largest = columns[j].largest();
    if (!(largest > 0)) return;
    const double deviation = (value - units[j].mean) / largest;
    columns[j].squares.add(deviation * deviation);
  });
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
