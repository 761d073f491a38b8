#include "nn/train.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

namespace cone::nn {
namespace {

/// Weights that are the number of steps taken, with the losses that a test gives them.
class ScriptedStepper : public EpochStepper {
 public:
  explicit ScriptedStepper(std::vector<double> losses, bool has_held_out = true)
      : losses_(std::move(losses)), has_held_out_(has_held_out) {}

  bool has_held_out() const override { return has_held_out_; }
  EpochScore measure(std::uint64_t epoch) override {
    EXPECT_EQ(epoch, weights_);
    ++num_measured;
    const double loss = losses_.at(weights_);
    return {.loss = loss, .diverged = loss > 100};
  }
  void step() override { ++weights_; }
  void keep_weights() override { kept_ = weights_; }
  void restore_weights() override { weights_ = kept_; }

  std::size_t weights() const { return weights_; }
  std::size_t num_measured = 0;

 private:
  std::vector<double> losses_;
  bool has_held_out_;
  std::size_t weights_ = 0;
  std::size_t kept_ = 0;
};

TrainingOutcome train(ScriptedStepper& stepper, std::uint64_t epochs, std::uint64_t patience) {
  return nn::train(Context({.threads = 1}), "training", {.epochs = epochs, .patience = patience},
                   stepper);
}

TEST(Train, StopsWhenPatienceRunsOutAndRestoresTheBestWeights) {
  ScriptedStepper stepper({5, 3, 4, 2, 6, 2, 7, 8});
  const TrainingOutcome outcome = train(stepper, 7, 3);
  EXPECT_EQ(outcome.status, TrainingStatus::kStoppedEarly);
  EXPECT_EQ(outcome.best_epoch, 3U) << "the first in a tie";
  EXPECT_EQ(outcome.best_loss, 2);
  EXPECT_EQ(stepper.weights(), 3U);
  EXPECT_EQ(stepper.num_measured, 7U);
}

TEST(Train, TakesAllItsStepsWhileTheLossDecreases) {
  ScriptedStepper stepper({5, 4, 3, 2});
  const TrainingOutcome outcome = train(stepper, 3, 1);
  EXPECT_EQ(outcome.status, TrainingStatus::kCompleted);
  EXPECT_EQ(outcome.best_epoch, 3U);
  EXPECT_EQ(stepper.weights(), 3U);
}

TEST(Train, KeepsTheLastWeightsWhereNothingIsHeldOut) {
  ScriptedStepper stepper({1, 2, 3, 4, 5, 6}, /*has_held_out=*/false);
  const TrainingOutcome outcome = train(stepper, 5, 2);
  EXPECT_EQ(outcome.status, TrainingStatus::kCompleted);
  EXPECT_EQ(stepper.weights(), 5U);
  EXPECT_EQ(outcome.best_loss, 6);
}

TEST(Train, RestoresTheBestWeightsWhenItDiverges) {
  ScriptedStepper stepper({5, 3, 1000});
  const TrainingOutcome outcome = train(stepper, 9, 9);
  EXPECT_EQ(outcome.status, TrainingStatus::kDiverged);
  EXPECT_EQ(stepper.weights(), 1U);
  ScriptedStepper at_once({1000});
  EXPECT_EQ(train(at_once, 9, 9).best_loss, std::numeric_limits<double>::infinity());
  EXPECT_EQ(at_once.weights(), 0U);
}

class StopAtTwo : public ProgressObserver {
 public:
  bool update(std::string_view, std::uint64_t done, std::uint64_t) override { return done < 2; }
};

TEST(Train, PollsTheObserverBeforeEveryEpoch) {
  StopAtTwo observer;
  ScriptedStepper stepper({5, 4, 3, 2, 1});
  EXPECT_THROW(
      nn::train(Context({.threads = 1, .progress = &observer}), "training", {.epochs = 4}, stepper),
      Cancelled);
  EXPECT_EQ(stepper.num_measured, 2U);
}

}  // namespace
}  // namespace cone::nn
