#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cone/learn.hpp"
#include "cone/record.hpp"
#include "cone/totals.hpp"

namespace cone {

/// How far one estimator's values differ over folds and, where the evaluation was repeated, over
/// seeds. One entry per policy whose estimate says what each node's part in it is, or that was
/// repeated. `cluster`: the groups that the user gave, one per node; folds may differ by what those
/// share. Empty where there are none.
/// Over all processes that have nodes of the plan.
std::vector<PolicyStability> measure_stability(std::span<const PolicyResult> results,
                                               std::string_view estimator, const FitPlan& plan,
                                               std::span<const std::uint32_t> cluster = {},
                                               const Totals& totals = Totals::alone());

}  // namespace cone
