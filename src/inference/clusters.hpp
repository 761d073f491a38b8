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

#include "data/node_communities.hpp"

namespace cone {

/// Groups whose members are distributed over ranks. Collective: called by all ranks.
class DistributedGroups {
 public:
  virtual ~DistributedGroups() = default;
  /// Number of groups with members on this rank.
  virtual std::size_t num_local() const = 0;
  /// `sums`: over local members, local groups × columns. Returns the sums over all members of the
  /// groups that this rank owns: every group has one owner.
  virtual Matrix<double> reduce_to_owners(const Matrix<double>& sums) const = 0;
};

/// Groups of nodes.
struct Clustering {
  /// One per node, 0 to count − 1; empty where there are none. Of distributed groups 0 to
  /// num_local() − 1.
  std::vector<std::uint32_t> of;
  std::size_t count = 0;  ///< over all ranks
  bool given = false;     ///< by the user; else found in the network
  /// Share of the edge ends that lead out of their cluster.
  double cut_share = 0;
  std::shared_ptr<const DistributedGroups> distributed = nullptr;  ///< nullptr: all local
};

/// Sums over the members, groups × columns, of x with one row per local node. Of distributed
/// groups, one row for each that this rank owns.
Matrix<double> sum_by_group(const Clustering& clusters, MatrixView<const double> x);

/// The given clusters of the data, else the communities of its network; none without either.
/// `found`: its communities; nullptr: to be searched. Collective.
Clustering cluster_nodes(const Context& context, const Dataset& data,
                         const NodeCommunities* found = nullptr);

/// Numbers the labels from 0 in the order of first appearance, and measures the cut.
Clustering take_clusters(const Graph& graph, std::span<const std::uint32_t> labels);

}  // namespace cone
