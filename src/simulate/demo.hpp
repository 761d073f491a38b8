#pragma once

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/simulate.hpp"

#include "simulate/simulated_data.hpp"

namespace cone {

/// Its network alone, to simulate other logs on.
TopicNetwork demo_network(const Context& context);

}  // namespace cone
