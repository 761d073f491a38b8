#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/estimate.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

/// \file
/// Policy learning: the decision tree with the best mean doubly robust score, and its cross-fitted
/// value. Athey and Wager 2021, Policy learning with observational data; Zhou, Athey
/// and Wager 2023, Offline multi-action policy learning: generalization and optimization.

namespace cone {

/// One node of a decision tree. Either a leaf, with the arm of its units, or a split
/// "column <= threshold" with the subtrees where it holds (left) and where it does not (right).
struct RuleNode {
  static constexpr std::int32_t kNone = -1;

  std::int32_t column = kNone;  ///< kNone: a leaf
  /// Half way between `below` and `above`, two neighbouring distinct values of the column among
  /// the units of this node that the tree was learnt from.
  double threshold = 0;
  double below = 0;
  double above = 0;
  std::int32_t left = kNone;  ///< indices in PolicyTree::nodes
  std::int32_t right = kNone;
  Arm arm = kControlArm;        ///< of a leaf
  std::uint64_t num_nodes = 0;  ///< units of this node that the tree was learnt from

  bool is_leaf() const { return column == kNone; }
};

/// Nodes in preorder: the root first, then the left subtree, then the right one.
struct PolicyTree {
  std::vector<RuleNode> nodes;

  /// The leaf that a row of column values ends in.
  const RuleNode& leaf_of(std::span<const double> row) const;
  std::size_t num_leaves() const;
};

struct TreeOptions {
  std::uint32_t depth = 2;
  std::uint64_t min_leaf = 10;
  double budget = 1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("depth", self.depth, "Maximum depth of the tree", between(1, 3));
    visitor("min_leaf", self.min_leaf, "Minimum number of units in a leaf", at_least(1));
    visitor("budget", self.budget,
            "Maximum share of units assigned to an arm other than the control arm", between(0, 1));
  }
};

/// The tree of depth at most options.depth with the largest sum of scores, where every unit counts
/// with the score of its assigned arm. `columns` is nodes × columns and `scores` nodes ×
/// arms (2 to 16), both finite.
///
/// Depths 1 and 2 are exact: no tree with leaves of at least min_leaf has a larger sum. Depth 3 is
/// a heuristic for the first split (docs/learn.md) and exact below it. Scores are compared as
/// whole multiples of a unit of about 1e-13 of the largest difference between two arms, so that
/// sums are the same in any order. Of trees with the same sum the one with fewer leaves is taken,
/// then the one whose first split is on an earlier column, then the one with the smaller
/// threshold, and so on in the left and then the right tree. A leaf takes the first of the arms
/// with the same sum.
///
/// With a budget below 1 every arm but the control arm is charged a price per unit, and the
/// smallest price for which the best tree keeps to the budget is found by bisection. Of all trees
/// met on the way the splits are kept and the arms of the leaves chosen within the budget; the one
/// with the largest sum is taken. This is a heuristic: it keeps to the budget, but another tree may
/// have a larger sum within it.
///
/// O(columns² · nodes · log(nodes) · arms²) for depth 2.
PolicyTree learn_tree(const Context& context, MatrixView<const double> columns,
                      MatrixView<const double> scores, const TreeOptions& options);

/// The outcome model of the scores.
enum class RuleOutcomeModel { kNetworkRidge, kRidge };

template <>
struct EnumNames<RuleOutcomeModel> {
  static constexpr std::array kNames = {
      std::pair{RuleOutcomeModel::kNetworkRidge, std::string_view("network_ridge")},
      std::pair{RuleOutcomeModel::kRidge, std::string_view("ridge")}};
};

/// Where the propensities of the scores come from.
enum class PropensitySource { kFitted, kGiven };

template <>
struct EnumNames<PropensitySource> {
  static constexpr std::array kNames = {
      std::pair{PropensitySource::kFitted, std::string_view("fitted")},
      std::pair{PropensitySource::kGiven, std::string_view("given")}};
};

struct LearnPolicyOptions {
  TreeOptions tree;
  std::vector<std::string> split_on;  ///< empty: everything
  std::uint32_t max_columns = 50;
  DirectionOptions direction;
  std::vector<std::string> cost;  ///< LABEL=NUMBER or LABEL=COLUMN
  RuleOutcomeModel outcome_model = RuleOutcomeModel::kNetworkRidge;
  PropensitySource propensities = PropensitySource::kFitted;
  bool randomised = false;
  int folds = 5;
  int selection_folds = 3;
  double level = 0.95;
  Dependence dependence = Dependence::kLargest;
  NuisanceOptions nuisance;
  NetworkRidgeOptions network_ridge;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    TreeOptions::visit(self.tree, visitor);
    visitor("split_on", self.split_on,
            "Columns that splits may use, of own (features), degree and neighbour_means (features "
            "averaged over neighbours); by default all of them");
    visitor("max_columns", self.max_columns,
            "Maximum number of columns that splits are chosen from", between(1, 50));
    DirectionOptions::visit(self.direction, visitor);
    visitor("cost", self.cost,
            "LABEL=NUMBER or LABEL=COLUMN: cost of assigning that arm to one unit, in units of the "
            "outcome; a column has the cost of each node and is then not a feature. Values are "
            "net of costs. May be repeated");
    visitor("outcome_model", self.outcome_model, "Outcome model");
    visitor("propensities", self.propensities,
            "Propensities: fit them, or take given columns of the data");
    visitor("randomised", self.randomised,
            "Declare that treatment was assigned at random given the features: verdicts then do "
            "not need the sensitivity interval (implied by --propensities given)");
    visitor("folds", self.folds, "Number of cross-fitting folds", between(3, 1000));
    visitor("selection_folds", self.selection_folds,
            "Number of inner folds for choosing regularisation strengths", between(2, 1000));
    visitor("level", self.level, "Confidence level of the intervals", strictly_between(0, 1));
    visitor("dependence", self.dependence,
            "Dependence between units assumed by standard errors; largest takes the largest usable "
            "error");
    NuisanceOptions::visit(self.nuisance, visitor);
    NetworkRidgeOptions::visit(self.network_ridge, visitor);
  }
  void check(std::vector<Fault>& faults) const;
};

/// The value of a policy for the population, and the gain of the learnt rule over it. Standard
/// errors are by the given dependence; by default, the largest of the usable ones. Intervals are by
/// t quantiles.
struct RuleValue {
  std::string name;
  double value = 0;
  double standard_error = 0;
  std::pair<double, double> sampling_interval;
  /// Of the learnt rule over this policy, paired by node.
  double gain = 0;
  double gain_error = 0;
  std::pair<double, double> sampling_gain_interval;
  /// Of the gain, for an unmeasured confounder as strong as what the network reveals, and how many
  /// times as strong one explains the gain away; none where the network gives no strength.
  std::optional<std::pair<double, double>> sensitivity_gain_interval;
  std::optional<double> overturning_strength;
  ComparisonVerdict verdict = ComparisonVerdict::kNotShown;  ///< on the gain
  std::string unreliable;  ///< why the gain's interval is not to be relied on; empty where it is
  double treated_fraction = 0;  ///< share of the nodes not assigned to the control arm
  bool within_budget = true;    ///< whether the policy was feasible for the rule
};

/// The tree that assigns arms in one fold, learnt from the others.
struct FoldRule {
  PolicyTree tree;
  std::vector<std::string> columns;  ///< that the tree splits on
};

enum class RuleVerdict {
  kBetter,     ///< than every single arm within the budget: no verdict on a gain is kNotShown
  kUnclear,    ///< some are, none is worse
  kWorse,      ///< than one of them
  kSingleArm,  ///< the tree is a leaf: all units get the same arm
};

template <>
struct EnumNames<RuleVerdict> {
  static constexpr std::array kNames = {
      std::pair{RuleVerdict::kBetter, std::string_view("better")},
      std::pair{RuleVerdict::kUnclear, std::string_view("unclear")},
      std::pair{RuleVerdict::kWorse, std::string_view("worse")},
      std::pair{RuleVerdict::kSingleArm, std::string_view("single_arm")}};
};

struct LearntPolicy {
  std::vector<std::string> arms;
  std::string outcome;               ///< its column; empty where that is not known
  std::vector<ArmCost> costs;        ///< one per arm
  std::vector<std::string> columns;  ///< that the tree may split on
  std::uint64_t num_candidates = 0;  ///< columns before screening
  PolicyTree tree;                   ///< learnt from all nodes
  std::vector<Arm> arm;              ///< assigned by the tree to every node
  std::vector<Arm> out_of_fold_arm;  ///< assigned by the tree learnt without the node's fold
  std::vector<FoldRule> folds;
  double price = 0;             ///< that keeps the tree within the budget, in units of the outcome
  double treated_fraction = 0;  ///< by the tree
  /// Of the tree by the scores it was learnt from: optimistic; reported to show by how much.
  double in_sample_value = 0;
  /// Out of fold. `gain` is 0.
  RuleValue rule;
  RuleValue logged;                ///< the logged policy
  RuleValue best_single;           ///< the best single arm, chosen out of fold like the tree
  std::vector<RuleValue> singles;  ///< each arm for all units
  RuleVerdict verdict = RuleVerdict::kUnclear;
  /// Treatment was assigned at random given the features, as declared or as the propensities are
  /// given, and the data do not contradict it: verdicts do not depend on sensitivity intervals.
  bool is_randomised = false;
  bool strength_is_clear = true;  ///< see Decision
  std::vector<std::string> warnings;
};

/// Expected time of learn_policy().
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const LearnPolicyOptions& options);

/// Learns a rule from logged data and estimates its value by nested cross-fitting.
///
/// For every fold, columns are screened and a tree is learnt from scores of the other folds; these
/// scores come from nuisances that saw neither the node they score nor any node of the fold. The
/// tree then assigns the arms of the fold, and is scored by nuisances that were fitted on the other
/// folds. So nothing that assigns an arm to a node or scores it saw its treatment or outcome,
/// except for the variances of the network ridge: those behind the final scores are learnt from all
/// nodes, as in an evaluation (not with ridge_variances kPerFold; those behind a fold's tree never
/// see the fold). The tree that is returned is learnt from all nodes in the same way; the value is
/// that of trees learnt from all folds but one.
///
/// Throws Error(kUsage) for options that do not fit the data, and what learners throw. Collective
/// where the context is shared by ranks: `part` then has this rank's nodes, on which models are
/// fitted, `data` all nodes, on the root, which alone gets a rule.
LearntPolicy learn_policy(const Context& context, const Dataset& data,
                          const LearnPolicyOptions& options, const Dataset* part = nullptr);

/// Adds what only the loader knows: its warnings, the name of the outcome, and a question where
/// that name suggests another direction than the one that was taken without being declared.
void add_loader_notes(const LoadedData& data, const LearnPolicyOptions& options,
                      LearntPolicy& policy);

/// What `split_on` may name.
std::vector<std::string> rule_column_kinds();

}  // namespace cone
