#pragma once

#include <cstddef>

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

}  // namespace cone
