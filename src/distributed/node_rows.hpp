#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/evaluate.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

namespace cone::distributed {

/// The nodes of one rank with their data, as read. A node's number is its record in nodes.csv; rows
/// ascend by it.
struct NodeRows {
  std::vector<std::uint64_t> number;
  std::vector<std::uint64_t> hash;  ///< of the id: decides folds and samples
  std::vector<Arm> arm;
  std::vector<double> outcome;
  /// Features as read: dense ones, then sparse ones.
  Matrix<double> numeric;
  SparseMatrix counts;
  /// Potential outcomes, and nuisances given by the user: nodes × arms; no columns where there are
  /// none.
  Matrix<double> truth, propensity, mu;
  std::vector<std::uint64_t> edge_offsets = {0};
  std::vector<std::uint64_t> neighbours;  ///< node numbers, ascending, each once
  /// Survey weights, clusters and the columns that options name: see GlobalData.
  Matrix<double> columns;
  std::vector<Matrix<double>> policies;  ///< nodes × arms each

  std::size_t size() const { return number.size(); }
};

/// What all ranks know about the complete dataset.
struct GlobalData {
  std::uint64_t num_nodes = 0;
  EdgeListReport edges;
  std::vector<std::string> arms;  ///< labels, the control arm first
  std::vector<std::uint64_t> arm_sizes;
  std::vector<std::string> feature_names;
  std::size_t num_numeric_features = 0;  ///< the first ones; the others are count features
  /// The columns of NodeRows::columns: weights if there are any, clusters likewise, named ones.
  bool has_weight = false;
  bool has_cluster = false;
  std::vector<std::string> column_names;
  std::string outcome;  ///< its column
  std::vector<std::string> policy_names;
  std::vector<std::string> learnt_from;  ///< see PolicyOnData; one per policy
  std::vector<std::string> notes, warnings;
};

/// The partition in which nodes are read: every rank owns a range of node numbers.
struct Blocks {
  std::vector<std::uint64_t> first;  ///< ranks + 1: first node number of every rank, then the total

  /// Collective; `num_own`: number of nodes of this rank.
  static Blocks make(const Communicator& comm, std::uint64_t num_own);

  std::size_t owner_of(std::uint64_t number) const;
  std::uint64_t begin(const Communicator& comm) const { return first[comm.rank()]; }
};

/// The rank of every row, of a process that has all: ranges of about equal work in the given order
/// or, where that has fewer ghosts, in breadth-first order, which keeps neighbours together in
/// networks with geography.
std::vector<std::uint32_t> assign_rows(const NodeRows& rows, std::size_t num_ranks);

/// Sends every row to the rank `owner[row]`. Rows must ascend by number over the ranks, as after
/// reading; afterwards they ascend on every rank. Collective.
void move_rows(const Communicator& comm, std::span<const std::uint32_t> owner, NodeRows& rows);

/// Sorts this rank's nodes by arm and locates their neighbours. `comm` must outlive the result.
/// Collective.
EvaluationInput build_input(const Communicator& comm, NodeRows rows, GlobalData global);

}  // namespace cone::distributed
