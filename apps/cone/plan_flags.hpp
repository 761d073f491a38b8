#pragma once

#include <CLI/CLI.hpp>

#include "cone/nuisance/fit_plan.hpp"

namespace cone::app {

/// Throws Error(kUsage) naming every given flag of PlanOptions that the protocol does not use,
/// instead of ignoring it.
void refuse_idle_plan_flags(const CLI::App& command, Protocol protocol);

}  // namespace cone::app
