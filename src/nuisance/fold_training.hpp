#pragma once

#include <cstdint>

#include "nn/train.hpp"

namespace cone {

/// How the training of a fold's encoder went, and what the weights that were kept reach on the
/// validation nodes.
struct FoldTraining {
  TrainingStatus status = TrainingStatus::kCompleted;
  std::uint64_t epochs = 0;
  std::uint64_t best_epoch = 0;
  /// Of the heads that the encoder is trained by: squared error in units of the training outcomes'
  /// variance, and cross-entropy of the treatment.
  double encoder_head_mse = 0;
  double treatment_head_loss = 0;
  /// Of what the estimators rest on: the squared error of the arms' networks in the same units, and
  /// the cross-entropy of the propensity model in inner folds.
  double arm_network_mse = 0;
  double propensity_loss = 0;
};

}  // namespace cone
