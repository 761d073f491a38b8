#pragma once

#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/record.hpp"

#include "evaluate/learn.hpp"

namespace cone {

/// Describes every policy and estimates its value by every estimator that is ready, with
/// sensitivity intervals. Collective where the data is distributed.
std::vector<PolicyResult> estimate_policies(const Context& context, const LoadedData& data,
                                            std::span<const PolicyOnData> policies,
                                            const EvaluationPlan& plan, const Learnt& learnt,
                                            const EvaluateOptions& options);

}  // namespace cone
