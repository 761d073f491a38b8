#include "study/joined_estimates.hpp"

#include <map>

#include "cone/error.hpp"
#include "cone/estimate.hpp"

#include "evaluate/learning.hpp"
#include "study/joined_plan.hpp"

namespace cone {

std::vector<double> estimate_joined(const Context& context, const Dataset& data,
                                    MatrixView<const double> policy, const FitPlan& plan,
                                    std::span<const std::string_view> estimators,
                                    const EvaluateOptions& options) {
  const FitPlan joined = join_selection(plan);
  std::vector<EstimatorInfo> rows;
  for (const std::string_view name : estimators) rows.push_back(*find_estimator(name));
  std::map<LearnerId, Nuisances> outcomes;
  std::map<LearnerId, ImpliedWeights> implied;
  std::map<LearnerId, Nuisances> weights;
  for (const EstimatorInfo& row : rows) {
    require(row.needs_outcome_model() && !row.needs_balance(), "joined plan: an outcome model");
    if (!outcomes.contains(row.outcome)) {
      const auto learner = make_learner(row.outcome, rows, options, nullptr);
      Nuisances& learnt = outcomes[row.outcome] = learner->fit(context, data, joined);
      if (learnt.outcome->variance) {
        implied[row.outcome] =
            learnt.outcome->variance->imply_weights(context, {&policy, 1}).front();
      }
    }
    if (row.needs_propensity() && !weights.contains(row.weights)) {
      weights[row.weights] =
          make_learner(row.weights, rows, options, nullptr)->fit(context, data, plan);
    }
  }
  const LoggedSample sample = take_sample(data, plan.scored);
  const Matrix<double> sample_policy = take_rows(policy, sample.nodes);
  std::vector<double> values;
  for (const EstimatorInfo& row : rows) {
    Evidence evidence{.sample = sample,
                      .policy = sample_policy.view(),
                      .outcome = &*outcomes.at(row.outcome).outcome};
    if (row.needs_propensity()) evidence.propensity = &*weights.at(row.weights).propensity;
    if (implied.contains(row.outcome)) evidence.implied = &implied.at(row.outcome);
    values.push_back(estimate(row, evidence, options.estimator).value);
  }
  return values;
}

}  // namespace cone
