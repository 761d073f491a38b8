#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

/// \file
/// Observed data: arms, ids, features, network, treatments, outcomes. The truth is separate.

namespace cone {

/// The number of an arm: its index in Dataset::arms. Arm 0 is the control arm.
using Arm = std::uint8_t;

inline constexpr Arm kControlArm = 0;
inline constexpr std::size_t kMaxArms = 16;

/// The word for nodes of an arm in sentences: "treated" and "untreated" where the labels are 1 and
/// 0, otherwise the label in quotes.
std::string arm_adjective(std::span<const std::string> labels, Arm arm);

/// Whether the labels are plain numbers of control and treatment: 0 and 1.
bool has_plain_labels(std::span<const std::string> labels);

/// Names of the columns of given outcome models and propensities: "mu0 and mu1", or "mu:LABEL"
/// where arms have other labels.
std::string outcome_model_columns(std::span<const std::string> labels);
std::string propensity_columns(std::span<const std::string> labels);

/// Columns of one length, one per arm, as a table nodes × arms.
Matrix<double> join_arms(std::span<const std::vector<double>> columns);

/// P(arm 1) of every node as a table of both arms: 1 − p and p.
Matrix<double> two_arm_probabilities(std::span<const double> treated);

/// Turns the logits of a node's arms into probabilities that sum to 1. With two arms, the second
/// has the sigmoid of the difference and the first has the rest.
void softmax_arms(std::span<double> logits);

/// One column of a table.
std::vector<double> arm_column(MatrixView<const double> table, Arm arm);

/// The ids of the nodes, any strings, in one block of memory, with a hash index from id to node.
/// Ids of up to eight bytes are compared inside the index, so finding one costs one cache miss.
/// Where the ids are "0", "1", ... in order they are their own index and finding one costs none.
/// Takes 8 bytes per id, its length, and 32 to 64 bytes of index (none where ids count).
class IdTable {
 public:
  static constexpr NodeIndex kAbsent = std::numeric_limits<NodeIndex>::max();

  IdTable() = default;

  /// Appends an id and returns its index, or, when it is there already, the index it has
  /// (`inserted` says which).
  struct Insertion {
    NodeIndex index;
    bool inserted;
  };
  Insertion insert(std::string_view id);
  void reserve(std::size_t num_ids, std::size_t num_bytes);

  std::optional<NodeIndex> find(std::string_view id) const;
  /// Finds many at once, overlapping their cache misses; kAbsent for an id that is not there.
  /// Both spans have the same length.
  void find_all(std::span<const std::string_view> ids, std::span<NodeIndex> indices) const;
  std::string_view operator[](NodeIndex i) const {
    return std::string_view(bytes_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  std::size_t size() const { return offsets_.size() - 1; }
  /// Bytes of all arrays.
  std::size_t num_bytes() const;

  /// "0", "1", ..., for data without ids.
  static IdTable numbered(std::size_t num_ids);

 private:
  /// What the index keeps of an id. `check` holds its length (up to 255) in the low byte and bits
  /// of its hash in the others.
  struct Key {
    std::uint64_t prefix;  // the first eight bytes, zeros beyond the end
    std::uint32_t check;
    bool operator==(const Key&) const = default;
  };
  /// Open addressing, power-of-two size, at most half full.
  struct Slot {
    std::uint64_t prefix = 0;
    std::uint32_t check = 0;
    std::uint32_t index_plus_one = 0;
  };
  struct Hashed {
    Key key;
    std::uint64_t hash;
  };

  static Hashed hash_of(std::string_view id);
  /// The slot that holds the id, or the empty one where it belongs.
  std::size_t locate(std::string_view id, const Hashed& hashed) const;
  void grow(std::size_t num_slots);

  bool is_counting_ = true;  // id i is the decimal of i, for all i; then there are no slots
  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  std::vector<Slot> slots_;
};

/// One row per node, one column per feature. The first `num_dense` columns are numeric features
/// (columns of nodes.csv): each has its own unit and zero. The others are count features (bags of
/// words: features.npz, features.csv, .mat files, --counts): they share one unit, and zero means
/// "absent". The kind is declared by the format or the user, never guessed from the values;
/// learners scale the two kinds differently. Loaders store numeric features densely where they are
/// not mostly zero (store_full_columns_densely).
struct FeatureTable {
  FeatureMatrix matrix;
  std::vector<std::string> names;  ///< one per column
  std::size_t num_dense = 0;

  std::size_t num_counts() const { return matrix.cols() - num_dense; }
};

/// A column of the node table that an option names and that is not a feature: costs of an arm,
/// a score that units are ranked by.
struct NamedColumn {
  std::string name;
  std::vector<double> values;  ///< one per node
};

/// The cost of assigning an arm to one unit, in units of the outcome.
struct ArmCost {
  std::string label;
  double cost = 0;     ///< the mean over the units where it varies
  std::string column;  ///< with the cost of each unit; empty where it is the same for all
};

/// The neighbours of every row of a table of nodes, as rows of the same table; those behind its end
/// are ghosts.
struct NeighbourLists {
  std::vector<std::uint64_t> offsets = {0};  ///< rows + 1: where those of a row start
  std::vector<std::uint64_t> arm_offsets;    ///< rows × arms + 1: where those in an arm start
  std::vector<std::uint32_t> rows;

  std::span<const std::uint32_t> of(std::size_t row) const {
    return std::span(rows).subspan(offsets[row], offsets[row + 1] - offsets[row]);
  }
};

/// The rows of a dataset whose nodes are distributed over ranks: its own ones, sorted by arm, and
/// what it knows of the others. The dataset's graph is empty then, and its ids are row numbers.
struct DistributedRows {
  const Communicator* comm = nullptr;  ///< outlives this
  std::uint64_t num_nodes = 0;         ///< of all ranks, as are the edges and the arms
  std::uint64_t num_edges = 0;
  std::vector<std::uint64_t> arm_sizes;
  std::vector<std::uint64_t> number;  ///< row, ghosts included → record in the node table
  std::vector<std::uint64_t> hash;    ///< of the own rows' ids
  std::shared_ptr<const NeighbourLists> lists;
  std::vector<RemoteRow> remote;  ///< owners of the ghosts
  std::shared_ptr<const GhostRows> ghosts;
};

/// The observed data: all that an estimator, a learner or a policy may use. The true potential
/// outcomes are not part of it (see Truth).
struct Dataset {
  IdTable ids;
  Graph graph;
  FeatureTable features;
  std::vector<std::string> arms = {"0", "1"};  ///< labels, the control arm first
  std::vector<Arm> treatment;   ///< the arm received; empty for a network without logged data
  std::vector<double> outcome;  ///< empty without logged data
  /// Nuisances given by the user, if any: nodes × arms.
  std::optional<Matrix<double>> propensity;
  std::optional<Matrix<double>> mu;
  /// Columns that other options name (LoadOptions::kept). No learner sees them.
  std::vector<NamedColumn> kept;
  /// Survey weights: one per node, none below 0, not all 0. Empty: all nodes weigh the same. Models
  /// are fitted without weights; means over units use them.
  std::vector<double> weight;
  /// The cluster of every node, as given: numbers from 0 in the order of first appearance. Empty:
  /// none was given.
  std::vector<std::uint32_t> cluster;
  /// Ids of rows that were left out because of missing values. Nothing is computed for them; a file
  /// of policies may list them.
  IdTable left_out;
  /// Null where all nodes are here.
  std::shared_ptr<const DistributedRows> distributed;

  std::size_t num_nodes() const { return ids.size(); }
  bool has_log() const { return distributed || !treatment.empty(); }
  std::size_t num_arms() const { return arms.size(); }
  /// Over all ranks that share the nodes; in one process its own.
  const Communicator& comm() const {
    return distributed ? *distributed->comm : Communicator::self();
  }
  std::uint64_t num_nodes_of_all() const {
    return distributed ? distributed->num_nodes : num_nodes();
  }
  std::uint64_t num_edges() const {
    return distributed ? distributed->num_edges : graph.num_edges();
  }
  /// The degree of an own node, its number in the order of the data, and the hash of its id.
  std::size_t degree(NodeIndex node) const {
    return distributed ? distributed->lists->of(node).size() : graph.degree(node);
  }
  std::uint64_t number_of(NodeIndex node) const {
    return distributed ? distributed->number[node] : node;
  }
  std::uint64_t hash_of(NodeIndex node) const;
  /// The neighbours' numbers, ascending.
  std::vector<std::uint64_t> neighbour_numbers(NodeIndex node) const;
  /// Effective sample size of the survey weights, (Σw)²/Σw² (Kish 1965, Survey Sampling); the
  /// number of nodes without weights.
  double effective_sample_size() const;
  /// How many nodes of all ranks received each arm.
  std::vector<std::size_t> arm_sizes() const;
  /// The kept column of that name; nullptr where there is none.
  const NamedColumn* find_kept(std::string_view name) const;
  /// 32 hexadecimal digits over everything above but kept columns and the ids left out: the same
  /// content has the same checksum in whatever format it was stored, and on however many ranks.
  /// Collective.
  std::string checksum() const;
  /// The same for a table with one row per own node, such as a policy.
  std::string checksum_of(MatrixView<const double> table) const;
  /// Of ids, treatments and outcomes alone, in any order of the nodes: the same logged data with
  /// other features, or from another file, has the same checksum.
  std::string log_checksum() const;
};

/// The potential outcomes of every node, known only in simulations. Gives the true value of a
/// policy; no learner or estimator takes it.
class Truth {
 public:
  /// nodes × arms.
  explicit Truth(Matrix<double> outcomes) : outcomes_(std::move(outcomes)) {}

  /// mean_i of Σ_a π_a(i)·y_i(a) over all nodes or the given ones; the policy is nodes × arms.
  double value(MatrixView<const double> policy) const;
  double value(MatrixView<const double> policy, std::span<const NodeIndex> nodes) const;
  /// The same with survey weights; `weight` has mean 1, or is empty.
  double value(MatrixView<const double> policy, std::span<const NodeIndex> nodes,
               std::span<const double> weight) const;

  MatrixView<const double> outcomes() const { return outcomes_.view(); }

 private:
  Matrix<double> outcomes_;
};

/// Disjoint node lists, each ascending, that together contain every node.
struct Split {
  std::vector<NodeIndex> train;
  std::vector<NodeIndex> validation;
  std::vector<NodeIndex> test;
};

/// How a loader read one column of the node table.
struct TableColumn {
  std::string name;
  /// "id", "treatment", "outcome", "weight", "cluster", "propensity", ..., "feature" or "ignored"
  std::string role;
  std::string kind;  ///< of a feature: "number", "indicator", "category" or "count"
  std::uint64_t num_missing = 0;
  std::size_t first_feature = 0;  ///< its columns in the feature table
  std::size_t num_features = 0;
};

/// What a loader returns.
struct LoadedData {
  Dataset observed;
  std::optional<Truth> truth;
  EdgeListReport edges;
  std::vector<TableColumn> columns;   ///< in the order of the file; empty for formats without them
  std::vector<std::string> notes;     ///< sentences for the user: choices of the loader
  std::vector<std::string> warnings;  ///< likely mistakes: to be shown wherever results are
};

}  // namespace cone
