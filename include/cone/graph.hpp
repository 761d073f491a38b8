#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"

/// \file
/// The undirected network.

namespace cone {

using NodeIndex = std::uint32_t;

struct Edge {
  NodeIndex source;
  NodeIndex target;
};

/// Counts of the lines of an edge list.
struct EdgeListReport {
  std::uint64_t num_lines = 0;
  std::uint64_t num_edges = 0;       ///< undirected edges kept
  std::uint64_t num_self_loops = 0;  ///< dropped: a node is not its own neighbour
  std::uint64_t num_merged = 0;      ///< repeats of an edge, in either direction
};

/// An undirected simple graph in compressed sparse rows. Every edge is stored in both directions;
/// neighbours ascend; there are no self loops. 8 bytes per node, 8 bytes per edge.
class Graph {
 public:
  Graph() : offsets_(1, 0) {}
  /// Takes finished arrays. Throws Error(kInternal) unless they are as described above.
  Graph(std::vector<std::uint64_t> offsets, std::vector<NodeIndex> neighbours);

  std::size_t num_nodes() const { return offsets_.size() - 1; }
  /// Undirected edges.
  std::size_t num_edges() const { return neighbours_.size() / 2; }
  std::size_t degree(NodeIndex i) const { return offsets_[i + 1] - offsets_[i]; }
  std::span<const NodeIndex> neighbours(NodeIndex i) const {
    return {neighbours_.data() + offsets_[i], degree(i)};
  }
  std::span<const std::uint64_t> offsets() const { return offsets_; }
  std::span<const NodeIndex> neighbours() const { return neighbours_; }

 private:
  friend Graph build_graph(const Context& context, std::size_t num_nodes,
                           std::span<const Edge> edges, EdgeListReport* report);

  std::vector<std::uint64_t> offsets_;
  std::vector<NodeIndex> neighbours_;
};

/// Builds the graph of any mix of directed, repeated and self-looping lines. Both ends of every
/// edge must be below num_nodes. O(nodes + edges) apart from sorting each node's neighbours; the
/// peak is the result plus 16 bytes per line. The result does not depend on the number of threads.
Graph build_graph(const Context& context, std::size_t num_nodes, std::span<const Edge> edges,
                  EdgeListReport* report = nullptr);

}  // namespace cone
