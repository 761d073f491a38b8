#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "ops/attention.hpp"

namespace cone::ops {

/// Neighbours whose weights are computed before their rows are summed.
inline constexpr std::size_t kNeighbourBlock = 128;

/// Prefetch distance in rows. Their order is the graph's, which no hardware prefetcher can predict.
inline constexpr std::size_t kRowsAhead = 8;

/// Some neighbours of a node, and for each the neighbour kRowsAhead entries later, which may be in
/// one of the next rows of the graph.
struct NeighbourBlock {
  std::span<const std::uint32_t> nodes;
  const std::uint32_t* ahead;
};

/// Calls visit(NeighbourBlock) for all neighbours of node i, block by block; once with an empty
/// block where it has none.
template <class Visit>
void for_each_neighbour_block(const Adjacency& graph, std::size_t i, const Visit& visit) {
  const std::uint64_t end = graph.offsets[i + 1];
  std::uint64_t next = graph.offsets[i];
  do {
    const std::size_t count = std::min<std::uint64_t>(kNeighbourBlock, end - next);
    const std::uint32_t* const nodes = graph.neighbours.data() + next;
    const bool is_more_to_come = next + count + kRowsAhead <= graph.neighbours.size();
    visit(NeighbourBlock{{nodes, count}, is_more_to_come ? nodes + kRowsAhead : nodes});
    next += count;
  } while (next < end);
}

}  // namespace cone::ops
