#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/graph.hpp"

namespace cone {

/// Groups of nodes.
struct Clustering {
  std::vector<std::uint32_t> of;  ///< one per node, 0 to count − 1; empty where there are none
  std::size_t count = 0;
  bool given = false;  ///< by the user; else found in the network
  /// Ends of edges that lead out of their cluster, as a share of all. 0 means that no edge leaves
  /// its cluster.
  double cut_share = 0;
};

/// Groups with many edges inside and few between, by moving nodes to the neighbouring group that
/// raises the modularity most, then groups as wholes (Blondel, Guillaume, Lambiotte and Lefebvre
/// 2008). `order` is the order in which nodes are looked at, a permutation: one that goes with the
/// nodes' names makes the result independent of their order in the file. Nodes without friends are
/// groups of one. O(edges) per pass.
Clustering find_clusters(const Context& context, const Graph& graph,
                         std::span<const NodeIndex> order);

/// The clusters that the data brings, else those found in its network; none without either. Nodes
/// are looked at in the order of their names, so that the order of the file does not matter.
Clustering cluster_nodes(const Context& context, const Dataset& data);

/// Numbers the labels from 0 in the order of first appearance, and measures the cut.
Clustering take_clusters(const Graph& graph, std::span<const std::uint32_t> labels);

}  // namespace cone
