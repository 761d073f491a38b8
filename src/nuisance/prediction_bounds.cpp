#include "nuisance/prediction_bounds.hpp"

#include <algorithm>

namespace cone {
namespace {

constexpr double kMarginOfRange = 0.5;

}  // namespace

PlausibleRange plausible_range(const Dataset& data, std::span<const NodeIndex> fitted) {
  PlausibleRange range{data.outcome[fitted[0]], data.outcome[fitted[0]]};
  for (const NodeIndex i : fitted) {
    range.low = std::min(range.low, data.outcome[i]);
    range.high = std::max(range.high, data.outcome[i]);
  }
  const double margin = kMarginOfRange * (range.high - range.low);
  return {range.low - margin, range.high + margin};
}

void note_implausible(const PlausibleRange& range, std::span<const NodeIndex> nodes,
                      std::uint8_t arm, std::span<const double> mu, OutcomePredictions& out) {
  for (std::size_t k = 0; k < mu.size(); ++k) {
    const double limit = std::clamp(mu[k], range.low, range.high);
    // What is not a number stays so: then there is no value, which says more than a bound would.
    if (mu[k] < range.low || mu[k] > range.high) {
      out.implausible.push_back({.node = nodes[k], .arm = arm, .predicted = mu[k], .limit = limit});
    }
  }
}

void bound_predictions(OutcomePredictions& out) {
  for (const ImplausiblePrediction& p : out.implausible) {
    (p.arm == 1 ? out.mu1 : out.mu0)[p.node] = p.limit;
  }
  out.bounded = true;
}

}  // namespace cone
