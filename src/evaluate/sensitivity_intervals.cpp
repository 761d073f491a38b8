#include "evaluate/sensitivity_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "estimate/significance.hpp"
#include "evaluate/reliability.hpp"
#include "evaluate/run.hpp"
#include "inference/network_treatment.hpp"

namespace cone {
namespace {

/// By the bias bound, and with the residual-based (model-free) standard error where it is larger.
std::pair<double, double> widen_by_bias(const Estimate& e, double bias) {
  const double half_width = e.sampling_interval.second - e.value;
  const double predictive =
      two_sided_t_quantile(e.level, e.degrees_of_freedom) * e.parts.predictive_error;
  const double all = (predictive > half_width ? predictive : half_width) + bias;
  return extend({e.value - all, e.value + all}, e.bias());
}

}  // namespace

bool wants_sensitivity_intervals(const EvaluateOptions& options, const EstimationBasis& basis) {
  return options.sensitivity_interval && basis.kernels != nullptr && basis.kernels->has_edges() &&
         basis.learnt.parts().contains(LearnerId::kNetworkRidge);
}

void add_sensitivity_intervals(const EstimationBasis& basis,
                               std::span<const Matrix<double>> sample_policies,
                               const NetworkStrength& strength,
                               std::vector<PolicyResult>& results) {
  const auto possible = find_two_values(basis.sample);
  for (std::size_t p = 0; p < results.size(); ++p) {
    for (Estimate& e : results[p].estimates) {
      const EstimatorInfo& row = *std::ranges::find(basis.rows, e.estimator, &EstimatorInfo::name);
      const ModelNoise* noise = noise_of(basis, row);
      if (noise == nullptr || std::isnan(e.standard_error)) continue;
      e.confounding_bias_bound =
          bound_confounding_bias(basis.sample, sample_policies[p].view(), noise->residual, strength)
              .bound;
      e.sensitivity_interval = widen_by_bias(e, e.confounding_bias_bound);
      if (!possible) continue;
      auto& [low, high] = e.sensitivity_interval;
      low = std::clamp(low, possible->first, possible->second);
      high = std::clamp(high, possible->first, possible->second);
    }
  }
}

void describe_strength(const NetworkStrength& strength, Diagnostics& out) {
  out.network_strength = {.r_squared_features = strength.r_squared_features,
                          .r_squared_network = strength.r_squared_network,
                          .added = strength.added,
                          .added_upper = strength.added_upper,
                          .is_clear = strength.is_clear};
  if (auto warning = describe_network_treatment(
          strength, "only the sensitivity intervals allow for the rest")) {
    out.warnings.push_back(std::move(*warning));
  }
}

void EvaluationRun::add_sensitivity_intervals(std::vector<PolicyResult>& results) {
  if (!wants_sensitivity_intervals(options_, basis())) return;
  const auto fitted = learnt_.parts().find(LearnerId::kNetworkTreatment);
  const bool is_known = fitted != learnt_.parts().end() && shares_treatment_folds(data_);
  strength_ = measure_network_treatment(context_, data_, sample_, options_.plan,
                                        options_.network_ridge, options_.nuisance.propensity_bound,
                                        is_known ? &fitted->second.propensity->unbounded : nullptr);
  cone::add_sensitivity_intervals(basis(), policies_.sample, *strength_, results);
}

}  // namespace cone
