#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "cone/error.hpp"
#include "cone/matrix.hpp"

#include "base/hash.hpp"

namespace cone {
namespace {

/// A column is stored densely where at least one value in this many is nonzero.
constexpr double kDenseFromOneIn = 4;

std::vector<std::uint32_t> numbers_below(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

/// Hashes values that come one by one as if they were in one array.
template <class T>
class HashedStream {
 public:
  explicit HashedStream(Checksum& checksum) : checksum_(checksum) { buffer_.reserve(kSize); }
  void add(T value) {
    buffer_.push_back(value);
    if (buffer_.size() == kSize) flush();
  }
  void flush() {
    checksum_.add_bytes(buffer_.data(), buffer_.size() * sizeof(T));
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kSize = 4096;
  Checksum& checksum_;
  std::vector<T> buffer_;
};

}  // namespace

double FeatureMatrix::Row::at(std::uint32_t column) const {
  const auto find = [&](std::span<const std::uint32_t> columns, std::span<const double> values) {
    const auto found = std::lower_bound(columns.begin(), columns.end(), column);
    return found != columns.end() && *found == column
               ? values[static_cast<std::size_t>(found - columns.begin())]
               : 0.0;
  };
  // At most one of the two has it.
  return find(dense_columns, dense) + find(sparse.columns, sparse.values);
}

FeatureMatrix::FeatureMatrix(Matrix<double> dense)
    : dense_columns_(numbers_below(dense.cols())),
      dense_(std::move(dense)),
      sparse_(dense_.cols(), std::vector<std::uint64_t>(dense_.rows() + 1, 0), {}, {}) {}

FeatureMatrix::FeatureMatrix(std::vector<std::uint32_t> dense_columns, Matrix<double> dense,
                             SparseMatrix sparse)
    : dense_columns_(std::move(dense_columns)),
      dense_(std::move(dense)),
      sparse_(std::move(sparse)) {
  require(dense_.cols() == dense_columns_.size() &&
              (dense_columns_.empty() || dense_.rows() == sparse_.rows()),
          "feature matrix: the blocks differ in shape");
  require(std::is_sorted(dense_columns_.begin(), dense_columns_.end(), std::less_equal<>()) &&
              (dense_columns_.empty() || dense_columns_.back() < sparse_.cols()),
          "feature matrix: dense columns must ascend");
  std::vector<bool> is_dense(sparse_.cols(), false);
  for (const std::uint32_t j : dense_columns_) is_dense[j] = true;
  for (const std::uint32_t j : sparse_.columns()) {
    require(!is_dense[j], "feature matrix: a dense column has a sparse entry");
  }
}

std::size_t FeatureMatrix::num_entries() const {
  const std::span<const double> dense = dense_.values();
  const auto num_zeros = static_cast<std::size_t>(std::count(dense.begin(), dense.end(), 0.0));
  return dense.size() - num_zeros + sparse_.num_entries();
}

Matrix<double> FeatureMatrix::gather_dense_columns(std::span<const std::uint32_t> rows) const {
  auto out = Matrix<double>::unfilled(dense_.cols(), rows.size());
  constexpr std::size_t kRowsAtATime = 8;  // a cache line of every column
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsAtATime) {
    const std::size_t count = std::min(kRowsAtATime, rows.size() - begin);
    const double* from[kRowsAtATime];
    for (std::size_t i = 0; i < count; ++i) from[i] = dense_.row(rows[begin + i]).data();
    for (std::size_t d = 0; d < dense_.cols(); ++d) {
      double* to = out.row(d).data() + begin;
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i][d];
    }
  }
  return out;
}

FeatureMatrix FeatureMatrix::select_rows(std::span<const std::uint32_t> rows) const {
  FeatureMatrix out(sparse_.select_rows(rows));
  out.dense_columns_ = dense_columns_;
  if (dense_columns_.empty()) return out;
  out.dense_ = Matrix<double>::unfilled(rows.size(), dense_.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(dense_.row(rows[i]).begin(), dense_.cols(), out.dense_.row(i).begin());
  }
  return out;
}

FeatureMatrix FeatureMatrix::append_columns(const SparseMatrix& right) const {
  require(right.rows() == rows(), "feature matrix: columns of another length");
  const auto shift = static_cast<std::uint32_t>(cols());
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  offsets.reserve(rows() + 1);
  columns.reserve(sparse_.num_entries() + right.num_entries());
  values.reserve(sparse_.num_entries() + right.num_entries());
  for (std::size_t i = 0; i < rows(); ++i) {
    const SparseMatrix::Row first = sparse_.row(i);
    const SparseMatrix::Row second = right.row(i);
    columns.insert(columns.end(), first.columns.begin(), first.columns.end());
    for (const std::uint32_t column : second.columns) columns.push_back(column + shift);
    values.insert(values.end(), first.values.begin(), first.values.end());
    values.insert(values.end(), second.values.begin(), second.values.end());
    offsets.push_back(columns.size());
  }
  FeatureMatrix out(SparseMatrix(cols() + right.cols(), std::move(offsets), std::move(columns),
                                 std::move(values)));
  out.dense_columns_ = dense_columns_;
  out.dense_ = dense_;
  return out;
}

FeatureMatrix FeatureMatrix::scale_columns(std::span<const double> factor) const {
  require(factor.size() == cols(), "feature matrix: one factor per column");
  std::vector<double> values(sparse_.values().begin(), sparse_.values().end());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] *= factor[sparse_.columns()[k]];
  FeatureMatrix out(SparseMatrix(cols(), {sparse_.offsets().begin(), sparse_.offsets().end()},
                                 {sparse_.columns().begin(), sparse_.columns().end()},
                                 std::move(values)));
  out.dense_columns_ = dense_columns_;
  std::vector<double> of_dense;
  for (const std::uint32_t j : dense_columns_) of_dense.push_back(factor[j]);
  out.dense_ = Matrix<double>::unfilled(dense_.rows(), dense_.cols());
  for (std::size_t i = 0; i < dense_.rows(); ++i) {
    const double* const from = dense_.row(i).data();
    double* const to = out.dense_.row(i).data();
    for (std::size_t d = 0; d < of_dense.size(); ++d) to[d] = from[d] * of_dense[d];
  }
  return out;
}

SparseMatrix FeatureMatrix::to_sparse() const {
  if (dense_columns_.empty()) return sparse_;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  offsets.reserve(rows() + 1);
  columns.reserve(num_stored());
  values.reserve(num_stored());
  for (std::size_t i = 0; i < rows(); ++i) {
    row(i).for_each([&](std::uint32_t column, double value) {
      columns.push_back(column);
      values.push_back(value);
    });
    offsets.push_back(columns.size());
  }
  return {cols(), std::move(offsets), std::move(columns), std::move(values)};
}

void FeatureMatrix::add_to(Checksum& checksum) const {
  if (dense_columns_.empty()) {
    checksum.add(sparse_.offsets()).add(sparse_.columns()).add(sparse_.values());
    return;
  }
  const std::size_t total = num_entries();
  checksum.add_size(rows() + 1);
  HashedStream<std::uint64_t> offsets(checksum);
  std::uint64_t end = 0;
  offsets.add(end);
  for (std::size_t i = 0; i < rows(); ++i) {
    row(i).for_each([&](std::uint32_t, double) { ++end; });
    offsets.add(end);
  }
  offsets.flush();
  checksum.add_size(total);
  HashedStream<std::uint32_t> columns(checksum);
  for (std::size_t i = 0; i < rows(); ++i) {
    row(i).for_each([&](std::uint32_t column, double) { columns.add(column); });
  }
  columns.flush();
  checksum.add_size(total);
  HashedStream<double> values(checksum);
  for (std::size_t i = 0; i < rows(); ++i) {
    row(i).for_each([&](std::uint32_t, double value) { values.add(value); });
  }
  values.flush();
}

std::vector<double> count_column_entries(const SparseMatrix& x) {
  std::vector<double> out(x.cols(), 0.0);
  for (std::size_t k = 0; k < x.num_entries(); ++k) out[x.columns()[k]] += x.values()[k] != 0;
  return out;
}

FeatureMatrix store_full_columns_densely(SparseMatrix x, std::size_t num_candidates) {
  const std::vector<double> num_entries = count_column_entries(x);
  const auto num_rows = static_cast<double>(x.rows());
  return store_full_columns_densely(std::move(x), num_candidates, num_entries, num_rows);
}

FeatureMatrix store_full_columns_densely(SparseMatrix x, std::size_t num_candidates,
                                         std::span<const double> num_entries, double num_rows) {
  constexpr std::uint32_t kSparse = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> dense_index(x.cols(), kSparse);
  std::vector<std::uint32_t> dense_columns;
  for (std::uint32_t j = 0; j < num_candidates; ++j) {
    const bool is_full = num_entries[j] > 0 && num_entries[j] * kDenseFromOneIn >= num_rows;
    if (!is_full) continue;
    dense_index[j] = static_cast<std::uint32_t>(dense_columns.size());
    dense_columns.push_back(j);
  }
  if (dense_columns.empty()) return {std::move(x)};
  Matrix<double> dense(x.rows(), dense_columns.size());
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  offsets.reserve(x.rows() + 1);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const SparseMatrix::Row row = x.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (const std::uint32_t d = dense_index[row.columns[k]]; d != kSparse) {
        dense(i, d) = row.values[k];
      } else {
        columns.push_back(row.columns[k]);
        values.push_back(row.values[k]);
      }
    }
    offsets.push_back(columns.size());
  }
  const std::size_t num_cols = x.cols();
  return {std::move(dense_columns), std::move(dense),
          SparseMatrix(num_cols, std::move(offsets), std::move(columns), std::move(values))};
}

}  // namespace cone
