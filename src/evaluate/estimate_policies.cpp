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
                                            const EvaluationPlan& plan, const Learnt& learnt,
                                            const EvaluateOptions& options) {
  std::vector<PolicyResult> results;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const Matrix<double>& assigned = plan.policies.sample[p];
    PolicyResult& result =
        results.emplace_back(describe_policy(policies[p], assigned, data, plan.sample));
    for (const EstimatorInfo& row : learnt.ready) {
      context.poll();
      Estimate value = estimate_row(context, plan, plan.policies, learnt, learnt.weights,
                                    options.estimator, row, p);
      if (learnt.strength) {
        add_sensitivity_interval(plan.sample, assigned, learnt.noise_of(row), *learnt.strength,
                                 value);
      }
      result.estimates.push_back(std::move(value));
    }
  }
  note_better_regressions(plan.catalogue, plan.sample, learnt.nuisances, results);
  return results;
}

}  // namespace cone
