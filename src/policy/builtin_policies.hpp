#pragma once

#include <memory>
#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/policy.hpp"

namespace cone {

/// The policy that a word stands for; nullptr where the specification is none of the built-in
/// forms. Throws Error(kUsage) where it is one that the data gives no meaning to.
std::unique_ptr<Policy> builtin_policy(const Context& context, const Dataset& data,
                                       const std::string& specification);

}  // namespace cone
