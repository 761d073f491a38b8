#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/community_features.hpp"

namespace cone {

/// ‖Σ_j x_j‖², x_j the features of neighbour j, of every position: count and numeric features.
struct NeighbourNorms {
  std::vector<double> counts;
  std::vector<double> numeric;
};

/// The features and the network of a dataset with the nodes sorted by arm: the nodes of an arm are
/// one range of rows, and the neighbours of a node that are in an arm are one range of its list.
/// "Position" is a node's row index in this order. On several ranks these are the rank's own nodes,
/// and lists name ghosts by the rows behind them.
///
/// Count features become their square roots in rows of unit length; numeric features are
/// standardised over all nodes; those that are constant or copies of an earlier one
/// (column_copies.hpp) are dropped. Outcomes are not used.
struct RidgeInputs {
  const Communicator* comm = &Communicator::self();
  std::shared_ptr<const DistributedRows> distributed;  ///< null in one process
  std::vector<NodeIndex> node_at;                      ///< position → node
  std::vector<std::uint32_t> position_of;              ///< node → position
  std::vector<std::size_t> arm_begin;                  ///< arms + 1: the positions of arm a
  std::shared_ptr<const NeighbourLists> lists;         ///< of positions
  std::vector<double> degree;
  std::vector<double> relative_degree;  ///< degree / mean degree; 0 without edges
  std::vector<double> inverse_degree;   ///< 1 / max(degree, 1)
  SparseMatrix counts;                  ///< positions × count features
  /// Positions × numeric features, last the exponential one (exponential_feature.hpp) if it was
  /// appended.
  Matrix<double> numeric;
  Matrix<double> smooth;  ///< positions × features of the Gaussian kernel
  double bandwidth = 0;   ///< of that kernel
  Matrix<double> curves;  ///< positions × features of curve_features.hpp
  CommunityFeatures communities;
  NeighbourNorms neighbour_norms;  ///< set by list_groups()

  std::size_t num_nodes() const { return node_at.size(); }
  std::size_t num_arms() const { return arm_begin.size() - 1; }
  std::size_t arm_size(std::size_t arm) const { return arm_begin[arm + 1] - arm_begin[arm]; }
  Arm arm_of(std::size_t position) const;
  std::span<const std::uint32_t> neighbours(std::size_t position) const {
    return lists->of(position);
  }
  /// Over all ranks.
  std::uint64_t num_nodes_of_all() const;
  std::uint64_t arm_size_of_all(std::size_t arm) const;
  bool has_edges() const;
  /// By which random vectors are drawn: the same whichever rank owns the node.
  std::uint64_t number_of(std::size_t position) const;
  std::size_t num_ghosts() const { return distributed ? distributed->remote.size() : 0; }
  /// Of tables of all positions: one row for every neighbour that another rank owns.
  const GhostRows& ghosts() const;
};

/// Features to derive: nonlinear ones from the numeric ones, communities from the network.
struct MadeFeatures {
  bool smooth = true;
  bool curves = true;
  bool communities = true;
  const NodeCommunities* found = nullptr;  ///< those of the network; nullptr: to be searched
};

/// O(entries + edges), and the cost of the derived features (smooth_features.hpp,
/// curve_features.hpp, community_features.hpp). Over the nodes of all ranks of the context.
RidgeInputs prepare_inputs(const Context& context, const Dataset& data, const MadeFeatures& made);

}  // namespace cone
