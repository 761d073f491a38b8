#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/forecast.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"
#include "cone/settings.hpp"

/// \file
/// Learns who should get which arm: the best small decision tree by doubly robust scores, and what
/// it is worth on units it was not learnt from.

namespace cone {

/// One node of a decision tree. Either a leaf, with the arm that its units get, or a question
/// "column <= threshold?" with the tree that goes on where the answer is yes (left) or no (right).
struct RuleNode {
  static constexpr std::int32_t kNone = -1;

  std::int32_t column = kNone;  ///< kNone: a leaf
  /// Half way between `below` and `above`, two neighbouring distinct values of the column among
  /// the units of this node that the tree was learnt from.
  double threshold = 0;
  double below = 0;
  double above = 0;
  std::int32_t left = kNone;  ///< places in PolicyTree::nodes
  std::int32_t right = kNone;
  Arm arm = kControlArm;        ///< of a leaf
  std::uint64_t num_nodes = 0;  ///< units of this node that the tree was learnt from

  bool is_leaf() const { return column == kNone; }
};

/// The root is first, then the left tree and all of it, then the right one.
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
    visitor("depth", self.depth, "Questions that a unit is asked, at most", between(1, 3));
    visitor("min_leaf", self.min_leaf, "Units in every leaf of the tree, at least", at_least(1));
    visitor("budget", self.budget,
            "Largest share of the units that may get another arm than the control arm",
            between(0, 1));
  }
};

/// The tree of at most options.depth questions with the largest sum of scores, where everyone
/// counts with the score of the arm they get. `columns` is nodes × columns and `scores` nodes ×
/// arms (2 to 16), both finite.
///
/// Depths 1 and 2 are exact: no tree with leaves of at least min_leaf has a larger sum. Depth 3 is
/// a heuristic for the first question (docs/learn.md) and exact below it. Scores are compared as
/// whole multiples of a unit of about 1e-13 of the largest difference between two arms, so that
/// sums are the same in any order. Of trees with the same sum the one with fewer leaves is taken,
/// then the one whose first question is about an earlier column, then the one with the smaller
/// threshold, and so on in the left and then the right tree. A leaf takes the first of the arms
/// with the same sum.
///
/// With a budget below 1 every arm but the control arm is charged a price per unit, and the
/// smallest price for which the best tree keeps to the budget is found by bisection. Of all trees
/// met on the way the questions are kept and the arms of the leaves chosen within the budget; the
/// one with the largest sum is taken. A heuristic: it keeps to the budget, but another tree may
/// make more of it.
///
/// O(columns² · nodes · log(nodes) · arms²) for depth 2.
PolicyTree learn_tree(const Context& context, MatrixView<const double> columns,
                      MatrixView<const double> scores, const TreeOptions& options);

/// Who expects the outcomes that scores are made of.
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
  std::vector<std::string> cost;  ///< LABEL=NUMBER or LABEL=COLUMN
  RuleOutcomeModel outcome_model = RuleOutcomeModel::kNetworkRidge;
  PropensitySource propensities = PropensitySource::kFitted;
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
            "What questions may be about, of own (features), neighbours (their number) and means "
            "(features averaged over neighbours); without it all of them");
    visitor("max_columns", self.max_columns, "Columns that questions are chosen from, at most",
            between(1, 50));
    visitor("cost", self.cost,
            "LABEL=NUMBER or LABEL=COLUMN: what giving that arm to one unit costs, in units of "
            "the outcome; a column of the nodes has it for each, and is then no feature. "
            "Values are net of cost. May be repeated");
    visitor("outcome_model", self.outcome_model, "Who expects the outcomes");
    visitor("propensities", self.propensities,
            "Fit the propensities, or take the columns of the data");
    visitor("folds", self.folds, "Folds of the cross-fitting", between(3, 1000));
    visitor("selection_folds", self.selection_folds,
            "Inner folds that choose regularisation strengths", between(2, 1000));
    visitor("level", self.level, "Coverage of the intervals", strictly_between(0, 1));
    visitor("dependence", self.dependence,
            "How errors of connected units go together in the intervals");
    NuisanceOptions::visit(self.nuisance, visitor);
    NetworkRidgeOptions::visit(self.network_ridge, visitor);
  }
  void check(std::vector<Fault>& faults) const;
};

/// What a way to decide is worth for the population, and how the learnt rule compares with it.
/// Each standard error is the one by the dependence asked for; without a wish, the largest of the
/// usable ones.
struct RuleValue {
  std::string name;
  double value = 0;
  double standard_error = 0;
  std::pair<double, double> sampling_interval;
  /// Of the learnt rule against this one, paired by node.
  double gain = 0;
  double gain_error = 0;
  std::pair<double, double> sampling_gain_interval;
  double treated_fraction = 0;  ///< share of the nodes that get another arm than the control arm
  bool within_budget = true;    ///< of ways that were open to the rule
};

/// The tree that decides about one fold, learnt from the others.
struct FoldRule {
  PolicyTree tree;
  std::vector<std::string> columns;  ///< what the tree's questions are about
};

enum class RuleVerdict {
  kBetter,     ///< the interval of the gain over every single arm within the budget lies above 0
  kUnclear,    ///< some do not, none lies below 0
  kWorse,      ///< one of them lies below 0
  kSingleArm,  ///< the tree is a leaf: everyone gets the same
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
  std::vector<ArmCost> costs;        ///< one per arm
  std::vector<std::string> columns;  ///< that the tree's questions may be about
  std::uint64_t num_candidates = 0;  ///< columns before screening
  PolicyTree tree;                   ///< learnt from all nodes
  std::vector<Arm> arm;              ///< what the tree gives to every node
  std::vector<Arm> out_of_fold_arm;  ///< what the tree learnt without the node's fold gives it
  std::vector<FoldRule> folds;
  double price = 0;             ///< that keeps the tree within the budget, in units of the outcome
  double treated_fraction = 0;  ///< by the tree
  /// Of the tree by the scores it was learnt from: too good to be true, shown to say how much.
  double in_sample_value = 0;
  /// Out of fold. `gain` is 0.
  RuleValue rule;
  RuleValue done;                  ///< what the log did
  RuleValue best_single;           ///< the best single arm, chosen out of fold like the tree
  std::vector<RuleValue> singles;  ///< every arm for everyone
  RuleVerdict verdict = RuleVerdict::kUnclear;
  std::vector<std::string> warnings;
};

/// What learn_policy() may take.
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const LearnPolicyOptions& options);

/// Learns a rule from a log and estimates its value by nested cross-fitting.
///
/// For every fold, columns are screened and a tree is learnt from scores of the other folds; these
/// scores come from nuisances that saw neither the node they score nor any node of the fold. The
/// tree then decides about the fold, and counts by scores of nuisances that were fitted on the
/// other folds. So nothing that decides about a node, and nothing that scores it, saw its treatment
/// or outcome, but for the variances of the network ridge: those behind the scores that count are
/// learnt from all nodes, as in an evaluation (ridge_variances kPerFold goes without; those behind
/// a fold's tree never see the fold). The tree that is returned is learnt from all nodes in the
/// same way; the value is that of trees learnt from all folds but one.
///
/// Throws Error(kUsage) for options that do not fit the data, and what learners throw.
LearntPolicy learn_policy(const Context& context, const Dataset& data,
                          const LearnPolicyOptions& options);

/// What `split_on` may name.
std::vector<std::string> rule_column_kinds();

}  // namespace cone
