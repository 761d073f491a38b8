#pragma once

#include <cstddef>
#include <span>

namespace cone::ops {

/// The most rows of one call: a product of that many numbers up to 2 does not overflow.
inline constexpr std::size_t kMostLogisticRows = 512;

/// Binary logistic regression: sets probability_i = 1 / (1 + exp(−logit_i)) and returns the loss
/// Σ_i log(1 + exp(logit_i)) − label_i·logit_i. Labels are 0 or 1. One logarithm of a product per
/// lane. `probability` may be the memory of the logits.
double logistic_loss(std::span<const double> logits, std::span<const double> labels,
                     std::span<double> probability);

}  // namespace cone::ops
