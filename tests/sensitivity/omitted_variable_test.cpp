// Bounds of the omitted-variable bias, and benchmarks of its strength.

#include <cmath>

#include <gtest/gtest.h>

#include "cone/sensitivity.hpp"

#include "base/numeric.hpp"
#include "sensitivity_world.hpp"

namespace cone {
namespace {

using testing::draw_world;
using testing::SensitivityWorld;

/// A binary confounder of outcome and treatment, known to the test.
struct ConfoundedWorld {
  SensitivityWorld with;     // nuisances with it
  SensitivityWorld without;  // nuisances without it
};

ConfoundedWorld draw_confounded(std::size_t n, double on_outcome, double on_treatment) {
  Rng rng(9, Stream::kTest, 3);
  ConfoundedWorld out;
  for (SensitivityWorld* world : {&out.with, &out.without}) {
    world->mu = Matrix<double>(n, 2);
    world->e = Matrix<double>(n, 2);
    world->policy = Matrix<double>(n, 2);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const bool confounder = rng.bernoulli(0.5);
    const double e = 0.5 + (confounder ? on_treatment : -on_treatment);
    const Arm t = rng.bernoulli(e) ? 1 : 0;
    const double level = confounder ? on_outcome : -on_outcome;
    const double y = level + t + rng.normal();
    for (SensitivityWorld* world : {&out.with, &out.without}) {
      world->arm.push_back(t);
      world->outcome.push_back(y);
      world->policy(i, 1) = 1;
    }
    for (std::size_t a = 0; a < 2; ++a) {
      out.with.e(i, a) = a == 1 ? e : 1 - e;
      out.with.mu(i, a) = level + static_cast<double>(a);
      out.without.e(i, a) = 0.5;
      // E[sign of the confounder | arm] is ± 2 · on_treatment.
      const double tilt = a == 1 ? 2 * on_treatment : -2 * on_treatment;
      out.without.mu(i, a) = static_cast<double>(a) + on_outcome * tilt;
    }
  }
  return out;
}

TEST(ConfoundingScale, TheBoundIsTheBiasAtTheTrueStrengths) {
  const double on_outcome = 0.8;
  const double on_treatment = 0.2;
  const ConfoundedWorld world = draw_confounded(100000, on_outcome, on_treatment);
  const ConfoundingScale scale = confounding_scale(world.without.tables(), world.without.value());
  // Residuals of the short model: noise of variance 1 and the unexplained part of the level.
  const double unknown = on_outcome * on_outcome * (1 - 4 * on_treatment * on_treatment);
  EXPECT_NEAR(scale.sigma2, 1 + unknown, 0.02);
  EXPECT_NEAR(scale.nu2, 2, 0.02);
  // E α² with the confounder: E 1/e.
  const double long_nu2 = 0.5 / (0.5 + on_treatment) + 0.5 / (0.5 - on_treatment);
  const double cf_d = 1 - 2 / long_nu2;
  // g − g_s over all logged nodes, although only arm 1 has weight.
  const double cf_y = unknown / (1 + unknown);
  const double bias = on_outcome * 2 * on_treatment;
  EXPECT_GE(bias_bound(scale.total, cf_y, cf_d), bias);
  // Per arm the strengths are the same here, and the bound is exact.
  EXPECT_NEAR(bias_bound(scale.by_arm, cf_y, cf_d), bias, 0.01);
}

TEST(ConfoundingScale, ByArmIsNeverLarger) {
  for (std::uint64_t item = 0; item < 10; ++item) {
    const SensitivityWorld world = draw_world(item, 200, 2 + item % 3);
    for (const Contrast& contrast : {world.value(), world.difference()}) {
      const ConfoundingScale scale = confounding_scale(world.tables(), contrast);
      EXPECT_GT(scale.by_arm, 0);
      EXPECT_LE(scale.by_arm, scale.total + 1e-12);
      EXPECT_NEAR(sum(scale.sigma2_of_arm), scale.sigma2, 1e-12);
      EXPECT_NEAR(sum(scale.nu2_of_arm), scale.nu2, 1e-12);
      EXPECT_NEAR(mean(scale.total_influence), 0, 1e-12);
      EXPECT_NEAR(mean(scale.by_arm_influence), 0, 1e-12);
    }
  }
}

TEST(ConfoundingScale, IsZeroForPoliciesThatAgreeAndTheSameAgainstTheLoggedPolicy) {
  SensitivityWorld world = draw_world(20, 100, 2);
  const double value = confounding_scale(world.tables(), world.value()).by_arm;
  EXPECT_EQ(confounding_scale(world.tables(), world.from_logged_policy()).by_arm, value);
  world.other = world.policy;
  EXPECT_EQ(confounding_scale(world.tables(), world.difference()).total, 0);
  EXPECT_EQ(confounding_scale(world.tables(), world.difference()).by_arm, 0);
}

TEST(ConfoundingScale, IsNeverTheRootOfANegativeNumber) {
  SensitivityWorld world = draw_world(21, 100, 2);
  for (std::size_t i = 0; i < 100; ++i) {
    world.arm[i] = 1;
    world.e(i, 1) = 0.05;  // misspecified: 2/e − 1/e² is below 0
    world.e(i, 0) = 0.95;
  }
  const ConfoundingScale scale = confounding_scale(world.tables(), {.policy = world.e.view()});
  EXPECT_GT(scale.nu2, 0);
  EXPECT_GT(scale.total, 0);
}

TEST(RobustnessValue, IsTheStrengthAtWhichTheBoundIsTheGap) {
  for (const double gap : {1e-6, 0.01, 0.5, 3.0, 1e5}) {
    const double strength = robustness_value(-gap, 0.7);
    EXPECT_GT(strength, 0);
    EXPECT_LT(strength, 1);
    EXPECT_NEAR(bias_bound(0.7, strength, strength) / gap, 1, gap > 1e4 ? 1e-4 : 1e-9) << gap;
  }
  EXPECT_EQ(robustness_value(0, 0.7), 0);
  EXPECT_EQ(robustness_value(0, 0), 0);
  EXPECT_EQ(robustness_value(1, 0), 1);
}

TEST(RobustnessValue, WithConfidenceIsSmallerAndMeetsItsEquation) {
  const SensitivityWorld world = draw_world(22, 500, 2);
  const ContrastEstimate estimate = world.model().estimate(world.value());
  const ConfoundingScale scale = confounding_scale(world.tables(), world.value());
  const WithInfluence value{estimate.value, estimate.influence, estimate.unlogged_variance};
  const WithInfluence size{scale.by_arm, scale.by_arm_influence};
  EXPECT_NEAR(bound_error(value, size, 0), estimate.standard_error, 1e-12);
  for (const double gap : {0.4, -0.4}) {
    const double threshold = estimate.value - gap;
    const double strength = confident_robustness_value(value, size, threshold, 1.96);
    EXPECT_LT(strength, robustness_value(gap, scale.by_arm));
    const double multiple = strength / std::sqrt(1 - strength);
    const double sign = gap > 0 ? 1 : -1;
    EXPECT_NEAR(
        std::abs(gap) - multiple * scale.by_arm - 1.96 * bound_error(value, size, -sign * multiple),
        0, 1e-9);
  }
  EXPECT_EQ(confident_robustness_value(value, size, estimate.value - estimate.standard_error, 1.96),
            0);
}

TEST(Contour, IsTheEndTowardsTheThreshold) {
  const std::vector<double> strengths = {0, 0.1, 0.5};
  const Matrix<double> above = trace_contour(2, 1, 0, strengths, strengths);
  const Matrix<double> below = trace_contour(-2, 1, 0, strengths, strengths);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_DOUBLE_EQ(above(i, j), 2 - bias_bound(1, strengths[i], strengths[j]));
      EXPECT_DOUBLE_EQ(below(i, j), -above(i, j));
    }
  }
}

TEST(Benchmark, MeasuresWhatWasLeftOut) {
  const ConfoundedWorld world = draw_confounded(100000, 0.8, 0.2);
  const Benchmark found = measure_benchmark("confounder", world.with.tables(),
                                            world.without.tables(), world.with.value());
  const double unknown = 0.64 * (1 - 0.16);
  EXPECT_NEAR(found.cf_y, unknown, 0.02) << "in units of the residual variance, which is 1";
  EXPECT_NEAR(found.nu2_gain, (0.5 / 0.7 + 0.5 / 0.3) / 2 - 1, 0.03);
  EXPECT_NEAR(found.treatment_r2_long, 0.16, 0.01);
  EXPECT_NEAR(found.treatment_r2_short, 0, 1e-3);
  EXPECT_TRUE(found.treatment_gain_is_clear);
  EXPECT_NEAR(found.converted_gain, 0.16 * (0.5 / 0.25) / 2, 0.01);
  EXPECT_EQ(found.gain_d, std::max(found.nu2_gain, found.converted_gain));
  EXPECT_NEAR(found.cf_d / (1 - found.cf_d), found.gain_d, 1e-12);
  EXPECT_NEAR(found.shift, -0.8 * 0.4, 0.02);
  EXPECT_GT(found.bias, 0.9 * std::abs(found.shift));
}

TEST(Benchmark, OfEqualTablesIsZero) {
  const SensitivityWorld world = draw_world(23, 300, 3);
  const Benchmark found =
      measure_benchmark("nothing", world.tables(), world.tables(), world.value());
  EXPECT_EQ(found.cf_y, 0);
  EXPECT_EQ(found.gain_d, 0);
  EXPECT_EQ(found.bias, 0);
  EXPECT_EQ(found.shift, 0);
  EXPECT_FALSE(found.treatment_gain_is_clear);
}

}  // namespace
}  // namespace cone
