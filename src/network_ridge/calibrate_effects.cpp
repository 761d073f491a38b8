#include "network_ridge/calibrate_effects.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "exec/statistics.hpp"

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

/// Numbers clusters in the order of their first unit.
class ClusterNumbers {
 public:
  std::uint32_t operator()(std::uint32_t cluster) {
    return number_.try_emplace(cluster, static_cast<std::uint32_t>(number_.size())).first->second;
  }
  std::size_t count() const { return number_.size(); }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> number_;
};

/// The units of all ranks; without clusters, every unit is one.
Comparison compare(const Dataset& data, const FitPlan& plan, const Matrix<double>& mu,
                   const Matrix<double>& e, Arm arm) {
  Comparison out;
  std::vector<char> is_treated;
  for (std::size_t k = 0; k < plan.scored.size(); ++k) {
    const NodeIndex i = plan.scored[k];
    const Arm received = data.treatment[i];
    if (received != arm && received != kControlArm) continue;
    const double share = e(k, arm) / (e(k, arm) + e(k, kControlArm));
    is_treated.push_back(received == arm ? 1 : 0);
    out.treatment_residual.push_back(is_treated.back() - share);
    out.outcome_residual.push_back(data.outcome[i] - share * mu(k, arm) -
                                   (1 - share) * mu(k, kControlArm));
    out.effect.push_back(mu(k, arm) - mu(k, kControlArm));
    if (!data.cluster.empty()) out.cluster.push_back(data.cluster[i]);
  }
  const Communicator& comm = data.comm();
  is_treated = comm.allgatherv(is_treated);
  for (auto* column : {&out.outcome_residual, &out.treatment_residual, &out.effect}) {
    *column = comm.allgatherv(*column);
  }
  out.cluster = comm.allgatherv(out.cluster);
  if (out.cluster.empty()) {
    out.cluster.resize(is_treated.size());
    std::iota(out.cluster.begin(), out.cluster.end(), 0U);
  }
  ClusterNumbers clusters, treated, controls;
  for (std::size_t k = 0; k < is_treated.size(); ++k) {
    is_treated[k] != 0 ? treated(out.cluster[k]) : controls(out.cluster[k]);
    out.cluster[k] = clusters(out.cluster[k]);
  }
  out.num_clusters = clusters.count();
  out.num_treated = treated.count();
  out.num_controls = controls.count();
  return out;
}

EffectCalibration calibrate_arm(const Dataset& data, const Comparison& units, Arm arm) {
  const bool is_grouped = data.comm().any(!data.cluster.empty());
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

double mean_effect(std::span<const double> effects, std::span<const double> weight,
                   const Communicator& comm) {
  if (!comm.any(!weight.empty())) return mean(effects, comm);
  std::array<double, 2> sums = {dot(effects, weight), sum(weight)};
  comm.allreduce(sums);
  return sums[0] / sums[1];
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

void shrink_towards_mean(double shrinkage, std::span<const double> weight, const Communicator& comm,
                         std::vector<double>& effects) {
  if (shrinkage == 0) return;
  const double centre = mean_effect(effects, weight, comm);
  for (double& effect : effects) effect -= shrinkage * (effect - centre);
}

void shrink_effects(std::span<const EffectCalibration> calibration, const Dataset& data,
                    NodeEffects& effects) {
  for (std::size_t k = 0; k < calibration.size(); ++k) {
    std::vector<double> shrunk = arm_column(effects.effect.view(), static_cast<Arm>(k));
    shrink_towards_mean(calibration[k].shrinkage, data.weight, data.comm(), shrunk);
    for (std::size_t i = 0; i < shrunk.size(); ++i) {
      const double moved = effects.effect(i, k) - shrunk[i];
      effects.effect(i, k) = shrunk[i];
      effects.effect_sd(i, k) = std::hypot(effects.effect_sd(i, k), moved);
    }
  }
}

}  // namespace cone
