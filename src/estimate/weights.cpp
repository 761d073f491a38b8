#include <algorithm>
#include <array>
#include <cmath>

#include "cone/estimate.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

/// transform(weight, units), node by node.
template <class Transform>
std::vector<double> transformed(std::span<const double> weights, std::span<const double> units,
                                Transform transform) {
  std::vector<double> out(weights.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = transform(weights[i], units.empty() ? 1.0 : units[i]);
  }
  return out;
}

}  // namespace

std::vector<double> importance_weights(std::span<const Arm> arm, MatrixView<const double> policy,
                                       MatrixView<const double> propensity) {
  std::vector<double> weights(arm.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double wanted = policy(i, arm[i]);
    const double logged = propensity(i, arm[i]);
    weights[i] = wanted == 0 ? 0.0 : wanted / logged;  // 0 / 0 counts as 0
  }
  return weights;
}

double limit_of_weights(AutoNumber given, std::size_t num_arms) {
  constexpr double kTimesUniform = 5;
  return given.value_or(kTimesUniform * static_cast<double>(num_arms));
}

std::vector<double> clipped_weights(std::span<const double> weights, double bound,
                                    std::span<const double> units) {
  return transformed(weights, units,
                     [bound](double w, double count) { return std::min(w, bound * count); });
}

std::vector<double> switched_weights(std::span<const double> weights, double threshold,
                                     std::span<const double> units) {
  return transformed(weights, units, [threshold](double w, double count) {
    return w <= threshold * count ? w : 0.0;
  });
}

std::vector<double> shrunk_weights(std::span<const double> weights, double lambda,
                                   std::span<const double> units) {
  return transformed(weights, units, [lambda](double w, double count) {
    if (w == 0) return 0.0;  // 0 / 0 where λ is 0 as well
    const double of_one = w / count;
    return lambda * w / (of_one * of_one + lambda);
  });
}

double scale_for_squares(std::span<const double> values, const Communicator& comm) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  largest = comm.allreduce_max(largest);
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  return std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));
}

double effective_sample_size(std::span<const double> weights, const Communicator& comm) {
  const double scale = scale_for_squares(weights, comm);
  CompensatedSum total;
  CompensatedSum squares;
  for (const double w : weights) {
    total.add(scale * w);
    squares.add((scale * w) * (scale * w));
  }
  std::array<double, 2> sums = {total.value(), squares.value()};
  comm.allreduce(sums);
  return sums[1] > 0 ? sums[0] * sums[0] / sums[1] : 0.0;
}

}  // namespace cone
