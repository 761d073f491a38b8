#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cone/context.hpp"

#include "distributed/node_rows.hpp"
#include "distributed/ranks.hpp"

namespace cone::distributed {

/// Which rank a node belongs to: the one that read its line, or the one that PT-Scotch puts it and
/// its neighbours on.
enum class Partition { kAuto, kNone, kScotch };

/// What a way to spread the nodes costs. A ghost is a node of another rank that own nodes are
/// connected to: its row travels in every iteration.
struct Cut {
  std::uint64_t num_ghosts = 0;      ///< of all ranks
  std::uint64_t largest_ghosts = 0;  ///< of the rank that has most
  double imbalance = 1;              ///< work of the rank that has most, over the mean
};

struct PartitionReport {
  bool moved = false;
  std::string reason;           ///< why nodes were moved or not
  std::optional<Cut> as_read;   ///< where it was counted
  std::optional<Cut> proposed;  ///< by PT-Scotch, where it was asked
};

/// Moves nodes to the ranks of their neighbours where that is asked for, or pays. Nodes must be
/// where they were read. Called by all ranks.
PartitionReport move_to_neighbours(const Context& context, const Ranks& ranks, Partition choice,
                                   const WholeData& whole, NodeRows& rows);

/// Whether nodes and edges are few enough for PETSc's integers. Called by all ranks.
bool scotch_can_count(const Ranks& ranks, const WholeData& whole, const NodeRows& rows);

/// The rank that PT-Scotch gives every row to; ranks get about equal sums of weights. Throws
/// SharedError where the network is larger than PETSc can count.
std::vector<std::uint32_t> ask_scotch(const Ranks& ranks, const WholeData& whole,
                                      const NodeRows& rows,
                                      const std::vector<std::uint32_t>& weights);

}  // namespace cone::distributed
