#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "cone/ops/attention.hpp"

namespace cone::ops {

/// Neighbours whose weights are computed before their rows are added up.
inline constexpr std::size_t kNeighbourBlock = 128;

/// How many rows before its turn a row is asked for. Their order is the graph's, which no hardware
/// prefetcher can guess.
inline constexpr std::size_t kRowsAhead = 8;

/// Those a node attends to, in blocks: its neighbours and then, with self loops, itself.
class NeighbourBlocks {
 public:
  NeighbourBlocks(const Adjacency& graph, bool self_loops)
      : graph_(graph), self_loops_(self_loops) {}

  /// A block: the nodes, and for each the node some places further on, in the next rows of the
  /// graph if need be.
  struct Block {
    std::span<const std::uint32_t> nodes;
    const std::uint32_t* ahead;
  };

  /// Calls visit(Block) for node i; not at all where there is nobody.
  template <class Visit>
  void visit(std::size_t i, const Visit& visit) {
    const std::uint64_t end = graph_.offsets[i + 1];
    std::uint64_t next = graph_.offsets[i];
    bool is_self_due = self_loops_;
    while (next < end || is_self_due) {
      std::size_t count = std::min<std::uint64_t>(kNeighbourBlock, end - next);
      // Copying the numbers is cheap beside their rows, and saves a block of the node alone.
      std::copy_n(graph_.neighbours.data() + next, count, nodes_.data());
      look_ahead(next, count);
      next += count;
      if (is_self_due && count < kNeighbourBlock) {
        nodes_[count] = static_cast<std::uint32_t>(i);
        ahead_[count] = nodes_[count];
        ++count;
        is_self_due = false;
      }
      visit(Block{{nodes_.data(), count}, ahead_.data()});
    }
  }

 private:
  void look_ahead(std::uint64_t next, std::size_t count) {
    const std::size_t all = graph_.neighbours.size();
    const std::size_t from = std::min<std::size_t>(next + kRowsAhead, all);
    const std::size_t there = std::min(count, all - from);
    std::copy_n(graph_.neighbours.data() + from, there, ahead_.data());
    if (there < count) std::fill_n(ahead_.data() + there, count - there, nodes_[0]);
  }

  const Adjacency& graph_;
  bool self_loops_;
  std::array<std::uint32_t, kNeighbourBlock> nodes_{};
  std::array<std::uint32_t, kNeighbourBlock> ahead_{};
};

}  // namespace cone::ops
