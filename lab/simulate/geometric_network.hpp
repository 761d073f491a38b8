#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/simulate.hpp"

namespace cone {

/// A random geometric graph (Gilbert 1961, Random Plane Networks): nodes have uniform positions in
/// the unit square and an edge to every node within the distance that gives the mean degree asked
/// for (fewer near the boundary). Communities are the cells of a square grid.
struct GeometricNetwork {
  Graph graph;
  std::vector<std::uint32_t> community;  ///< of every node
};

GeometricNetwork draw_geometric_network(const Context& context, const NetworkOptions& options);

}  // namespace cone
