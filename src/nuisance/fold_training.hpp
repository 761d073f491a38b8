#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "options/options.hpp"

namespace cone {

/// How a training run ended. Whichever way, the weights are the best it had seen.
enum class TrainingStatus {
  kCompleted,     ///< all epochs ran
  kStoppedEarly,  ///< the validation loss had not improved for `patience` epochs
  kDiverged,      ///< a loss was not finite, or 1000 times that of predicting means
};

template <>
struct EnumNames<TrainingStatus> {
  static constexpr std::array kNames = {
      std::pair{TrainingStatus::kCompleted, std::string_view("completed")},
      std::pair{TrainingStatus::kStoppedEarly, std::string_view("stopped_early")},
      std::pair{TrainingStatus::kDiverged, std::string_view("diverged")}};
};

/// How the training of a fold's encoder went, and what the weights that were kept reach on the
/// validation nodes.
struct FoldTraining {
  TrainingStatus status = TrainingStatus::kCompleted;
  std::uint64_t epochs = 0;
  std::uint64_t best_epoch = 0;
  double validation_outcome_loss = 0;    ///< in units of the training outcomes' variance
  double validation_treatment_loss = 0;  ///< cross-entropy
  /// What the estimators rest on, on the validation nodes: the squared error of the arms' networks
  /// in units of the training outcomes' variance, and the cross-entropy of the propensity model in
  /// inner folds.
  double outcome_error = 0;
  double propensity_loss = 0;
};

}  // namespace cone
