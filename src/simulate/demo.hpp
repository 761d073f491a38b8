#pragma once

#include "data/dataset.hpp"
#include "exec/context.hpp"
#include "simulate/simulated_data.hpp"

namespace cone {

/// The built-in data `demo`: a synthetic network of BlogCatalog's size with hidden confounding and
/// known truth, generated on the fly and the same everywhere, whatever the seed of the context.
LoadedData demo_data(const Context& context);

/// Its network alone, to simulate other logs on.
TopicNetwork demo_network(const Context& context);

}  // namespace cone
