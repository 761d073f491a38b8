#include <algorithm>
#include <utility>
#include <vector>

#include "distributed/node_rows.hpp"

namespace cone::distributed {
namespace {

/// Sends values of rows (concatenated) to their new owners. Parts are joined in rank order, so rows
/// keep their order. One field is sent at a time, which keeps the buffers small.
template <class T, class CountOf>
std::vector<T> move_values(const Communicator& comm, std::span<const std::uint32_t> owner,
                           const CountOf& count_of, std::vector<T> values) {
  std::vector<std::size_t> sizes(comm.size(), 0);
  for (std::size_t i = 0; i < owner.size(); ++i) sizes[owner[i]] += count_of(i);
  std::vector<std::vector<T>> parts(comm.size());
  for (std::size_t to = 0; to < parts.size(); ++to) parts[to].reserve(sizes[to]);
  auto next = values.begin();
  for (std::size_t i = 0; i < owner.size(); ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(count_of(i));
    parts[owner[i]].insert(parts[owner[i]].end(), next, end);
    next = end;
  }
  values = std::vector<T>();
  std::vector<std::vector<T>> received = comm.alltoallv(std::move(parts));
  std::size_t total = 0;
  for (const std::vector<T>& part : received) total += part.size();
  values.reserve(total);
  for (std::vector<T>& part : received) {
    values.insert(values.end(), part.begin(), part.end());
    part = std::vector<T>();
  }
  return values;
}

template <class T>
std::vector<T> move_values(const Communicator& comm, std::span<const std::uint32_t> owner,
                           std::vector<T> values) {
  return move_values(
      comm, owner, [](std::size_t) { return std::size_t{1}; }, std::move(values));
}

Matrix<double> move_table(const Communicator& comm, std::span<const std::uint32_t> owner,
                          Matrix<double> table) {
  const std::size_t width = table.cols();
  std::vector<double> values(table.values().begin(), table.values().end());
  table = {};
  values = move_values(
      comm, owner, [&](std::size_t) { return width; }, std::move(values));
  Matrix<double> out(width == 0 ? 0 : values.size() / width, width);
  std::copy(values.begin(), values.end(), out.data());
  return out;
}

/// Sends the rows' numbers of entries to their new owners; returns them as offsets.
std::vector<std::uint64_t> move_offsets(const Communicator& comm,
                                        std::span<const std::uint32_t> owner,
                                        std::span<const std::uint64_t> offsets) {
  std::vector<std::uint64_t> counts;
  counts.reserve(owner.size());
  for (std::size_t i = 0; i < owner.size(); ++i) counts.push_back(offsets[i + 1] - offsets[i]);
  counts = move_values(comm, owner, std::move(counts));
  std::vector<std::uint64_t> out = {0};
  out.reserve(counts.size() + 1);
  for (const std::uint64_t count : counts) out.push_back(out.back() + count);
  return out;
}

}  // namespace

Blocks Blocks::make(const Communicator& comm, std::uint64_t num_own) {
  Blocks out;
  out.first.push_back(0);
  for (const std::uint64_t size : comm.allgather(num_own)) {
    out.first.push_back(out.first.back() + size);
  }
  return out;
}

std::size_t Blocks::owner_of(std::uint64_t number) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first, number) - first.begin()) - 1;
}

void move_rows(const Communicator& comm, std::span<const std::uint32_t> owner, NodeRows& rows) {
  rows.number = move_values(comm, owner, std::move(rows.number));
  rows.hash = move_values(comm, owner, std::move(rows.hash));
  rows.arm = move_values(comm, owner, std::move(rows.arm));
  rows.outcome = move_values(comm, owner, std::move(rows.outcome));
  const auto keep_rows = [&](Matrix<double>& table) {  // a table without columns has rows too
    table = move_table(comm, owner, std::move(table));
    if (table.cols() == 0) table = Matrix<double>(rows.size(), 0);
  };
  keep_rows(rows.numeric);
  for (Matrix<double>* table : {&rows.truth, &rows.propensity, &rows.mu, &rows.columns}) {
    keep_rows(*table);
  }
  for (Matrix<double>& policy : rows.policies) keep_rows(policy);
  const auto degree = [&](std::size_t i) {
    return rows.edge_offsets[i + 1] - rows.edge_offsets[i];
  };
  rows.neighbours = move_values(comm, owner, degree, std::move(rows.neighbours));
  rows.edge_offsets = move_offsets(comm, owner, rows.edge_offsets);
  const std::size_t num_counts = rows.counts.cols();
  const auto num_entries = [&](std::size_t i) { return rows.counts.row(i).size(); };
  std::vector<std::uint32_t> columns(rows.counts.columns().begin(), rows.counts.columns().end());
  columns = move_values(comm, owner, num_entries, std::move(columns));
  std::vector<double> values(rows.counts.values().begin(), rows.counts.values().end());
  values = move_values(comm, owner, num_entries, std::move(values));
  std::vector<std::uint64_t> offsets = move_offsets(comm, owner, rows.counts.offsets());
  rows.counts = SparseMatrix(num_counts, std::move(offsets), std::move(columns), std::move(values));
}

}  // namespace cone::distributed
