#pragma once

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/simulate.hpp"

#include "simulate/simulated_data.hpp"

namespace cone {

/// The network of the demo data, without treatments and outcomes.
TopicNetwork demo_network(const Context& context);

}  // namespace cone
