#include "study/joined_estimates.hpp"

#include <algorithm>
#include <map>

#include "cone/error.hpp"
#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "evaluate/learning.hpp"
#include "joint_model/joint_model.hpp"

namespace cone {
namespace {

/// The policy on the scored nodes alone, times nodes / scored nodes: its mean over all nodes is the
/// policy's over the scored ones.
Matrix<double> restrict_policy(MatrixView<const double> policy, std::span<const NodeIndex> scored) {
  Matrix<double> out(policy.rows(), policy.cols());
  const double scale = static_cast<double>(policy.rows()) / static_cast<double>(scored.size());
  for (const NodeIndex i : scored) {
    for (std::size_t a = 0; a < policy.cols(); ++a) out(i, a) = scale * policy(i, a);
  }
  return out;
}

}  // namespace

FitPlan join_selection(const FitPlan& plan) {
  FitPlan joined{.scored = plan.scored};
  for (const FitTask& task : plan.tasks) {
    FitTask all{.fit = task.fit, .score = task.score};
    for (const SelectionSplit& split : task.selection) {
      all.fit.insert(all.fit.end(), split.fit.begin(), split.fit.end());
      all.fit.insert(all.fit.end(), split.score.begin(), split.score.end());
    }
    std::ranges::sort(all.fit);
    all.fit.erase(std::unique(all.fit.begin(), all.fit.end()), all.fit.end());
    joined.tasks.push_back(std::move(all));
  }
  return joined;
}

bool is_network_row(std::string_view estimator) {
  const EstimatorInfo* row = find_estimator(estimator);
  return row != nullptr && row->outcome == LearnerId::kNetworkRidge;
}

std::vector<double> estimate_by_joint_model(const Context& context, const Dataset& data,
                                            MatrixView<const double> policy,
                                            std::span<const std::vector<NodeIndex>> samples,
                                            const EvaluateOptions& options) {
  PlanOptions cross_fit = options.plan;
  cross_fit.protocol = Protocol::kCrossFit;
  const FitPlan plan = make_plan(context, data, cross_fit, context.seed());
  const auto learner = make_learner(LearnerId::kNetworkRidge, {}, options, nullptr);
  const OutcomeTable outcome = learner->fit(context, data, plan).outcome.value();
  const JointModel joint = fit_joint_model(context, data, plan, options.network_ridge, outcome);
  std::vector<double> values;
  for (const std::vector<NodeIndex>& sample : samples) {
    const Matrix<double> restricted = restrict_policy(policy, sample);
    CompensatedSum total;
    for (std::size_t k = 0; k < outcome.mu.values().size(); ++k) {
      total.add(restricted.values()[k] * outcome.mu.values()[k]);
    }
    values.push_back(total.value() / static_cast<double>(data.num_nodes()) +
                     joint.revalue_cautiously(restricted.view()).shift);
  }
  return values;
}

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
