#pragma once

#include <cstdint>
#include <vector>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "estimate/estimate.hpp"

namespace cone::testing {

/// A log with known potential outcomes and nuisances of one confounder x.
struct LoggedSample {
  std::vector<std::uint8_t> treatment;
  std::vector<double> outcome, policy, propensity, mu0, mu1;
  double true_utility = 0;  ///< of the policy, in the population

  EstimationInput input() const {
    return {.treatment = treatment,
            .outcome = outcome,
            .policy = policy,
            .propensity = {.probability = propensity},
            .outcome_model = {.mu0 = mu0, .mu1 = mu1}};
  }
};

/// x ~ N(0,1), y(t) = x + t·(1 + x) + noise, policy sigmoid(x) or so. With `confounding` 0 the log
/// is randomised. The given outcome model is wrong by `model_error` in its slope.
inline LoggedSample logged_sample(std::size_t n, double confounding, double model_error,
                                  std::uint64_t item) {
  LoggedSample s;
  Rng rng(11, Stream::kTest, item);
  CompensatedSum utility;
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
    utility.add(x + pi * effect);
  }
  s.true_utility = utility.value() / static_cast<double>(n);
  return s;
}

}  // namespace cone::testing
