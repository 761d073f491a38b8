#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cone/context.hpp"

#include "distributed/node_rows.hpp"
#include "distributed/ranks.hpp"

namespace cone::distributed {

/// How nodes are assigned to ranks: none: the rank that read the line owns the node; scotch: the
/// partition by PT-Scotch, which minimises cut edges; auto: PT-Scotch where it pays.
enum class Partition { kAuto, kNone, kScotch };

/// The cost of a partition. A ghost is a neighbour that another rank owns: its row is communicated
/// in every iteration.
struct Cut {
  std::uint64_t num_ghosts = 0;      ///< sum over all ranks
  std::uint64_t largest_ghosts = 0;  ///< maximum over the ranks
  double imbalance = 1;              ///< largest work of a rank over the mean
};

struct PartitionReport {
  bool moved = false;
  std::string reason;           ///< why nodes were moved or not
  std::optional<Cut> as_read;   ///< of the partition in which nodes were read
  std::optional<Cut> proposed;  ///< of PT-Scotch's partition, where it was run
};

/// Moves nodes to PT-Scotch's partition where that is requested or pays. Nodes must be on the ranks
/// that read them. Collective.
PartitionReport repartition(const Context& context, const Ranks& ranks, Partition choice,
                            const GlobalData& global, NodeRows& rows);

/// Whether the numbers of nodes and edges fit into PetscInt. Collective.
bool fits_scotch(const Ranks& ranks, const GlobalData& global, const NodeRows& rows);

/// The rank that PT-Scotch assigns every row to; the sums of weights per rank are about equal.
/// Throws CollectiveError where the network is too large for PetscInt.
std::vector<std::uint32_t> partition_with_scotch(const Ranks& ranks, const GlobalData& global,
                                                 const NodeRows& rows,
                                                 const std::vector<std::uint32_t>& weights);

}  // namespace cone::distributed
