#include <cmath>

#include "cone/error.hpp"
#include "cone/sensitivity.hpp"

namespace cone {
namespace {

constexpr std::size_t kNumGridValues = 60;

/// The smallest Λ at which `gap` is no longer above 0, on a grid and then by bisection.
template <class Gap>
std::optional<double> find_first_crossing(const Context& context, const Gap& gap, double largest) {
  if (!(gap(1.0) > 0)) return 1.0;
  double before = 1;
  for (const double lambda : lambda_grid(largest, kNumGridValues)) {
    context.poll();
    if (gap(lambda) > 0) {
      before = lambda;
      continue;
    }
    double after = lambda;
    while (after - before > 1e-7) {
      const double middle = (before + after) / 2;
      (gap(middle) > 0 ? before : after) = middle;
    }
    return (before + after) / 2;
  }
  return std::nullopt;
}

}  // namespace

std::vector<double> lambda_grid(double largest, std::size_t count) {
  require(largest >= 1 && count >= 2, "sensitivity: no such grid");
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
                         const Contrast& contrast, double threshold, double z, double largest) {
  const double centre = model.bound(model.score(1), contrast).lower.value;
  const double sign = centre >= threshold ? 1 : -1;
  const auto gap_with = [&](double errors) {
    return [&model, &contrast, sign, threshold, errors](double lambda) {
      const MarginalBounds bounds = model.bound(model.score(lambda), contrast);
      const BoundEnd& end = sign > 0 ? bounds.lower : bounds.upper;
      return sign * (end.value - threshold) - errors * end.standard_error;
    };
  };
  return {.lambda = find_first_crossing(context, gap_with(0), largest),
          .confident = find_first_crossing(context, gap_with(z), largest)};
}

}  // namespace cone
