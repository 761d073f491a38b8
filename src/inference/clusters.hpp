#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Groups whose members several processes have. Called by all of them.
class SpreadGroups {
 public:
  virtual ~SpreadGroups() = default;
  /// How many groups this process has members of.
  virtual std::size_t num_here() const = 0;
  /// `sums`: over own members, groups here × columns. Returns the sums over all members of the
  /// groups that this process keeps: every group is kept by one.
  virtual Matrix<double> allreduce(const Matrix<double>& sums) const = 0;
};

/// Groups of nodes.
struct Clustering {
  /// One per node, 0 to count − 1; empty where there are none. Of spread groups 0 to num_here()
  /// − 1.
  std::vector<std::uint32_t> of;
  std::size_t count = 0;  ///< of all processes
  bool given = false;     ///< by the user; else found in the network
  /// Ends of edges that lead out of their cluster, as a share of all. 0 means that no edge leaves
  /// its cluster.
  double cut_share = 0;
  std::shared_ptr<const SpreadGroups> spread = nullptr;  ///< nullptr: all members are here
};

/// Sums over the members, groups × columns, of x with one row per node that is here. Of spread
/// groups, one row for each that this process keeps.
Matrix<double> sum_by_group(const Clustering& clusters, MatrixView<const double> x);

/// Groups with many edges inside and few between, by moving nodes to the neighbouring group that
/// raises the modularity most, then groups as wholes (Blondel, Guillaume, Lambiotte and Lefebvre
/// 2008). `order` is the order in which nodes are looked at, a permutation: one that goes with the
/// nodes' names makes the result independent of their order in the file. Nodes without neighbours
/// are groups of one. O(edges) per pass.
Clustering find_clusters(const Context& context, const Graph& graph,
                         std::span<const NodeIndex> order);

/// The clusters that the data brings, else those found in its network; none without either. Nodes
/// are looked at in the order of their names, so that the order of the file does not matter.
Clustering cluster_nodes(const Context& context, const Dataset& data);

/// Numbers the labels from 0 in the order of first appearance, and measures the cut.
Clustering take_clusters(const Graph& graph, std::span<const std::uint32_t> labels);

}  // namespace cone
