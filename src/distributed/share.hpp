#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/features.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/settings.hpp"

#include "distributed/ghosts.hpp"
#include "distributed/node_rows.hpp"
#include "network_ridge/neighbour_lengths.hpp"

namespace cone::distributed {

/// A rank's nodes as the equations see them, with the nodes of an arm next to each other.
/// "Position" is a node's row here; rows behind the own ones are ghosts, nodes of other ranks that
/// own nodes are connected to. What the network ridge of one machine calls RidgeInputs.
struct Share {
  WholeData whole;
  std::vector<std::uint64_t> number;   ///< position → record in nodes.csv
  std::vector<std::uint64_t> hash;     ///< of the ids
  std::vector<std::size_t> arm_begin;  ///< arms + 1: the positions of arm a
  std::vector<double> outcome;
  std::vector<std::uint32_t> group;  ///< of neighbours; empty where none are known
  std::vector<int> fold;
  std::vector<double> degree, relative_degree, inverse_degree;
  /// Neighbours of every position, as rows of a table with ghosts; those of an arm are next to each
  /// other.
  std::vector<std::uint64_t> list_offsets;  ///< positions + 1
  std::vector<std::uint64_t> arm_offsets;   ///< positions × arms + 1: where (position, arm) starts
  std::vector<std::uint32_t> lists;
  Ghosts ghosts;
  std::vector<RemotePosition> remote;     ///< where the ghosts are
  SparseMatrix words;                     ///< positions × words, rows of unit length
  SparseMatrix positions_of_words;        ///< words × positions
  std::vector<std::uint64_t> word_split;  ///< words × arms + 1, as arm_offsets
  Matrix<double> columns;                 ///< positions × measurements, standardised
  Matrix<double> smooth, curves;          ///< features made of them
  bool is_scaled = false;                 ///< words and columns are as the equations see them
  NeighbourLengths lengths;               ///< of the positions' neighbours, set with the groups
  std::vector<Matrix<double>> policies;   ///< positions × arms each
  Matrix<double> truth;                   ///< positions × arms, or no columns

  std::size_t size() const { return number.size(); }
  std::size_t num_arms() const { return arm_begin.size() - 1; }
  Arm arm_of(std::size_t position) const;
  bool has_edges() const { return whole.edges.num_edges > 0; }
};

/// Puts the nodes in order and finds where their neighbours are. Features are left as they are.
Share place_nodes(const Ranks& ranks, NodeRows rows, WholeData whole);

/// Scales words and measurements as one machine does, and makes smooth features and curves of the
/// measurements where they are asked for. Once: does nothing where that is done.
struct MadeTogether {
  bool smooth = true;
  bool curves = true;
};
void scale_features(const Context& context, const Ranks& ranks, const MadeTogether& made,
                    Share& share);

/// Deals the nodes of every arm to folds as one machine does: by their ids and the seed. Throws
/// Error(kData) where an arm has fewer nodes than there are folds.
void assign_folds(const Ranks& ranks, int num_folds, std::uint64_t seed, Share& share);

/// This rank's part of what cross_fit_plan makes of all nodes, once they are dealt to folds: nodes
/// are positions. Selection folds are dealt anew for every task. Throws as assign_folds does.
FitPlan plan_own_nodes(const Ranks& ranks, const PlanOptions& options, std::uint64_t seed,
                       const Share& share);

}  // namespace cone::distributed
