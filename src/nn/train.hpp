#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "cone/context.hpp"
#include "cone/options.hpp"

namespace cone::nn {

/// The score of the current weights.
struct EpochScore {
  double loss = 0;        ///< lower is better
  bool diverged = false;  ///< training cannot recover
};

/// The computations of a training, on any device. train() decides when to step, what to keep and
/// when to stop.
class EpochStepper {
 public:
  virtual ~EpochStepper() = default;

  /// Whether the losses are on held-out samples. Without these, the last weights are kept.
  virtual bool has_held_out() const = 0;
  /// Scores the weights after `epoch` steps.
  virtual EpochScore measure(std::uint64_t epoch) = 0;
  /// Takes one step from the weights measured last.
  virtual void step() = 0;
  /// Saves the current weights, replacing those saved before.
  virtual void keep_weights() = 0;
  /// Restores the saved weights.
  virtual void restore_weights() = 0;
};

struct TrainingSchedule {
  std::uint64_t epochs = 300;
  std::uint64_t patience = 30;
};

struct TrainingOutcome {
  TrainingStatus status = TrainingStatus::kCompleted;
  std::uint64_t best_epoch = 0;
  double best_loss = 0;  ///< infinite where the first weights diverged
};

/// Steps until all epochs have run, the loss has not improved for `patience` epochs (early
/// stopping), or the training diverges; then restores the weights with the lowest loss. Reports
/// every epoch under the name of the phase, and throws Cancelled when the observer asks to stop.
TrainingOutcome train(const Context& context, std::string_view phase,
                      const TrainingSchedule& schedule, EpochStepper& stepper);

}  // namespace cone::nn
