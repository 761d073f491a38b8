#pragma once

#include <cstddef>
#include <span>

namespace cone::ops {

/// Rows of one call at most: a product of that many numbers up to 2 has no overflow.
inline constexpr std::size_t kMostLogisticRows = 512;

/// Logistic regression of two labels: probability_i = 1 / (1 + exp(−logit_i)), and returned the
/// loss Σ_i log(1 + exp(logit_i)) − label_i·logit_i. Labels are 0 or 1. One logarithm per lane:
/// that of a product. `probability` may be the logits themselves.
double logistic_loss(std::span<const double> logits, std::span<const double> labels,
                     std::span<double> probability);

}  // namespace cone::ops
