#include "network_ridge/calibrate_effects.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "base/text.hpp"
#include "network_ridge/calibration_slope.hpp"

namespace cone {
namespace {

/// Independent units of either arm below which a standard error says little.
constexpr std::size_t kFewestUnits = 10;

/// The columns of CalibrationUnits, and the number of clusters with units of either arm.
struct Comparison {
  std::vector<double> outcome_residual, treatment_residual, effect;
  std::vector<std::uint32_t> cluster;
  std::size_t num_clusters = 0;
  std::size_t num_treated = 0, num_controls = 0;
};

/// Numbers clusters in the order of their first unit; without clusters, every unit is one.
class ClusterNumbers {
 public:
  explicit ClusterNumbers(const Dataset& data) : cluster_(data.cluster) {
    std::uint32_t most = 0;
    for (const std::uint32_t c : cluster_) most = std::max(most, c);
    number_.assign(cluster_.empty() ? 0 : std::size_t{most} + 1, kNone);
  }
  std::uint32_t operator()(NodeIndex node) {
    if (cluster_.empty()) return count_++;
    std::uint32_t& number = number_[cluster_[node]];
    if (number == kNone) number = count_++;
    return number;
  }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::span<const std::uint32_t> cluster_;
  std::vector<std::uint32_t> number_;
  std::uint32_t count_ = 0;
};

Comparison compare(const Dataset& data, const FitPlan& plan, const Matrix<double>& mu,
                   const Matrix<double>& e, Arm arm) {
  Comparison out;
  ClusterNumbers clusters(data), treated(data), controls(data);
  for (std::size_t k = 0; k < plan.scored.size(); ++k) {
    const NodeIndex i = plan.scored[k];
    const Arm received = data.treatment[i];
    if (received != arm && received != kControlArm) continue;
    const double share = e(k, arm) / (e(k, arm) + e(k, kControlArm));
    const double w = received == arm ? 1 : 0;
    out.treatment_residual.push_back(w - share);
    out.outcome_residual.push_back(data.outcome[i] - share * mu(k, arm) -
                                   (1 - share) * mu(k, kControlArm));
    out.effect.push_back(mu(k, arm) - mu(k, kControlArm));
    out.cluster.push_back(clusters(i));
    received == arm ? treated(i) : controls(i);
  }
  out.num_clusters = clusters.count();
  out.num_treated = treated.count();
  out.num_controls = controls.count();
  return out;
}

EffectCalibration calibrate_arm(const Dataset& data, const Comparison& units, Arm arm) {
  const bool is_grouped = !data.cluster.empty();
  for (const auto& [count, label] : {std::pair{units.num_treated, data.arms[arm]},
                                     std::pair{units.num_controls, data.arms[kControlArm]}}) {
    if (count >= kFewestUnits) continue;
    return {.unidentified = fmt::format("arm {} has {} {}, fewer than {}", printable(label), count,
                                        is_grouped ? "clusters" : "units", kFewestUnits)};
  }
  const CalibrationSlope found =
      fit_calibration_slope({.outcome_residual = units.outcome_residual,
                             .treatment_residual = units.treatment_residual,
                             .effect = units.effect,
                             .cluster = units.cluster,
                             .num_clusters = units.num_clusters});
  if (!std::isfinite(found.slope) || !std::isfinite(found.standard_error)) {
    return {.unidentified = "predicted effects do not vary between comparable units"};
  }
  return {.slope = found.slope,
          .standard_error = found.standard_error,
          .shrinkage = 1 - reported_slope(found)};
}

double mean_effect(std::span<const double> effects, std::span<const double> weight) {
  if (weight.empty()) return mean(effects);
  return dot(effects, weight) / sum(weight);
}

}  // namespace

std::vector<EffectCalibration> calibrate_effects(const Dataset& data, const FitPlan& plan,
                                                 const Matrix<double>& mu,
                                                 const Matrix<double>& propensity) {
  const Matrix<double> e =
      bound_propensities(propensity, choose_propensity_bounds(data, std::nullopt)).e;
  std::vector<EffectCalibration> out;
  for (std::size_t a = 1; a < data.num_arms(); ++a) {
    const auto arm = static_cast<Arm>(a);
    out.push_back(calibrate_arm(data, compare(data, plan, mu, e, arm), arm));
  }
  return out;
}

void shrink_towards_mean(double shrinkage, std::span<const double> weight,
                         std::vector<double>& effects) {
  if (shrinkage == 0) return;
  const double centre = mean_effect(effects, weight);
  for (double& effect : effects) effect -= shrinkage * (effect - centre);
}

void shrink_effects(std::span<const EffectCalibration> calibration, std::span<const double> weight,
                    NodeEffects& effects) {
  for (std::size_t k = 0; k < calibration.size(); ++k) {
    std::vector<double> shrunk = arm_column(effects.effect.view(), static_cast<Arm>(k));
    shrink_towards_mean(calibration[k].shrinkage, weight, shrunk);
    for (std::size_t i = 0; i < shrunk.size(); ++i) {
      const double moved = effects.effect(i, k) - shrunk[i];
      effects.effect(i, k) = shrunk[i];
      effects.effect_sd(i, k) = std::hypot(effects.effect_sd(i, k), moved);
    }
  }
}

}  // namespace cone
