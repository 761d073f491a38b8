#include "evaluate/estimate_policies.hpp"

#include <utility>

#include "base/numeric.hpp"
#include "evaluate/row_estimates.hpp"
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

}  // namespace

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
  note_better_regressions(plan.sample, learnt.nuisances, results);
  return results;
}

}  // namespace cone
