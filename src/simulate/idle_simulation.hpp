#pragma once

#include "cone/simulate.hpp"

#include "options/given_options.hpp"

namespace cone {

/// Names every option that the choice of network makes meaningless, instead of ignoring it.
void refuse_idle_simulation(const IsGiven& is_given, const SimulationOptions& options);

}  // namespace cone
