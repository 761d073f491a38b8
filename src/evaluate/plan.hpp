#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"
#include "cone/learn.hpp"
#include "cone/policy.hpp"

#include "data/arm_costs.hpp"
#include "evaluate/learning.hpp"
#include "evaluate/ranking.hpp"

namespace cone {

/// Policies that are evaluated together.
struct PolicyTables {
  std::vector<MatrixView<const double>> nodes;  ///< nodes × arms, one per policy
  std::vector<Matrix<double>> sample;           ///< sample × arms, weighed
};

/// What an evaluation will compute; nothing is fitted yet. Refers to the policies.
struct EvaluationPlan {
  Catalogue catalogue;
  std::vector<EstimatorInfo> rows;
  std::vector<LearningStep> steps;
  FitPlan folds;  ///< without tasks where nothing is fitted
  LoggedSample sample;
  PolicyTables policies;
  std::vector<Ranking> rankings;
  CostTable costs;                  ///< rows are those of the sample
  std::vector<LearntOn> learnt_on;  ///< one per policy
  bool scores_all = true;           ///< whether the sample is all nodes
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< choices among the estimators

  const EstimatorInfo& row_called(std::string_view name) const;
};

/// Chooses estimators, learners and folds. Throws Error for options that the data does not allow.
/// Collective where the data is distributed.
EvaluationPlan plan_evaluation(const Context& context, const Dataset& data,
                               std::span<const PolicyOnData> policies,
                               const EvaluateOptions& options, const FittedModel* model);

}  // namespace cone
