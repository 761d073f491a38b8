#include <cmath>

#include "cone/error.hpp"
#include "cone/sensitivity.hpp"

namespace cone {
namespace {

/// Distance of the threshold from the nearer end of the bounds, less some standard errors.
struct Gap {
  double sign;
  double threshold;
  double errors;

  double operator()(const MarginalBounds& bounds) const {
    const BoundEnd& end = sign > 0 ? bounds.lower : bounds.upper;
    return sign * (end.value - threshold) - errors * end.standard_error;
  }
};

/// The smallest Λ at which the gap is not positive: on the curve, then by bisection.
template <class BoundsAt>
std::optional<double> find_first_crossing(std::span<const MarginalBounds> curve,
                                          const BoundsAt& bounds_at, const Gap& gap) {
  if (!(gap(curve.front()) > 0)) return 1.0;
  for (std::size_t k = 1; k < curve.size(); ++k) {
    if (gap(curve[k]) > 0) continue;
    double before = curve[k - 1].lambda;
    double after = curve[k].lambda;
    while (after - before > 1e-5) {
      const double middle = (before + after) / 2;
      (gap(bounds_at(middle)) > 0 ? before : after) = middle;
    }
    return (before + after) / 2;
  }
  return std::nullopt;
}

}  // namespace

std::vector<double> lambda_grid(double largest, std::size_t count) {
  require(largest >= 1 && count >= 2,
          "sensitivity: a grid needs a maximum of at least 1 and two values");
  std::vector<double> grid;
  for (std::size_t k = 0; k < count; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(count - 1);
    grid.push_back(k + 1 == count ? largest : std::exp(share * std::log(largest)));
  }
  return grid;
}

std::vector<std::vector<MarginalBounds>> trace_bounds(const Context& context,
                                                      const MarginalModel& model,
                                                      std::span<const Contrast> contrasts,
                                                      std::span<const double> lambdas) {
  std::vector<std::vector<MarginalBounds>> out(contrasts.size(),
                                               std::vector<MarginalBounds>(lambdas.size()));
  context.for_each_task("sensitivity", lambdas.size(), [&](std::size_t k) {
    const MarginalScores scores = model.score(lambdas[k]);
    for (std::size_t c = 0; c < contrasts.size(); ++c) {
      context.poll();
      out[c][k] = model.bound(scores, contrasts[c]);
    }
  });
  return out;
}

Breakdown find_breakdown(const Context& context, const MarginalModel& model,
                         const Contrast& contrast, std::span<const MarginalBounds> curve,
                         double threshold, double z) {
  require(!curve.empty() && curve.front().lambda == 1, "sensitivity: a curve starts at 1");
  const auto bounds_at = [&](double lambda) {
    context.poll();
    return model.bound(model.score(lambda), contrast);
  };
  const double sign = curve.front().lower.value >= threshold ? 1 : -1;
  return {.lambda = find_first_crossing(curve, bounds_at, Gap{sign, threshold, 0}),
          .confident = find_first_crossing(curve, bounds_at, Gap{sign, threshold, z})};
}

}  // namespace cone
