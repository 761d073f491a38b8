#pragma once

#include "cone/graph.hpp"
#include "cone/simulate.hpp"

#include "simulate/network_population.hpp"

namespace cone {

/// The edges of generate_network, steps 1 to 4 of its comment.
Graph draw_edges(const Context& context, const NetworkOptions& options,
                 const Population& population);

}  // namespace cone
