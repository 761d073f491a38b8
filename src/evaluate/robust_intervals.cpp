#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "estimate/significance.hpp"
#include "evaluate/run.hpp"
#include "inference/hidden_strength.hpp"
#include "inference/network_treatment.hpp"

// Robust intervals of a run: the strength that the network shows, and what a confounder that strong
// could do to every estimate.

namespace cone {
namespace {

/// By the bias that may be hidden, and with the sampling error that believes no word of the model.
std::pair<double, double> widen_robustly(const Estimate& e, double bias) {
  const double half_width = e.interval.second - e.value;
  const double predictive = two_sided_normal_quantile(e.level) * e.parts.predictive_error;
  const double all = (predictive > half_width ? predictive : half_width) + bias;
  return {e.value - all, e.value + all};
}

/// Outcomes of two values have means between them.
void keep_possible(std::span<const double> outcome, std::pair<double, double>& interval) {
  const auto [low, high] = std::ranges::minmax(outcome);
  const bool two_values = std::ranges::all_of(
      outcome, [low = low, high = high](double y) { return y == low || y == high; });
  if (!two_values) return;
  interval = {std::clamp(interval.first, low, high), std::clamp(interval.second, low, high)};
}

}  // namespace

bool EvaluationRun::wants_robust_intervals() const {
  return options_.robust && kernels_ && kernels_->has_edges() &&
         learnt_.parts().contains(LearnerId::kNetworkRidge);
}

void EvaluationRun::add_robust_intervals(std::vector<PolicyResult>& results) {
  if (!wants_robust_intervals()) return;
  strength_ = measure_network_treatment(context_, data_, sample_, options_.plan,
                                        options_.network_ridge, options_.nuisance.propensity_bound);
  for (std::size_t p = 0; p < results.size(); ++p) {
    for (Estimate& e : results[p].estimates) {
      const ModelNoise* noise = noise_of(basis(), row_called(e.estimator));
      if (noise == nullptr || std::isnan(e.standard_error)) continue;
      const HiddenBias bias =
          bound_hidden_bias(sample_, policies_.sample[p].view(), noise->residual, *strength_);
      e.hidden_bias_bound = bias.bound;
      e.robust_interval = widen_robustly(e, bias.bound);
      keep_possible(sample_.outcome, e.robust_interval);
    }
  }
}

}  // namespace cone
