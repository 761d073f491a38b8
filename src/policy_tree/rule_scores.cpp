#include "policy_tree/rule_scores.hpp"

#include <cmath>
#include <memory>

#include "cone/error.hpp"
#include "cone/estimate.hpp"
#include "cone/text.hpp"

#include "data/collective_error.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "network_ridge/ridge_cost.hpp"
#include "nuisance/gather_tables.hpp"
#include "nuisance/linear_learner.hpp"
#include "nuisance/logistic_learner.hpp"

namespace cone {
namespace {

std::unique_ptr<Learner> make_outcome_learner(const LearnPolicyOptions& options,
                                              std::size_t most_nodes) {
  if (options.outcome_model == RuleOutcomeModel::kRidge) {
    return std::make_unique<LinearLearner>(LinearModel::kRidge, options.nuisance);
  }
  return std::make_unique<NetworkRidgeLearner>(options.network_ridge,
                                               VarianceSource{.most_nodes = most_nodes});
}

PropensityTable learn_propensities(const Context& context, const Dataset& data, const FitPlan& plan,
                                   const LearnPolicyOptions& options) {
  if (options.propensities == PropensitySource::kGiven) {
    return {.e = take_rows(data.propensity->view(), plan.scored)};
  }
  Nuisances learnt = LogisticLearner(options.nuisance).fit(context, data, plan);
  return std::move(*learnt.propensity);
}

/// A score divides by the propensity of the arm that was logged.
void require_possible(const Dataset& data, const RuleScores& scores) {
  FaultList faults;
  for (std::size_t i = 0; i < scores.sample.size(); ++i) {
    if (scores.propensity.e(i, scores.sample.arm[i]) > 0) continue;
    faults.add("propensity 0",
               {{.item = printable(data.ids[scores.sample.nodes[i]])},
                "has propensity 0 for its logged arm",
                "correct the propensities, or leave --propensities given out to fit them"});
  }
  faults.throw_if_any(ErrorCode::kData);
}

void fill_scores(const Dataset& data, const LearnPolicyOptions& options, const CostTable& costs,
                 RuleScores& out) {
  out.scores = doubly_robust_scores(out.sample.arm, out.sample.outcome, out.outcome.mu.view(),
                                    out.propensity.e.view());
  out.costs = costs.is_given() ? take_rows(costs.per_node.view(), out.sample.nodes)
                               : Matrix<double>(out.sample.size(), data.num_arms(), 0.0);
  const double sign = direction_sign(options.direction.prefers_lower());
  for (std::size_t i = 0; i < out.scores.rows(); ++i) {
    for (std::size_t a = 0; a < out.scores.cols(); ++a) {
      out.scores(i, a) -= sign * out.costs(i, a);
      if (std::isfinite(out.scores(i, a))) continue;
      throw Error(ErrorCode::kData, {{.item = printable(data.ids[out.sample.nodes[i]])},
                                     "the score of an arm is not a finite number",
                                     "look for extreme outcomes with cone check"});
    }
  }
  weigh_rows(out.sample, out.scores);
}

}  // namespace

FitSize rule_fit_size(const Context& context, const Dataset& data,
                      const LearnPolicyOptions& options) {
  return measure_size(context, data,
                      {.folds = options.folds, .selection_folds = options.selection_folds});
}

std::vector<ExpectedCost> expected_score_costs(const FitSize& size,
                                               const LearnPolicyOptions& options,
                                               std::size_t most_nodes) {
  const bool is_given = options.propensities == PropensitySource::kGiven;
  const bool is_ridge = options.outcome_model == RuleOutcomeModel::kRidge;
  return {
      {"propensities", is_given ? 0 : logistic_seconds(size)},
      {"outcomes",
       is_ridge
           ? regression_seconds(size, /*chooses_penalty=*/true)
           : expect_ridge_cost(size, options.network_ridge, {.most_nodes = most_nodes}).total()}};
}

RuleScores make_scores(const Context& context, const Dataset& data, const Dataset& part,
                       const FitPlan& plan, const LearnPolicyOptions& options,
                       const CostTable& costs, std::size_t most_nodes) {
  RuleScores out;
  const std::vector<NodeIndex> nodes = gather_numbers(part, plan.scored);
  const StageList stages(
      context, expected_score_costs(rule_fit_size(context, part, options), options, most_nodes));
  {
    const StageScope stage = stages.enter(0);
    out.propensity =
        gather_table(part, plan.scored, learn_propensities(context, part, plan, options));
  }
  run_on_root(context.comm(), [&] {
    out.sample = take_sample(data, nodes);
    require_possible(data, out);
    return true;
  });
  {
    const StageScope stage = stages.enter(1);
    Nuisances learnt = make_outcome_learner(options, most_nodes)->fit(context, part, plan);
    out.outcome = gather_table(part, plan.scored, std::move(*learnt.outcome));
  }
  out.outcome.variance = nullptr;  // refers to the plan, and is not used here
  run_on_root(context.comm(), [&] {
    fill_scores(data, options, costs, out);
    return true;
  });
  return out;
}

}  // namespace cone
