#pragma once

#include <cstdint>
#include <span>

#include "cone/matrix.hpp"

// Losses over a batch of m > 0 predictions. Each returns its value, summed in double precision, and
// overwrites `gradient` with weight · d(value)/d(prediction), so that a weighted sum of losses
// needs no second pass. Sequential: a batch is a few numbers per training node.

namespace cone::nn {

/// mean (prediction − target)²
template <class Real>
double mean_squared_error(std::span<const Real> prediction, std::span<const Real> target,
                          double weight, std::span<Real> gradient);

/// mean of −log P(arm) under logits against the control arm: row i of `logit` (m × arms − 1) has
/// those of arms 1, 2, ...; that of arm 0 is 0. P = softmax. Safe for logits of any size. With two
/// arms it is the binary cross-entropy. `gradient` has the shape of `logit`.
template <class Real>
double arm_cross_entropy(MatrixView<const Real> logit, std::span<const std::uint8_t> arm,
                         double weight, MatrixView<Real> gradient);

/// −mean(joint) + log mean exp(marginal): minus the Donsker–Varadhan lower bound on the mutual
/// information of two variables (Donsker and Varadhan 1983; as a training objective: Belghazi et
/// al. 2018, "Mutual information neural estimation"), from a critic's values on joint pairs and on
/// shuffled pairs (marginal). The exponentials are relative to the largest value.
template <class Real>
double negative_donsker_varadhan(std::span<const Real> joint, std::span<const Real> marginal,
                                 double weight, std::span<Real> joint_gradient,
                                 std::span<Real> marginal_gradient);

}  // namespace cone::nn
