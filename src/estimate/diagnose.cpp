#include "estimate/diagnose.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/base/numeric.hpp"
#include "cone/base/text.hpp"
#include "cone/estimate/weights.hpp"

namespace cone {
namespace {

// Rules of thumb: they decide when to speak, never what the value is.
constexpr double kLowEffectiveFraction = 0.1;
constexpr double kLowEffectiveSize = 20;
constexpr double kDominantWeightShare = 0.05;
constexpr double kDominantWeightFactor = 10;  // times an even share
constexpr double kManyClippedFraction = 0.05;
constexpr double kPoorFitFactor = 1.05;  // a useless model is a little worse than a constant

std::string of_nodes(double effective_size, std::size_t num_nodes) {
  return fmt::format("effective sample size is {} of {}",
                     grouped(static_cast<std::uint64_t>(std::llround(effective_size))),
                     grouped(num_nodes));
}

/// `why` explains a share that is low; a number that is low speaks for itself.
void warn_of_low_size(double effective_size, std::size_t num_nodes, const char* why,
                      Estimate& out) {
  if (effective_size < kLowEffectiveFraction * static_cast<double>(num_nodes)) {
    out.warnings.push_back(of_nodes(effective_size, num_nodes) + why);
  } else if (effective_size < kLowEffectiveSize) {
    out.warnings.push_back(
        fmt::format("the estimate rests on {:.0f} nodes: its interval, which "
                    "takes them for many, is too sure",
                    effective_size));
  }
}

/// Nodes whose weight is not what the data alone would have made it.
double changed_fraction(std::span<const double> raw, std::span<const double> used,
                        const EstimationInput& input, bool shrinks_all) {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const double e = input.propensity[i];
    const bool bounded = input.propensity_bound > 0 &&
                         (e <= input.propensity_bound || e >= 1 - input.propensity_bound);
    changed += bounded || (!shrinks_all && used[i] != raw[i]) ? 1 : 0;
  }
  return static_cast<double>(changed) / static_cast<double>(raw.size());
}

}  // namespace

void diagnose_weights(Method method, std::span<const double> raw, std::span<const double> used,
                      const EstimationInput& input, Estimate& out) {
  const std::size_t n = raw.size();
  const double effective_size = effective_sample_size(used);
  out.effective_sample_size = effective_size;
  out.max_weight = *std::max_element(used.begin(), used.end());
  // Shrinkage touches every weight by design: only the bound on propensities counts there.
  out.clipped_fraction = changed_fraction(raw, used, input, method == Method::kShrinkage);

  warn_of_low_size(effective_size, n, ": the policy does what the log hardly ever did", out);
  const double share = *out.max_weight / sum(used);
  if (share > kDominantWeightShare && share > kDominantWeightFactor / static_cast<double>(n)) {
    out.warnings.push_back(
        fmt::format("one node carries {:.0f} % of the weight: the value hangs on it", 100 * share));
  }
  if (out.clipped_fraction > kManyClippedFraction) {
    out.warnings.push_back(
        fmt::format("{:.0f} % of the weights were bounded: the value is biased towards nodes with "
                    "common treatments",
                    100 * out.clipped_fraction));
  }
}

void diagnose_implied_weights(const OutcomeView& model, Estimate& out) {
  if (!model.implied_weights.empty()) {
    const double effective_size = effective_sample_size(model.implied_weights);
    std::size_t num_fitted = 0;
    double largest = 0;
    for (const double v : model.implied_weights) {
      num_fitted += v != 0 ? 1 : 0;
      largest = std::max(largest, std::abs(v));
    }
    out.effective_sample_size = effective_size;
    out.max_weight = largest;
    warn_of_low_size(effective_size, num_fitted,
                     " in the regression: it extrapolates to what the policy would do", out);
  }
  if (!model.model_variance) {
    out.warnings.emplace_back("the interval takes the outcome model as exact");
  } else if (!std::isfinite(*model.model_variance)) {
    out.warnings.emplace_back("no standard error: the model has as many parameters as nodes");
  }
}

void diagnose_balance(std::span<const double> weights, Estimate& out) {
  double largest = 0;
  for (const double weight : weights) largest = std::max(largest, std::abs(weight));
  out.max_weight = largest;
  out.effective_sample_size = effective_sample_size(weights);
  warn_of_low_size(*out.effective_sample_size, weights.size(),
                   ": few nodes are like what the policy would do", out);
}

void diagnose_fit(const EstimationInput& input, Estimate& out) {
  const OutcomeView& model = input.outcome_model;
  const std::vector<double> errors =
      residuals(input.treatment, input.outcome, model.mu0, model.mu1);
  CompensatedSum squares;
  for (const double r : errors) squares.add(r * r);
  const double mean_square = squares.value() / static_cast<double>(errors.size());
  const double spread = variance(input.outcome, 0);
  if (mean_square > kPoorFitFactor * spread) {
    out.warnings.push_back(fmt::format(
        "the outcome model predicts worse than a constant (R² {:.2f})", 1 - mean_square / spread));
  }
}

}  // namespace cone
