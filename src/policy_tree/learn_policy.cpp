#include "cone/learn_policy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/learn.hpp"

#include "base/numeric.hpp"
#include "data/arm_costs.hpp"
#include "data/collective_error.hpp"
#include "data/gather_rows.hpp"
#include "data/outcome_direction.hpp"
#include "inference/network_treatment.hpp"
#include "nuisance/gather_tables.hpp"
#include "policy_tree/nested_plan.hpp"
#include "policy_tree/price.hpp"
#include "policy_tree/rule_columns.hpp"
#include "policy_tree/rule_scores.hpp"
#include "policy_tree/rule_value.hpp"
#include "policy_tree/screen_columns.hpp"

namespace cone {
namespace {

// Seconds on one core.
constexpr double kPerScreenedEntry = 2e-7;  // per node and candidate column, of one training set
constexpr double kPerSplit = 4e-9;          // per node, pair of columns and pair of arms

/// Limits the nodes per arm from which the variances behind the training scores are estimated: with
/// all nodes, once per fold, that took most of the time. Values come from a fit to all nodes.
constexpr std::size_t kVarianceNodes = 1500;

void require_log(const Dataset& data, const LearnPolicyOptions& options) {
  if (!data.has_log()) {
    throw Error(ErrorCode::kData,
                {{},
                 "the data is a network without treatments and outcomes",
                 "add treatments and outcomes, or simulate them with cone simulate"});
  }
  if (options.propensities == PropensitySource::kGiven && !data.propensity) {
    throw Error(ErrorCode::kData,
                {{.item = "--propensities given"},
                 fmt::format("the data has no column {}", propensity_columns(data.arms)),
                 "add it, or leave the flag out to fit propensities"});
  }
  if (options.tree.budget < 1 && !data.weight.empty()) {
    throw Error(ErrorCode::kUsage,
                {{.item = "--budget"},
                 "is a share of the nodes, which have different weights with --weight",
                 "leave one of them out"});
  }
}

/// Scores to be maximised.
TrainingScores take_training(std::vector<NodeIndex> nodes, Matrix<double> scores,
                             bool lower_is_better) {
  if (lower_is_better) {
    for (double& score : scores.values()) score = -score;
  }
  return {std::move(nodes), std::move(scores)};
}

/// The arm with the largest mean score; the control arm where the budget does not allow treating
/// all units.
Arm best_single_arm(const Matrix<double>& scores, double budget) {
  if (budget < 1) return kControlArm;
  Arm best = kControlArm;
  double best_mean = 0;
  for (std::size_t a = 0; a < scores.cols(); ++a) {
    const double value = mean(arm_column(scores.view(), static_cast<Arm>(a)));
    if (a == 0 || value > best_mean) {
      best = static_cast<Arm>(a);
      best_mean = value;
    }
  }
  return best;
}

struct LearntTree {
  PricedTree found;
  Matrix<double> columns;  ///< all nodes × columns that the tree may split on
  std::vector<std::string> names;
};

LearntTree learn_from(const Context& context, const RuleColumns& candidates,
                      std::span<const std::size_t> chosen, std::size_t num_nodes,
                      const TrainingScores& training, const TreeOptions& options) {
  LearntTree out;
  out.columns = fill_columns(candidates, chosen, num_nodes);
  for (const std::size_t c : chosen) out.names.push_back(candidates.name(c));
  out.found = learn_priced_tree(context, take_rows(out.columns.view(), training.nodes).view(),
                                training.scores.view(), options);
  return out;
}

/// Whether to test if treatment depends on the network. Given propensities are taken as known.
bool tests_network_treatment(const Dataset& data, const LearnPolicyOptions& options) {
  return options.propensities != PropensitySource::kGiven && data.num_edges() > 0;
}

/// Whether treatment counts as randomised, and warnings on what the network says about it.
void judge_randomisation(const NetworkStrength* strength, const Dataset& data,
                         const LearnPolicyOptions& options, LearntPolicy& out) {
  out.is_randomised = options.randomised || options.propensities == PropensitySource::kGiven;
  if (strength == nullptr) return;
  out.strength_is_clear = strength->is_clear;
  if (options.randomised && contradicts_randomisation(*strength, !data.cluster.empty())) {
    out.is_randomised = false;
    out.warnings.push_back(describe_contradiction(*strength));
  } else if (auto warning = describe_network_treatment(
                 *strength,
                 "only the sensitivity intervals allow for the rest, which the rule may exploit")) {
    out.warnings.push_back(std::move(*warning));
  }
  if (auto warning = describe_isolated(*strength)) out.warnings.push_back(std::move(*warning));
}

/// The rest, which has all nodes in one process: trees, and the rule's value.
LearntPolicy learn_from_scores(const Context& context, const Dataset& data,
                               const LearnPolicyOptions& options, const StageList& stages,
                               std::span<const std::vector<NodeIndex>> folds,
                               std::span<const TrainingScores> training, const RuleScores& all,
                               const CostTable& costs, const NetworkStrength* strength) {
  LearntPolicy out;
  out.arms = data.arms;
  for (std::size_t a = 0; a < data.num_arms(); ++a) {
    out.costs.push_back(costs.is_given() ? costs.arms[a] : ArmCost{.label = data.arms[a]});
  }
  const std::size_t n = data.num_nodes();
  const RuleColumns candidates(data, options.split_on);
  out.num_candidates = candidates.size();
  std::vector<std::vector<std::size_t>> chosen;
  {
    const StageScope stage = stages.enter(stages.size() - 2);
    chosen = screen_columns(context, candidates, n, training, options.max_columns);
  }

  out.out_of_fold_arm.assign(n, kControlArm);
  std::vector<Arm> single(n, kControlArm);
  for (std::size_t k = 0; k <= folds.size(); ++k) {
    const StageScope stage = stages.enter_part(stages.size() - 1, k, folds.size() + 1);
    LearntTree tree = learn_from(context, candidates, chosen[k], n, training[k], options.tree);
    if (k < folds.size()) {
      const Arm best = best_single_arm(training[k].scores, options.tree.budget);
      for (const NodeIndex i : folds[k]) {
        out.out_of_fold_arm[i] = tree.found.tree.leaf_of(tree.columns.row(i)).arm;
        single[i] = best;
      }
      out.folds.push_back({std::move(tree.found.tree), std::move(tree.names)});
      continue;
    }
    CompensatedSum total;
    for (std::size_t i = 0; i < n; ++i) {
      out.arm.push_back(tree.found.tree.leaf_of(tree.columns.row(i)).arm);
      total.add(all.scores(i, out.arm[i]));
    }
    double treated = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (out.arm[i] != kControlArm) treated += all.sample.weight_of(i);
    }
    out.treated_fraction = treated / static_cast<double>(n);
    out.in_sample_value = total.value() / static_cast<double>(n);
    out.price = tree.found.price;
    out.tree = std::move(tree.found.tree);
    out.columns = std::move(tree.names);
  }
  judge_randomisation(strength, data, options, out);
  value_rule(context, data, all, out.out_of_fold_arm, single, strength, options, out);
  return out;
}

}  // namespace

std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const LearnPolicyOptions& options) {
  const FitSize size = rule_fit_size(context, data, options);
  FitSize nested = size.scaled(1 - 1 / size.folds);
  nested.folds = size.folds - 1;
  const auto candidates = static_cast<double>(RuleColumns(data, options.split_on).size());
  const double columns = std::min<double>(candidates, options.max_columns);
  // Depth 3 tries first splits on every column, and then searches both sides.
  const double columns_tried = options.tree.depth == 1 ? 1 : columns;
  const double searches = options.tree.depth == 3 ? 2 : 1;
  const double sets = size.folds + 1;
  std::vector<ExpectedCost> costs = {
      {"scores", size.folds * total_seconds(expected_score_costs(nested, options, kVarianceNodes)) +
                     total_seconds(expected_score_costs(size, options))}};
  if (tests_network_treatment(data, options)) {
    costs.push_back(
        {"unmeasured confounding", network_treatment_seconds(size, options.network_ridge)});
  }
  costs.push_back({"columns", kPerScreenedEntry * sets * size.nodes * candidates / size.threads});
  costs.push_back({"trees", kPerSplit * sets * searches * columns * columns_tried * size.nodes *
                                std::log2(std::max(2.0, size.nodes)) * size.arms * size.arms /
                                size.threads});
  return costs;
}

LearntPolicy learn_policy(const Context& context, const Dataset& data,
                          const LearnPolicyOptions& options, const Dataset* part) {
  validate(options);
  const Dataset& own = part != nullptr ? *part : data;
  const CostTable costs = run_on_root(context.comm(), [&] {
                            require_log(data, options);
                            return read_costs(data, options.cost);
                          }).value_or(CostTable());
  const FitPlan plan =
      make_plan(context, own, {.folds = options.folds, .selection_folds = options.selection_folds},
                context.seed());
  const std::size_t num_folds = plan.tasks.size();
  const StageList stages(context, expected_costs(context, data, options));

  // One training set per fold, without that fold, and last the one of all nodes.
  std::vector<TrainingScores> training;
  std::vector<std::vector<NodeIndex>> folds;
  RuleScores all;
  for (std::size_t k = 0; k <= num_folds; ++k) {
    const StageScope stage = stages.enter_part(0, k, num_folds + 1);
    RuleScores scores;
    if (k == num_folds) {
      scores = make_scores(context, data, own, plan, options, costs);
      all = scores;
    } else {
      const FitPlan nested =
          leave_fold_out(context, own, plan, k, options.selection_folds, context.seed());
      scores = make_scores(context, data, own, nested, options, costs, kVarianceNodes);
      folds.push_back(gather_numbers(own, plan.tasks[k].score));
    }
    training.push_back(take_training(std::move(scores.sample.nodes), std::move(scores.scores),
                                     options.direction.prefers_lower()));
  }
  std::optional<NetworkStrength> strength;
  if (tests_network_treatment(own, options)) {
    const StageScope stage = stages.enter(1);
    strength = measure_network_treatment(
        context, own, take_sample(own, plan.scored),
        {.folds = options.folds, .selection_folds = options.selection_folds}, options.network_ridge,
        options.nuisance.propensity_bound);
    strength->features = gather_rows(own, plan.scored, std::move(strength->features));
    strength->network = gather_rows(own, plan.scored, std::move(strength->network));
  }
  if (!context.comm().is_root()) return {};
  return learn_from_scores(context.shared_by(Communicator::self()), data, options, stages, folds,
                           training, all, costs, strength ? &*strength : nullptr);
}

void add_loader_notes(const LoadedData& data, const LearnPolicyOptions& options,
                      LearntPolicy& policy) {
  policy.outcome = outcome_column(data);
  std::vector<std::string>& warnings = policy.warnings;
  if (auto question = question_direction(policy.outcome, options.direction)) {
    warnings.insert(warnings.begin(), std::move(*question));
  }
  warnings.insert(warnings.begin(), data.warnings.begin(), data.warnings.end());
}

}  // namespace cone
