#include "evaluate/plan.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "data/label_nodes.hpp"
#include "data/split.hpp"
#include "evaluate/row_notes.hpp"

namespace cone {
namespace {

/// Where nothing is fitted, no folds are needed (and small data may not allow any).
FitPlan plan_without_fitting(const Dataset& data, const EvaluateOptions& options,
                             std::uint64_t seed) {
  FitPlan plan;
  if (options.plan.protocol == Protocol::kSplit) {
    plan.scored = make_split(data, options.plan.split, seed).test;
  } else {
    plan.scored.resize(data.num_nodes());
    std::iota(plan.scored.begin(), plan.scored.end(), NodeIndex{0});
  }
  return plan;
}

/// Cluster-robust errors need all members of a cluster.
void refuse_clusters_of_part(const Dataset& data, const EvaluateOptions& options) {
  if (data.cluster.empty() || options.plan.protocol != Protocol::kSplit) return;
  throw Error(ErrorCode::kUsage,
              {{.item = "--cluster"},
               "cannot be used with --protocol split, which evaluates only part of the nodes",
               "leave one of them out"});
}

/// Given nuisance columns that are not used.
void warn_of_idle_columns(const Dataset& data, const EvaluateOptions& options,
                          std::vector<std::string>& warnings) {
  if (options.nuisances == NuisanceSource::kGiven) return;
  if (!data.propensity && !data.mu) return;
  warnings.push_back(
      describe_idle_columns(data.arms, data.propensity.has_value(), data.mu.has_value()));
}

/// Of a split, the weights of the outcomes that smoothing biases are found by are not known.
void warn_of_split(std::span<const EstimatorInfo> rows, const EvaluateOptions& options,
                   std::vector<std::string>& warnings) {
  const bool smooths = std::ranges::any_of(rows, [](const EstimatorInfo& row) {
    return row.outcome == LearnerId::kRidge || row.outcome == LearnerId::kNetworkRidge;
  });
  if (options.plan.protocol != Protocol::kSplit || !smooths) return;
  warnings.emplace_back(
      "--protocol split: intervals are for sampling error alone, without the smoothing bias");
}

/// Communities are found by one process.
void warn_of_missing_groups(const Dataset& data, std::vector<std::string>& warnings) {
  if (data.num_edges() == 0 || can_label(data)) return;
  warnings.push_back(fmt::format(
      "clustered standard errors skipped: community detection runs on one rank and is limited to "
      "{} nodes and edge ends; this network has {}. If outcomes are correlated within communities, "
      "intervals may be half as wide as they should be",
      grouped(kMostLabelled), grouped(data.num_nodes_of_all() + 2 * data.num_edges())));
}

}  // namespace

const EstimatorInfo& EvaluationPlan::row_called(std::string_view name) const {
  return *std::ranges::find(rows, name, &EstimatorInfo::name);
}

EvaluationPlan plan_evaluation(const Context& context, const Dataset& data,
                               std::span<const PolicyOnData> policies,
                               const EvaluateOptions& options, const FittedModel* model) {
  refuse_clusters_of_part(data, options);
  EvaluationPlan plan{.catalogue = options.catalogue,
                      .rows = choose_rows(data, options),
                      .rankings = find_rankings(data, policies, options.budget),
                      .costs = read_costs(data, options.cost),
                      .learnt_on = find_learnt_policies(data, policies)};
  plan.scores_all = options.plan.protocol == Protocol::kCrossFit;
  if (data.distributed) refuse_on_ranks(options.catalogue, plan.rows);
  if (options.nuisances == NuisanceSource::kGiven) require_given_columns(data, plan.rows);
  plan.steps = plan_learning(context, data, plan.rows, options, model, policies.size());
  const bool fits_models = std::ranges::any_of(plan.steps, [](const LearningStep& step) {
    return step.learner != LearnerId::kKernel && !step.only_shows_overlap;
  });
  plan.folds = fits_models ? make_plan(context, data, options.plan, context.seed())
                           : plan_without_fitting(data, options, context.seed());
  plan.sample = take_sample(data, plan.folds.scored);
  if (plan.costs.is_given()) {
    plan.costs.per_node = take_rows(plan.costs.per_node.view(), plan.sample.nodes);
  }
  for (const PolicyOnData& policy : policies) {
    require(policy.probability.rows() == data.num_nodes() &&
                policy.probability.cols() == data.num_arms(),
            "evaluate: the policy has other nodes or arms than the data");
    plan.policies.nodes.push_back(policy.probability.view());
    plan.policies.sample.push_back(take_rows(policy.probability.view(), plan.sample.nodes));
    weigh_rows(plan.sample, plan.policies.sample.back());
  }
  warn_of_idle_columns(data, options, plan.warnings);
  warn_of_split(plan.rows, options, plan.warnings);
  if (plan.scores_all) warn_of_missing_groups(data, plan.warnings);
  plan.notes = note_choices(data, options, plan.rows);
  return plan;
}

}  // namespace cone
