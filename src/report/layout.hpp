#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cone {

/// Two nodes by their indices.
using LayoutEdge = std::pair<std::size_t, std::size_t>;

/// A point of the unit square.
struct LayoutPoint {
  double x = 0, y = 0;
};

/// Force-directed layout: edges attract, all pairs repel (Fruchterman and Reingold, 1991, Graph
/// drawing by force-directed placement). For up to a few hundred nodes: every step visits all
/// pairs. Deterministic: it starts from a spiral.
std::vector<LayoutPoint> layout_nodes(std::size_t num_nodes, std::span<const LayoutEdge> edges);

}  // namespace cone
