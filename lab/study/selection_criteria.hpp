#pragma once

#include <span>
#include <vector>

#include "study/figure2.hpp"
#include "study/run_units.hpp"

namespace cone {

/// Compares model selection criteria: for every simulation and run, takes the grid point with the
/// least value of a criterion and summarises the errors of `cone` there. `records[point][k]` is
/// unit k (by simulation, then run) of one point.
std::vector<SelectionResult> compare_criteria(const StudyOptions& options,
                                              std::span<const std::span<const UnitRecord>> records,
                                              std::size_t default_point);

}  // namespace cone
