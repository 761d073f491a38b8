#pragma once

#include <map>
#include <span>
#include <vector>

#include "evaluate/fitted_model.hpp"
#include "evaluate/learning.hpp"

namespace cone {

/// One evaluation on its way: runs learners, and estimators as soon as theirs are done.
class EvaluationRun {
 public:
  /// What is passed must outlive it.
  EvaluationRun(const Context& context, const LoadedData& data,
                std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                const FittedModel* model);

  /// Whether all was done; false where the observer asked to stop.
  bool learn_and_estimate(EvaluationRecord& record);

  const LoggedSample& sample() const { return sample_; }
  const std::vector<EstimatorInfo>& rows() const { return rows_; }
  const LearntNuisances& learnt() const { return learnt_; }
  /// About no learner alone.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// The estimators that were not finished.
  const std::vector<EstimatorInfo>& waiting() const { return waiting_; }

 private:
  void take_given();
  void learn(const LearningStep& step);
  void learn_overlap();
  /// Runs the estimators that have become ready and takes them off the list.
  void estimate_ready(std::vector<PolicyResult>& results);
  Estimate estimate_row(const EstimatorInfo& row, std::size_t policy) const;
  /// Answers for all policies at once, where a row needs them.
  void imply_weights(LearnerId learner);

  const Context& context_;
  const Dataset& data_;
  std::span<const PolicyOnData> policies_;
  const EvaluateOptions& options_;
  const FittedModel* model_;
  std::vector<EstimatorInfo> rows_;
  std::vector<LearningStep> steps_;
  FitPlan plan_;  ///< without tasks where nothing is fitted
  LoggedSample sample_;
  std::vector<Matrix<double>> sample_policies_;  ///< sample × arms, one per policy
  LearntNuisances learnt_;
  std::map<LearnerId, std::vector<ImpliedWeights>> implied_;
  std::vector<EstimatorInfo> waiting_;
  std::vector<std::string> warnings_;
};

}  // namespace cone
