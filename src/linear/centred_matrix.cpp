#include "linear/centred_matrix.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/numeric.hpp"
#include "linear/dense.hpp"

namespace cone {
namespace {

struct ColumnRange {
  std::uint64_t num_entries = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  CompensatedSum sum;
};

/// Rows or entries of a pass after which it asks whether to go on.
constexpr std::size_t kItemsPerPoll = 4096;

std::vector<ColumnRange> summarise_columns(const Context& context, const SparseMatrix& x) {
  std::vector<ColumnRange> columns(x.cols());
  for (std::size_t k = 0; k < x.num_entries(); ++k) {
    if (k % kItemsPerPoll == 0) context.poll();
    ColumnRange& column = columns[x.columns()[k]];
    const double value = x.values()[k];
    ++column.num_entries;
    column.low = std::min(column.low, value);
    column.high = std::max(column.high, value);
    column.sum.add(value);
  }
  for (ColumnRange& column : columns) {
    if (column.num_entries < x.rows()) {
      column.low = std::min(column.low, 0.0);
      column.high = std::max(column.high, 0.0);
    }
  }
  return columns;
}

}  // namespace

CentredMatrix::CentredMatrix(const Context& context, const FeatureMatrix& features)
    : num_source_cols_(features.cols()) {
  const SparseMatrix x = features.to_sparse();
  constexpr std::uint32_t kDropped = std::numeric_limits<std::uint32_t>::max();
  const std::vector<ColumnRange> columns = summarise_columns(context, x);
  const auto num_rows = static_cast<double>(x.rows());
  std::vector<std::uint32_t> position(x.cols(), kDropped);
  std::vector<std::uint32_t> filled;  // the columns that are stored with all their entries
  for (std::size_t j = 0; j < x.cols(); ++j) {
    const ColumnRange& column = columns[j];
    if (!(column.low < column.high)) continue;
    position[j] = static_cast<std::uint32_t>(kept_.size());
    kept_.push_back(static_cast<std::uint32_t>(j));
    means_.push_back(column.sum.value() / num_rows);
    const bool fill = 2 * column.num_entries > x.rows();
    if (fill) filled.push_back(position[j]);
    offsets_.push_back(fill ? 0.0 : means_.back());
  }

  std::vector<std::uint64_t> row_offsets = {0};
  std::vector<std::uint32_t> row_columns;
  std::vector<double> values;
  sums_of_squares_.assign(kept_.size(), 0.0);
  const auto append = [&](std::uint32_t j, double value) {
    row_columns.push_back(j);
    values.push_back(value);
    sums_of_squares_[j] += value * value;
  };
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (i % kItemsPerPoll == 0) context.poll();
    const SparseMatrix::Row row = x.row(i);
    auto next_filled = filled.begin();
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::uint32_t j = position[row.columns[k]];
      if (j == kDropped) continue;
      for (; next_filled != filled.end() && *next_filled < j; ++next_filled) {
        append(*next_filled, -means_[*next_filled]);
      }
      if (next_filled != filled.end() && *next_filled == j) {
        append(j, row.values[k] - means_[j]);
        ++next_filled;
      } else {
        append(j, row.values[k]);
      }
    }
    for (; next_filled != filled.end(); ++next_filled) append(*next_filled, -means_[*next_filled]);
    row_offsets.push_back(row_columns.size());
  }
  for (std::size_t j = 0; j < kept_.size(); ++j) {
    sums_of_squares_[j] -= num_rows * offsets_[j] * offsets_[j];
  }
  sparse_ =
      SparseMatrix(kept_.size(), std::move(row_offsets), std::move(row_columns), std::move(values));
}

void CentredMatrix::multiply(std::span<const double> u, std::span<double> out) const {
  const double shift = dot(offsets_, u);
  for (std::size_t i = 0; i < rows(); ++i) out[i] = dot(sparse_.row(i), u) - shift;
}

void CentredMatrix::multiply_transposed(std::span<const double> r, std::span<double> out) const {
  double total = 0;
  for (const double value : r) total += value;
  for (std::size_t j = 0; j < cols(); ++j) out[j] = -offsets_[j] * total;
  for (std::size_t i = 0; i < rows(); ++i) {
    const SparseMatrix::Row row = sparse_.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) out[row.columns[k]] += row.values[k] * r[i];
  }
}

Matrix<double> CentredMatrix::column_gram(const Context& context) const {
  Matrix<double> gram = gram_matrix(context, sparse_);
  const auto num_rows = static_cast<double>(rows());
  for (std::size_t a = 0; a < cols(); ++a) {
    context.poll();
    for (std::size_t b = 0; b <= a; ++b) gram(a, b) -= num_rows * (offsets_[a] * offsets_[b]);
  }
  return gram;
}

Matrix<double> CentredMatrix::row_gram(const Context& context) const {
  Matrix<double> gram = gram_matrix(context, sparse_.transposed());
  std::vector<double> cross(rows());
  for (std::size_t i = 0; i < rows(); ++i) cross[i] = dot(sparse_.row(i), offsets_);
  const double constant = dot(offsets_, offsets_);
  for (std::size_t a = 0; a < rows(); ++a) {
    context.poll();
    for (std::size_t b = 0; b <= a; ++b) gram(a, b) += constant - (cross[a] + cross[b]);
  }
  return gram;
}

std::vector<double> CentredMatrix::expand(std::span<const double> slopes) const {
  std::vector<double> all(num_source_cols_, 0.0);
  for (std::size_t j = 0; j < cols(); ++j) all[kept_[j]] = slopes[j];
  return all;
}

double CentredMatrix::intercept_shift(std::span<const double> slopes) const {
  return -dot(means_, slopes);
}

}  // namespace cone
