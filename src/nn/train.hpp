#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "cone/context.hpp"
#include "cone/options.hpp"

namespace cone {

/// How a training ended. Whichever way, the weights are the best it had seen.
enum class TrainingStatus {
  kCompleted,     ///< all epochs ran
  kStoppedEarly,  ///< the held-out loss had not improved for `patience` epochs
  kDiverged,      ///< losses or weights left the range of sense
};

template <>
struct EnumNames<TrainingStatus> {
  static constexpr std::array kNames = {
      std::pair{TrainingStatus::kCompleted, std::string_view("completed")},
      std::pair{TrainingStatus::kStoppedEarly, std::string_view("stopped_early")},
      std::pair{TrainingStatus::kDiverged, std::string_view("diverged")}};
};

}  // namespace cone

namespace cone::nn {

/// What the weights at hand are worth.
struct EpochScore {
  double loss = 0;        ///< the smaller the better
  bool diverged = false;  ///< there is no way back from here
};

/// A training, epoch by epoch: the numbers, wherever they are kept and whatever computes them.
/// train() decides when to step, what to keep and when to stop. A twin on another device implements
/// the same five functions.
class EpochStepper {
 public:
  virtual ~EpochStepper() = default;

  /// Whether the losses are of held-out samples. Without any, the last weights are the best.
  virtual bool has_held_out() const = 0;
  /// Judges the weights that `epoch` steps have made.
  virtual EpochScore measure(std::uint64_t epoch) = 0;
  /// Takes one step from the weights measured last.
  virtual void step() = 0;
  /// Keeps the weights at hand, in the place of those kept before.
  virtual void keep_weights() = 0;
  /// Goes back to the weights that were kept.
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

/// Steps until the epochs are over, the loss has not improved for `patience` epochs, or the
/// training diverges; then restores the weights with the least loss. Reports every epoch under the
/// name of the phase, and throws Cancelled when asked to stop.
TrainingOutcome train(const Context& context, std::string_view phase,
                      const TrainingSchedule& schedule, EpochStepper& stepper);

}  // namespace cone::nn
