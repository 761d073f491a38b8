#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone::testing {

/// Owns the inputs of an estimate.
struct OwnedEvidence {
  LoggedSample sample;
  Matrix<double> policy;
  OutcomeTable outcome;
  std::optional<PropensityTable> propensity;
  std::optional<ImpliedWeights> implied;

  Evidence view() const {
    return {.sample = sample,
            .policy = policy.view(),
            .outcome = &outcome,
            .propensity = propensity ? &*propensity : nullptr,
            .implied = implied ? &*implied : nullptr};
  }
};

/// Fitted propensities of arm 1.
inline PropensityTable fitted_table(const std::vector<double>& probability,
                                    const std::vector<double>& unbounded, double bound) {
  return {.e = two_arm_probabilities(probability),
          .unbounded = two_arm_probabilities(unbounded),
          .bounds = PropensityBounds::same(bound, 2)};
}

/// Logged data of two arms with known nuisances, functions of one confounder x.
struct KnownLog {
  std::vector<Arm> treatment;
  std::vector<double> outcome, policy, propensity, mu0, mu1;
  double true_value = 0;  ///< of the policy, in the population

  OwnedEvidence evidence() const {
    OwnedEvidence out;
    out.sample = {.arm = treatment, .outcome = outcome, .arms = {"0", "1"}};
    for (std::size_t i = 0; i < outcome.size(); ++i) {
      out.sample.nodes.push_back(static_cast<NodeIndex>(i));
    }
    out.policy = two_arm_probabilities(policy);
    out.outcome.mu = join_arms(std::vector{mu0, mu1});
    out.propensity = PropensityTable{.e = two_arm_probabilities(propensity)};
    return out;
  }
};

/// x ~ N(0, 1), y(t) = x + t·(1 + x) + noise, policy sigmoid(0.5 − x). With `confounding` 0
/// treatment is randomised. The given outcome model has an error of `model_error` in its slope.
inline KnownLog known_log(std::size_t n, double confounding, double model_error,
                          std::uint64_t item) {
  KnownLog s;
  Rng rng(11, Stream::kTest, item);
  CompensatedSum value;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = rng.normal();
    const double e = sigmoid(confounding * x);
    const double pi = sigmoid(0.5 - x);
    const bool treated = rng.bernoulli(e);
    const double effect = 1 + x;
    s.treatment.push_back(treated ? 1 : 0);
    s.propensity.push_back(e);
    s.policy.push_back(pi);
    s.outcome.push_back(x + (treated ? effect : 0) + 0.5 * rng.normal());
    s.mu0.push_back((1 + model_error) * x);
    s.mu1.push_back((1 + model_error) * x + effect);
    value.add(x + pi * effect);
  }
  s.true_value = value.value() / static_cast<double>(n);
  return s;
}

}  // namespace cone::testing
