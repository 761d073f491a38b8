#include "graph/communities.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace cone {
namespace {

/// A network whose nodes have keys.
struct KeyedGraph {
  Graph graph;
  std::vector<std::uint64_t> keys;
};

std::vector<std::uint64_t> draw_keys(std::size_t n) {
  Rng rng(1, Stream::kTest, 0);
  std::vector<std::uint64_t> keys;
  keys.reserve(n);
  for (std::size_t i = 0; i < n; ++i) keys.push_back(rng.next_u64());
  return keys;
}

/// `groups` cliques of `size` nodes, one edge from each to the next.
KeyedGraph make_cliques(std::size_t groups, std::size_t size) {
  std::vector<Edge> edges;
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i + 1; j < size; ++j) {
        edges.push_back(
            {static_cast<NodeIndex>(g * size + i), static_cast<NodeIndex>(g * size + j)});
      }
    }
    const std::size_t next = (g + 1) % groups;
    edges.push_back({static_cast<NodeIndex>(g * size), static_cast<NodeIndex>(next * size + 1)});
  }
  return {build_graph(Context(), groups * size, edges), draw_keys(groups * size)};
}

std::size_t count_of(const std::vector<std::uint32_t>& communities) {
  return *std::ranges::max_element(communities) + std::size_t{1};
}

TEST(Communities, CliquesAreFound) {
  const KeyedGraph network = make_cliques(12, 6);
  const auto found = find_communities(Context(), network.graph, network.keys);
  EXPECT_EQ(count_of(found), 12U);
  for (std::uint32_t i = 0; i < 72; ++i) EXPECT_EQ(found[i], i / 6) << "in order of appearance";
}

TEST(Communities, NodesWithoutNeighboursAreCommunitiesOfOne) {
  const Graph graph = build_graph(Context(), 4, std::vector<Edge>{{0, 2}});
  const auto found = find_communities(Context(), graph, draw_keys(4));
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0, 1, 0, 2}));
}

TEST(Communities, ResolutionDecidesTheirSize) {
  const KeyedGraph network = make_cliques(64, 5);
  const auto count_at = [&](double resolution) {
    return count_of(
        find_communities(Context(), network.graph, network.keys, {.resolution = resolution}));
  };
  EXPECT_LT(count_at(0.1), 16U);
  EXPECT_EQ(count_at(4), 64U);
}

}  // namespace
}  // namespace cone
