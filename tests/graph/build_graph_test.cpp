#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/graph.hpp"

#include "base/random.hpp"

namespace cone {
namespace {

std::vector<Edge> random_edges(std::size_t num_nodes, std::size_t num_edges, std::uint64_t item) {
  Rng rng(1, Stream::kTest, item);
  std::vector<Edge> edges(num_edges);
  for (Edge& edge : edges) {
    edge = {static_cast<NodeIndex>(rng.below(num_nodes)),
            static_cast<NodeIndex>(rng.below(num_nodes))};
  }
  return edges;
}

TEST(BuildGraph, MatchesASetOfPairs) {
  const Context context({.threads = 2});
  for (const std::size_t num_nodes : {1, 2, 7, 511, 512, 513, 3000}) {
    const std::vector<Edge> edges = random_edges(num_nodes, 4000, num_nodes);
    std::set<std::pair<NodeIndex, NodeIndex>> expected;
    std::uint64_t num_self_loops = 0;
    for (const auto& [source, target] : edges) {
      if (source == target) {
        ++num_self_loops;
        continue;
      }
      expected.emplace(source, target);
      expected.emplace(target, source);
    }
    EdgeListReport report;
    const Graph graph = build_graph(context, num_nodes, edges, &report);
    std::set<std::pair<NodeIndex, NodeIndex>> built;
    for (NodeIndex i = 0; i < num_nodes; ++i) {
      for (const NodeIndex j : graph.neighbours(i)) built.emplace(i, j);
    }
    EXPECT_EQ(built, expected);
    EXPECT_EQ(report.num_lines, edges.size());
    EXPECT_EQ(report.num_self_loops, num_self_loops);
    EXPECT_EQ(report.num_edges, expected.size() / 2);
    EXPECT_EQ(report.num_merged, edges.size() - num_self_loops - expected.size() / 2);
  }
}

TEST(BuildGraph, ResultsPassTheCheckingConstructor) {
  const Context context({.threads = 2});
  for (const std::size_t num_nodes : {1, 700, 5000}) {
    const Graph graph = build_graph(context, num_nodes, random_edges(num_nodes, 20000, num_nodes));
    EXPECT_NO_THROW(Graph({graph.offsets().begin(), graph.offsets().end()},
                          {graph.neighbours().begin(), graph.neighbours().end()}));
  }
}

TEST(BuildGraph, ThreadsAndTheOrderOfLinesChangeNothing) {
  std::vector<Edge> edges = random_edges(2000, 600'000, 5);
  const Graph one = build_graph(Context({.threads = 1}), 2000, edges);
  std::reverse(edges.begin(), edges.end());
  for (Edge& edge : edges) std::swap(edge.source, edge.target);
  for (const int num_threads : {2, 5}) {
    const Graph many = build_graph(Context({.threads = num_threads}), 2000, edges);
    EXPECT_TRUE(std::ranges::equal(one.offsets(), many.offsets()));
    EXPECT_TRUE(std::ranges::equal(one.neighbours(), many.neighbours()));
  }
}

TEST(BuildGraph, NoEdgesAndNoNodesAreFine) {
  const Context context({.threads = 2});
  EXPECT_EQ(build_graph(context, 0, {}).num_nodes(), 0U);
  EXPECT_EQ(build_graph(context, 3, {}).num_edges(), 0U);
  const std::vector<Edge> self_loop = {{2, 2}};
  EXPECT_EQ(build_graph(context, 3, self_loop).degree(2), 0U);
}

TEST(BuildGraph, AnEdgeToNowhereIsRefused) {
  const std::vector<Edge> edges = {{0, 3}};
  EXPECT_THROW(build_graph(Context({.threads = 1}), 3, edges), Error);
}

TEST(Graph, TheConstructorRefusesBrokenArrays) {
  EXPECT_THROW(Graph({0, 1}, {0}), Error);                 // self loop
  EXPECT_THROW(Graph({0, 1, 2}, {5, 0}), Error);           // out of range
  EXPECT_THROW(Graph({0, 2, 3, 4}, {2, 1, 0, 0}), Error);  // not ascending
  EXPECT_THROW(Graph({0, 1}, {}), Error);                  // wrong length
}

}  // namespace
}  // namespace cone
