#include <algorithm>
#include <utility>

#include "cone/error.hpp"
#include "cone/matrix.hpp"

namespace cone {
SparseMatrix::SparseMatrix(std::size_t num_cols, std::vector<std::uint64_t> offsets,
                           std::vector<std::uint32_t> columns, std::vector<double> values)
    : num_cols_(num_cols),
      offsets_(std::move(offsets)),
      columns_(std::move(columns)),
      values_(std::move(values)) {
  require(!offsets_.empty() && offsets_.front() == 0, "sparse matrix: offsets must start at 0");
  require(offsets_.back() == columns_.size() && columns_.size() == values_.size(),
          "sparse matrix: offsets, columns and values disagree in length");
  // All offsets before any column: a later one may still point outside the array.
  require(std::is_sorted(offsets_.begin(), offsets_.end()), "sparse matrix: offsets must ascend");
  for (std::size_t i = 0; i + 1 < offsets_.size(); ++i) {
    for (std::uint64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
      require(columns_[k] < num_cols_, "sparse matrix: column out of range");
      require(k == offsets_[i] || columns_[k - 1] < columns_[k],
              "sparse matrix: columns must ascend within a row");
    }
  }
}

SparseMatrix SparseMatrix::select_rows(std::span<const std::uint32_t> rows) const {
  SparseMatrix out;
  out.num_cols_ = num_cols_;
  out.offsets_.reserve(rows.size() + 1);
  std::size_t size = 0;
  for (const std::uint32_t i : rows) size += offsets_[i + 1] - offsets_[i];
  out.columns_.reserve(size);
  out.values_.reserve(size);
  for (const std::uint32_t i : rows) {
    const Row source = row(i);
    out.columns_.insert(out.columns_.end(), source.columns.begin(), source.columns.end());
    out.values_.insert(out.values_.end(), source.values.begin(), source.values.end());
    out.offsets_.push_back(out.columns_.size());
  }
  return out;
}

SparseMatrix SparseMatrix::transposed() const {
  SparseMatrix out;
  out.num_cols_ = rows();
  out.offsets_.assign(num_cols_ + 1, 0);
  for (const std::uint32_t j : columns_) ++out.offsets_[j + 1];
  for (std::size_t j = 0; j < num_cols_; ++j) out.offsets_[j + 1] += out.offsets_[j];
  out.columns_.resize(columns_.size());
  out.values_.resize(values_.size());
  std::vector<std::uint64_t> next(out.offsets_.begin(), out.offsets_.end() - 1);
  for (std::size_t i = 0; i < rows(); ++i) {
    for (std::uint64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
      const std::uint64_t slot = next[columns_[k]]++;
      out.columns_[slot] = static_cast<std::uint32_t>(i);
      out.values_[slot] = values_[k];
    }
  }
  return out;
}

}  // namespace cone
