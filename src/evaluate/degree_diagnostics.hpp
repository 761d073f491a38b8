#pragma once

#include <span>
#include <string_view>

#include "cone/learn.hpp"
#include "cone/record.hpp"

#include "inference/neighbourhood.hpp"

namespace cone {

/// `residual`: one per node of the sample, whose nodes are rows of the network. Over all processes
/// that share the sample. The error of the trend allows for noise that grows with
/// the degree, not for noise that neighbours share. O(n log n).
DegreeResiduals measure_degree_residuals(const Neighbourhood& network, const LoggedSample& sample,
                                         std::span<const double> residual,
                                         std::string_view outcome_model);

}  // namespace cone
