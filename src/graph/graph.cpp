#include "cone/graph/graph.hpp"

#include <algorithm>
#include <utility>

#include "cone/base/error.hpp"

namespace cone {
Graph::Graph(std::vector<std::uint64_t> offsets, std::vector<NodeIndex> neighbours)
    : offsets_(std::move(offsets)), neighbours_(std::move(neighbours)) {
  require(!offsets_.empty() && offsets_.front() == 0 && offsets_.back() == neighbours_.size(),
          "graph: offsets do not span the neighbours");
  for (std::size_t i = 0; i < num_nodes(); ++i) {
    require(offsets_[i] <= offsets_[i + 1], "graph: offsets must ascend");
    for (std::uint64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
      require(neighbours_[k] < num_nodes() && neighbours_[k] != i, "graph: bad neighbour");
      require(k == offsets_[i] || neighbours_[k - 1] < neighbours_[k],
              "graph: neighbours must ascend");
    }
  }
}

Graph build_graph(const Context& context, std::size_t num_nodes, std::span<const Edge> edges,
                  EdgeListReport* report) {
  // Counting sort by node, both directions of a line.
  std::vector<std::uint64_t> offsets(num_nodes + 1, 0);
  std::uint64_t num_self_loops = 0;
  for (const Edge& edge : edges) {
    require(edge.source < num_nodes && edge.target < num_nodes, "graph: edge to nowhere");
    if (edge.source == edge.target) {
      ++num_self_loops;
      continue;
    }
    ++offsets[edge.source + 1];
    ++offsets[edge.target + 1];
  }
  for (std::size_t i = 0; i < num_nodes; ++i) offsets[i + 1] += offsets[i];
  std::vector<NodeIndex> neighbours(offsets.back());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for (const Edge& edge : edges) {
    if (edge.source == edge.target) continue;
    neighbours[next[edge.source]++] = edge.target;
    neighbours[next[edge.target]++] = edge.source;
  }

  // Sort each row and drop repeats; `next` becomes the end of the kept part of the row.
  constexpr std::size_t kRowsPerPiece = 4096;
  context.for_each_range(num_nodes, kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto first = neighbours.begin() + static_cast<std::ptrdiff_t>(offsets[i]);
      const auto last = neighbours.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]);
      std::sort(first, last);
      next[i] = static_cast<std::uint64_t>(std::unique(first, last) - neighbours.begin());
    }
  });
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    const std::uint64_t begin = offsets[i];
    const std::uint64_t end = next[i];
    offsets[i] = kept;
    if (begin != kept) {
      std::copy(neighbours.begin() + static_cast<std::ptrdiff_t>(begin),
                neighbours.begin() + static_cast<std::ptrdiff_t>(end),
                neighbours.begin() + static_cast<std::ptrdiff_t>(kept));
    }
    kept += end - begin;
  }
  offsets[num_nodes] = kept;
  neighbours.resize(kept);

  if (report != nullptr) {
    *report = {.num_lines = edges.size(),
               .num_edges = kept / 2,
               .num_self_loops = num_self_loops,
               .num_merged = edges.size() - num_self_loops - kept / 2};
  }
  return {std::move(offsets), std::move(neighbours)};
}

}  // namespace cone
