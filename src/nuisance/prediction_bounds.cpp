#include "nuisance/prediction_bounds.hpp"

#include <algorithm>
#include <limits>

namespace cone {
namespace {

constexpr double kMarginOfRange = 0.5;

}  // namespace

PlausibleRange plausible_range(const Dataset& data, std::span<const NodeIndex> fitted,
                               const Communicator& comm) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  PlausibleRange range{kNone, -kNone};
  for (const NodeIndex i : fitted) {
    range.low = std::min(range.low, data.outcome[i]);
    range.high = std::max(range.high, data.outcome[i]);
  }
  range = {-comm.allreduce_max(-range.low), comm.allreduce_max(range.high)};
  const double margin = kMarginOfRange * (range.high - range.low);
  return {range.low - margin, range.high + margin};
}

void note_implausible(const PlausibleRange& range, std::span<const std::size_t> rows, Arm arm,
                      std::span<const double> mu, OutcomeTable& out) {
  for (std::size_t k = 0; k < mu.size(); ++k) {
    const double limit = std::clamp(mu[k], range.low, range.high);
    // NaN stays NaN: then there is no value, which is more informative than a bound.
    if (mu[k] < range.low || mu[k] > range.high) {
      out.implausible.push_back({.row = rows[k], .arm = arm, .predicted = mu[k], .limit = limit});
    }
  }
}

void bound_predictions(OutcomeTable& out) {
  for (const ImplausiblePrediction& p : out.implausible) out.mu(p.row, p.arm) = p.limit;
  out.bounded = true;
}

}  // namespace cone
