#pragma once

#include "nn/fit_by_adam.hpp"
#include "nuisance/cone_options.hpp"

namespace cone {

/// One set of options trains every network: the encoders, and the arms' networks by this.
inline nn::FitSchedule network_schedule(const ConeOptions& options) {
  return {.adam = {.learning_rate = options.learning_rate,
                   .weight_decay = options.weight_decay,
                   .clip_gradient = options.clip_gradient},
          .epochs = options.epochs,
          .patience = options.patience};
}

}  // namespace cone
