#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// How far one estimator's values differ over folds and, where the evaluation was repeated, over
/// seeds. One entry per policy whose estimate says what each node's part in it is, or that was
/// repeated.
std::vector<PolicyStability> measure_stability(std::span<const PolicyResult> results,
                                               std::string_view estimator, const FitPlan& plan);

}  // namespace cone
