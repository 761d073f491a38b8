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

namespace {

/// Two arms: log(1 + exp(x)) − t·x, without a softmax.
template <class Real>
double binary_cross_entropy(MatrixView<const Real> logit, std::span<const std::uint8_t> arm,
                            double weight, MatrixView<Real> gradient) {
  const auto m = static_cast<double>(logit.rows());
  double total = 0;
  for (std::size_t i = 0; i < logit.rows(); ++i) {
    const double x = logit(i, 0);
    const double target = arm[i];
    total += softplus(x) - target * x;
    gradient(i, 0) = static_cast<Real>(weight * (sigmoid(x) - target) / m);
  }
  return total / m;
}

}  // namespace

template <class Real>
double arm_cross_entropy(MatrixView<const Real> logit, std::span<const std::uint8_t> arm,
                         double weight, MatrixView<Real> gradient) {
  if (logit.cols() == 1) return binary_cross_entropy(logit, arm, weight, gradient);
  const auto m = static_cast<double>(logit.rows());
  double total = 0;
  for (std::size_t i = 0; i < logit.rows(); ++i) {
    const std::span<const Real> row = logit.row(i);
    double largest = 0;  // the logit of the control arm
    for (const Real x : row) largest = std::max<double>(largest, x);
    double exp_total = std::exp(-largest);
    for (const Real x : row) exp_total += std::exp(x - largest);
    const double log_total = largest + std::log(exp_total);
    total += log_total - (arm[i] == 0 ? 0 : static_cast<double>(row[arm[i] - 1]));
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double probability = std::exp(row[k] - log_total);
      gradient(i, k) = static_cast<Real>(weight * (probability - (arm[i] == k + 1 ? 1 : 0)) / m);
    }
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

#define CONE_INSTANTIATE(Real)                                                                     \
  template double mean_squared_error(std::span<const Real>, std::span<const Real>, double,         \
                                     std::span<Real>);                                             \
  template double arm_cross_entropy(MatrixView<const Real>, std::span<const std::uint8_t>, double, \
                                    MatrixView<Real>);                                             \
  template double negative_donsker_varadhan(std::span<const Real>, std::span<const Real>, double,  \
                                            std::span<Real>, std::span<Real>);
CONE_INSTANTIATE(float)
CONE_INSTANTIATE(double)
#undef CONE_INSTANTIATE

}  // namespace cone::nn
