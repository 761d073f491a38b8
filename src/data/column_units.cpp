#include "data/column_units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/numeric.hpp"

namespace cone {
namespace {

struct ColumnRange {
  double num_entries = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double sum = 0;
  double squares = 0;  // of deviations, over the squared largest magnitude

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
    column.num_entries = static_cast<double>(x.rows());
    column.low = low[d];
    column.high = high[d];
    column.sum = sums.value(d);
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
    columns[x.dense_columns()[d]].squares = sums.value(d);
  }
}

/// body(column, value) for the entries of the sparse columns.
template <class Body>
void for_each_sparse_entry(const SparseMatrix& x, const Body& body) {
  for (std::size_t k = 0; k < x.num_entries(); ++k) body(x.columns()[k], x.values()[k]);
}

/// Extremes and sums of the sparse columns, without the zeros that are not stored.
void measure_sparse_ranges(const SparseMatrix& x, std::vector<ColumnRange>& columns) {
  std::vector<CompensatedSum> sums(x.cols());
  for_each_sparse_entry(x, [&](std::uint32_t j, double value) {
    ColumnRange& column = columns[j];
    ++column.num_entries;
    column.low = std::min(column.low, value);
    column.high = std::max(column.high, value);
    sums[j].add(value);
  });
  for (std::size_t j = 0; j < sums.size(); ++j) columns[j].sum += sums[j].value();
}

void measure_sparse_spreads(const SparseMatrix& x, const std::vector<ColumnUnit>& units,
                            std::vector<ColumnRange>& columns) {
  std::vector<CompensatedSum> squares(x.cols());
  for_each_sparse_entry(x, [&](std::uint32_t j, double value) {
    const double largest = columns[j].largest();
    if (!(largest > 0)) return;
    const double deviation = (value - units[j].mean) / largest;
    squares[j].add(deviation * deviation);
  });
  for (std::size_t j = 0; j < squares.size(); ++j) columns[j].squares += squares[j].value();
}

/// Reduces the ranges over all ranks.
void join_ranges(const Communicator& comm, std::vector<ColumnRange>& columns) {
  std::vector<double> sums;
  std::vector<double> largest;
  for (const ColumnRange& column : columns) {
    sums.insert(sums.end(), {column.num_entries, column.sum});
    largest.insert(largest.end(), {column.high, -column.low});
  }
  comm.allreduce(sums);
  comm.allreduce_max(largest);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j].num_entries = sums[2 * j];
    columns[j].sum = sums[2 * j + 1];
    columns[j].high = largest[2 * j];
    columns[j].low = -largest[2 * j + 1];
  }
}

void join_spreads(const Communicator& comm, std::vector<ColumnRange>& columns) {
  std::vector<double> squares(columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) squares[j] = columns[j].squares;
  comm.allreduce(squares);
  for (std::size_t j = 0; j < columns.size(); ++j) columns[j].squares = squares[j];
}

}  // namespace

std::vector<ColumnUnit> measure_columns(const FeatureTable& features, const Communicator& comm) {
  const FeatureMatrix& x = features.matrix;
  const double num_rows = comm.count(x.rows());
  std::vector<ColumnRange> columns(x.cols());
  measure_dense_ranges(x, columns);
  measure_sparse_ranges(x.sparse(), columns);
  if (comm.has_others()) join_ranges(comm, columns);
  std::vector<ColumnUnit> units(x.cols());
  for (std::size_t j = 0; j < x.cols(); ++j) {
    if (columns[j].num_entries < num_rows) {
      columns[j].low = std::min(columns[j].low, 0.0);
      columns[j].high = std::max(columns[j].high, 0.0);
    }
    if (num_rows > 0) units[j].mean = columns[j].sum / num_rows;
  }
  measure_dense_spreads(x, units, columns);
  measure_sparse_spreads(x.sparse(), units, columns);
  if (comm.has_others()) join_spreads(comm, columns);
  for (std::size_t j = 0; j < x.cols(); ++j) {
    const ColumnRange& column = columns[j];
    if (!(column.low < column.high)) continue;
    const double absent = units[j].mean / column.largest();
    const double num_absent = num_rows - column.num_entries;
    const double spread = std::sqrt((column.squares + num_absent * absent * absent) / num_rows);
    units[j].differs_by_rounding_only = !(spread > kRoundingSpread);
    if (!units[j].differs_by_rounding_only) units[j].scale = spread * column.largest();
  }
  return units;
}

}  // namespace cone
