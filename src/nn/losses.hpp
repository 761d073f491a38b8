#pragma once

#include <span>

// Losses over a batch of m predictions. Each returns its value, summed in double, and overwrites
// `gradient` with weight · d(value)/d(prediction), so that a weighted sum of losses needs no second
// pass. Sequential: a batch is one number per training node. m > 0.

namespace cone::nn {

/// mean (prediction − target)²
template <class Real>
double mean_squared_error(std::span<const Real> prediction, std::span<const Real> target,
                          double weight, std::span<Real> gradient);

/// mean of log(1 + exp(x)) − target·x at x = logit: −log likelihood of labels in [0, 1], safe for
/// logits of any size.
template <class Real>
double binary_cross_entropy(std::span<const Real> logit, std::span<const Real> target,
                            double weight, std::span<Real> gradient);

/// −mean(joint) + log mean exp(marginal): minus the Donsker–Varadhan lower bound on the mutual
/// information of two variables, from a critic's values on pairs that belong together (joint) and
/// on pairs that were shuffled (marginal). The exponentials are taken relative to the largest
/// value.
template <class Real>
double negative_donsker_varadhan(std::span<const Real> joint, std::span<const Real> marginal,
                                 double weight, std::span<Real> joint_gradient,
                                 std::span<Real> marginal_gradient);

}  // namespace cone::nn
