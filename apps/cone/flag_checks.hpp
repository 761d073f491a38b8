#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "cone/nuisance/fit_plan.hpp"

namespace cone::app {

// What can be said of the flags before any work. All throw Error(kUsage).

/// Refuses a file that cannot be written because its folder is not there or it is itself one.
/// `file` may be empty: the flag was not given.
void check_output_file(const char* flag, const std::string& file);

/// Names every flag that the protocol does not use, instead of ignoring it.
void refuse_idle_flags(const CLI::App& command, Protocol protocol);

/// Names every flag that a model file decides: plan, networks and seed.
void refuse_flags_of_model(const CLI::App& command);

}  // namespace cone::app
