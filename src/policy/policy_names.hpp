#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/error.hpp"
#include "cone/policy.hpp"

namespace cone {

/// For policies that users name themselves. Throws Error(kUsage) where the name is that of a
/// built-in policy (`treat-all`, `always:sms`, ...) but the probabilities differ: readers of the
/// result would take it for the built-in one.
void refuse_builtin_name(const Context& context, const Dataset& data, const PolicyOnData& policy);

/// Faults of names that occur twice, or that are reserved for the logged policy.
std::vector<Fault> list_name_faults(std::span<const PolicyOnData> policies);
std::vector<Fault> list_name_faults(std::span<const std::string> names);

}  // namespace cone
