#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/matrix.hpp"

#include "base/numeric.hpp"

namespace cone {

/// Σ_i −log P(label_i) from blocks of logits, and the probabilities. One logarithm of a product
/// serves many rows; its error is no larger.
class SoftmaxLoss {
 public:
  explicit SoftmaxLoss(std::size_t num_logits) : num_logits_(num_logits) {}

  /// Replaces the logits (labels 1.. × rows, ops::kMostLogisticRows at most) by probabilities.
  void add(std::span<const std::uint8_t> labels, MatrixView<double> logits);
  double value() const { return total_.value(); }

 private:
  std::size_t num_logits_;
  std::vector<double> is_one_;
  CompensatedSum total_;
};

}  // namespace cone
