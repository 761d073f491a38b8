#pragma once

#include <span>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/record.hpp"

#include "evaluate/learn.hpp"

namespace cone {

/// Adds the diagnostics that have a verdict: of the propensities and of the outcome model of the
/// recommended estimator. Where the observer asks to stop, balance is skipped with a warning,
/// unless other ranks would wait for it.
void add_verdicts(const Context& context, const Dataset& data, const EvaluationPlan& plan,
                  const Learnt& learnt, std::span<const PolicyResult> results, Diagnostics& out);

}  // namespace cone
