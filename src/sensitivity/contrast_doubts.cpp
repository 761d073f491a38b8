#include "sensitivity/contrast_doubts.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "cone/estimate.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

// The thresholds of cone evaluate (src/estimate/overlap.cpp, docs/diagnostics.md).
constexpr double kSurprisingMeanWeight = 3;  // standard errors
constexpr double kLargeOffSupport = 0.02;

double off_support_share(MatrixView<const double> policy, MatrixView<const double> propensity,
                         const PropensityBounds& bounds) {
  constexpr double kAtTheBound = 1 + 1e-9;
  CompensatedSum total;
  for (std::size_t i = 0; i < policy.rows(); ++i) {
    for (std::size_t a = 0; a < policy.cols(); ++a) {
      if (propensity(i, a) <= kAtTheBound * bounds.low[a]) total.add(policy(i, a));
    }
  }
  return total.value() / static_cast<double>(policy.rows());
}

}  // namespace

bool equals_logged_policy(const Dataset& data, MatrixView<const double> policy) {
  for (std::size_t i = 0; i < policy.rows(); ++i) {
    const bool counts = data.weight.empty() || data.weight[i] > 0;
    if (counts && policy(i, data.treatment[i]) != 1) return false;
  }
  return true;
}

PolicySensitivity describe_logged_policy(std::span<const double> lambdas) {
  PolicySensitivity out;
  for (const double lambda : lambdas) out.curve.push_back({.lambda = lambda});
  return out;
}

std::optional<std::string> doubt_overlap(const std::string& name, const LoggedSample& sample,
                                         MatrixView<const double> policy,
                                         MatrixView<const double> propensity,
                                         const PropensityBounds& bounds) {
  const double off_support = off_support_share(policy, propensity, bounds);
  if (off_support > kLargeOffSupport) {
    return sentence(
        "{}: positivity violation: for {:.2g} % of the units the logged data lacks the arm that "
        "the policy assigns (propensity at the bound of {}); the bounds here do not allow for that",
        printable(name), 100 * off_support, bounds.lows_in_words());
  }
  std::vector<double> weights = importance_weights(sample.arm, policy, propensity);
  const double surplus = mean(weights) - 1;
  // Variation of the survey weights themselves is expected.
  for (std::size_t i = 0; i < sample.weight.size(); ++i) weights[i] -= sample.weight[i];
  const double error = standard_error(weights);
  if (std::abs(surplus) <= kSurprisingMeanWeight * error + 1e-9) return std::nullopt;
  return sentence(
      "{}: its mean weight is {:.3g}, where correct propensities give 1 ± {:.2g}: the propensity "
      "model is misspecified, or the policy depends on the logged treatment; do not rely on these "
      "results",
      printable(name), 1 + surplus, error);
}

std::optional<std::string> doubt_agreement(const PolicySensitivity& found) {
  constexpr double kFarApart = 2;  // standard errors
  const double apart = std::abs(found.ridge_value - found.value);
  if (found.standard_error == 0 || !(apart > kFarApart * found.standard_error)) return std::nullopt;
  return sentence(
      "{}: the doubly robust estimate ({:.4g}) and the network ridge ({:.4g}) are more than two "
      "standard errors apart: find the reason before you use either",
      printable(found.policy), found.value, found.ridge_value);
}

}  // namespace cone
