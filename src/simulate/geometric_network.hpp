#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/simulate.hpp"

namespace cone {

/// Units at random places of a square, who know everybody within a distance that gives the mean
/// degree asked for (units at the rim know fewer). Communities are squares of a grid.
struct GeometricNetwork {
  Graph graph;
  std::vector<std::uint32_t> community;  ///< of every node
};

GeometricNetwork draw_geometric_network(const Context& context, const NetworkOptions& options);

}  // namespace cone
