#include "estimate/weights.hpp"

#include <algorithm>

#include "base/numeric.hpp"

namespace cone {
namespace {

template <class Transform>
std::vector<double> transformed(std::span<const double> weights, Transform transform) {
  std::vector<double> out(weights.size());
  std::transform(weights.begin(), weights.end(), out.begin(), transform);
  return out;
}

}  // namespace

std::vector<double> importance_weights(std::span<const Arm> arm, MatrixView<const double> policy,
                                       MatrixView<const double> propensity) {
  std::vector<double> weights(arm.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double wanted = policy(i, arm[i]);
    const double logged = propensity(i, arm[i]);
    weights[i] = wanted == 0 ? 0.0 : wanted / logged;  // 0 / 0 is no weight either
  }
  return weights;
}

std::vector<double> clipped_weights(std::span<const double> weights, double bound) {
  return transformed(weights, [bound](double w) { return std::min(w, bound); });
}

std::vector<double> switched_weights(std::span<const double> weights, double threshold) {
  return transformed(weights, [threshold](double w) { return w <= threshold ? w : 0.0; });
}

std::vector<double> shrunk_weights(std::span<const double> weights, double lambda) {
  return transformed(weights, [lambda](double w) {
    return w == 0 ? 0.0 : lambda * w / (w * w + lambda);  // 0 / 0 where λ is 0 as well
  });
}

double effective_sample_size(std::span<const double> weights) {
  CompensatedSum total;
  CompensatedSum squares;
  for (const double w : weights) {
    total.add(w);
    squares.add(w * w);
  }
  return squares.value() > 0 ? total.value() * total.value() / squares.value() : 0.0;
}

}  // namespace cone
