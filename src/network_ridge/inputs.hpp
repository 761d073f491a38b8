#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/features.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/community_features.hpp"

namespace cone {

/// The features and the network of a dataset with the nodes sorted by arm: the nodes of an arm are
/// one range of rows, and the neighbours of a node that are in an arm are one range of its list.
/// "Position" is a node's row index in this order.
///
/// Count features become their square roots in rows of unit length; numeric features are
/// standardised over all nodes; those that are constant or copies of an earlier one
/// (column_copies.hpp) are dropped. Outcomes are not used.
struct RidgeInputs {
  std::vector<NodeIndex> node_at;          ///< position → node
  std::vector<std::uint32_t> position_of;  ///< node → position
  std::vector<std::size_t> arm_begin;      ///< arms + 1: the positions of arm a
  Graph graph;                             ///< of positions
  std::vector<std::uint64_t>
      arm_split;  ///< positions × arms + 1: where the neighbours of (position, arm) start
  std::vector<double> degree;
  std::vector<double> relative_degree;     ///< degree / mean degree; 0 without edges
  std::vector<double> inverse_degree;      ///< 1 / max(degree, 1)
  SparseMatrix counts;                     ///< positions × count features
  SparseMatrix counts_transposed;          ///< count features × positions
  std::vector<std::uint64_t> count_split;  ///< count features × arms + 1, as arm_split
  /// Positions × numeric features, last the exponential one (exponential_feature.hpp) if it was
  /// appended.
  Matrix<double> numeric;
  Matrix<double> smooth;  ///< positions × features of the Gaussian kernel
  double bandwidth = 0;   ///< of that kernel
  Matrix<double> curves;  ///< positions × features of curve_features.hpp
  CommunityFeatures communities;

  std::size_t num_nodes() const { return node_at.size(); }
  std::size_t num_arms() const { return arm_begin.size() - 1; }
  bool has_edges() const { return graph.num_edges() > 0; }
  Arm arm_of(std::size_t position) const;
};

/// Features to derive: nonlinear ones from the numeric ones, communities from the network.
struct MadeFeatures {
  bool smooth = true;
  bool curves = true;
  bool communities = true;
};

/// O(entries + edges), and the cost of the derived features (smooth_features.hpp,
/// curve_features.hpp, community_features.hpp).
RidgeInputs prepare_inputs(const Context& context, const Dataset& data, const MadeFeatures& made);

}  // namespace cone
