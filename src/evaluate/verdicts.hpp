#pragma once

#include <span>

#include "cone/context.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"

#include "evaluate/run.hpp"

namespace cone {

/// Adds the diagnostics that have a verdict. Those of propensities are about the ones by which the
/// estimator that the program recommends looks at the log; those of residuals, about its outcome
/// model. Where the observer asks to stop, the balance is left out and a warning says so.
void add_verdicts(const Context& context, const Dataset& data, const EvaluationRun& run,
                  std::span<const PolicyOnData> policies, std::span<const PolicyResult> results,
                  Diagnostics& out);

}  // namespace cone
