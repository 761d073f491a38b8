// Where bounds meet a threshold.

#include <cmath>

#include <gtest/gtest.h>

#include "cone/sensitivity.hpp"

#include "sensitivity_world.hpp"

namespace cone {
namespace {

using testing::draw_world;
using testing::SensitivityWorld;

Breakdown break_down(const MarginalModel& model, const Contrast& contrast, double threshold) {
  const auto curves = trace_bounds(Context(), model, std::vector{contrast}, lambda_grid(5, 20));
  return find_breakdown(Context(), model, contrast, curves[0], threshold, 1.96);
}

TEST(LambdaGrid, GoesFromOneToTheLargest) {
  const std::vector<double> grid = lambda_grid(5, 50);
  ASSERT_EQ(grid.size(), 50U);
  EXPECT_EQ(grid.front(), 1);
  EXPECT_EQ(grid.back(), 5);
  for (std::size_t k = 1; k < 50; ++k) {
    EXPECT_NEAR(std::log(grid[k] / grid[k - 1]), std::log(5.0) / 49, 1e-12);
  }
}

TEST(TraceBounds, AreTheBoundsOneByOneAtAnyNumberOfThreads) {
  const SensitivityWorld world = draw_world(1, 300, 3);
  const MarginalModel model = world.model();
  const std::vector<Contrast> contrasts = {world.value(), world.difference()};
  const std::vector<double> lambdas = lambda_grid(4, 7);
  const auto traced = trace_bounds(Context({.threads = 3}), model, contrasts, lambdas);
  ASSERT_EQ(traced.size(), 2U);
  for (std::size_t c = 0; c < 2; ++c) {
    ASSERT_EQ(traced[c].size(), 7U);
    for (std::size_t k = 0; k < 7; ++k) {
      const MarginalBounds one = model.bound(model.score(lambdas[k]), contrasts[c]);
      EXPECT_EQ(traced[c][k].lambda, lambdas[k]);
      EXPECT_EQ(traced[c][k].lower.value, one.lower.value);
      EXPECT_EQ(traced[c][k].upper.standard_error, one.upper.standard_error);
    }
  }
}

TEST(Breakdown, IsWhereTheNearerEndMeetsTheThreshold) {
  const SensitivityWorld world = draw_world(2, 2000, 2);
  const MarginalModel model = world.model();
  const double centre = model.estimate(world.value()).value;
  for (const double gap : {0.15, -0.15}) {
    const double threshold = centre - gap;
    const Breakdown found = break_down(model, world.value(), threshold);
    ASSERT_TRUE(found.lambda && found.confident);
    const MarginalBounds at = model.bound(model.score(*found.lambda), world.value());
    EXPECT_NEAR((gap > 0 ? at.lower : at.upper).value, threshold, 1e-4);
    EXPECT_GT(*found.confident, 1);
    EXPECT_LT(*found.confident, *found.lambda);
    const MarginalBounds sure = model.bound(model.score(*found.confident), world.value());
    const double end = gap > 0 ? sure.lower.value - 1.96 * sure.lower.standard_error
                               : sure.upper.value + 1.96 * sure.upper.standard_error;
    EXPECT_NEAR(end, threshold, 1e-4);
  }
}

TEST(Breakdown, IsOneWithoutAGapAndNoneWhereNothingReachesIt) {
  const SensitivityWorld world = draw_world(3, 500, 2);
  const MarginalModel model = world.model();
  const ContrastEstimate estimate = model.estimate(world.value());
  const Breakdown none = break_down(model, world.value(), estimate.value);
  EXPECT_NEAR(*none.lambda, 1, 1e-5);
  EXPECT_EQ(none.confident, 1);
  const Breakdown unsure =
      break_down(model, world.value(), estimate.value - estimate.standard_error);
  EXPECT_GT(*unsure.lambda, 1);
  EXPECT_EQ(unsure.confident, 1);
  const Breakdown far = break_down(model, world.value(), estimate.value - 50);
  EXPECT_FALSE(far.lambda);
  EXPECT_FALSE(far.confident);
}

TEST(ResidualScale, FindsTheVarianceFunctionPerArm) {
  SensitivityWorld world = draw_world(4, 20000, 2);
  std::vector<double> degree;
  Rng rng(5, Stream::kTest, 2);
  for (std::size_t i = 0; i < world.arm.size(); ++i) {
    degree.push_back(static_cast<double>(rng.below(20)));
    const double sd = world.arm[i] == 1 ? std::sqrt(1 + degree[i]) : 2;
    world.outcome[i] = world.mu(i, world.arm[i]) + sd * rng.normal();
  }
  const Matrix<double> scale = residual_scale(world.tables(), degree);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(scale(i, 1) / std::sqrt(1 + degree[i]), 1, 0.15);
    EXPECT_NEAR(scale(i, 0), 2, 0.15);
  }
  const Matrix<double> constant =
      residual_scale(world.tables(), std::vector<double>(world.arm.size(), 0.0));
  EXPECT_EQ(constant(0, 1), constant(1, 1)) << "no node has neighbours";
}

}  // namespace
}  // namespace cone
