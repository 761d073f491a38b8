#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/communicator.hpp"
#include "cone/context.hpp"

#include "distributed/blocks.hpp"
#include "distributed/node_rows.hpp"

namespace cone::distributed {

/// Community detection is limited to networks of this many nodes and edge ends together. It runs on
/// one rank, which needs up to 40 bytes per edge end (in a network without communities) and 100 per
/// node: 1.5 GB at 2^25 with a dozen neighbours per node.
inline constexpr std::uint64_t kMostForGroups = std::uint64_t{1} << 25U;

/// Whether the network has edges and is small enough.
bool can_find_groups(const GlobalData& global);

/// Sets rows.group to the communities that one process finds: the root gathers the network and the
/// hashes of the ids and runs find_communities, while the other ranks wait. Leaves it empty where
/// can_find_groups() is false. Nodes must be on the ranks that read them. Collective.
void find_groups(const Context& context, const Communicator& comm, const Blocks& blocks,
                 NodeRows& rows, GlobalData& global);

/// Warns where the network is too large for community detection.
void warn_of_missing_groups(const GlobalData& global, std::vector<std::string>& warnings);

}  // namespace cone::distributed
