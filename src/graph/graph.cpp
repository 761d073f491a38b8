#include "cone/graph.hpp"

#include <algorithm>
#include <utility>

#include "cone/error.hpp"

namespace cone {

Graph::Graph(std::vector<std::uint64_t> offsets, std::vector<NodeIndex> neighbours)
    : offsets_(std::move(offsets)), neighbours_(std::move(neighbours)) {
  require(!offsets_.empty() && offsets_.front() == 0 && offsets_.back() == neighbours_.size(),
          "graph: offsets do not span the neighbours");
  // All offsets before any neighbour: a later one may still point outside the array.
  require(std::is_sorted(offsets_.begin(), offsets_.end()), "graph: offsets must ascend");
  for (std::size_t i = 0; i < num_nodes(); ++i) {
    for (std::uint64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
      require(neighbours_[k] < num_nodes() && neighbours_[k] != i, "graph: invalid neighbour");
      require(k == offsets_[i] || neighbours_[k - 1] < neighbours_[k],
              "graph: neighbours must ascend");
    }
  }
}

}  // namespace cone
