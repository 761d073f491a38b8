#pragma once

#include <span>
#include <vector>

#include "cone/evaluate.hpp"

namespace cone {

/// Combines the estimates of runs that differ in the seed only: values are medians m, and standard
/// errors √median(s² + (v − m)²), which include the spread over seeds (Chernozhukov, Chetverikov,
/// Demirer, Duflo, Hansen, Newey and Robins 2018, Double/debiased machine learning for treatment
/// and structural parameters). Everything without a median (warnings, weights, error contributions)
/// is of the first run; where a run has no value or no standard error there is none, and the
/// warnings are of that run. Two runs or more.
Estimate take_median(const LoggedSample& sample, std::span<const Estimate* const> runs);

/// Runs options.repeats − 1 further evaluations, with the seeds after the first, and replaces the
/// estimates of the first by medians over all. Returns over how many: fewer where the observer
/// asked to stop.
int repeat_and_take_medians(const Context& context, const LoadedData& data,
                            std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                            const LoggedSample& sample, std::vector<PolicyResult>& results);

}  // namespace cone
