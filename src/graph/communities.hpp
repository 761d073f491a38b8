#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/graph.hpp"

namespace cone {

struct CommunityOptions {
  /// Larger values give more and smaller communities. Positive.
  double resolution = 1;
  int starts = 1;  ///< searches with other random choices; the best one is kept
};

/// Communities by modularity with a resolution (Reichardt and Bornholdt 2006, Statistical mechanics
/// of community detection), maximised by the Louvain method (Blondel, Guillaume, Lambiotte and
/// Lefebvre 2008, Fast unfolding of communities in large networks). One number per node, from 0 in
/// the order of first appearance. Nodes without neighbours are communities of one.
///
/// `keys`: one per node, distinct, such as hash64 of its id. They decide random choices and ties,
/// so that the order of the nodes does not matter.
std::vector<std::uint32_t> find_communities(const Context& context, const Graph& graph,
                                            std::span<const std::uint64_t> keys,
                                            const CommunityOptions& options = {});

}  // namespace cone
