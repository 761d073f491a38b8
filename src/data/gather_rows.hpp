#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Gathers a table with one row for each of this rank's `nodes` on the root, its rows in the order
/// of the data; empty on the other ranks. In one process the table itself. Collective.
template <class T>
Matrix<T> gather_rows(const Dataset& data, std::span<const NodeIndex> nodes, Matrix<T> own) {
  if (!data.distributed) return own;
  const Communicator& comm = data.comm();
  const std::size_t width = own.cols();
  std::vector<std::vector<std::uint64_t>> numbers(comm.size());
  for (const NodeIndex node : nodes) numbers.front().push_back(data.number_of(node));
  std::vector<std::vector<T>> values(comm.size());
  values.front().assign(own.values().begin(), own.values().end());
  const auto numbers_of_rank = comm.alltoallv(std::move(numbers));
  const auto values_of_rank = comm.alltoallv(std::move(values));
  if (!comm.is_root()) return {};
  std::vector<std::pair<std::uint64_t, const T*>> rows;
  for (std::size_t r = 0; r < comm.size(); ++r) {
    for (std::size_t k = 0; k < numbers_of_rank[r].size(); ++k) {
      rows.emplace_back(numbers_of_rank[r][k], values_of_rank[r].data() + k * width);
    }
  }
  std::ranges::sort(rows);
  Matrix<T> out(rows.size(), width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(rows[i].second, width, out.row(i).begin());
  }
  return out;
}

/// The same for one value per node, or for none on all ranks.
template <class T>
std::vector<T> gather_rows(const Dataset& data, std::span<const NodeIndex> nodes,
                           const std::vector<T>& own) {
  if (!data.distributed) return own;
  if (!data.comm().any(!own.empty())) return {};
  Matrix<T> column(own.size(), 1);
  std::ranges::copy(own, column.values().begin());
  const Matrix<T> all = gather_rows(data, nodes, std::move(column));
  return {all.values().begin(), all.values().end()};
}

}  // namespace cone
