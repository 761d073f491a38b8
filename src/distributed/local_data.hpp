#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cone/communicator.hpp"
#include "cone/dataset.hpp"
#include "cone/features.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/settings.hpp"

#include "distributed/node_rows.hpp"

namespace cone::distributed {

/// A rank's nodes, sorted by arm. A "position" is a node's row here.
struct LocalData {
  GlobalData global;
  std::shared_ptr<const DistributedRows> rows;  ///< numbers, ids' hashes and neighbours
  std::vector<std::size_t> arm_begin;           ///< arms + 1: the positions of arm a
  std::vector<double> outcome;
  std::vector<std::uint32_t> group;  ///< community; empty where not searched
  std::vector<int> fold;
  std::vector<double> relative_degree;
  SparseMatrix counts;                   ///< positions × count features
  Matrix<double> numeric;                ///< positions × numeric features
  std::vector<Matrix<double>> policies;  ///< positions × arms each
  Matrix<double> truth;                  ///< positions × arms; no columns where unknown

  std::size_t size() const { return outcome.size(); }
  std::size_t num_arms() const { return arm_begin.size() - 1; }
  Arm arm_of(std::size_t position) const;
  bool has_edges() const { return global.edges.num_edges > 0; }
};

/// Sorts the nodes by arm and locates their neighbours. Collective.
LocalData build_local_data(const Communicator& comm, NodeRows rows, GlobalData global);

/// Assigns the nodes of every arm to folds at random, by their ids and the seed, as in one process.
/// Throws Error(kData) where an arm has fewer nodes than there are folds. Collective.
void assign_folds(const Communicator& comm, int num_folds, std::uint64_t seed, LocalData& local);

/// This rank's part of cross_fit_plan, once folds are assigned; node indices are positions.
/// Selection folds are assigned for every task. Throws as assign_folds does. Collective.
FitPlan make_local_plan(const Communicator& comm, const PlanOptions& options, std::uint64_t seed,
                        const LocalData& local);

}  // namespace cone::distributed
