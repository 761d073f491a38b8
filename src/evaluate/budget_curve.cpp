#include "evaluate/budget_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "estimate/significance.hpp"
#include "exec/statistics.hpp"
#include "inference/joint_bands.hpp"

namespace cone {
namespace {

/// A linear contrast of the values: one weight per point.
using Contrast = std::vector<double>;

// A variance below this share of its terms is rounding.
constexpr double kRounding = 1e-12;

double share_of(std::size_t point, std::size_t last) {
  return static_cast<double>(point) / static_cast<double>(last);
}

/// The value of a point minus that of treating no unit.
Contrast gain_contrast(std::size_t point, std::size_t last) {
  Contrast out(last + 1, 0.0);
  out[point] += 1;
  out[0] -= 1;
  return out;
}

/// The gain minus the gain of treating a random subset of the same size.
Contrast over_random_contrast(std::size_t point, std::size_t last) {
  Contrast out = gain_contrast(point, last);
  out[last] -= share_of(point, last);
  out[0] += share_of(point, last);
  if (point == last) std::ranges::fill(out, 0.0);
  return out;
}

/// Σ_k weight(k) · over_random(k).
template <class Weight>
Contrast sum_over_random(std::size_t last, const Weight& weight) {
  Contrast out(last + 1, 0.0);
  for (std::size_t k = 1; k < last; ++k) {
    const Contrast point = over_random_contrast(k, last);
    for (std::size_t j = 0; j <= last; ++j) out[j] += weight(k) * point[j];
  }
  return out;
}

double covariance_of(const Contrast& a, const Contrast& b, const Matrix<double>& covariance) {
  double total = 0;
  double size = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (a[j] == 0 || b[k] == 0) continue;
      const double part = a[j] * b[k] * covariance(j, k);
      total += part;
      size += std::abs(part);
    }
  }
  return std::abs(total) <= kRounding * size ? 0 : total;
}

double error_of(const Contrast& contrast, const BudgetValues& values) {
  double variance = covariance_of(contrast, contrast, values.covariance);
  if (values.least_covariance.rows() > 0) {
    variance = std::max(variance, covariance_of(contrast, contrast, values.least_covariance));
  }
  return variance < 0 ? 0 : std::sqrt(variance);  // NaN stays NaN
}

/// Joint critical value of all contrasts that have an error; pointwise where none has.
double joint_factor_of(std::span<const Contrast> contrasts, const BudgetValues& values,
                       std::uint64_t seed) {
  std::vector<const Contrast*> known;
  for (const Contrast& contrast : contrasts) {
    if (error_of(contrast, values) > 0) known.push_back(&contrast);
  }
  if (known.empty()) return two_sided_t_quantile(values.level, values.degrees_of_freedom);
  Matrix<double> joint(known.size(), known.size());
  for (std::size_t j = 0; j < known.size(); ++j) {
    for (std::size_t k = 0; k < known.size(); ++k) {
      joint(j, k) = covariance_of(*known[j], *known[k], values.covariance);
    }
  }
  return t_of_normal(joint_factor(joint.view(), values.level, seed), values.degrees_of_freedom);
}

Alternatives combine_for(const Contrast& contrast, const BudgetValues& values) {
  return values.alternatives.empty() ? Alternatives() : combine(contrast, values.alternatives);
}

/// An interval of a contrast by sampling error alone, and one under all assumptions.
struct ContrastIntervals {
  std::pair<double, double> sampling;
  std::pair<double, double> all;
};

ContrastIntervals find_intervals(const Contrast& contrast, const BudgetValues& values, double value,
                                 double error, double factor) {
  if (std::isnan(error)) return {{kNaN, kNaN}, {kNaN, kNaN}};
  return {enclose(value, error, factor, {}),
          enclose(value, error, factor, combine_for(contrast, values))};
}

RankingArea describe_area(const Contrast& contrast, std::span<const double> net,
                          const BudgetValues& values) {
  RankingArea out;
  out.value = dot(contrast, net);
  double size = 0;
  for (std::size_t k = 0; k < net.size(); ++k) size += std::abs(contrast[k] * net[k]);
  if (std::abs(out.value) <= kRounding * size) out.value = 0;
  out.standard_error = error_of(contrast, values);
  const ContrastIntervals intervals =
      find_intervals(contrast, values, out.value, out.standard_error,
                     two_sided_t_quantile(values.level, values.degrees_of_freedom));
  out.sampling_interval = intervals.sampling;
  out.interval = intervals.all;
  if (std::isnan(out.standard_error)) {
    out.p = kNaN;
  } else if (out.standard_error > 0) {
    const double statistic =
        normal_of_t(least_statistic(out.value, out.standard_error, combine_for(contrast, values)),
                    values.degrees_of_freedom);
    out.p = std::erfc(statistic / std::numbers::sqrt2);
  }
  return out;
}

/// The area under the true gains, by the same contrast.
double true_area(const Contrast& contrast, const BudgetCurve& curve) {
  double total = 0;
  for (std::size_t k = 0; k < contrast.size(); ++k) total += contrast[k] * *curve.points[k].truth;
  return total;
}

}  // namespace

std::vector<double> qini_contrast(std::size_t last) {
  return sum_over_random(last, [&](std::size_t) { return 1 / static_cast<double>(last); });
}

std::vector<double> autoc_contrast(std::size_t last) {
  return sum_over_random(last, [&](std::size_t k) {
    const double width = (k == 1 ? 1.5 : 1.0) / static_cast<double>(last);
    return width / share_of(k, last);
  });
}

BudgetCurve describe_curve(const BudgetValues& values, std::uint64_t seed) {
  const std::size_t last = values.gross.size() - 1;
  const double sign = direction_sign(values.lower_is_better);
  std::vector<double> net(last + 1);
  std::vector<Contrast> gains;
  std::vector<Contrast> over_random;
  for (std::size_t k = 0; k <= last; ++k) {
    net[k] = values.gross[k] - sign * values.cost[k];
    gains.push_back(gain_contrast(k, last));
    over_random.push_back(over_random_contrast(k, last));
  }
  const double alone = two_sided_t_quantile(values.level, values.degrees_of_freedom);
  const double gain_factor = joint_factor_of(gains, values, seed);
  const double over_factor = joint_factor_of(over_random, values, seed);
  BudgetCurve out{.level = values.level, .lower_is_better = values.lower_is_better};
  for (std::size_t k = 0; k <= last; ++k) {
    BudgetPoint point{.share = share_of(k, last), .cost = values.cost[k] - values.cost[0]};
    point.gain = net[k] - net[0];
    point.standard_error = error_of(gains[k], values);
    const auto around_gain = [&](double factor) {
      return find_intervals(gains[k], values, point.gain, point.standard_error, factor);
    };
    point.sampling_interval = around_gain(alone).sampling;
    point.band = around_gain(gain_factor).sampling;
    point.interval = around_gain(alone).all;
    point.joint_interval = around_gain(gain_factor).all;
    point.sensitivity_interval = {kNaN, kNaN};
    // Both ends lie on the line by definition.
    point.over_random = k == 0 || k == last ? 0 : point.gain - point.share * (net[last] - net[0]);
    point.over_random_error = error_of(over_random[k], values);
    const auto around_difference = [&](double factor) {
      return find_intervals(over_random[k], values, point.over_random, point.over_random_error,
                            factor);
    };
    point.over_random_sampling_interval = around_difference(alone).sampling;
    point.over_random_band = around_difference(over_factor).sampling;
    point.over_random_interval = around_difference(alone).all;
    point.over_random_joint_interval = around_difference(over_factor).all;
    out.points.push_back(point);
  }
  out.qini = describe_area(qini_contrast(last), net, values);
  out.autoc = describe_area(autoc_contrast(last), net, values);
  const auto best = std::ranges::max_element(
      out.points, {}, [&](const BudgetPoint& point) { return sign * point.gain; });
  out.best_share = best->share;
  return out;
}

void add_true_gains(MatrixView<const double> outcomes, const LoggedSample& sample,
                    const Ranking& ranking, BudgetCurve& curve) {
  const auto value_at = [&](double share) {
    const Matrix<double> table = ranking.treat_first(share, sample.num_arms());
    std::vector<double> expected;
    for (std::size_t k = 0; k < sample.size(); ++k) {
      const NodeIndex i = sample.nodes[k];
      const double weight = sample.weight.empty() ? 1 : sample.weight[k];
      expected.push_back(weight * dot(table.row(i), outcomes.row(i)));
    }
    return mean(expected, *sample.comm);
  };
  const double untreated = value_at(0);
  for (BudgetPoint& point : curve.points) {
    point.truth =
        value_at(point.share) - untreated - direction_sign(curve.lower_is_better) * point.cost;
  }
  const std::size_t last = curve.points.size() - 1;
  curve.qini.truth = true_area(qini_contrast(last), curve);
  curve.autoc.truth = true_area(autoc_contrast(last), curve);
}

double ranking_residual_statistic(const Ranking& ranking, const LoggedSample& sample,
                                  std::span<const double> residual) {
  const std::span<const Arm> arm = sample.arm;
  const std::vector<double> position = ranking.positions();
  std::vector<double> mean_residual(kMaxArms, 0.0);
  std::vector<double> count(kMaxArms, 0.0);
  for (std::size_t i = 0; i < arm.size(); ++i) {
    mean_residual[arm[i]] += residual[i];
    ++count[arm[i]];
  }
  sample.comm->allreduce(mean_residual);
  sample.comm->allreduce(count);
  std::array<double, 2> sums{};
  auto& [total, squares] = sums;
  for (std::size_t i = 0; i < arm.size(); ++i) {
    if (arm[i] != ranking.arm() && arm[i] != kControlArm) continue;
    const double sign = arm[i] == ranking.arm() ? 1 : -1;
    // Both arms have the same weight, whatever their sizes.
    const double part = sign * (position[i] - 0.5) *
                        (residual[i] - mean_residual[arm[i]] / count[arm[i]]) / count[arm[i]];
    total += part;
    squares += part * part;
  }
  sample.comm->allreduce(sums);
  return squares > 0 ? total / std::sqrt(squares) : 0;
}

}  // namespace cone
