#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cone {

/// Compressed sparse rows. Columns ascend within a row and appear once; explicit zeros are allowed.
/// 12 bytes per entry, 8 bytes per row.
class SparseMatrix {
 public:
  struct Row {
    std::span<const std::uint32_t> columns;
    std::span<const double> values;
    std::size_t size() const { return columns.size(); }
  };

  SparseMatrix() : offsets_(1, 0) {}
  /// Takes finished arrays; throws Error(kInternal) unless they form a valid matrix (checked in
  /// one pass: offsets ascend, columns ascend within a row and are below num_cols).
  SparseMatrix(std::size_t num_cols, std::vector<std::uint64_t> offsets,
               std::vector<std::uint32_t> columns, std::vector<double> values);

  std::size_t rows() const { return offsets_.size() - 1; }
  std::size_t cols() const { return num_cols_; }
  std::size_t num_entries() const { return columns_.size(); }
  Row row(std::size_t i) const {
    const std::uint64_t begin = offsets_[i];
    const std::uint64_t size = offsets_[i + 1] - begin;
    return {{columns_.data() + begin, size}, {values_.data() + begin, size}};
  }

  std::span<const std::uint64_t> offsets() const { return offsets_; }
  std::span<const std::uint32_t> columns() const { return columns_; }
  std::span<const double> values() const { return values_; }

  /// The rows named by `rows`, in that order. O(entries taken).
  SparseMatrix select_rows(std::span<const std::uint32_t> rows) const;
  /// O(rows + cols + entries).
  SparseMatrix transposed() const;

 private:
  std::size_t num_cols_ = 0;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
};

/// The dot product of one sparse row with a dense vector of the matrix's width.
inline double dot(const SparseMatrix::Row& row, std::span<const double> dense) {
  double sum = 0;
  for (std::size_t k = 0; k < row.size(); ++k) sum += row.values[k] * dense[row.columns[k]];
  return sum;
}

}  // namespace cone
