#include "nn/train.hpp"

#include <limits>

namespace cone::nn {

TrainingOutcome train(const Context& context, std::string_view phase,
                      const TrainingSchedule& schedule, EpochStepper& stepper) {
  TrainingOutcome outcome{.best_loss = std::numeric_limits<double>::infinity()};
  stepper.keep_weights();
  for (std::uint64_t epoch = 0;; ++epoch) {
    context.report(phase, epoch, schedule.epochs);
    const EpochScore score = stepper.measure(epoch);
    if (score.diverged) {
      outcome.status = TrainingStatus::kDiverged;
      break;
    }
    if (!stepper.has_held_out() || score.loss < outcome.best_loss) {
      outcome.best_loss = score.loss;
      outcome.best_epoch = epoch;
      stepper.keep_weights();
    } else if (epoch - outcome.best_epoch >= schedule.patience) {
      outcome.status = TrainingStatus::kStoppedEarly;
      break;
    }
    if (epoch == schedule.epochs) break;
    stepper.step();
  }
  stepper.restore_weights();
  return outcome;
}

}  // namespace cone::nn
