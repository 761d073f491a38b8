#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Tables with one row for each of some nodes, complete on the root, where the rows are in the
/// order of the data. In one process they stay as they are. Functions are collective.
class RowsOnRoot {
 public:
  /// `nodes`: of this rank, in the order of the rows of its tables.
  RowsOnRoot(const Dataset& data, std::span<const NodeIndex> nodes)
      : comm_(data.comm()), is_distributed_(data.distributed != nullptr) {
    if (!is_distributed_) return;
    std::vector<std::vector<std::uint64_t>> numbers(comm_.size());
    for (const NodeIndex node : nodes) numbers.front().push_back(data.number_of(node));
    numbers = comm_.alltoallv(std::move(numbers));
    std::vector<std::uint64_t> all;
    for (const auto& part : numbers) all.insert(all.end(), part.begin(), part.end());
    std::ranges::sort(all);
    for (auto& part : numbers) {
      std::vector<std::size_t>& rows = row_of_.emplace_back();
      for (const std::uint64_t number : part) {
        rows.push_back(
            static_cast<std::size_t>(std::ranges::lower_bound(all, number) - all.begin()));
      }
    }
    num_rows_ = all.size();
  }

  /// The rows of all ranks on the root; an empty table on the others.
  template <class T>
  Matrix<T> gather(Matrix<T> own) const {
    if (!is_distributed_) return own;
    const std::size_t width = own.cols();
    std::vector<std::vector<T>> parts(comm_.size());
    parts.front().assign(own.values().begin(), own.values().end());
    parts = comm_.alltoallv(std::move(parts));
    if (!comm_.is_root()) return {};
    Matrix<T> out(num_rows_, width);
    for (std::size_t r = 0; r < parts.size(); ++r) {
      for (std::size_t k = 0; k < row_of_[r].size(); ++k) {
        std::copy_n(parts[r].data() + k * width, width, out.row(row_of_[r][k]).begin());
      }
    }
    return out;
  }
  /// Lists of entries, one per row: on the root where each of them starts, and all entries.
  template <class T>
  std::pair<std::vector<std::uint64_t>, std::vector<T>> gather_lists(
      std::span<const std::uint64_t> offsets, std::vector<T> entries) const {
    if (!is_distributed_) return {{offsets.begin(), offsets.end()}, std::move(entries)};
    Matrix<std::uint64_t> own(offsets.size() - 1, 1);
    for (std::size_t i = 0; i < own.rows(); ++i) own(i, 0) = offsets[i + 1] - offsets[i];
    const Matrix<std::uint64_t> sizes = gather(std::move(own));
    std::vector<std::vector<T>> parts(comm_.size());
    parts.front() = std::move(entries);
    parts = comm_.alltoallv(std::move(parts));
    if (!comm_.is_root()) return {{0}, {}};
    std::vector<std::uint64_t> begins(num_rows_ + 1, 0);
    for (std::size_t i = 0; i < num_rows_; ++i) begins[i + 1] = begins[i] + sizes(i, 0);
    std::vector<T> all(begins.back());
    for (std::size_t r = 0; r < parts.size(); ++r) {
      auto next = parts[r].begin();
      for (const std::size_t row : row_of_[r]) {
        const auto end = next + static_cast<std::ptrdiff_t>(sizes(row, 0));
        std::copy(next, end, all.begin() + static_cast<std::ptrdiff_t>(begins[row]));
        next = end;
      }
      parts[r] = {};
    }
    return {std::move(begins), std::move(all)};
  }
  /// Every rank's own rows of the root's table, `width` columns.
  template <class T>
  Matrix<T> scatter(Matrix<T> all, std::size_t width) const {
    if (!is_distributed_) return all;
    std::vector<std::vector<T>> parts(comm_.size());
    for (std::size_t r = 0; comm_.is_root() && r < parts.size(); ++r) {
      for (const std::size_t row : row_of_[r]) {
        parts[r].insert(parts[r].end(), all.row(row).begin(), all.row(row).end());
      }
    }
    const std::vector<T> own = std::move(comm_.alltoallv(std::move(parts)).front());
    Matrix<T> out(own.size() / width, width);
    std::ranges::copy(own, out.values().begin());
    return out;
  }
  /// The same for one value per row.
  template <class T>
  std::vector<T> gather_list(std::vector<T> own) const {
    return is_distributed_ ? to_list(gather(to_column(own))) : own;
  }
  template <class T>
  std::vector<T> scatter_list(std::vector<T> all) const {
    return is_distributed_ ? to_list(scatter(to_column(all), 1)) : all;
  }

 private:
  template <class T>
  static Matrix<T> to_column(const std::vector<T>& values) {
    Matrix<T> column(values.size(), 1);
    std::ranges::copy(values, column.values().begin());
    return column;
  }
  template <class T>
  static std::vector<T> to_list(const Matrix<T>& column) {
    return {column.values().begin(), column.values().end()};
  }

  const Communicator& comm_;
  bool is_distributed_;
  std::vector<std::vector<std::size_t>> row_of_;  ///< on the root, by rank
  std::size_t num_rows_ = 0;
};

/// Gathers a table with one row for each of this rank's `nodes` on the root, its rows in the order
/// of the data; empty on the other ranks. In one process the table itself. Collective.
template <class T>
Matrix<T> gather_rows(const Dataset& data, std::span<const NodeIndex> nodes, Matrix<T> own) {
  return RowsOnRoot(data, nodes).gather(std::move(own));
}

/// The same for one value per node, or for none on all ranks.
template <class T>
std::vector<T> gather_rows(const Dataset& data, std::span<const NodeIndex> nodes,
                           std::vector<T> own) {
  if (data.distributed && !data.comm().any(!own.empty())) return {};
  return RowsOnRoot(data, nodes).gather_list(std::move(own));
}

}  // namespace cone
