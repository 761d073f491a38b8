#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cone {

/// Why rows of a table of estimates show no standard error: a table has one target, that of the run
/// (`target`, as enum_name spells it), and these estimators have a standard error for the other one
/// only. One sentence per reason.
std::vector<std::string> other_target_notes(std::span<const std::string> estimators,
                                            std::string_view target);

}  // namespace cone
