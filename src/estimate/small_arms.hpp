#pragma once

#include <span>

#include "cone/estimate.hpp"

namespace cone {

/// Warns where few nodes of an arm that the policy assigns contribute much of the estimate's
/// variance while the overall effective sample size looks large: the normal approximation is poor
/// there. `weights`: of the outcomes in the value, one per node of the sample.
void diagnose_small_arms(const Evidence& evidence, std::span<const double> weights, Estimate& out);

}  // namespace cone
