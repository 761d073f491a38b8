#pragma once

#include "cone/context.hpp"

#include "network_ridge/inputs.hpp"

namespace cone {

/// O(edges · count features per node). Collective.
NeighbourNorms find_neighbour_norms(const Context& context, const RidgeInputs& inputs);

}  // namespace cone
