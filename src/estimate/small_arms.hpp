#pragma once

#include <span>

#include "cone/estimate.hpp"

namespace cone {

/// Says so where few nodes of an arm that the policy gives make up much of the estimate's variance,
/// and the nodes of other arms hide it in the effective sample size: little is known of how these
/// few vary, and the interval takes them for many. `weights`: of the outcomes in the value, one per
/// node of the sample.
void diagnose_small_arms(const Evidence& evidence, std::span<const double> weights, Estimate& out);

}  // namespace cone
