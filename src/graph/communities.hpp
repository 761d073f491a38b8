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
  int starts = 2;  ///< searches with other random choices; the best one is kept
};

/// Communities that maximise modularity with a resolution (Reichardt and Bornholdt 2006,
/// Statistical mechanics of community detection) by the Leiden method (Traag, Waltman and van Eck
/// 2019, From Louvain to Leiden: guaranteeing well-connected communities), in which nodes move in
/// parallel. One number per node, from 0 in the order of first appearance. Communities are
/// connected; nodes without neighbours are communities of one.
///
/// `keys`: one per node, distinct, such as hash64 of its id. They decide random choices and ties:
/// the order of the nodes changes numbers only, and the number of threads nothing.
std::vector<std::uint32_t> find_communities(const Context& context, const Graph& graph,
                                            std::span<const std::uint64_t> keys,
                                            const CommunityOptions& options = {});

}  // namespace cone
