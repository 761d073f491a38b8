#include "graph/communities.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "cone/error.hpp"

namespace cone {
namespace {

constexpr int kMostPasses = 10;
constexpr double kLeastShareMoved = 1e-2;  // of the nodes, to justify another pass

/// A network of groups: weighted edges, each in both directions, and the edges inside a group.
struct WeightedGraph {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> neighbours;
  std::vector<double> weights;
  std::vector<double> strength;  ///< weighted degree, edges inside the group included
  double total = 0;              ///< of the strengths

  std::size_t size() const { return strength.size(); }
};

WeightedGraph weigh(const Graph& graph, std::span<const NodeIndex> order) {
  WeightedGraph out;
  const std::size_t n = graph.num_nodes();
  std::vector<std::uint32_t> rank(n);
  for (std::size_t k = 0; k < n; ++k) rank[order[k]] = static_cast<std::uint32_t>(k);
  out.offsets.reserve(n + 1);
  out.neighbours.reserve(graph.neighbours().size());
  out.strength.reserve(n);
  out.offsets.push_back(0);
  for (const NodeIndex node : order) {
    for (const NodeIndex j : graph.neighbours(node)) out.neighbours.push_back(rank[j]);
    std::sort(out.neighbours.begin() + static_cast<std::ptrdiff_t>(out.offsets.back()),
              out.neighbours.end());
    out.offsets.push_back(out.neighbours.size());
    out.strength.push_back(static_cast<double>(graph.degree(node)));
    out.total += out.strength.back();
  }
  out.weights.assign(out.neighbours.size(), 1.0);
  return out;
}

/// The local moving phase: moves nodes between groups until hardly any moves. Returns the group of
/// every node, by the index of one of its members.
std::vector<std::uint32_t> move_nodes(const Context& context, const WeightedGraph& graph,
                                      double resolution) {
  const std::size_t n = graph.size();
  std::vector<std::uint32_t> group(n);
  for (std::size_t i = 0; i < n; ++i) group[i] = static_cast<std::uint32_t>(i);
  std::vector<double> group_strength = graph.strength;
  std::vector<double> towards(n, 0.0);  // weight of a node's edges to a group
  std::vector<std::uint32_t> seen;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    std::size_t moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 1024 == 0) context.poll();
      seen.clear();
      for (std::uint64_t k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
        const std::uint32_t g = group[graph.neighbours[k]];
        if (towards[g] == 0) seen.push_back(g);
        towards[g] += graph.weights[k];
      }
      const std::uint32_t own = group[i];
      group_strength[own] -= graph.strength[i];
      const auto gain = [&](std::uint32_t g) {
        return towards[g] - resolution * group_strength[g] * graph.strength[i] / graph.total;
      };
      std::uint32_t best = own;
      double best_gain = gain(own);
      for (const std::uint32_t g : seen) {
        // Ties go to the node's own group, then to the smallest index.
        if (gain(g) > best_gain || (gain(g) == best_gain && best != own && g < best)) {
          best = g;
          best_gain = gain(g);
        }
      }
      group_strength[best] += graph.strength[i];
      moved += best != own ? 1 : 0;
      group[i] = best;
      for (const std::uint32_t g : seen) towards[g] = 0;
    }
    if (static_cast<double>(moved) <= kLeastShareMoved * static_cast<double>(n)) break;
  }
  return group;
}

/// Numbers from 0 in the order of first appearance; returns how many there are.
std::size_t number_groups(std::vector<std::uint32_t>& group) {
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t& g : group) {
    g = number.try_emplace(g, static_cast<std::uint32_t>(number.size())).first->second;
  }
  return number.size();
}

WeightedGraph merge_groups(const WeightedGraph& graph, std::span<const std::uint32_t> group,
                           std::size_t count) {
  std::vector<std::vector<std::uint32_t>> members(count);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    members[group[i]].push_back(static_cast<std::uint32_t>(i));
  }
  WeightedGraph out;
  out.strength.assign(count, 0.0);
  out.total = graph.total;
  out.offsets.push_back(0);
  std::vector<double> towards(count, 0.0);
  std::vector<std::uint32_t> seen;
  for (std::size_t g = 0; g < count; ++g) {
    seen.clear();
    for (const std::uint32_t i : members[g]) {
      out.strength[g] += graph.strength[i];
      for (std::uint64_t k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
        const std::uint32_t other = group[graph.neighbours[k]];
        if (other == g) continue;  // counted in the strength
        if (towards[other] == 0) seen.push_back(other);
        towards[other] += graph.weights[k];
      }
    }
    std::sort(seen.begin(), seen.end());
    for (const std::uint32_t other : seen) {
      out.neighbours.push_back(other);
      out.weights.push_back(towards[other]);
      towards[other] = 0;
    }
    out.offsets.push_back(out.neighbours.size());
  }
  return out;
}

}  // namespace

std::vector<std::uint32_t> find_communities(const Context& context, const Graph& graph,
                                            std::span<const std::uint64_t> keys,
                                            const CommunityOptions& options) {
  require(keys.size() == graph.num_nodes(), "communities: the keys are not one per node");
  require(options.resolution > 0, "communities: the resolution is not positive");
  std::vector<NodeIndex> order(keys.size());
  std::iota(order.begin(), order.end(), NodeIndex{0});
  std::ranges::sort(order, {}, [&](NodeIndex i) { return keys[i]; });
  WeightedGraph level = weigh(graph, order);
  std::vector<std::uint32_t> of_rank(order.size());
  for (std::size_t k = 0; k < of_rank.size(); ++k) of_rank[k] = static_cast<std::uint32_t>(k);
  while (level.size() > 0) {
    std::vector<std::uint32_t> group = move_nodes(context, level, options.resolution);
    const std::size_t count = number_groups(group);
    for (std::uint32_t& g : of_rank) g = group[g];
    if (count == level.size()) break;
    level = merge_groups(level, group, count);
  }
  std::vector<std::uint32_t> out(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) out[order[k]] = of_rank[k];
  number_groups(out);
  return out;
}

}  // namespace cone
