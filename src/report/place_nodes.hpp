#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cone {

using Tie = std::pair<std::size_t, std::size_t>;

/// A point of the unit square.
struct Place2 {
  double x = 0, y = 0;
};

/// Places for a drawing: ties pull, all others push (Fruchterman and Reingold, 1991). For up to a
/// few hundred nodes: every step looks at all pairs. No random draws: it starts from a spiral.
std::vector<Place2> place_nodes(std::size_t num_nodes, std::span<const Tie> ties);

}  // namespace cone
