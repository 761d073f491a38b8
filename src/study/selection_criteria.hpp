#pragma once

#include <span>
#include <vector>

#include "study/figure2.hpp"
#include "study/run_units.hpp"

namespace cone {

/// Would some figure that needs no truth have led to better options? For every simulation and run,
/// takes the point of the grid with the least value of a criterion, and summarises the errors of
/// `cone` there. `records[point][k]` is the unit k (by simulation, then run) of one point.
std::vector<SelectionResult> compare_criteria(const StudyOptions& options,
                                              std::span<const std::span<const UnitRecord>> records,
                                              std::size_t default_point);

}  // namespace cone
