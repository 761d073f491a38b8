#include "sensitivity/contrast_doubts.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "base/numeric.hpp"
#include "base/sentence.hpp"
#include "base/text.hpp"
#include "estimate/weights.hpp"

namespace cone {
namespace {

// Those of cone evaluate (src/estimate/overlap.cpp, docs/diagnostics.md).
constexpr double kSurprisingMeanWeight = 3;  // standard errors
constexpr double kUnsupported = 0.02;

double unsupported_share(MatrixView<const double> policy, MatrixView<const double> propensity,
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
  const double unsupported = unsupported_share(policy, propensity, bounds);
  if (unsupported > kUnsupported) {
    return sentence(
        "{}: the log hardly ever did what the policy does for {:.2g} % of the units (propensity "
        "at the bound of {}); hardly any logged outcome speaks for them, and no bound here "
        "allows for that",
        printable(name), 100 * unsupported, bounds.lows_in_words());
  }
  std::vector<double> weights = importance_weights(sample.arm, policy, propensity);
  const double surplus = mean(weights) - 1;
  // That nodes stand for more or fewer units is no surprise.
  for (std::size_t i = 0; i < sample.weight.size(); ++i) weights[i] -= sample.weight[i];
  const double error = standard_error(weights);
  if (std::abs(surplus) <= kSurprisingMeanWeight * error + 1e-9) return std::nullopt;
  return sentence(
      "{}: its mean weight is {:.3g}, where propensities that describe the log give 1 ± {:.2g}: "
      "they do not, or the policy goes by the logged policy itself; do not rely on its figures",
      printable(name), 1 + surplus, error);
}

std::optional<std::string> doubt_agreement(const PolicySensitivity& found) {
  constexpr double kFarApart = 2;  // standard errors
  const double apart = std::abs(found.ridge_value - found.value);
  if (found.standard_error == 0 || !(apart > kFarApart * found.standard_error)) return std::nullopt;
  return sentence(
      "{}: the doubly robust estimate ({:.4g}) and the network ridge ({:.4g}) are more than two "
      "standard errors apart: trust neither before you know why",
      printable(found.policy), found.value, found.ridge_value);
}

}  // namespace cone
