#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/context.hpp"

#include "distributed/blocks.hpp"
#include "distributed/id_directory.hpp"
#include "distributed/node_rows.hpp"
#include "distributed/ranks.hpp"

namespace cone::distributed {

/// Nodes and ends of edges, together, of the largest network that communities are looked for
/// in. The search moves one node after the other, so one rank has the network for it: 40 bytes per
/// end where the network has no parts, and 100 per node; 1.5 GB at 2^25 where units have a dozen
/// neighbours.
inline constexpr std::uint64_t kMostForGroups = std::uint64_t{1} << 25U;

/// Whether the network has edges and is small enough.
bool can_find_groups(const WholeData& whole);

/// Fills rows.group with the communities that one machine finds: the first rank gathers the
/// network and the order of the ids and looks for them with the same function, while the others
/// wait. Leaves it empty where can_find_groups says no. Nodes must be where they were read. Called
/// by all ranks.
void find_groups(const Context& context, const Ranks& ranks, const IdDirectory& ids,
                 const Blocks& blocks, NodeRows& rows, WholeData& whole);

/// Says so where the network was too large to look for groups.
void warn_of_missing_groups(const WholeData& whole, std::vector<std::string>& warnings);

}  // namespace cone::distributed
