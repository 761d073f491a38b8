#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"

#include "distributed/node_rows.hpp"

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

/// Proposes a partition of a network, e.g. by PT-Scotch. Functions are collective.
class Partitioner {
 public:
  virtual ~Partitioner() = default;
  /// Whether the network is not too large for it.
  virtual bool fits(const GlobalData& global, const NodeRows& rows) const = 0;
  /// The rank that every row is assigned to; the sums of weights per rank are about equal. Throws
  /// CollectiveError where the network is too large.
  virtual std::vector<std::uint32_t> assign_rows(const GlobalData& global, const NodeRows& rows,
                                                 std::span<const std::uint32_t> weights) const = 0;
};

/// Moves nodes to the partitioner's ranks where that is requested or pays; leaves them where they
/// are without a partitioner. Nodes must be on the ranks that read them. Collective.
PartitionReport repartition(const Context& context, const Communicator& comm, Partition choice,
                            const Partitioner* partitioner, const GlobalData& global,
                            NodeRows& rows);

}  // namespace cone::distributed
