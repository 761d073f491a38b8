// The smoothing bias of linear smoothers.

#include "estimate/smoothing_bias.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/numeric.hpp"

namespace cone {
namespace {

/// Two arms of three nodes, predictions and weights.
struct Example {
  LoggedSample sample;
  Matrix<double> policy{6, 2};
  OutcomeTable outcome;
  ImpliedWeights implied;

  Example() {
    sample.arms = {"0", "1"};
    sample.arm = {0, 0, 0, 1, 1, 1};
    sample.outcome = {1, 2, 4, 3, 5, 9};
    sample.nodes = {0, 1, 2, 3, 4, 5};
    outcome.mu = Matrix<double>(6, 2);
    for (std::size_t i = 0; i < 6; ++i) {
      policy(i, 1) = 1;
      outcome.mu(i, 0) = 1.5 + 0.1 * static_cast<double>(i);
      outcome.mu(i, 1) = 5 + 0.5 * static_cast<double>(i);
    }
    implied.weights = {0, 0, 0, 1, 2, 3};  // they sum to the policy's
  }
  Evidence evidence() const {
    return {.sample = sample, .policy = policy.view(), .outcome = &outcome, .implied = &implied};
  }
  double bias() const { return find_smoothing_bias(evidence())->bias; }
};

TEST(SmoothingBias, IsTheEstimatorOnTheFitLessTheModelsValue) {
  const Example example;
  // V(μ) = mean of 5, 5.5, ..., 7.5; Σ ω·μ = (6.5 + 2·7 + 3·7.5)/6.
  EXPECT_NEAR(example.bias(), (6.5 + 14 + 22.5) / 6 - 6.25, 1e-12);
  const double squares = std::pow(3 - 6.5, 2) + std::pow(2 * (5 - 7.0), 2) + std::pow(3 * 1.5, 2);
  EXPECT_NEAR(find_smoothing_bias(example.evidence())->standard_error, std::sqrt(squares) / 6,
              1e-12);
}

TEST(SmoothingBias, OfALinearDirectMethodIsTheWeightedResidual) {
  Example example;
  // Outcomes of which the value is linear with these weights: Σ ω·y = V(μ).
  example.sample.outcome = {0, 0, 0, 6.5, 7, 6.25 * 2 - (6.5 + 14) / 3};
  double of_residuals = 0;
  for (std::size_t i = 3; i < 6; ++i) {
    of_residuals +=
        example.implied.weights[i] * (example.sample.outcome[i] - example.outcome.mu(i, 1)) / 6;
  }
  EXPECT_NEAR(example.bias(), -of_residuals, 1e-12);
}

TEST(SmoothingBias, DoesNotDependOnTheOriginOfTheOutcome) {
  Example example;
  for (const double factor : {1.0, 0.9}) {  // 0.9: weights that do not sum to the policy's
    for (double& w : example.implied.weights) w *= factor;
    const double before = example.bias();
    Example shifted = example;
    for (double& y : shifted.sample.outcome) y += 100;
    for (double& mu : shifted.outcome.mu.values()) mu += 100;
    EXPECT_NEAR(shifted.bias(), before, 1e-9) << factor;
  }
}

TEST(SmoothingBias, IsNoneWithoutTheWeightsOfAllNodes) {
  Example example;
  example.implied.weights.pop_back();
  EXPECT_FALSE(find_smoothing_bias(example.evidence()));
  EXPECT_FALSE(find_smoothing_bias({.sample = example.sample, .policy = example.policy.view()}));
}

TEST(SmoothingBias, IsNamedWhereItIsClearAndExceedsTheStandardError) {
  Estimate e{.standard_error = 1};
  EXPECT_FALSE(e.is_oversmoothed());
  e.smoothing_bias = {.bias = -2.5, .standard_error = 1};
  EXPECT_TRUE(e.is_oversmoothed());
  e.smoothing_bias = {.bias = -2.5, .standard_error = 1.3};  // not clear
  EXPECT_FALSE(e.is_oversmoothed());
  e.smoothing_bias = {.bias = 0.9, .standard_error = 0.1};
  EXPECT_FALSE(e.is_oversmoothed());
}

}  // namespace
}  // namespace cone
