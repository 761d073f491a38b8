#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/record.hpp"

#include "evaluate/learn.hpp"

namespace cone {

/// Weights that a learner's outcome model implies for the policies, where an estimator needs them.
void imply_weights(const Context& context, const EvaluationPlan& plan, const PolicyTables& policies,
                   const Learnt& learnt, LearnerId learner, PolicyWeights& out);

/// Weights of one estimator: those that balance the arms, or those of the direct method and the
/// residuals together, where it corrects part of the direct method by weighted residuals.
void find_row_weights(const Context& context, const EvaluationPlan& plan,
                      const PolicyTables& policies, const Learnt& learnt,
                      const EstimatorOptions& options, const EstimatorInfo& row,
                      PolicyWeights& out);

/// The estimate of one policy, with standard errors under dependence. `weights`: of these policies.
Estimate estimate_row(const Context& context, const EvaluationPlan& plan,
                      const PolicyTables& policies, const Learnt& learnt,
                      const PolicyWeights& weights, const EstimatorOptions& options,
                      const EstimatorInfo& row, std::size_t policy);

/// Describes every policy and estimates its value by every estimator that is ready, with
/// sensitivity intervals. If the observer asks to stop, estimators that are finished for all
/// policies are kept, `learnt` is incomplete and the others are no longer ready in it. Collective
/// where the data is distributed; Cancelled then.
std::vector<PolicyResult> estimate_policies(const Context& context, const LoadedData& data,
                                            std::span<const PolicyOnData> policies,
                                            const EvaluationPlan& plan, Learnt& learnt,
                                            const EvaluateOptions& options);

}  // namespace cone
