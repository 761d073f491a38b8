#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/feature_matrix.hpp"
#include "base/matrix.hpp"
#include "data/arms.hpp"
#include "data/id_table.hpp"
#include "graph/graph.hpp"

namespace cone {

/// One row per node, one column per feature. The first `num_dense` columns are measurements
/// (columns of nodes.csv): each has a unit and a zero of its own. The others are counts (bags of
/// words: features.npz, features.csv, .mat files, --counts): they share one unit, and zero means
/// "absent". The kind is declared by the format or the user, never guessed from the values;
/// learners scale the two kinds differently. Loaders store measurements densely where they are not
/// mostly zero (store_full_columns_densely).
struct FeatureTable {
  FeatureMatrix matrix;
  std::vector<std::string> names;  ///< one per column
  std::size_t num_dense = 0;

  std::size_t num_counts() const { return matrix.cols() - num_dense; }
};

/// Everything that was observed: all that an estimator, a learner or a policy may see. The true
/// potential outcomes are not in here (see Truth).
struct Dataset {
  IdTable ids;
  Graph graph;
  FeatureTable features;
  std::vector<std::string> arms = {"0", "1"};  ///< labels, the control arm first
  std::vector<Arm> treatment;   ///< which arm; empty where the data has no log (a raw network)
  std::vector<double> outcome;  ///< empty where the data has no log
  /// The user's own nuisances, where brought: nodes × arms.
  std::optional<Matrix<double>> propensity;
  std::optional<Matrix<double>> mu;
  /// Ids of lines that were left out for lack of a value. Nothing is computed for them; a file of
  /// policies may list them.
  IdTable left_out;

  std::size_t num_nodes() const { return ids.size(); }
  bool has_log() const { return !treatment.empty(); }
  std::size_t num_arms() const { return arms.size(); }
  /// How many nodes got each arm.
  std::vector<std::size_t> arm_sizes() const;
  /// 32 hexadecimal digits over everything above but the ids left out: the same content has the
  /// same checksum in whatever format it was stored.
  std::string checksum() const;
};

/// The outcome of every node under every arm, known only in simulations. Answers what a policy
/// would truly have achieved, and nothing in nuisance or estimate takes one.
class Truth {
 public:
  /// nodes × arms.
  explicit Truth(Matrix<double> outcomes) : outcomes_(std::move(outcomes)) {}

  /// mean_i of Σ_a π_a(i)·y_i(a) over all nodes or the given ones; the policy is nodes × arms.
  double utility(MatrixView<const double> policy) const;
  double utility(MatrixView<const double> policy, std::span<const NodeIndex> nodes) const;

  MatrixView<const double> outcomes() const { return outcomes_.view(); }

 private:
  Matrix<double> outcomes_;
};

/// What a loader made of one column of the table of nodes.
struct TableColumn {
  std::string name;
  std::string role;  ///< "id", "treatment", "outcome", "propensity", ..., "feature" or "ignored"
  std::string kind;  ///< of a feature: "number", "indicator", "category" or "count"
  std::uint64_t num_missing = 0;
  std::size_t first_feature = 0;  ///< the columns of the feature table that it became
  std::size_t num_features = 0;
};

/// What a loader returns.
struct LoadedData {
  Dataset observed;
  std::optional<Truth> truth;
  EdgeListReport edges;
  std::vector<TableColumn> columns;  ///< in the order of the file; empty for formats without them
  std::vector<std::string> notes;    ///< sentences for the user: choices made
  std::vector<std::string> doubts;   ///< likely mistakes: to be shown wherever results are
};

}  // namespace cone
