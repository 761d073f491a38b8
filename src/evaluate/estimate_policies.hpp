#pragma once

#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/record.hpp"

#include "evaluate/learn.hpp"

namespace cone {

/// Describes every policy and estimates its value by every estimator that is ready, with
/// sensitivity intervals. If the observer asks to stop, estimators that are finished for all
/// policies are kept, `learnt` is incomplete and the others are no longer ready in it. Collective
/// where the data is distributed; Cancelled then.
std::vector<PolicyResult> estimate_policies(const Context& context, const LoadedData& data,
                                            std::span<const PolicyOnData> policies,
                                            const EvaluationPlan& plan, Learnt& learnt,
                                            const EvaluateOptions& options);

}  // namespace cone
