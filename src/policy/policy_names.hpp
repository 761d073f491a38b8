#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/error.hpp"
#include "cone/policy.hpp"

namespace cone {

/// For policies that users name themselves. Throws Error(kUsage) where the name is a word for a
/// built-in policy (`treat-all`, `always:sms`, ...) and this one does something else: everybody who
/// reads the result would take it for the built-in one.
void refuse_borrowed_name(const Context& context, const Dataset& data, const PolicyOnData& policy);

/// Names that occur twice, or that the log itself has.
std::vector<Fault> list_name_faults(std::span<const PolicyOnData> policies);
std::vector<Fault> list_name_faults(std::span<const std::string> names);

}  // namespace cone
