#include "graph/communities.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

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

/// Nodes in `blocks` blocks by turns, with `inside` neighbours in the own block and `outside` in
/// any, on average.
KeyedGraph make_blocks(std::size_t n, std::size_t blocks, double inside, double outside) {
  Rng rng(2, Stream::kTest, 0);
  std::vector<Edge> edges;
  const auto add = [&](std::size_t i, std::size_t j) {
    edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(j)});
  };
  for (std::size_t k = 0; k < static_cast<std::size_t>(static_cast<double>(n) * inside / 2); ++k) {
    const std::size_t i = rng.below(n);
    add(i, i % blocks + blocks * rng.below(n / blocks));
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(static_cast<double>(n) * outside / 2); ++k) {
    add(rng.below(n), rng.below(n));
  }
  return {build_graph(Context(), n, edges), draw_keys(n)};
}

double modularity(const Graph& graph, const std::vector<std::uint32_t>& communities) {
  std::map<std::uint32_t, double> strength;
  double inside = 0;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    strength[communities[i]] += static_cast<double>(graph.degree(i));
    for (const NodeIndex j : graph.neighbours(i)) inside += communities[i] == communities[j];
  }
  const auto total = static_cast<double>(graph.neighbours().size());
  double expected = 0;
  for (const auto& [community, sum] : strength) expected += sum / total * (sum / total);
  return inside / total - expected;
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

TEST(Communities, ModularityIsThatOfThePlantedBlocksOrMore) {
  for (const double degree : {3.5, 7.5, 10.0}) {
    const KeyedGraph network = make_blocks(804, 12, 0.8 * degree, 0.2 * degree);
    std::vector<std::uint32_t> planted(804);
    for (std::uint32_t i = 0; i < 804; ++i) planted[i] = i % 12;
    const auto found = find_communities(Context(), network.graph, network.keys);
    EXPECT_GE(modularity(network.graph, found), modularity(network.graph, planted)) << degree;
  }
}

TEST(Communities, AreConnected) {
  const KeyedGraph network = make_blocks(4000, 12, 2, 1.5);
  const auto found = find_communities(Context(), network.graph, network.keys);
  std::vector<bool> is_reached(found.size(), false);
  std::size_t components = 0;
  for (NodeIndex i = 0; i < found.size(); ++i) {
    if (is_reached[i]) continue;
    ++components;
    is_reached[i] = true;
    std::vector<NodeIndex> stack = {i};
    while (!stack.empty()) {
      const NodeIndex at = stack.back();
      stack.pop_back();
      for (const NodeIndex j : network.graph.neighbours(at)) {
        if (is_reached[j] || found[j] != found[i]) continue;
        is_reached[j] = true;
        stack.push_back(j);
      }
    }
  }
  EXPECT_EQ(components, count_of(found));
}

TEST(Communities, TheBestStartIsKept) {
  const KeyedGraph network = make_blocks(1200, 12, 3, 2);
  const auto modularity_of = [&](int starts) {
    return modularity(network.graph,
                      find_communities(Context(), network.graph, network.keys, {.starts = starts}));
  };
  double last = modularity_of(1);
  const double first = last;
  for (const int starts : {2, 4, 8}) {
    const double found = modularity_of(starts);
    EXPECT_GE(found, last) << starts;
    last = found;
  }
  EXPECT_GT(last, first);
}

TEST(Communities, ThreadsChangeNothing) {
  const KeyedGraph network = make_blocks(30000, 30, 4, 2);
  const auto on = [&](int threads) {
    return find_communities(Context({.threads = threads}), network.graph, network.keys,
                            {.starts = 1});
  };
  const auto one = on(1);
  for (const int threads : {2, 4}) EXPECT_EQ(on(threads), one) << threads;
}

TEST(Communities, OrderOfTheNodesChangesOnlyNumbers) {
  constexpr std::uint32_t kNodes = 3000;
  const KeyedGraph network = make_blocks(kNodes, 30, 3, 2);
  const std::vector<std::uint32_t> at = Rng(3, Stream::kTest, 0).permutation(kNodes);
  std::vector<Edge> edges;
  std::vector<std::uint64_t> keys(kNodes);
  for (NodeIndex i = 0; i < kNodes; ++i) {
    keys[at[i]] = network.keys[i];
    for (const NodeIndex j : network.graph.neighbours(i)) edges.push_back({at[i], at[j]});
  }
  const auto found = find_communities(Context(), network.graph, network.keys);
  const auto permuted = find_communities(Context(), build_graph(Context(), kNodes, edges), keys);
  std::map<std::uint32_t, std::uint32_t> number;
  for (NodeIndex i = 0; i < kNodes; ++i) {
    EXPECT_EQ(number.try_emplace(found[i], permuted[at[i]]).first->second, permuted[at[i]]) << i;
  }
  EXPECT_EQ(count_of(found), count_of(permuted));
}

TEST(Communities, WrongArgumentsAreRefused) {
  const KeyedGraph network = make_cliques(2, 3);
  EXPECT_THROW(find_communities(Context(), network.graph, draw_keys(5)), Error);
  EXPECT_THROW(find_communities(Context(), network.graph, network.keys, {.resolution = 0}), Error);
  EXPECT_THROW(find_communities(Context(), network.graph, network.keys, {.starts = 0}), Error);
}

}  // namespace
}  // namespace cone
