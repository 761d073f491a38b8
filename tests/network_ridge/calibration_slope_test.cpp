#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "network_ridge/calibrate_effects.hpp"

namespace cone {
namespace {

/// Units whose true effect is 1 + slope·(τ̂ − 2).
struct Units {
  std::vector<double> y, w, effect;
  std::vector<std::uint32_t> cluster;

  explicit Units(std::size_t n, double slope = 0.5, double noise = 1) : cluster(n) {
    std::iota(cluster.begin(), cluster.end(), 0U);
    for (std::size_t i = 0; i < n; ++i) {
      Rng rng(3, Stream::kTest, i);
      const double e = 0.2 + 0.6 * rng.uniform();
      w.push_back((rng.uniform() < e ? 1 : 0) - e);
      effect.push_back(2 + rng.normal());
      y.push_back(w[i] * (1 + slope * (effect[i] - 2)) + noise * rng.normal());
    }
  }
  CalibrationSlope fit() const {
    std::size_t count = 0;
    for (const std::uint32_t c : cluster) count = std::max<std::size_t>(count, c + 1);
    return fit_calibration_slope({y, w, effect, cluster, count});
  }
};

/// Coefficients of y on w and w·τ̂ without the units of a cluster, by Cramer's rule.
double slope_without(const Units& units, std::uint32_t left_out) {
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
  for (std::size_t i = 0; i < units.y.size(); ++i) {
    if (units.cluster[i] == left_out) continue;
    const double a = units.w[i];
    const double b = a * units.effect[i];
    aa += a * a;
    ab += a * b;
    bb += b * b;
    ay += a * units.y[i];
    by += b * units.y[i];
  }
  return (aa * by - ab * ay) / (aa * bb - ab * ab);
}

TEST(CalibrationSlopeOf, TrueEffectsIsExact) {
  for (const double slope : {0.0, 0.5, 1.0, -2.0}) {
    const CalibrationSlope found = Units(50, slope, /*noise=*/0).fit();
    EXPECT_NEAR(found.slope, slope, 1e-12);
    EXPECT_NEAR(found.standard_error, 0, 1e-12);
  }
}

TEST(CalibrationSlopeOf, IsLeastSquaresWithTheJackknifeOverClusters) {
  Units units(60);
  for (const std::size_t size : {1U, 4U}) {
    for (std::size_t i = 0; i < 60; ++i) units.cluster[i] = static_cast<std::uint32_t>(i / size);
    const CalibrationSlope found = units.fit();
    constexpr std::uint32_t kNone = 1000;
    EXPECT_NEAR(found.slope, slope_without(units, kNone), 1e-12);
    double squares = 0;
    for (std::uint32_t c = 0; c < 60 / size; ++c) {
      squares += std::pow(slope_without(units, c) - found.slope, 2);
    }
    EXPECT_NEAR(found.standard_error, std::sqrt(squares), 1e-12);
  }
}

TEST(CalibrationSlopeOf, DoesNotDependOnUnitsOriginOrTheControlArm) {
  const Units units(80);
  const CalibrationSlope was = units.fit();
  Units other = units;
  for (double& y : other.y) y *= 1000;
  for (double& effect : other.effect) effect = 1000 * effect + 5;
  EXPECT_NEAR(other.fit().slope, was.slope, 1e-9);
  EXPECT_NEAR(other.fit().standard_error, was.standard_error, 1e-9);
  other = units;
  for (double& w : other.w) w = -w;  // 1 − w and 1 − e
  for (double& effect : other.effect) effect = -effect;
  EXPECT_NEAR(other.fit().slope, was.slope, 1e-12);
  EXPECT_NEAR(other.fit().standard_error, was.standard_error, 1e-12);
}

TEST(CalibrationSlopeOf, IsMissingWhereItIsNotIdentified) {
  Units units(20);
  units.effect.assign(20, 0.1);
  EXPECT_TRUE(std::isnan(units.fit().slope));
  units.effect[3] = 7;  // one unit decides
  EXPECT_TRUE(std::isnan(units.fit().standard_error));
  units = Units(20);
  units.w.assign(20, 0);
  EXPECT_TRUE(std::isnan(units.fit().slope));
  EXPECT_TRUE(std::isnan(Units(0).fit().slope));
}

TEST(ReportedSlope, IsTheMeanOfThePosterior) {
  for (const CalibrationSlope estimate : {CalibrationSlope{0.3, 0.2}, {0.9, 0.4}, {-0.5, 0.6}}) {
    const auto density = [&](double slope) {
      const double z = (slope - estimate.slope) / estimate.standard_error;
      return std::exp(-z * z / 2) / estimate.standard_error;
    };
    double total = density(0) + density(1);
    double moment = density(1);
    constexpr int kSteps = 20'000;
    for (int k = 0; k < kSteps; ++k) {
      const double slope = (k + 0.5) / kSteps;
      total += density(slope) / kSteps;
      moment += slope * density(slope) / kSteps;
    }
    EXPECT_NEAR(reported_slope(estimate), moment / total, 1e-8);
  }
}

TEST(ReportedSlope, GrowsWithTheEstimateFromZeroToOne) {
  for (const double error : {1e-9, 1e-3, 0.1, 0.5, 3.0, 999.0}) {
    double before = 0;
    for (double slope = -20; slope <= 20; slope += 0.01) {
      const double now = reported_slope({slope, error});
      EXPECT_GE(now, before - 1e-12) << slope << ' ' << error;
      EXPECT_LE(now, 1);
      EXPECT_NEAR(now, 1 - reported_slope({1 - slope, error}), 1e-12);
      before = now;
    }
  }
  EXPECT_LT(reported_slope({0.02, 0.05}), 0.02);
  EXPECT_NEAR(reported_slope({0.5, 0.02}), 0.5, 1e-9);
  EXPECT_GT(reported_slope({0.98, 0.05}), 0.99);
  EXPECT_NEAR(reported_slope({1.3, 0.05}), 1, 1e-3);
  EXPECT_EQ(reported_slope({0.4, 0}), 0.4);
  EXPECT_NEAR(reported_slope({0, 1e3}), 0.5, 1e-3);
  EXPECT_EQ(reported_slope({0, 1e9}), 0.5);
  EXPECT_EQ(reported_slope({kNaN, kNaN}), 1);
}

}  // namespace
}  // namespace cone
