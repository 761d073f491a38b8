#include "linear/centred_matrix.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "exec/large_matrix.hpp"
#include "linear/centre_columns.hpp"
#include "linear/dense.hpp"

namespace cone {
namespace {

/// Over the rows of all ranks.
struct ColumnSummary {
  double num_entries = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double sum = 0;
};

/// Rows or entries of a pass between polls for cancellation.
constexpr std::size_t kItemsPerPoll = 4096;

void sum_summaries(const Communicator& comm, std::vector<ColumnSummary>& columns) {
  if (!comm.has_others()) return;
  std::vector<double> sums;
  std::vector<double> largest;
  for (const ColumnSummary& column : columns) {
    sums.insert(sums.end(), {column.num_entries, column.sum});
    largest.insert(largest.end(), {column.high, -column.low});
  }
  comm.allreduce(sums);
  comm.allreduce_max(largest);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j] = {.num_entries = sums[2 * j],
                  .low = -largest[2 * j + 1],
                  .high = largest[2 * j],
                  .sum = sums[2 * j + 1]};
  }
}

std::vector<ColumnSummary> summarise_columns(const Context& context, const SparseMatrix& x,
                                             double num_rows) {
  std::vector<ColumnSummary> columns(x.cols());
  std::vector<CompensatedSum> sums(x.cols());
  for (std::size_t k = 0; k < x.num_entries(); ++k) {
    if (k % kItemsPerPoll == 0) context.poll();
    ColumnSummary& column = columns[x.columns()[k]];
    const double value = x.values()[k];
    ++column.num_entries;
    column.low = std::min(column.low, value);
    column.high = std::max(column.high, value);
    sums[x.columns()[k]].add(value);
  }
  for (std::size_t j = 0; j < x.cols(); ++j) columns[j].sum = sums[j].value();
  sum_summaries(context.comm(), columns);
  for (ColumnSummary& column : columns) {
    if (column.num_entries < num_rows) {
      column.low = std::min(column.low, 0.0);
      column.high = std::max(column.high, 0.0);
    }
  }
  return columns;
}

std::vector<std::uint32_t> numbers_below(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

}  // namespace

CentredMatrix::CentredMatrix(const Context& context, const FeatureMatrix& x,
                             std::span<const std::uint32_t> rows)
    : comm_(&context.comm()), num_source_cols_(x.cols()), num_all_rows_(comm_->count(rows.size())) {
  if (!x.dense_columns().empty()) {
    CentredColumns centred = centre_columns(context, x.gather_dense_columns(rows));
    dense_ = std::move(centred.values);
    means_ = std::move(centred.means);
    sums_of_squares_ = std::move(centred.sums_of_squares);
    for (const std::uint32_t k : centred.kept) kept_.push_back(x.dense_columns()[k]);
  }
  take_sparse(context, x.sparse().select_rows(rows));
  num_stored_ = comm_->count(dense_.values().size() + sparse_.num_entries());
}

CentredMatrix::CentredMatrix(const Context& context, const FeatureMatrix& x)
    : CentredMatrix(context, x, numbers_below(x.rows())) {}

void CentredMatrix::take_sparse(const Context& context, const SparseMatrix& x) {
  constexpr std::uint32_t kDropped = std::numeric_limits<std::uint32_t>::max();
  const std::size_t first = num_dense();
  const std::vector<ColumnSummary> columns = summarise_columns(context, x, num_all_rows_);
  std::vector<std::uint32_t> position(x.cols(), kDropped);
  std::vector<double> mean;           // of the columns of S
  std::vector<std::uint32_t> filled;  // those stored with all their entries
  for (std::size_t j = 0; j < x.cols(); ++j) {
    const ColumnSummary& column = columns[j];
    if (!(column.low < column.high)) continue;
    position[j] = static_cast<std::uint32_t>(mean.size());
    kept_.push_back(static_cast<std::uint32_t>(j));
    mean.push_back(column.sum / num_all_rows_);
    const bool fill = 2 * column.num_entries > num_all_rows_;
    if (fill) filled.push_back(position[j]);
    offsets_.push_back(fill ? 0.0 : mean.back());
  }

  std::vector<std::uint64_t> row_offsets = {0};
  std::vector<std::uint32_t> row_columns;
  std::vector<double> values;
  std::vector<double> squares(mean.size(), 0.0);
  const auto append = [&](std::uint32_t j, double value) {
    row_columns.push_back(j);
    values.push_back(value);
    squares[j] += value * value;
  };
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (i % kItemsPerPoll == 0) context.poll();
    const SparseMatrix::Row row = x.row(i);
    auto next_filled = filled.begin();
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::uint32_t j = position[row.columns[k]];
      if (j == kDropped) continue;
      for (; next_filled != filled.end() && *next_filled < j; ++next_filled) {
        append(*next_filled, -mean[*next_filled]);
      }
      if (next_filled != filled.end() && *next_filled == j) {
        append(j, row.values[k] - mean[j]);
        ++next_filled;
      } else {
        append(j, row.values[k]);
      }
    }
    for (; next_filled != filled.end(); ++next_filled) append(*next_filled, -mean[*next_filled]);
    row_offsets.push_back(row_columns.size());
  }
  comm_->allreduce(squares);
  for (std::size_t j = 0; j < mean.size(); ++j) {
    squares[j] -= num_all_rows_ * offsets_[j] * offsets_[j];
  }
  means_.insert(means_.end(), mean.begin(), mean.end());
  sums_of_squares_.insert(sums_of_squares_.end(), squares.begin(), squares.end());
  sparse_ =
      SparseMatrix(mean.size(), std::move(row_offsets), std::move(row_columns), std::move(values));
  require(kept_.size() == first + mean.size(), "centred matrix: a column is missing");
}

void CentredMatrix::multiply(std::span<const double> u, std::span<double> out) const {
  const std::span<const double> u_sparse = u.subspan(num_dense());
  const double shift = dot(offsets_, u_sparse);
  if (num_dense() == 0) {
    for (std::size_t i = 0; i < rows(); ++i) out[i] = dot(sparse_.row(i), u_sparse) - shift;
    return;
  }
  multiply_columns(dense_.view(), u.first(num_dense()), out);
  if (sparse_.cols() == 0) return;
  for (std::size_t i = 0; i < rows(); ++i) out[i] += dot(sparse_.row(i), u_sparse) - shift;
}

void CentredMatrix::multiply_transposed(std::span<const double> r, std::span<double> out) const {
  if (num_dense() > 0) multiply_columns_transposed(dense_.view(), r, out.first(num_dense()));
  multiply_sparse_transposed(r, out.subspan(num_dense()));
  comm_->allreduce(out);
}

void CentredMatrix::multiply_sparse_transposed(std::span<const double> r,
                                               std::span<double> out_sparse) const {
  if (out_sparse.empty()) return;
  double total = 0;
  for (const double value : r) total += value;
  for (std::size_t j = 0; j < out_sparse.size(); ++j) out_sparse[j] = -offsets_[j] * total;
  for (std::size_t i = 0; i < rows(); ++i) {
    const SparseMatrix::Row row = sparse_.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) out_sparse[row.columns[k]] += row.values[k] * r[i];
  }
}

MatrixView<const double> CentredMatrix::read_rows(std::size_t begin, std::size_t count,
                                                  std::vector<double>& buffer) const {
  if (sparse_.cols() == 0) return {dense_.data() + begin, num_dense(), count, rows()};
  buffer.resize(count * cols());
  for (std::size_t j = 0; j < num_dense(); ++j) {
    std::copy_n(dense_.row(j).data() + begin, count, buffer.data() + j * count);
  }
  double* const out = buffer.data() + num_dense() * count;
  for (std::size_t j = 0; j < offsets_.size(); ++j) {
    std::fill_n(out + j * count, count, -offsets_[j]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const SparseMatrix::Row row = sparse_.row(begin + i);
    for (std::size_t k = 0; k < row.size(); ++k) out[row.columns[k] * count + i] += row.values[k];
  }
  return {buffer.data(), cols(), count};
}

Matrix<double> CentredMatrix::column_gram(const Context& context) const {
  Matrix<double> gram = gram_of_own_rows(context);
  comm_->allreduce(gram.values());
  return gram;
}

Matrix<double> CentredMatrix::gram_of_own_rows(const Context& context) const {
  const std::size_t first = num_dense();
  if (sparse_.cols() == 0) return column_products(context, dense_.view());
  Matrix<double> of_sparse = gram_matrix(context, sparse_);
  const auto num_rows = static_cast<double>(rows());
  for (std::size_t a = 0; a < sparse_.cols(); ++a) {
    context.poll();
    for (std::size_t b = 0; b <= a; ++b) of_sparse(a, b) -= num_rows * (offsets_[a] * offsets_[b]);
  }
  if (first == 0) return of_sparse;
  Matrix<double> gram = make_zero_matrix(context, cols(), cols());
  const Matrix<double> of_dense = column_products(context, dense_.view());
  for (std::size_t a = 0; a < first; ++a) {
    std::copy_n(of_dense.row(a).begin(), a + 1, gram.row(a).begin());
  }
  for (std::size_t a = 0; a < sparse_.cols(); ++a) {
    std::copy_n(of_sparse.row(a).begin(), a + 1,
                gram.row(first + a).begin() + static_cast<std::ptrdiff_t>(first));
  }
  std::vector<double> dense(first);
  // Dense columns sum to zero over all rows, so the offsets of the sparse columns do not enter
  // these products.
  for (std::size_t i = 0; i < rows(); ++i) {
    if (i % kItemsPerPoll == 0) context.poll();
    const SparseMatrix::Row row = sparse_.row(i);
    for (std::size_t j = 0; j < first; ++j) dense[j] = dense_(j, i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::span<double> out = gram.row(first + row.columns[k]);
      for (std::size_t j = 0; j < first; ++j) out[j] += row.values[k] * dense[j];
    }
  }
  return gram;
}

Matrix<double> CentredMatrix::row_gram(const Context& context) const {
  Matrix<double> gram = sparse_.cols() == 0 ? make_zero_matrix(context, rows(), rows())
                                            : gram_matrix(context, sparse_.transposed());
  if (num_dense() > 0) add_row_products(context, dense_.view(), gram);
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
