#include "evaluate/sensitivity_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/numeric.hpp"
#include "estimate/enough_units.hpp"
#include "estimate/significance.hpp"
#include "inference/network_treatment.hpp"

namespace cone {
namespace {

/// The bias bound, with the residual-based (model-free) standard error where it is larger.
BiasBound find_widening(const Estimate& e) {
  const double half_width = e.sampling_interval.second - e.value;
  const double predictive =
      two_sided_t_quantile(e.level, e.degrees_of_freedom) * e.parts.predictive_error;
  const double more = predictive > half_width ? predictive - half_width : 0;
  return *e.confounding_bias_bound + BiasBound{more, more};
}

}  // namespace

void set_sensitivity_interval(const LoggedSample& sample, Estimate& e) {
  e.sensitivity_interval = {kNaN, kNaN};
  if (!e.sensitivity_widening || std::isnan(e.standard_error)) return;
  const double half_width = (e.sampling_interval.second - e.sampling_interval.first) / 2;
  e.sensitivity_interval = enclose_confounded(
      e.value, e.standard_error, e.standard_error > 0 ? half_width / e.standard_error : 0,
      e.alternatives(), *e.sensitivity_widening);
  const auto possible = find_two_values(sample);
  if (!possible) return;
  // The interval itself is not cut off.
  const auto limits = hull(*possible, e.interval());
  auto& [low, high] = e.sensitivity_interval;
  low = std::clamp(low, limits.first, limits.second);
  high = std::clamp(high, limits.first, limits.second);
}

bool wants_sensitivity_intervals(const EvaluateOptions& options, const Learnt& learnt) {
  return options.sensitivity_interval && learnt.kernels && learnt.kernels->has_edges() &&
         learnt.nuisances.parts().contains(LearnerId::kNetworkRidge);
}

void add_sensitivity_interval(const LoggedSample& sample, const Matrix<double>& policy,
                              const ModelNoise* noise, const NetworkStrength& strength,
                              Estimate& e) {
  if (noise == nullptr || std::isnan(e.standard_error)) return;
  e.confounding_bias_bound =
      bound_confounding_bias(sample, policy.view(), noise->residual, strength).bound;
  e.sensitivity_widening = find_widening(e);
  set_sensitivity_interval(sample, e);
}

std::vector<ArmConfounding> describe_confounding(std::span<const JointArm> arms) {
  constexpr double kReliable = 0.5;
  constexpr double kClear = 3;  // standard errors
  std::vector<ArmConfounding> out;
  for (const JointArm& arm : arms) {
    ArmConfounding& known = out.emplace_back();
    if (arm.network_reliability >= kReliable && arm.network_share > 0) {
      known.outcome_share = std::min(1.0, arm.network_share / arm.network_reliability);
    }
    if (std::abs(arm.network_statistic) > kClear) {
      known.direction = arm.network_statistic > 0 ? 1 : -1;
    }
  }
  return out;
}

bool contradicts_declaration(const EvaluateOptions& options,
                             const std::optional<NetworkStrength>& strength,
                             bool has_given_clusters) {
  return options.randomised && strength && contradicts_randomisation(*strength, has_given_clusters);
}

void describe_strength(const NetworkStrength& strength, bool contradicts_declaration,
                       Diagnostics& out) {
  out.network_strength = {.r_squared_features = strength.r_squared_features,
                          .r_squared_network = strength.r_squared_network,
                          .added = strength.added,
                          .added_upper = strength.added_upper,
                          .is_clear = strength.is_clear};
  if (contradicts_declaration) {
    out.warnings.insert(out.warnings.begin(), describe_contradiction(strength));
  } else if (auto warning = describe_network_treatment(
                 strength, "only the sensitivity intervals allow for the rest")) {
    out.warnings.push_back(std::move(*warning));
  }
  if (auto warning = describe_isolated(strength)) out.warnings.push_back(std::move(*warning));
}

}  // namespace cone
