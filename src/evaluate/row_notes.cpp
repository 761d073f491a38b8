#include "evaluate/row_notes.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "nn/train.hpp"

namespace cone {
namespace {

void add_caution(std::string why, Estimate& value) {
  value.warnings.push_back(std::move(why));
  if (value.status == EstimateStatus::kOk) value.status = EstimateStatus::kCaution;
}

/// Weights of a training that diverged are the best it had seen, which may be the first.
void note_diverged_folds(std::span<const FoldTraining> trainings, Estimate& value) {
  const auto count = std::count_if(trainings.begin(), trainings.end(), [](const FoldTraining& t) {
    return t.status == TrainingStatus::kDiverged;
  });
  if (count == 0) return;
  add_caution(fmt::format("the training of {} of {} folds diverged: try a smaller --learning-rate",
                          count, trainings.size()),
              value);
}

/// A row named after a fitted model must not pass for one.
void note_given_nuisances(const EstimatorInfo& row, std::span<const std::string> arms,
                          Estimate& value) {
  const EstimatorInfo& named = *find_estimator(row.name);
  const bool named_after_model =
      row.method == Method::kDirect || row.method == Method::kDoublyRobust;
  if (named_after_model && row.outcome == LearnerId::kGiven && named.outcome != row.outcome) {
    add_caution(fmt::format("the outcome model is the given {}: none was fitted",
                            outcome_model_columns(arms)),
                value);
  }
  if (row.weights == LearnerId::kGiven && named.weights == LearnerId::kCone) {
    add_caution("the propensities are the given ones: none were fitted", value);
  }
}

}  // namespace

void note_learning(const EstimatorInfo& row, const Evidence& evidence,
                   const LearntNuisances& learnt, Estimate& value) {
  if (row.needs(LearnerId::kCone)) {
    note_diverged_folds(learnt.trainings(), value);
  } else if (evidence.outcome != nullptr && !evidence.outcome->warnings.empty()) {
    add_caution("the fit of the outcome model has warnings of its own, below", value);
  }
  note_given_nuisances(row, evidence.sample.arms, value);
}

}  // namespace cone
