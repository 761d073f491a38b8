#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cone/options.hpp"

namespace cone::app {

// Checks of flags before any work. All throw Error(kUsage).

/// Names every flag of a part that cone fit is told not to fit. Without parts nothing is refused.
void refuse_flags_of_parts(const CLI::App& command, const std::vector<std::string>& parts);

/// Which options the command line names, for the checks of idle options. The command must
/// outlive it.
IsGiven flags_given(const CLI::App& command);

}  // namespace cone::app
