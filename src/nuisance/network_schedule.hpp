#pragma once

#include "cone/options.hpp"

#include "nn/adam.hpp"
#include "nn/train.hpp"

namespace cone {

// One set of options trains every network: the encoders and the arms' networks.

inline nn::AdamOptions adam_options(const ConeOptions& options) {
  return {.learning_rate = options.learning_rate,
          .weight_decay = options.weight_decay,
          .clip_gradient = options.clip_gradient};
}

inline nn::TrainingSchedule training_schedule(const ConeOptions& options) {
  return {.epochs = options.epochs, .patience = options.patience};
}

}  // namespace cone
