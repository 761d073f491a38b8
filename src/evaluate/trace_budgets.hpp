#pragma once

#include <vector>

#include "cone/record.hpp"

#include "evaluate/learn.hpp"

namespace cone {

/// The value of treating the units that each ranking puts first, at every budget, by the estimator
/// of the decision. Empty where there is no decision.
std::vector<BudgetCurve> trace_budgets(const Context& context, const LoadedData& data,
                                       const EvaluationPlan& plan, const Learnt& learnt,
                                       const EvaluateOptions& options);

}  // namespace cone
