#pragma once

#include <span>
#include <string_view>

#include "cone/graph.hpp"
#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// `residual`: one per node of the sample. The error of the trend allows for noise that grows with
/// the degree, not for noise that friends share. O(n log n).
DegreeResiduals measure_degree_residuals(const Graph& graph, std::span<const NodeIndex> nodes,
                                         std::span<const double> residual,
                                         std::string_view outcome_model);

}  // namespace cone
