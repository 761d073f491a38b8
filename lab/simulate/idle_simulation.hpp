#pragma once

#include "cone/simulate.hpp"

#include "options/given_options.hpp"

namespace cone {

/// Refuses options that have no effect with the chosen kind of network, instead of ignoring them.
void refuse_idle_simulation(const IsGiven& is_given, const SimulationOptions& options);

}  // namespace cone
