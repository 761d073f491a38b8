#include <algorithm>
#include <numeric>

#include "distributed/node_rows.hpp"

namespace cone::distributed {
namespace {

/// All nodes, breadth first from every start that is not listed yet.
std::vector<std::size_t> list_breadth_first(const NodeRows& rows,
                                            std::span<const std::size_t> starts) {
  std::vector<char> is_listed(rows.size(), 0);
  std::vector<std::size_t> out;
  out.reserve(rows.size());
  const auto list = [&](std::size_t i) {
    if (is_listed[i] == 0) out.push_back(i);
    is_listed[i] = 1;
  };
  std::size_t next = 0;
  for (const std::size_t start : starts) {
    list(start);
    for (; next < out.size(); ++next) {
      for (std::uint64_t k = rows.edge_offsets[out[next]]; k < rows.edge_offsets[out[next] + 1];
           ++k) {
        list(rows.neighbours[k]);
      }
    }
  }
  return out;
}

/// Cuts a list of all nodes into ranges of about equal work, in units of reading one neighbour's
/// row in an iteration; the rank of every node.
std::vector<std::uint32_t> cut_into_ranges(const NodeRows& rows, std::span<const std::size_t> order,
                                           std::size_t num_ranks) {
  constexpr std::uint64_t kOncePerRow = 32;
  const auto work_of = [&](std::size_t i) {
    return kOncePerRow + rows.edge_offsets[i + 1] - rows.edge_offsets[i] +
           rows.counts.row(i).size();
  };
  std::uint64_t total = 0;
  for (const std::size_t i : order) total += work_of(i);
  std::vector<std::uint32_t> owner(rows.size());
  std::uint64_t before = 0;
  for (const std::size_t i : order) {
    owner[i] = static_cast<std::uint32_t>(before * num_ranks / total);
    before += work_of(i);
  }
  return owner;
}

/// The ghosts of all ranks: a node is one on every other rank that owns a neighbour of it.
std::uint64_t count_ghosts(const NodeRows& rows, std::span<const std::uint32_t> owner,
                           std::size_t num_ranks) {
  std::vector<std::size_t> counted_for(num_ranks, rows.size());
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::uint64_t k = rows.edge_offsets[i]; k < rows.edge_offsets[i + 1]; ++k) {
      const std::uint32_t rank = owner[rows.neighbours[k]];
      if (rank == owner[i] || counted_for[rank] == i) continue;
      counted_for[rank] = i;
      ++count;
    }
  }
  return count;
}

}  // namespace

std::vector<std::uint32_t> assign_rows(const NodeRows& rows, std::size_t num_ranks) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::uint32_t> as_given = cut_into_ranges(rows, order, num_ranks);
  if (num_ranks == 1) return as_given;
  // The last node is far from the first: from it, distances grow across the whole network.
  order = list_breadth_first(rows, order);
  std::ranges::reverse(order);
  order = list_breadth_first(rows, order);
  std::vector<std::uint32_t> by_distance = cut_into_ranges(rows, order, num_ranks);
  const bool is_better =
      count_ghosts(rows, by_distance, num_ranks) < count_ghosts(rows, as_given, num_ranks);
  return is_better ? by_distance : as_given;
}

}  // namespace cone::distributed
