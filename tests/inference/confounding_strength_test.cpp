#include "inference/confounding_strength.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone {
namespace {

/// Treatment depends on a feature x and on a network confounder u (both ±1).
struct ConfoundedLog {
  LoggedSample sample;
  Matrix<double> by_features;
  Matrix<double> by_both;
  Matrix<double> treat_all;
  std::vector<double> residual;
};

ConfoundedLog draw_log(std::size_t n, double strength, std::uint64_t item) {
  Rng rng(31, Stream::kTest, item);
  ConfoundedLog log;
  log.sample.arms = {"0", "1"};
  log.by_features = Matrix<double>(n, 2);
  log.by_both = Matrix<double>(n, 2);
  log.treat_all = Matrix<double>(n, 2, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = rng.sign();
    const double u = rng.sign();
    const double e = sigmoid(0.5 * x + strength * u);
    const double marginal = 0.5 * (sigmoid(0.5 * x + strength) + sigmoid(0.5 * x - strength));
    log.sample.nodes.push_back(static_cast<NodeIndex>(i));
    log.sample.arm.push_back(rng.bernoulli(e) ? 1 : 0);
    log.residual.push_back(rng.normal());
    log.sample.outcome.push_back(log.residual.back());
    log.by_features(i, 1) = marginal;
    log.by_features(i, 0) = 1 - marginal;
    log.by_both(i, 1) = e;
    log.by_both(i, 0) = 1 - e;
    log.treat_all(i, 1) = 1;
  }
  return log;
}

TEST(ConfoundingStrength, IsThePartialRSquaredOfTheNetwork) {
  const ConfoundedLog log = draw_log(20000, 1, 1);
  const NetworkStrength found =
      measure_strength(log.sample, log.by_features, log.by_both, PropensityBounds::same(0.01, 2));
  EXPECT_GT(found.r_squared_network, found.r_squared_features);
  // Var(e | x)/Var(T | x), by hand.
  double explained = 0;
  double all = 0;
  for (const double x : {-1.0, 1.0}) {
    const double high = sigmoid(0.5 * x + 1);
    const double low = sigmoid(0.5 * x - 1);
    explained += 0.25 * (high - low) * (high - low) / 2;
    all += 0.5 * (high + low) / 2 * (1 - 0.5 * (high + low));
  }
  EXPECT_NEAR(found.added, explained / all, 0.02);
  EXPECT_GE(found.added_upper, found.added);
  EXPECT_LT(found.added_upper, found.added + 0.03);
  EXPECT_TRUE(found.is_clear);
}

TEST(ConfoundingStrength, IsTheDetectionLimitWhereTheNetworkAddsNothing) {
  const ConfoundedLog log = draw_log(5000, 0, 2);
  const NetworkStrength found =
      measure_strength(log.sample, log.by_features, log.by_both, PropensityBounds::same(0.01, 2));
  EXPECT_NEAR(found.added, 0, 1e-12);
  // Both models agree to the last digit. A confounder of this strength would not be detected.
  EXPECT_NEAR(found.added_upper, 1.6449 * 1.6449 / 5000, 1e-6);
  EXPECT_FALSE(found.is_clear);
  const ConfoundingBias bias =
      bound_confounding_bias(log.sample, log.treat_all.view(), log.residual, found);
  EXPECT_GT(bias.bound.largest(), 0);
  const NetworkStrength of_few =
      measure_strength(draw_log(50, 0, 2).sample, draw_log(50, 0, 2).by_features,
                       draw_log(50, 0, 2).by_both, PropensityBounds::same(0.01, 2));
  EXPECT_GT(of_few.added_upper, 50 * found.added_upper);
}

TEST(ConfoundingStrength, IsThatOfTheConnectedNodes) {
  ConfoundedLog log = draw_log(4000, 1, 6);
  std::vector<std::uint8_t> is_connected;
  for (std::size_t i = 0; i < 4000; ++i) {
    is_connected.push_back(i % 3 == 0 ? 0 : 1);
    if (i % 3 == 0) std::ranges::copy(log.by_features.row(i), log.by_both.row(i).begin());
  }
  const PropensityBounds bounds = PropensityBounds::same(0.01, 2);
  const NetworkStrength all = measure_strength(log.sample, log.by_features, log.by_both, bounds);
  const NetworkStrength connected =
      measure_strength(log.sample, log.by_features, log.by_both, bounds, is_connected);
  EXPECT_NEAR(all.added, connected.added * 2 / 3, 0.01);
  EXPECT_NEAR(connected.connected_share, 2.0 / 3, 1e-3);
  EXPECT_EQ(choose_basis(false, &all), VerdictBasis::kBenchmark);
  EXPECT_EQ(choose_basis(false, &connected), VerdictBasis::kNothing) << "too many are isolated";
  EXPECT_EQ(choose_basis(true, &connected), VerdictBasis::kRandomised);
  EXPECT_EQ(choose_basis(false, nullptr), VerdictBasis::kNothing);
  NetworkStrength unclear = all;
  unclear.is_clear = false;
  EXPECT_EQ(choose_basis(false, &unclear), VerdictBasis::kNothing);
}

TEST(ConfoundingStrength, BoundCoversTheBiasOfAConfounderOfThatStrength) {
  // Outcomes increase by u, which the outcome model omits: treat-all has bias E[u (T/e_x − 1)].
  const ConfoundedLog log = draw_log(40000, 1, 3);
  const NetworkStrength strength =
      measure_strength(log.sample, log.by_features, log.by_both, PropensityBounds::same(0.01, 2));
  double bias = 0;
  std::vector<double> residual;
  for (std::size_t i = 0; i < log.sample.size(); ++i) {
    const double u = log.by_both(i, 1) > log.by_features(i, 1) ? 1 : -1;
    residual.push_back(u + 0.1 * log.residual[i]);
    const double weight = log.sample.arm[i] == 1 ? 1 / log.by_features(i, 1) : 0;
    bias += u * (weight - 1) / static_cast<double>(log.sample.size());
  }
  const ConfoundingBias bound =
      bound_confounding_bias(log.sample, log.treat_all.view(), residual, strength);
  EXPECT_GT(bound.bound.too_high, std::abs(bias));
  EXPECT_LT(bound.bound.too_high, 4 * std::abs(bias)) << "the bound is informative";
}

TEST(ConfoundingStrength, BoundScalesWithTheOutcome) {
  const ConfoundedLog log = draw_log(3000, 1, 4);
  const NetworkStrength strength =
      measure_strength(log.sample, log.by_features, log.by_both, PropensityBounds::same(0.01, 2));
  std::vector<double> scaled = log.residual;
  for (double& r : scaled) r *= -250;
  const double plain =
      bound_confounding_bias(log.sample, log.treat_all.view(), log.residual, strength)
          .bound.largest();
  EXPECT_NEAR(
      bound_confounding_bias(log.sample, log.treat_all.view(), scaled, strength).bound.largest() /
          plain,
      250, 1e-9);
}

TEST(ConfoundingStrength, AKnownDirectionBoundsOneSideOnly) {
  const ConfoundedLog log = draw_log(3000, 1, 5);
  NetworkStrength strength =
      measure_strength(log.sample, log.by_features, log.by_both, PropensityBounds::same(0.01, 2));
  const auto bound_of = [&](const Matrix<double>& policy) {
    return bound_confounding_bias(log.sample, policy.view(), log.residual, strength).bound;
  };
  Matrix<double> minus = log.treat_all;
  for (double& p : minus.values()) p = -p;
  const BiasBound either = bound_of(log.treat_all);
  EXPECT_EQ(either.too_high, either.too_low);
  strength.arms = {{.direction = 0}, {.direction = 1}};
  EXPECT_EQ(bound_of(log.treat_all).too_high, either.too_high);
  EXPECT_EQ(bound_of(log.treat_all).too_low, 0);
  EXPECT_EQ(bound_of(minus).too_high, 0)
      << "what makes the arm's mean too high makes -1 times it too low";
  EXPECT_EQ(bound_of(minus).too_low, either.too_high);
  Matrix<double> mixed = log.treat_all;
  mixed(0, 1) = -1;
  EXPECT_GT(bound_of(mixed).too_high, 0);
  EXPECT_GT(bound_of(mixed).too_low, 0);
  strength.arms = {{}, {.outcome_share = 0.25}};
  EXPECT_NEAR(bound_of(log.treat_all).too_high, either.too_high / 2, 1e-12);
}

}  // namespace
}  // namespace cone
