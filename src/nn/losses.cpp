#include "nn/losses.hpp"

#include <algorithm>
#include <cmath>

#include "base/numeric.hpp"

namespace cone::nn {

template <class Real>
double mean_squared_error(std::span<const Real> prediction, std::span<const Real> target,
                          double weight, std::span<Real> gradient) {
  const auto m = static_cast<double>(prediction.size());
  double total = 0;
  for (std::size_t i = 0; i < prediction.size(); ++i) {
    const double residual = static_cast<double>(prediction[i]) - target[i];
    total += residual * residual;
    gradient[i] = static_cast<Real>(weight * 2 * residual / m);
  }
  return total / m;
}

template <class Real>
double binary_cross_entropy(std::span<const Real> logit, std::span<const Real> target,
                            double weight, std::span<Real> gradient) {
  const auto m = static_cast<double>(logit.size());
  double total = 0;
  for (std::size_t i = 0; i < logit.size(); ++i) {
    const double x = logit[i];
    total += softplus(x) - target[i] * x;
    gradient[i] = static_cast<Real>(weight * (sigmoid(x) - target[i]) / m);
  }
  return total / m;
}

template <class Real>
double negative_donsker_varadhan(std::span<const Real> joint, std::span<const Real> marginal,
                                 double weight, std::span<Real> joint_gradient,
                                 std::span<Real> marginal_gradient) {
  const auto m = static_cast<double>(joint.size());
  double joint_total = 0;
  for (const Real value : joint) joint_total += value;
  std::fill(joint_gradient.begin(), joint_gradient.end(), static_cast<Real>(-weight / m));

  const double largest = *std::max_element(marginal.begin(), marginal.end());
  double exp_total = 0;
  for (std::size_t i = 0; i < marginal.size(); ++i) {
    const double exponential = std::exp(marginal[i] - largest);
    exp_total += exponential;
    marginal_gradient[i] = static_cast<Real>(exponential);
  }
  const auto scale = static_cast<Real>(weight / exp_total);
  for (Real& gradient : marginal_gradient) gradient *= scale;
  const double log_mean_exp = largest + std::log(exp_total / static_cast<double>(marginal.size()));
  return -joint_total / m + log_mean_exp;
}

#define CONE_INSTANTIATE(Real)                                                                    \
  template double mean_squared_error(std::span<const Real>, std::span<const Real>, double,        \
                                     std::span<Real>);                                            \
  template double binary_cross_entropy(std::span<const Real>, std::span<const Real>, double,      \
                                       std::span<Real>);                                          \
  template double negative_donsker_varadhan(std::span<const Real>, std::span<const Real>, double, \
                                            std::span<Real>, std::span<Real>);
CONE_INSTANTIATE(float)
CONE_INSTANTIATE(double)
#undef CONE_INSTANTIATE

}  // namespace cone::nn
