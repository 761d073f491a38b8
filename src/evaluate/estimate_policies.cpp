#include "evaluate/estimate_policies.hpp"

#include <algorithm>
#include <utility>

#include "base/numeric.hpp"
#include "estimate/error_parts.hpp"
#include "evaluate/row_notes.hpp"
#include "evaluate/sensitivity_intervals.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

/// A policy's result without estimates. `assigned`: sample × arms, weighed.
PolicyResult describe_policy(const PolicyOnData& policy, const Matrix<double>& assigned,
                             const LoadedData& data, const LoggedSample& sample) {
  PolicyResult result{.name = policy.name,
                      .checksum = data.observed.checksum_of(policy.probability.view())};
  result.arm_fractions.assign(assigned.cols(), 0.0);
  for (std::size_t a = 1; a < assigned.cols(); ++a) {
    result.arm_fractions[a] = mean(arm_column(assigned.view(), static_cast<Arm>(a)), *sample.comm);
    // Means weighted by survey weights may be above 1 by rounding.
    result.arm_fractions[a] = std::min(result.arm_fractions[a], 1 - result.treated_fraction);
    result.treated_fraction += result.arm_fractions[a];
  }
  result.arm_fractions[0] = 1 - result.treated_fraction;
  if (sample.comm->any(data.truth.has_value())) {
    std::vector<double> expected;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      expected.push_back(dot(assigned.row(i), data.truth->outcomes().row(sample.nodes[i])));
    }
    result.truth = mean(expected, *sample.comm);
  }
  return result;
}

std::vector<MatrixView<const double>> view_all(const std::vector<Matrix<double>>& tables) {
  std::vector<MatrixView<const double>> views;
  views.reserve(tables.size());
  for (const Matrix<double>& table : tables) views.push_back(table.view());
  return views;
}

Evidence evidence_of(const EvaluationPlan& plan, const PolicyTables& policies, const Learnt& learnt,
                     const PolicyWeights& weights, const EstimatorInfo& row, std::size_t policy) {
  Evidence evidence{.sample = plan.sample,
                    .policy = policies.sample[policy].view(),
                    .outcome = learnt.nuisances.outcome_of(row),
                    .propensity = learnt.nuisances.propensity_of(row),
                    .policy_index = policy};
  if (const ModelNoise* noise = learnt.noise_of(row)) evidence.noise = &noise->variance;
  const auto implied = weights.of_learner.find(row.outcome);
  if (rests_on_model(row.method) && implied != weights.of_learner.end()) {
    evidence.implied = &implied->second[policy];
  }
  const auto corrected = weights.of_row.find(row.name);
  if (corrected != weights.of_row.end()) evidence.implied = &corrected->second[policy];
  return evidence;
}

/// Moves the value of network_dm to that of the joint model. The smoothing bias is that of the
/// former.
void adopt_joint_value(const AlternativeValue& joint, Estimate& value) {
  if (joint.is_same()) return;
  value.smoothing_bias.reset();
  const auto move = [&](std::pair<double, double>& interval, double& error) {
    const double half_width = (interval.second - interval.first) / 2;
    const double wider = joint.error_with(error);
    const double factor = error > 0 ? half_width / error : 0;
    error = wider;
    interval = enclose(value.value + joint.shift, wider, factor, {});
  };
  move(value.sampling_interval, value.standard_error);
  move(value.population_sampling_interval, value.population_standard_error);
  move(value.sample_sampling_interval, value.sample_standard_error);
  value.value += joint.shift;
}

}  // namespace

void imply_weights(const Context& context, const EvaluationPlan& plan, const PolicyTables& policies,
                   const Learnt& learnt, LearnerId learner, PolicyWeights& out) {
  const bool needed = std::ranges::any_of(plan.rows, [&](const EstimatorInfo& row) {
    return row.outcome == learner && rests_on_model(row.method);
  });
  const auto& outcome = learnt.nuisances.parts().at(learner).outcome;
  if (!needed || !outcome || outcome->variance == nullptr) return;
  const LoggedSample& sample = plan.sample;
  std::vector<Matrix<double>> weighed;
  if (!sample.weight.empty()) {
    for (std::size_t p = 0; p < policies.sample.size(); ++p) {
      // Only the rows of the sample are used.
      Matrix<double>& table =
          weighed.emplace_back(policies.nodes[p].rows(), policies.nodes[p].cols());
      for (std::size_t i = 0; i < sample.size(); ++i) {
        std::ranges::copy(policies.sample[p].row(i), table.row(sample.nodes[i]).begin());
      }
    }
  }
  out.of_learner[learner] = outcome->variance->imply_weights(
      context, weighed.empty() ? policies.nodes : view_all(weighed));
}

namespace {

void imply_corrected_weights(const Context& context, const EvaluationPlan& plan,
                             const PolicyTables& policies, const Learnt& learnt,
                             const EstimatorOptions& options, const EstimatorInfo& row,
                             PolicyWeights& out) {
  const OutcomeTable& outcome = *learnt.nuisances.outcome_of(row);
  if (outcome.variance == nullptr) return;
  const LoggedSample& sample = plan.sample;
  std::vector<std::vector<double>> weights;
  std::vector<Matrix<double>> tables;
  bool corrects = false;
  for (std::size_t p = 0; p < policies.sample.size(); ++p) {
    const Evidence evidence = evidence_of(plan, policies, learnt, out, row, p);
    weights.push_back(residual_weights(row, evidence, options));
    corrects = sum(weights.back(), *sample.comm) > 0 || corrects;
    tables.push_back(uncorrected_part(evidence, weights.back()));
  }
  if (!corrects && row.method == Method::kCautiousCorrection)
    return;  // those of the direct method apply
  std::vector<ImpliedWeights> implied = outcome.variance->imply_weights(context, view_all(tables));
  const std::vector<double> residual = residuals(sample.arm, sample.outcome, outcome.mu.view());
  const double n = sample.comm->count(sample.size());
  for (std::size_t p = 0; p < policies.sample.size(); ++p) {
    CompensatedSum variance;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      double& v = implied[p].weights[i];
      v += weights[p][i];
      variance.add(v * v * residual[i] * residual[i]);
    }
    implied[p].variance = sample.comm->allreduce(variance.value()) / (n * n);
    implied[p].variance_for_sample.reset();
  }
  out.of_row[row.name] = std::move(implied);
}

}  // namespace

void find_row_weights(const Context& context, const EvaluationPlan& plan,
                      const PolicyTables& policies, const Learnt& learnt,
                      const EstimatorOptions& options, const EstimatorInfo& row,
                      PolicyWeights& out) {
  const bool corrects_partly = row.method == Method::kSwitch || row.method == Method::kShrinkage ||
                               row.method == Method::kCautiousCorrection;
  // Nodes outside of the sample have no out-of-fold residual.
  if (corrects_partly && plan.scores_all) {
    imply_corrected_weights(context, plan, policies, learnt, options, row, out);
  }
  if (!row.needs_balance()) return;
  std::vector<BalancedValue> balanced;
  for (const Matrix<double>& policy : policies.sample) {
    balanced.push_back(learnt.nuisances.balancer_of(row).value(context, policy.view()));
  }
  out.balanced[row.name] = std::move(balanced);
}

Estimate estimate_row(const Context& context, const EvaluationPlan& plan,
                      const PolicyTables& policies, const Learnt& learnt,
                      const PolicyWeights& weights, const EstimatorOptions& options,
                      const EstimatorInfo& row, std::size_t policy) {
  const Evidence evidence = evidence_of(plan, policies, learnt, weights, row, policy);
  Estimate value;
  if (row.needs_balance()) {
    value = estimate_balanced(row, evidence, weights.balanced.at(row.name)[policy], options);
  } else {
    value = estimate(row, evidence, options);
    note_learning(plan.catalogue, row, evidence, learnt.nuisances, value);
  }
  if (learnt.kernels) {
    apply_dependence(context, *learnt.kernels, plan.sample, policies.sample[policy],
                     learnt.noise_of(row), options.dependence, value);
  }
  note_smoothing(value);
  if (row.method == Method::kJointModel && !learnt.joint) note_missing_joint_model(value);
  if (!learnt.joint || row.outcome != LearnerId::kNetworkRidge) return value;
  if (row.method == Method::kDirect) value.joint = learnt.joint->revalue(evidence.policy);
  if (row.method == Method::kJointModel) {
    adopt_joint_value(learnt.joint->revalue_cautiously(evidence.policy), value);
  }
  return value;
}

std::vector<PolicyResult> estimate_policies(const Context& context, const LoadedData& data,
                                            std::span<const PolicyOnData> policies,
                                            const EvaluationPlan& plan, Learnt& learnt,
                                            const EvaluateOptions& options) {
  std::vector<PolicyResult> results;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    results.push_back(describe_policy(policies[p], plan.policies.sample[p], data, plan.sample));
  }
  std::size_t num_finished = 0;
  try {
    for (; num_finished < learnt.ready.size(); ++num_finished) {
      const EstimatorInfo& row = learnt.ready[num_finished];
      std::vector<Estimate> estimates;
      for (std::size_t p = 0; p < policies.size(); ++p) {
        context.poll();
        Estimate& value = estimates.emplace_back(estimate_row(
            context, plan, plan.policies, learnt, learnt.weights, options.estimator, row, p));
        if (learnt.strength) {
          add_sensitivity_interval(plan.sample, plan.policies.sample[p], learnt.noise_of(row),
                                   *learnt.strength, value);
        }
      }
      for (std::size_t p = 0; p < policies.size(); ++p) {
        results[p].estimates.push_back(std::move(estimates[p]));
      }
    }
  } catch (const Cancelled&) {
    if (data.observed.comm().has_others()) throw;
    learnt.is_complete = false;
    learnt.ready.resize(num_finished);
  }
  note_better_regressions(plan.catalogue, plan.sample, learnt.nuisances, results);
  return results;
}

}  // namespace cone
