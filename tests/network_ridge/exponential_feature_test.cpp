// The exponential of a linear index as a feature of the network ridge.

#include "network_ridge/exponential_feature.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone {
namespace {

constexpr std::size_t kRows = 600;
const std::vector<std::size_t> kTwoArms = {0, 250, kRows};
const std::vector<char> kAll(kRows, 1);

struct IndexWorld {
  Matrix<double> numeric{kRows, 3};
  std::vector<double> index;  // of the outcome
  std::vector<double> outcome;
};

IndexWorld draw_world(const std::function<double(double)>& mean_of, double noise) {
  Rng rng(5, Stream::kTest, 3);
  IndexWorld world;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (double& x : world.numeric.row(i)) x = rng.normal();
    world.index.push_back((world.numeric(i, 0) - world.numeric(i, 2)) / std::sqrt(2.0));
    const double effect = i < kTwoArms[1] ? 0.0 : 0.5;
    world.outcome.push_back(mean_of(world.index[i]) + effect + noise * rng.normal());
  }
  return world;
}

double correlate(std::span<const double> a, std::span<const double> b) {
  double product = 0;
  for (std::size_t i = 0; i < a.size(); ++i) product += (a[i] - mean(a)) * (b[i] - mean(b));
  return product / static_cast<double>(a.size()) / std::sqrt(variance(a, 0) * variance(b, 0));
}

std::vector<double> feature_of(const IndexWorld& world) {
  return make_exponential_feature(world.numeric, kTwoArms, world.outcome, kAll)
      .value_or(std::vector<double>());
}

TEST(ExponentialFeature, FindsTheExponentialOfAnIndexAlsoWithNegativeOutcomes) {
  const IndexWorld world = draw_world([](double s) { return std::exp(s) - 3; }, 0.5);
  const std::vector<double> feature = feature_of(world);
  ASSERT_EQ(feature.size(), kRows);
  std::vector<double> truth;
  truth.reserve(kRows);
  for (const double s : world.index) truth.push_back(std::exp(s));
  EXPECT_GT(correlate(feature, truth), 0.995);
  EXPECT_NEAR(mean(feature), 0, 1e-12);
  EXPECT_NEAR(variance(feature, 0), 1, 1e-12);
}

TEST(ExponentialFeature, IsAbsentWhereALinearIndexPredictsAsWell) {
  EXPECT_TRUE(feature_of(draw_world([](double s) { return s; }, 0.5)).empty());
  EXPECT_TRUE(feature_of(draw_world([](double) { return 0.0; }, 1)).empty());
  EXPECT_TRUE(feature_of(draw_world([](double) { return 2.0; }, 0)).empty());
}

TEST(ExponentialFeature, DoesNotChangeWhenTheOutcomeIsShiftedScaledOrReversed) {
  IndexWorld world = draw_world([](double s) { return std::exp(0.8 * s); }, 0.3);
  const std::vector<double> feature = feature_of(world);
  ASSERT_FALSE(feature.empty());
  for (const auto& [factor, shift] :
       {std::pair(1e150, 0.0), std::pair(2.0, 700.0), std::pair(-3.0, 5.0)}) {
    IndexWorld changed = world;
    for (double& y : changed.outcome) y = factor * y + shift;
    const std::vector<double> same = feature_of(changed);
    ASSERT_EQ(same.size(), kRows) << factor;
    for (std::size_t i = 0; i < kRows; ++i) EXPECT_NEAR(same[i], feature[i], 1e-7) << factor;
  }
}

TEST(ExponentialFeature, IsNotFittedWithFewNodesForItsColumns) {
  const IndexWorld world = draw_world([](double s) { return std::exp(s); }, 0.3);
  Matrix<double> wide(kRows, 31);
  Rng rng(6, Stream::kTest);
  for (double& x : wide.values()) x = rng.normal();
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t c = 0; c < 3; ++c) wide(i, c) = world.numeric(i, c);
  }
  EXPECT_FALSE(make_exponential_feature(wide, kTwoArms, world.outcome, kAll));
  EXPECT_FALSE(make_exponential_feature(Matrix<double>(kRows, 0), kTwoArms, world.outcome, kAll));
}

TEST(ExponentialFeature, UsesNoOutcomesOfOtherRows) {
  IndexWorld world = draw_world([](double s) { return std::exp(s); }, 0.3);
  std::vector<char> is_fitted = kAll;
  for (std::size_t i = 0; i < kRows; i += 3) is_fitted[i] = 0;
  const auto make = [&] {
    return make_exponential_feature(world.numeric, kTwoArms, world.outcome, is_fitted);
  };
  const std::optional<std::vector<double>> feature = make();
  ASSERT_TRUE(feature);
  for (std::size_t i = 0; i < kRows; i += 3) world.outcome[i] = 1000;
  EXPECT_EQ(make(), feature);
}

TEST(ExponentialFeature, StaysFiniteForFeaturesWithOutliers) {
  IndexWorld world = draw_world([](double s) { return std::exp(s); }, 0.3);
  world.numeric(7, 0) = 60;
  world.outcome[7] = 40;
  for (const double value : feature_of(world)) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace cone
