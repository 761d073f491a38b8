#pragma once

#include <memory>
#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/policy.hpp"

namespace cone {

/// The built-in policy of a specification; nullptr where it has none of the built-in forms. Throws
/// Error(kUsage) where the policy is not defined for the data.
std::unique_ptr<Policy> builtin_policy(const Context& context, const Dataset& data,
                                       const std::string& specification);

}  // namespace cone
