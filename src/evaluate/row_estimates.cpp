#include "evaluate/row_estimates.hpp"

#include <algorithm>
#include <utility>

#include "base/numeric.hpp"
#include "estimate/error_parts.hpp"
#include "evaluate/row_notes.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

std::vector<MatrixView<const double>> view_all(const std::vector<Matrix<double>>& tables) {
  std::vector<MatrixView<const double>> views;
  views.reserve(tables.size());
  for (const Matrix<double>& table : tables) views.push_back(table.view());
  return views;
}

Evidence evidence_of(const EstimationBasis& basis, const EstimatorInfo& row,
                     const ValuedPolicies& policies, std::size_t policy) {
  Evidence evidence{.sample = basis.sample,
                    .policy = policies.sample[policy].view(),
                    .outcome = basis.learnt.outcome_of(row),
                    .propensity = basis.learnt.propensity_of(row),
                    .policy_index = policy};
  if (const ModelNoise* noise = noise_of(basis, row)) evidence.noise = &noise->variance;
  const bool is_direct = row.method == Method::kDirect || row.method == Method::kJointModel ||
                         row.method == Method::kCautiousCorrection;
  const auto implied = policies.implied.find(row.outcome);
  if (is_direct && implied != policies.implied.end()) evidence.implied = &implied->second[policy];
  const auto corrected = policies.implied_of_row.find(row.name);
  if (corrected != policies.implied_of_row.end()) evidence.implied = &corrected->second[policy];
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

const ModelNoise* noise_of(const EstimationBasis& basis, const EstimatorInfo& row) {
  const auto noise = basis.noise.find(row.outcome);
  return row.needs_outcome_model() && noise != basis.noise.end() ? &noise->second : nullptr;
}

void imply_weights(const EstimationBasis& basis, LearnerId learner, ValuedPolicies& policies) {
  const bool needed = std::ranges::any_of(basis.rows, [&](const EstimatorInfo& row) {
    return row.outcome == learner &&
           (row.method == Method::kDirect || row.method == Method::kJointModel ||
            row.method == Method::kCautiousCorrection);
  });
  const auto& outcome = basis.learnt.parts().at(learner).outcome;
  if (!needed || !outcome || outcome->variance == nullptr) return;
  const LoggedSample& sample = basis.sample;
  std::vector<Matrix<double>> weighed;
  if (!sample.weight.empty()) {
    for (std::size_t p = 0; p < policies.sample.size(); ++p) {
      // Only the rows of the sample are used.
      Matrix<double>& table =
          weighed.emplace_back(policies.tables[p].rows(), policies.tables[p].cols());
      for (std::size_t i = 0; i < sample.size(); ++i) {
        std::ranges::copy(std::as_const(policies.sample[p]).row(i),
                          table.row(sample.nodes[i]).begin());
      }
    }
  }
  policies.implied[learner] = outcome->variance->imply_weights(
      basis.context, weighed.empty() ? policies.tables : view_all(weighed));
}

void imply_corrected_weights(const EstimationBasis& basis, const EstimatorInfo& row,
                             ValuedPolicies& policies) {
  const bool corrects_partly = row.method == Method::kSwitch || row.method == Method::kShrinkage ||
                               row.method == Method::kCautiousCorrection;
  // Nodes outside of the sample have no out-of-fold residual.
  if (!corrects_partly || basis.kernels == nullptr) return;
  const OutcomeTable& outcome = *basis.learnt.outcome_of(row);
  if (outcome.variance == nullptr) return;
  const LoggedSample& sample = basis.sample;
  std::vector<std::vector<double>> weights;
  std::vector<Matrix<double>> tables;
  bool corrects = false;
  for (std::size_t p = 0; p < policies.sample.size(); ++p) {
    const Evidence evidence = evidence_of(basis, row, policies, p);
    weights.push_back(residual_weights(row, evidence, basis.options));
    corrects = sum(weights.back(), *sample.comm) > 0 || corrects;
    tables.push_back(uncorrected_part(evidence, weights.back()));
  }
  if (!corrects && row.method == Method::kCautiousCorrection)
    return;  // those of the direct method apply
  std::vector<ImpliedWeights> implied =
      outcome.variance->imply_weights(basis.context, view_all(tables));
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
  policies.implied_of_row[row.name] = std::move(implied);
}

Estimate estimate_row(const EstimationBasis& basis, const EstimatorInfo& row,
                      const ValuedPolicies& policies, std::size_t policy) {
  const Evidence evidence = evidence_of(basis, row, policies, policy);
  Estimate value;
  if (row.needs_balance()) {
    value = estimate_balanced(row, evidence,
                              basis.learnt.balancer_of(row).value(basis.context, evidence.policy),
                              basis.options);
  } else {
    value = estimate(row, evidence, basis.options);
    note_learning(row, evidence, basis.learnt, value);
  }
  if (basis.kernels != nullptr) {
    apply_dependence(basis.context, *basis.kernels, basis.sample, policies.sample[policy],
                     noise_of(basis, row), basis.options.dependence, value);
  }
  note_smoothing(value);
  if (row.method == Method::kJointModel && basis.joint == nullptr) note_missing_joint_model(value);
  if (basis.joint == nullptr || row.outcome != LearnerId::kNetworkRidge) return value;
  if (row.method == Method::kDirect) value.joint = basis.joint->revalue(evidence.policy);
  if (row.method == Method::kJointModel) {
    adopt_joint_value(basis.joint->revalue_cautiously(evidence.policy), value);
  }
  return value;
}

}  // namespace cone
