#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/numeric.hpp"
#include "network_ridge/calibrate_effects.hpp"

namespace cone {
namespace {

/// The density of a standard normal variable, times √(2π).
double bell(double z) { return std::exp(-z * z / 2); }

/// P(Z < z), times √(2π).
double lower_tail(double z) {
  return std::sqrt(std::numbers::pi / 2) * std::erfc(-z / std::numbers::sqrt2);
}

/// Products over a cluster of the columns (w − e), (w − e)·(τ̂ − centre), scaled to unit length, and
/// the residuals.
struct ClusterSums {
  double a = 0, b = 0, c = 0;  // first · first, first · second, second · second
  double u = 0, v = 0;         // first · residual, second · residual
};

/// Posterior mean for slope ≥ ½, where no difference of tail probabilities cancels.
double posterior_mean(double slope, double error) {
  constexpr double kFar = 8;  // standard errors above 1; further ones change nothing
  slope = std::min(slope, 1 + kFar * error);
  const double low = -slope / error;
  const double high = (1 - slope) / error;
  const double at_zero = bell(low) / error;
  const double at_one = bell(high) / error;
  const double between = lower_tail(high) - lower_tail(low);
  const double moment = slope * between + error * (bell(low) - bell(high));
  return std::clamp((at_one + moment) / (at_zero + at_one + between), 0.0, 1.0);
}

}  // namespace

CalibrationSlope fit_calibration_slope(const CalibrationUnits& units) {
  const std::size_t n = units.effect.size();
  const std::span<const double> w = units.treatment_residual;
  const std::span<const double> y = units.outcome_residual;
  CompensatedSum squares;
  CompensatedSum weighted;
  for (std::size_t i = 0; i < n; ++i) {
    squares.add(w[i] * w[i]);
    weighted.add(w[i] * w[i] * units.effect[i]);
  }
  // With this centre the columns are orthogonal. The slope is the same with any.
  const double centre = weighted.value() / squares.value();
  CompensatedSum spread;
  CompensatedSum level;
  CompensatedSum slope;
  for (std::size_t i = 0; i < n; ++i) {
    const double second = w[i] * (units.effect[i] - centre);
    spread.add(second * second);
    level.add(w[i] * y[i]);
    slope.add(second * y[i]);
  }
  // A spread of τ̂ by rounding errors of its level is none.
  constexpr double kRounding = 1e-12;
  const double level_squares = centre * centre * squares.value();
  if (!(spread.value() > kRounding * kRounding * level_squares)) return {kNaN, kNaN};
  const double length_1 = std::sqrt(squares.value());
  const double length_2 = std::sqrt(spread.value());
  const double mean_effect = level.value() / squares.value();
  const CalibrationSlope out{slope.value() / spread.value(), 0};

  std::vector<ClusterSums> clusters(units.num_clusters);
  for (std::size_t i = 0; i < n; ++i) {
    const double difference = units.effect[i] - centre;
    const double residual = y[i] - w[i] * (mean_effect + out.slope * difference);
    const double first = w[i] / length_1;
    const double second = w[i] * difference / length_2;
    ClusterSums& sums = clusters[units.cluster[i]];
    sums.a += first * first;
    sums.b += first * second;
    sums.c += second * second;
    sums.u += first * residual;
    sums.v += second * residual;
  }
  // Without a cluster, (slope, mean effect) differ by (I − X_c'X_c)⁻¹ X_c'r_c.
  CompensatedSum variance;
  for (const ClusterSums& sums : clusters) {
    const double determinant = (1 - sums.a) * (1 - sums.c) - sums.b * sums.b;
    if (!(determinant > kRounding)) return {kNaN, kNaN};
    const double change = ((1 - sums.a) * sums.v + sums.b * sums.u) / determinant;
    variance.add(change * change);
  }
  return {out.slope, std::sqrt(variance.value()) / length_2};
}

double reported_slope(const CalibrationSlope& estimate) {
  const auto [slope, error] = estimate;
  if (!std::isfinite(slope) || !std::isfinite(error)) return 1;
  if (!(error > 0)) return std::clamp(slope, 0.0, 1.0);
  constexpr double kUninformative = 1e3;
  if (error > kUninformative) return 0.5;
  return slope >= 0.5 ? posterior_mean(slope, error) : 1 - posterior_mean(1 - slope, error);
}

}  // namespace cone
