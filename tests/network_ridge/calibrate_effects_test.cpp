#include "network_ridge/calibrate_effects.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "support/arms_world.hpp"

namespace cone {
namespace {

/// Two arms, confounded by x0. The effect is 1 + heterogeneity·x1.
Dataset effects_world(std::size_t n, double heterogeneity, std::uint64_t item = 5) {
  Dataset data = testing::small_world(n, 0, 0, item).data.observed;
  for (std::size_t i = 0; i < n; ++i) {
    Rng rng(11 + item, Stream::kTest, i);
    const double x0 = data.features.matrix.row(i).at(0);
    const double x1 = data.features.matrix.row(i).at(1);
    data.treatment[i] = rng.uniform() < sigmoid(x0) ? 1 : 0;
    data.outcome[i] = x0 + data.treatment[i] * (1 + heterogeneity * x1) + 0.5 * rng.normal();
  }
  return data;
}

NodeEffects estimate(const Dataset& data, EffectShrinkage shrinkage = EffectShrinkage::kAuto,
                     int threads = 2) {
  EffectOptions options{.folds = 3};
  options.effect_shrinkage = shrinkage;
  return estimate_effects(Context({.seed = 1, .threads = threads}), data, options);
}

double spread_of(const NodeEffects& effects) {
  const std::vector<double> column = arm_column(effects.effect.view(), 0);
  return std::sqrt(variance(column, 0));
}

TEST(EffectShrinkage, IsStrongForConstantEffectsAndNoneForClearDifferences) {
  double shrinkage = 0;
  constexpr int kDatasets = 8;
  for (std::uint64_t item = 0; item < kDatasets; ++item) {
    shrinkage += estimate(effects_world(200, 0, item)).calibration[0].shrinkage / kDatasets;
  }
  EXPECT_GT(shrinkage, 0.7);
  const NodeEffects clear = estimate(effects_world(400, 1));
  EXPECT_LT(clear.calibration[0].shrinkage, 0.02);
  EXPECT_NEAR(clear.calibration[0].slope, 1, 3 * clear.calibration[0].standard_error);
}

TEST(EffectShrinkage, KeepsTheMeanAndNeverNarrowsAStandardDeviation) {
  Dataset data = testing::arms_world(200, 3, 1).data.observed;
  for (std::size_t i = 0; i < 200; ++i) data.weight.push_back(1 + static_cast<double>(i % 3));
  const NodeEffects plain = estimate(data, EffectShrinkage::kNone);
  const NodeEffects shrunk = estimate(data);
  EXPECT_TRUE(plain.calibration.empty());
  ASSERT_EQ(shrunk.calibration.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const double shrinkage = shrunk.calibration[k].shrinkage;
    EXPECT_GT(shrinkage, 0);
    EXPECT_LT(shrinkage, 1);
    const std::vector<double> before = arm_column(plain.effect.view(), static_cast<Arm>(k));
    const double centre = dot(before, data.weight) / sum(data.weight);
    CompensatedSum total;
    for (std::size_t i = 0; i < 200; ++i) {
      EXPECT_EQ(plain.effect(i, k), plain.mu(i, k + 1) - plain.mu(i, 0));
      EXPECT_EQ(shrunk.mu(i, k + 1), plain.mu(i, k + 1));
      EXPECT_NEAR(shrunk.effect(i, k), centre + (1 - shrinkage) * (before[i] - centre), 1e-12);
      EXPECT_GE(shrunk.effect_sd(i, k), plain.effect_sd(i, k));
      EXPECT_NEAR(shrunk.effect_sd(i, k),
                  std::hypot(plain.effect_sd(i, k), shrinkage * (before[i] - centre)), 1e-12);
      total.add(data.weight[i] * shrunk.effect(i, k));
    }
    EXPECT_NEAR(total.value() / sum(data.weight), centre, 1e-12);
  }
}

TEST(EffectShrinkage, DoesNotDependOnTheUnitOfTheOutcomeOrTheControlArm) {
  const Dataset data = effects_world(150, 0.3);
  const EffectCalibration was = estimate(data).calibration[0];
  Dataset other = data;
  for (double& y : other.outcome) y = 100 * y + 7;
  const EffectCalibration scaled = estimate(other).calibration[0];
  EXPECT_NEAR(scaled.slope, was.slope, 1e-4);
  EXPECT_NEAR(scaled.standard_error, was.standard_error, 1e-4);
  // The same predictions with the arms exchanged.
  const FitPlan plan = make_plan(Context({.seed = 1, .threads = 1}), data, {.folds = 3}, 1);
  const NodeEffects effects = estimate(data, EffectShrinkage::kNone);
  const Matrix<double> e = two_arm_probabilities(std::vector<double>(150, 0.4));
  Matrix<double> mu = effects.mu;
  Matrix<double> e_exchanged = e;
  for (std::size_t i = 0; i < 150; ++i) {
    std::swap(mu(i, 0), mu(i, 1));
    std::swap(e_exchanged(i, 0), e_exchanged(i, 1));
  }
  other = data;
  for (Arm& arm : other.treatment) arm = 1 - arm;
  const EffectCalibration one = calibrate_effects(data, plan, effects.mu, e)[0];
  const EffectCalibration two = calibrate_effects(other, plan, mu, e_exchanged)[0];
  EXPECT_NEAR(one.slope, two.slope, 1e-12);
  EXPECT_NEAR(one.standard_error, two.standard_error, 1e-12);
  EXPECT_NEAR(one.shrinkage, two.shrinkage, 1e-12);
}

TEST(EffectShrinkage, ComparesOnlyTheNodesOfBothArms) {
  Dataset data = testing::arms_world(200, 3, 1).data.observed;
  const FitPlan plan = make_plan(Context({.seed = 1, .threads = 1}), data, {.folds = 3}, 1);
  const EffectCalibration was = calibrate_effects(data, plan, *data.mu, *data.propensity)[1];
  for (std::size_t i = 0; i < 200; ++i) {
    if (data.treatment[i] == 1) data.outcome[i] += 50;
  }
  const EffectCalibration is = calibrate_effects(data, plan, *data.mu, *data.propensity)[1];
  EXPECT_EQ(is.slope, was.slope);
  EXPECT_EQ(is.standard_error, was.standard_error);
}

TEST(EffectShrinkage, HasClusterRobustStandardErrors) {
  Dataset data = effects_world(200, 0);
  const FitPlan plan = make_plan(Context({.seed = 1, .threads = 1}), data, {.folds = 3}, 1);
  const NodeEffects effects = estimate(data, EffectShrinkage::kNone);
  const Matrix<double> e = two_arm_probabilities(std::vector<double>(200, 0.5));
  const EffectCalibration alone = calibrate_effects(data, plan, effects.mu, e)[0];
  for (std::uint32_t i = 0; i < 200; ++i) data.cluster.push_back(i);
  EXPECT_EQ(calibrate_effects(data, plan, effects.mu, e)[0].standard_error, alone.standard_error);
  for (std::uint32_t i = 0; i < 200; ++i) data.cluster[i] = i / 10;
  const EffectCalibration grouped = calibrate_effects(data, plan, effects.mu, e)[0];
  EXPECT_EQ(grouped.slope, alone.slope);
  EXPECT_NE(grouped.standard_error, alone.standard_error);
  for (std::uint32_t i = 0; i < 200; ++i) data.cluster[i] = i / 50;
  const EffectCalibration few = calibrate_effects(data, plan, effects.mu, e)[0];
  EXPECT_EQ(few.unidentified, "arm 1 has 4 clusters, fewer than 10");
}

TEST(EffectShrinkage, IsNoneWithoutASlope) {
  Dataset data = effects_world(100, 0);
  std::size_t treated = 0;
  for (Arm& arm : data.treatment) {
    if (arm == 1 && ++treated > 9) arm = 0;
  }
  const NodeEffects effects = estimate(data);
  EXPECT_EQ(effects.calibration[0].unidentified, "arm 1 has 9 units, fewer than 10");
  EXPECT_TRUE(std::isnan(effects.calibration[0].slope));
  EXPECT_EQ(effects.calibration[0].shrinkage, 0);
  EXPECT_EQ(effects.effect(3, 0), effects.mu(3, 1) - effects.mu(3, 0));
}

TEST(EffectShrinkage, IsBitwiseEqualAtAnyNumberOfThreads) {
  const Dataset data = effects_world(150, 0.3);
  const NodeEffects one = estimate(data, EffectShrinkage::kAuto, 1);
  const NodeEffects three = estimate(data, EffectShrinkage::kAuto, 3);
  EXPECT_EQ(one.calibration[0].slope, three.calibration[0].slope);
  EXPECT_EQ(one.calibration[0].standard_error, three.calibration[0].standard_error);
  EXPECT_EQ(arm_column(one.effect.view(), 0), arm_column(three.effect.view(), 0));
  EXPECT_LT(spread_of(one), spread_of(estimate(data, EffectShrinkage::kNone)));
}

}  // namespace
}  // namespace cone
