#include "data/node_communities.hpp"

#include <vector>

#include "graph/communities.hpp"

namespace cone {
namespace {

/// A second search costs as much as the first. In a large network it takes a good part of the time,
/// and gains little: more edges make communities more distinct.
constexpr std::size_t kManyEdges = std::size_t{1} << 20U;

/// Renumbers the communities with two or more members; the others become kNoCommunity.
void drop_single_nodes(NodeLabels& label) {
  std::vector<std::uint32_t> size(label.size(), 0);
  for (const std::uint32_t g : label) ++size[g];
  std::vector<std::uint32_t> number(label.size(), kNoCommunity);
  std::uint32_t count = 0;
  for (std::uint32_t& g : label) {
    if (size[g] >= 2 && number[g] == kNoCommunity) number[g] = count++;
    g = number[g];
  }
}

}  // namespace

NodeCommunities find_node_communities(const Context& context, const Dataset& data, bool all) {
  NodeCommunities out;
  if (!can_label(data)) return out;
  std::vector<std::size_t> searched = {kPlainResolution};
  if (all) searched = {0, 1, 2};
  std::vector<NodeLabels> found =
      label_nodes(context, data, [&](const Context& alone, const Graph& graph, NodeKeys keys) {
        std::vector<NodeLabels> labels;
        for (const std::size_t r : searched) {
          const bool is_large = graph.num_edges() > kManyEdges;
          labels.push_back(find_communities(alone, graph, keys,
                                            {.resolution = kResolutions[r],
                                             .starts = is_large && r != kPlainResolution ? 1 : 2}));
          drop_single_nodes(labels.back());
        }
        return labels;
      });
  for (std::size_t k = 0; k < searched.size(); ++k) out.labels[searched[k]] = std::move(found[k]);
  return out;
}

}  // namespace cone
