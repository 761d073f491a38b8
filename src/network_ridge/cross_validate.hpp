#pragma once

#include <span>

#include "cone/context.hpp"

#include "network_ridge/learn_variances.hpp"
#include "network_ridge/restricted_likelihood.hpp"

namespace cone {

/// What most practitioners would do instead of restricted maximum likelihood: one ridge penalty for
/// all groups, chosen by five-fold cross-validated squared error. All groups have the same variance
/// and the noise is homoscedastic; `order` assigns the nodes to the folds. O(n³) per value of the
/// grid.
LearntVariances cross_validate_variances(const Context& context, const ArmSample& sample,
                                         std::span<const std::size_t> order);

}  // namespace cone
