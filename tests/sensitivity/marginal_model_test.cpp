// Identities of the bounds under the marginal sensitivity model.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "cone/estimate.hpp"
#include "cone/sensitivity.hpp"

#include "base/numeric.hpp"
#include "sensitivity_world.hpp"

namespace cone {
namespace {

using testing::draw_world;
using testing::SensitivityWorld;

MarginalBounds bounds_at(const MarginalModel& model, const Contrast& contrast, double lambda) {
  return model.bound(model.score(lambda), contrast);
}

double plain_value(const SensitivityWorld& world, MatrixView<const double> policy) {
  const Matrix<double> scores =
      doubly_robust_scores(world.arm, world.outcome, world.mu.view(), world.e.view());
  double total = 0;
  for (std::size_t i = 0; i < scores.rows(); ++i) total += dot(policy.row(i), scores.row(i));
  return total / static_cast<double>(scores.rows());
}

TEST(MarginalModel, AtOneIsThePlainDoublyRobustEstimate) {
  for (const bool is_binary : {false, true}) {
    for (const std::size_t num_arms : {2, 4}) {
      const SensitivityWorld world = draw_world(1, 200, num_arms, is_binary);
      const MarginalModel model = world.model();
      EXPECT_EQ(model.is_binary(), is_binary);
      const double value = plain_value(world, world.policy.view());
      const double other = plain_value(world, world.other.view());
      for (const auto& [contrast, expected] :
           {std::pair{world.value(), value}, std::pair{world.difference(), value - other},
            std::pair{world.from_logged_policy(), value - mean(world.outcome)}}) {
        const MarginalBounds found = bounds_at(model, contrast, 1);
        const ContrastEstimate estimate = model.estimate(contrast);
        EXPECT_NEAR(found.lower.value, expected, 1e-12);
        EXPECT_NEAR(found.upper.value, expected, 1e-12);
        EXPECT_NEAR(estimate.value, expected, 1e-12);
        EXPECT_NEAR(found.lower.standard_error, estimate.standard_error, 1e-12);
        EXPECT_NEAR(found.upper.population_standard_error, estimate.population_standard_error,
                    1e-12);
        EXPECT_NEAR(mean(estimate.influence), 0, 1e-12);
        EXPECT_NEAR(mean(estimate.population_influence), 0, 1e-12);
      }
    }
  }
}

TEST(MarginalModel, ANodeOfWeightTwoIsTwoNodesAtOne) {
  // Away from Λ = 1 the quantiles of the residuals matter, which are unweighted.
  const SensitivityWorld world = draw_world(3, 120, 3);
  std::vector<double> units;
  SensitivityWorld twice;
  std::vector<std::size_t> nodes;
  for (std::size_t i = 0; i < 120; ++i) {
    units.push_back(static_cast<double>(i % 3));
    for (std::size_t k = 0; k < i % 3; ++k) nodes.push_back(i);
  }
  const double centre = mean(units);
  for (double& w : units) w /= centre;
  const auto repeat = [&](const Matrix<double>& table) {
    Matrix<double> out(nodes.size(), table.cols());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      for (std::size_t a = 0; a < table.cols(); ++a) out(k, a) = table(nodes[k], a);
    }
    return out;
  };
  for (const std::size_t i : nodes) {
    twice.arm.push_back(world.arm[i]);
    twice.outcome.push_back(world.outcome[i]);
  }
  twice.mu = repeat(world.mu);
  twice.e = repeat(world.e);
  twice.scale = repeat(world.scale);
  twice.policy = repeat(world.policy);
  twice.other = repeat(world.other);
  const auto weigh = [&](Matrix<double> table) {
    for (std::size_t i = 0; i < table.rows(); ++i) {
      for (double& p : table.row(i)) p *= units[i];
    }
    return table;
  };
  const Matrix<double> policy = weigh(world.policy);
  const Matrix<double> other = weigh(world.other);
  const MarginalModel model = world.model();
  const MarginalModel repeated = twice.model();
  for (const Reference reference : {Reference::kNothing, Reference::kLogged, Reference::kPolicy}) {
    const Contrast one{
        .policy = policy.view(), .reference = reference, .against = other.view(), .units = units};
    const Contrast two{
        .policy = twice.policy.view(), .reference = reference, .against = twice.other.view()};
    const ContrastEstimate found = model.estimate(one);
    EXPECT_NEAR(found.value, repeated.estimate(two).value, 1e-12);
    EXPECT_NEAR(mean(found.population_influence), 0, 1e-12);
    const MarginalBounds bounds = bounds_at(model, one, 1);
    EXPECT_NEAR(bounds.lower.value, found.value, 1e-12);
    EXPECT_NEAR(bounds.lower.population_standard_error, found.population_standard_error, 1e-12);
    EXPECT_NEAR(bounds.upper.standard_error, found.standard_error, 1e-12);
    const MarginalBounds wider = bounds_at(model, one, 2);
    EXPECT_LT(wider.lower.value, found.value);
    EXPECT_GT(wider.upper.value, found.value);
  }
}

TEST(MarginalModel, StandardErrorsAreThoseOfTheFormulas) {
  const SensitivityWorld world = draw_world(2, 300, 2);
  const ContrastEstimate found = world.model().estimate(world.value());
  const auto n = static_cast<double>(world.arm.size());
  std::vector<double> noise;
  std::vector<double> square(2, 0.0);
  std::vector<double> count(2, 0.0);
  for (std::size_t i = 0; i < world.arm.size(); ++i) {
    const Arm t = world.arm[i];
    const double r = world.outcome[i] - world.mu(i, t);
    noise.push_back((world.policy(i, t) / world.e(i, t) - world.policy(i, t)) * r);
    square[t] += r * r / (world.scale(i, t) * world.scale(i, t));
    ++count[t];
  }
  double unlogged = 0;
  for (std::size_t i = 0; i < world.arm.size(); ++i) {
    const std::size_t a = 1 - world.arm[i];
    const double sd = world.policy(i, a) * world.scale(i, a) / n;
    unlogged += sd * sd * square[a] / count[a];
  }
  EXPECT_NEAR(found.unlogged_variance, unlogged, 1e-12);
  EXPECT_NEAR(found.standard_error, std::sqrt(variance(noise, 1) / n + unlogged), 1e-12);
  EXPECT_LT(found.standard_error, found.population_standard_error)
      << "outcomes vary a lot between units";
}

/// (Λ² − 1)/Λ · φ(Φ⁻¹(t)) · mean σ{π(1 − e) + (1 − π)e}, residuals normal to the last digit.
TEST(MarginalModel, GaussianResidualsHaveTheClosedForm) {
  const std::size_t n = 40000;
  SensitivityWorld world = draw_world(3, n, 2);
  std::vector<std::size_t> seen(2, 0);
  std::vector<std::size_t> size(2, 0);
  for (const Arm t : world.arm) ++size[t];
  for (std::size_t i = 0; i < n; ++i) {
    // The k-th of m normal quantiles, by Newton's method on the distribution function.
    const Arm t = world.arm[i];
    const double p =
        (static_cast<double>((seen[t]++ * 7919) % size[t]) + 0.5) / static_cast<double>(size[t]);
    double z = 0;
    for (int step = 0; step < 60; ++step) {
      const double gap = 0.5 * std::erfc(-z / std::numbers::sqrt2) - p;
      const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
      z -= std::clamp(gap / density, -0.5, 0.5);
    }
    world.outcome[i] = world.mu(i, t) + world.scale(i, t) * z;
  }
  const MarginalModel model = world.model();
  for (const double lambda : {1.5, 3.0}) {
    const double t = lambda / (1 + lambda);
    double z = 0;
    for (int step = 0; step < 60; ++step) {
      z -= (0.5 * std::erfc(-z / std::numbers::sqrt2) - t) /
           (std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi));
    }
    double exposure = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t a = 0; a < 2; ++a) {
        exposure += world.scale(i, a) * world.policy(i, a) * (1 - world.e(i, a)) / n;
      }
    }
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double half = (lambda * lambda - 1) / lambda * density * exposure;
    const MarginalBounds found = bounds_at(model, world.value(), lambda);
    EXPECT_NEAR((found.upper.value - found.lower.value) / 2 / half, 1, 0.01) << lambda;
  }
}

TEST(MarginalModel, DifferencesAreNeverWiderThanSubtractingBounds) {
  for (std::uint64_t item = 10; item < 20; ++item) {
    const SensitivityWorld world = draw_world(item, 300, item % 2 == 0 ? 2 : 3, item % 3 == 0);
    const MarginalModel model = world.model();
    for (const double lambda : {1.2, 2.0, 5.0}) {
      const MarginalBounds difference = bounds_at(model, world.difference(), lambda);
      const MarginalBounds policy = bounds_at(model, world.value(), lambda);
      const MarginalBounds other = bounds_at(model, {.policy = world.other.view()}, lambda);
      EXPECT_LE(difference.lower.value, difference.upper.value);
      EXPECT_LE(difference.upper.value, policy.upper.value - other.lower.value + 1e-12);
      EXPECT_GE(difference.lower.value, policy.lower.value - other.upper.value - 1e-12);
      const MarginalBounds done = bounds_at(model, world.from_logged_policy(), lambda);
      EXPECT_NEAR(done.upper.value, policy.upper.value - mean(world.outcome), 1e-12);
    }
  }
}

TEST(MarginalModel, PoliciesThatAgreeHaveNoWidth) {
  SensitivityWorld world = draw_world(21, 100, 3);
  world.other = world.policy;
  const MarginalBounds found = bounds_at(world.model(), world.difference(), 4);
  EXPECT_EQ(found.lower.value, 0);
  EXPECT_EQ(found.upper.value, 0);
  EXPECT_EQ(found.upper.standard_error, 0);
}

TEST(MarginalModel, BoundsWidenWithLambda) {
  for (const bool is_binary : {false, true}) {
    const SensitivityWorld world = draw_world(22, 2000, 2, is_binary);
    const MarginalModel model = world.model();
    MarginalBounds before = bounds_at(model, world.value(), 1);
    for (const double lambda : {1.1, 1.5, 2.0, 4.0, 8.0}) {
      const MarginalBounds found = bounds_at(model, world.value(), lambda);
      EXPECT_GT(found.upper.value, before.upper.value);
      EXPECT_LT(found.lower.value, before.lower.value);
      before = found;
    }
  }
}

/// The largest mean of w·y over weights within [1/Λ, Λ] of mean 1: start from 1/Λ everywhere and
/// spend the rest on the largest outcomes.
double solve_knapsack(std::vector<double> y, double lambda) {
  std::sort(y.begin(), y.end(), std::greater<>());
  const auto n = static_cast<double>(y.size());
  double total = std::accumulate(y.begin(), y.end(), 0.0) / lambda;
  double left = n * (1 - 1 / lambda);
  for (const double value : y) {
    const double spent = std::min(left, lambda - 1 / lambda);
    total += spent * value;
    left -= spent;
  }
  return total / n;
}

/// Units of a few types: per type, the mean of an arm is bounded by a linear programme over the
/// unknown odds of its logged outcomes.
TEST(MarginalModel, SmallCasesAgreeWithALinearProgramme) {
  for (std::uint64_t item = 0; item < 20; ++item) {
    Rng rng(11, Stream::kTest, item);
    const bool is_binary = item % 4 == 3;
    const std::size_t num_arms = 2 + item % 2;
    // Residuals of every arm, the same in every type up to scale: a location-scale model is exact.
    std::vector<std::vector<double>> residual(num_arms);
    for (auto& of_arm : residual) {
      of_arm.resize(4 + rng.below(6));
      for (double& r : of_arm) r = rng.normal();
    }
    SensitivityWorld world;
    std::vector<double> rows;  // mu, e, scale, policy of every node, arm by arm
    const double lambda = 1 + 4 * rng.uniform();
    double upper = 0;
    double lower = 0;
    std::size_t n = 0;
    for (int kind = 0; kind < 3; ++kind) {
      std::vector<std::vector<double>> y(num_arms);
      std::vector<double> mu, size, scale, policy;
      for (std::size_t a = 0; a < num_arms; ++a) {
        const double level = rng.normal();
        scale.push_back(0.2 + rng.uniform());
        for (const double r : residual[a]) {
          y[a].push_back(is_binary ? (rng.bernoulli(0.5) ? 3.0 : 1.0) : level + scale[a] * r);
        }
        mu.push_back(mean(y[a]));
        size.push_back(static_cast<double>(y[a].size()));
        // Standardised residuals are centred, as mu is the mean.
        policy.push_back(rng.uniform());
      }
      const double all = sum(size);
      const double share = sum(policy);
      for (std::size_t a = 0; a < num_arms; ++a) {
        policy[a] /= share;
        std::vector<double> negated;
        for (const double value : y[a]) negated.push_back(-value);
        upper += policy[a] * (size[a] * mu[a] + (all - size[a]) * solve_knapsack(y[a], lambda));
        lower += policy[a] * (size[a] * mu[a] - (all - size[a]) * solve_knapsack(negated, lambda));
      }
      for (std::size_t t = 0; t < num_arms; ++t) {
        for (const double value : y[t]) {
          world.arm.push_back(static_cast<Arm>(t));
          world.outcome.push_back(value);
          for (std::size_t a = 0; a < num_arms; ++a) {
            rows.insert(rows.end(), {mu[a], size[a] / all, scale[a], policy[a]});
          }
          ++n;
        }
      }
    }
    for (Matrix<double>* table : {&world.mu, &world.e, &world.scale, &world.policy}) {
      *table = Matrix<double>(n, num_arms);
    }
    for (std::size_t k = 0; k < n * num_arms; ++k) {
      world.mu.values()[k] = rows[4 * k];
      world.e.values()[k] = rows[4 * k + 1];
      world.scale.values()[k] = rows[4 * k + 2];
      world.policy.values()[k] = rows[4 * k + 3];
    }
    const MarginalBounds found = bounds_at(world.model(), world.value(), lambda);
    EXPECT_NEAR(found.upper.value, upper / static_cast<double>(n), 1e-12) << item;
    EXPECT_NEAR(found.lower.value, lower / static_cast<double>(n), 1e-12) << item;
  }
}

TEST(MarginalModel, ShiftAndScaleOfTheOutcomeShiftAndScaleTheBounds) {
  for (const bool is_binary : {false, true}) {
    const SensitivityWorld world = draw_world(30, 200, 2, is_binary);
    for (const double factor : {3.0, -0.5}) {
      SensitivityWorld moved = world;
      for (double& y : moved.outcome) y = 7 + factor * y;
      for (double& m : moved.mu.values()) m = 7 + factor * m;
      for (double& s : moved.scale.values()) s *= std::abs(factor);
      const MarginalBounds before = bounds_at(world.model(), world.value(), 2);
      const MarginalBounds after = bounds_at(moved.model(), moved.value(), 2);
      const BoundEnd& upper = factor > 0 ? before.upper : before.lower;
      const BoundEnd& lower = factor > 0 ? before.lower : before.upper;
      EXPECT_NEAR(after.upper.value, 7 + factor * upper.value, 1e-11);
      EXPECT_NEAR(after.lower.value, 7 + factor * lower.value, 1e-11);
      EXPECT_NEAR(after.upper.standard_error, std::abs(factor) * upper.standard_error, 1e-11);
      const MarginalBounds difference = bounds_at(moved.model(), moved.difference(), 2);
      const MarginalBounds unmoved = bounds_at(world.model(), world.difference(), 2);
      EXPECT_NEAR(difference.upper.value,
                  factor * (factor > 0 ? unmoved.upper.value : unmoved.lower.value), 1e-11);
    }
  }
}

TEST(MarginalModel, RelabelledArmsChangeNothing) {
  const SensitivityWorld world = draw_world(31, 150, 3);
  SensitivityWorld turned = world;
  for (std::size_t i = 0; i < world.arm.size(); ++i) {
    turned.arm[i] = static_cast<Arm>((world.arm[i] + 1) % 3);
    for (std::size_t a = 0; a < 3; ++a) {
      turned.mu(i, (a + 1) % 3) = world.mu(i, a);
      turned.e(i, (a + 1) % 3) = world.e(i, a);
      turned.scale(i, (a + 1) % 3) = world.scale(i, a);
      turned.policy(i, (a + 1) % 3) = world.policy(i, a);
      turned.other(i, (a + 1) % 3) = world.other(i, a);
    }
  }
  const MarginalBounds before = bounds_at(world.model(), world.difference(), 3);
  const MarginalBounds after = bounds_at(turned.model(), turned.difference(), 3);
  EXPECT_NEAR(before.lower.value, after.lower.value, 1e-12);
  EXPECT_NEAR(before.upper.standard_error, after.upper.standard_error, 1e-12);
}

TEST(MarginalModel, TwoValuesHaveTheClosedForm) {
  SensitivityWorld world = draw_world(32, 50, 2, /*is_binary=*/true);
  const double lambda = 2.5;
  const MarginalScores scores = world.model().score(lambda);
  for (std::size_t i = 0; i < world.arm.size(); ++i) {
    const std::size_t a = 1 - world.arm[i];
    const double mu = world.mu(i, a);
    EXPECT_NEAR(scores.upper(i, a), std::min(1 - 1 / lambda + mu / lambda, lambda * mu), 1e-12);
    EXPECT_NEAR(scores.lower(i, a), std::max(1 - lambda + lambda * mu, mu / lambda), 1e-12);
  }
  // A linear model may predict outside [0, 1]; the bounds never cross.
  for (double& mu : world.mu.values()) mu = mu > 0.5 ? 1.2 : -0.1;
  const MarginalScores odd = world.model().score(lambda);
  for (std::size_t i = 0; i < world.arm.size(); ++i) {
    const std::size_t a = 1 - world.arm[i];
    EXPECT_LE(odd.lower(i, a), odd.upper(i, a));
  }
}

/// An unmeasured confounder with an odds ratio of at most Λ: the bounds cover the truth.
TEST(MarginalModel, CoversTheTruthForAConfounderOfThatStrength) {
  const std::size_t n = 40000;
  const double lambda = 3;
  Rng rng(5, Stream::kTest, 1);
  SensitivityWorld world;
  world.mu = Matrix<double>(n, 2);
  world.e = Matrix<double>(n, 2);
  world.scale = Matrix<double>(n, 2, 1.0);
  world.policy = Matrix<double>(n, 2);
  double truth = 0;
  double treated = 0;
  std::vector<double> total(2, 0.0);
  // P(T=1 | u) such that the odds are Λ times (or 1/Λ of) those of the mixture: units with better
  // outcomes are treated more often.
  const double high = lambda / (1 + lambda);
  for (std::size_t i = 0; i < n; ++i) {
    const bool confounder = rng.bernoulli(0.5);
    const Arm t = rng.bernoulli(confounder ? high : 1 - high) ? 1 : 0;
    const double y1 = (confounder ? 1.0 : -1.0) + 0.3 * rng.normal();
    const double y0 = 0.3 * rng.normal();
    world.arm.push_back(t);
    world.outcome.push_back(t == 1 ? y1 : y0);
    world.policy(i, 1) = 1;
    truth += y1 / static_cast<double>(n);
    treated += t;
    total[t] += world.outcome.back();
  }
  for (std::size_t i = 0; i < n; ++i) {
    world.e(i, 1) = treated / static_cast<double>(n);
    world.e(i, 0) = 1 - world.e(i, 1);
    world.mu(i, 1) = total[1] / treated;
    world.mu(i, 0) = total[0] / (static_cast<double>(n) - treated);
  }
  const MarginalModel model = world.model();
  EXPECT_GT(bounds_at(model, world.value(), 1).lower.value, truth + 0.4) << "biased without bounds";
  const MarginalBounds found = bounds_at(model, world.value(), lambda);
  EXPECT_LE(found.lower.value, truth + 0.02);
  EXPECT_GT(found.lower.value, truth - 0.15) << "the bound is sharp";
  EXPECT_GT(bounds_at(model, world.value(), 1.5).lower.value, truth + 0.1)
      << "not covered at a smaller Λ";
}

}  // namespace
}  // namespace cone
