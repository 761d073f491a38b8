#pragma once

#include <span>
#include <string_view>

#include "cone/learn.hpp"
#include "cone/record.hpp"

#include "inference/neighbourhood.hpp"

namespace cone {

/// `residual`: one per node of the sample, whose nodes are rows of the network. Over all ranks. The
/// standard error of the trend is robust to heteroscedasticity, not to correlation among
/// neighbours. O(n log n).
DegreeResiduals measure_degree_residuals(const Neighbourhood& network, const LoggedSample& sample,
                                         std::span<const double> residual,
                                         std::string_view outcome_model);

}  // namespace cone
