#include "estimate/estimators.hpp"

#include <vector>

#include "base/numeric.hpp"

namespace cone {
namespace {

/// Σ w·x / Σ w.
double weighted_mean(std::span<const double> weights, std::span<const double> x) {
  CompensatedSum total;
  for (std::size_t i = 0; i < x.size(); ++i) total.add(weights[i] * x[i]);
  return total.value() / sum(weights);
}

double mean_product(std::span<const double> weights, std::span<const double> x) {
  CompensatedSum total;
  for (std::size_t i = 0; i < x.size(); ++i) total.add(weights[i] * x[i]);
  return total.value() / static_cast<double>(x.size());
}

}  // namespace

ValueAndInfluence arm_means(std::span<const std::uint8_t> treatment,
                            std::span<const double> outcome, std::span<const double> policy) {
  const std::size_t n = treatment.size();
  CompensatedSum arm_sum[2];
  double arm_count[2] = {0, 0};
  for (std::size_t i = 0; i < n; ++i) {
    arm_sum[treatment[i]].add(outcome[i]);
    ++arm_count[treatment[i]];
  }
  const double arm_mean[2] = {arm_sum[0].value() / arm_count[0], arm_sum[1].value() / arm_count[1]};
  const double treated_share = mean(policy);
  const double policy_share[2] = {1 - treated_share, treated_share};

  ValueAndInfluence out;
  out.value = treated_share * arm_mean[1] + (1 - treated_share) * arm_mean[0];
  out.influence.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const int t = treatment[i];
    const double weight = policy_share[t] * static_cast<double>(n) / arm_count[t];
    const double expected = policy[i] * arm_mean[1] + (1 - policy[i]) * arm_mean[0];
    out.influence[i] = expected - out.value + weight * (outcome[i] - arm_mean[t]);
  }
  return out;
}

ValueAndInfluence inverse_propensity(std::span<const double> weights,
                                     std::span<const double> outcome) {
  ValueAndInfluence out;
  out.value = mean_product(weights, outcome);
  out.influence.resize(outcome.size());
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    out.influence[i] = weights[i] * outcome[i] - out.value;
  }
  return out;
}

ValueAndInfluence self_normalised(std::span<const double> weights,
                                  std::span<const double> outcome) {
  ValueAndInfluence out;
  out.value = weighted_mean(weights, outcome);
  out.influence.resize(outcome.size());
  const double mean_weight = mean(weights);
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    out.influence[i] = weights[i] * (outcome[i] - out.value) / mean_weight;
  }
  return out;
}

std::vector<double> expected_outcome(std::span<const double> policy, std::span<const double> mu0,
                                     std::span<const double> mu1) {
  std::vector<double> expected(policy.size());
  for (std::size_t i = 0; i < policy.size(); ++i) {
    expected[i] = policy[i] * mu1[i] + (1 - policy[i]) * mu0[i];
  }
  return expected;
}

std::vector<double> residuals(std::span<const std::uint8_t> treatment,
                              std::span<const double> outcome, std::span<const double> mu0,
                              std::span<const double> mu1) {
  std::vector<double> out(outcome.size());
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    out[i] = outcome[i] - (treatment[i] == 1 ? mu1[i] : mu0[i]);
  }
  return out;
}

ValueAndInfluence direct_method(std::span<const double> expected) {
  ValueAndInfluence out;
  out.value = mean(expected);
  out.influence.resize(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) out.influence[i] = expected[i] - out.value;
  return out;
}

ValueAndInfluence doubly_robust(std::span<const double> expected, std::span<const double> weights,
                                std::span<const double> residual, Correction correction) {
  ValueAndInfluence out = direct_method(expected);
  const ValueAndInfluence correcting = correction == Correction::kPlain
                                           ? inverse_propensity(weights, residual)
                                           : self_normalised(weights, residual);
  const double scale =
      correction == Correction::kLiteral ? 1.0 / static_cast<double>(expected.size()) : 1.0;
  out.value += scale * correcting.value;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    out.influence[i] += scale * correcting.influence[i];
  }
  return out;
}

}  // namespace cone
