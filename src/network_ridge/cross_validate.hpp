#pragma once

#include <span>

#include "cone/context.hpp"

#include "network_ridge/learn_variances.hpp"
#include "network_ridge/restricted_likelihood.hpp"

namespace cone {

/// What most units would do instead of restricted likelihood: one penalty for everything, chosen
/// by the squared error on held-out nodes. All groups share one variance and the noise is the same
/// for all; `order` deals the nodes to five parts. O(n³) per value of the grid.
LearntVariances cross_validate_variances(const Context& context, const ArmSample& sample,
                                         std::span<const std::size_t> order);

}  // namespace cone
