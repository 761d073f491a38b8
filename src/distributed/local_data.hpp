#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cone/communicator.hpp"
#include "cone/context.hpp"
#include "cone/features.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/settings.hpp"

#include "distributed/node_rows.hpp"
#include "network_ridge/neighbour_norms.hpp"

namespace cone::distributed {

/// A rank's nodes, sorted by arm, as the equations need them: the counterpart of RidgeInputs in one
/// process. A "position" is a node's row here; the rows behind them are ghosts, neighbours that
/// other ranks own.
struct LocalData {
  GlobalData global;
  std::vector<std::uint64_t> number;   ///< position → record in nodes.csv
  std::vector<std::uint64_t> hash;     ///< of the ids
  std::vector<std::size_t> arm_begin;  ///< arms + 1: the positions of arm a
  std::vector<double> outcome;
  std::vector<std::uint32_t> group;  ///< community; empty where not searched
  std::vector<int> fold;
  std::vector<double> degree, relative_degree, inverse_degree;
  /// Neighbours of every position, as rows of a table with ghosts, sorted by arm.
  std::vector<std::uint64_t> list_offsets;  ///< positions + 1
  std::vector<std::uint64_t> arm_offsets;   ///< positions × arms + 1: where (position, arm) starts
  std::vector<std::uint32_t> lists;
  std::vector<RemoteRow> remote;  ///< owners of the ghosts
  std::shared_ptr<const GhostRows> ghosts;
  SparseMatrix counts;                     ///< positions × count features, rows of unit length
  SparseMatrix counts_transposed;          ///< count features × positions
  std::vector<std::uint64_t> count_split;  ///< count features × arms + 1, as arm_offsets
  Matrix<double> numeric;                  ///< positions × numeric features, standardised
  Matrix<double> smooth, curves;           ///< features derived from the numeric ones
  bool is_scaled = false;                  ///< scale_features() was called
  NeighbourNorms neighbour_norms;          ///< set by list_ridge_groups()
  std::vector<Matrix<double>> policies;    ///< positions × arms each
  Matrix<double> truth;                    ///< positions × arms; no columns where unknown

  std::size_t size() const { return number.size(); }
  std::size_t num_arms() const { return arm_begin.size() - 1; }
  Arm arm_of(std::size_t position) const;
  bool has_edges() const { return global.edges.num_edges > 0; }
};

/// Sorts the nodes by arm and locates their neighbours. Features are not scaled. Collective.
LocalData build_local_data(const Communicator& comm, NodeRows rows, GlobalData global);

/// Which features to derive from the numeric ones.
struct DerivedFeatures {
  bool smooth = true;
  bool curves = true;
};
/// Scales count and numeric features as in one process, and derives features. Does nothing when
/// called again. Collective.
void scale_features(const Context& context, const Communicator& comm,
                    const DerivedFeatures& derived, LocalData& local);

/// Assigns the nodes of every arm to folds at random, by their ids and the seed, as in one process.
/// Throws Error(kData) where an arm has fewer nodes than there are folds. Collective.
void assign_folds(const Communicator& comm, int num_folds, std::uint64_t seed, LocalData& local);

/// This rank's part of cross_fit_plan, once folds are assigned; node indices are positions.
/// Selection folds are assigned for every task. Throws as assign_folds does. Collective.
FitPlan make_local_plan(const Communicator& comm, const PlanOptions& options, std::uint64_t seed,
                        const LocalData& local);

}  // namespace cone::distributed
