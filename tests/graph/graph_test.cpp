#include "cone/graph.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "base/random.hpp"

namespace cone {
namespace {

TEST(BuildGraph, MergesDirectionsAndRepeatsAndDropsSelfLoops) {
  const std::vector<Edge> lines = {{0, 1}, {1, 0}, {0, 1}, {2, 2}, {1, 3}};
  EdgeListReport report;
  const Graph graph = build_graph(Context({.threads = 2}), 5, lines, &report);
  EXPECT_EQ(graph.num_edges(), 2U);
  EXPECT_EQ(report.num_lines, 5U);
  EXPECT_EQ(report.num_edges, 2U);
  EXPECT_EQ(report.num_self_loops, 1U);
  EXPECT_EQ(report.num_merged, 2U);
  EXPECT_EQ(graph.degree(4), 0U);
  EXPECT_EQ(std::vector<NodeIndex>(graph.neighbours(1).begin(), graph.neighbours(1).end()),
            (std::vector<NodeIndex>{0, 3}));
}

TEST(BuildGraph, EqualsASetOfPairsOnRandomLinesAtAnyNumberOfThreads) {
  constexpr std::size_t kNodes = 3000;
  Rng rng(1, Stream::kTest);
  std::vector<Edge> lines;
  std::set<std::pair<NodeIndex, NodeIndex>> expected;
  for (int k = 0; k < 40000; ++k) {
    // Squaring makes hubs.
    const auto a = static_cast<NodeIndex>(rng.uniform() * rng.uniform() * kNodes);
    const auto b = static_cast<NodeIndex>(rng.below(kNodes));
    lines.push_back({a, b});
    if (a != b) {
      expected.insert({a, b});
      expected.insert({b, a});
    }
  }
  for (const int threads : {1, 2, 5}) {
    const Graph graph = build_graph(Context({.threads = threads}), kNodes, lines);
    std::vector<std::pair<NodeIndex, NodeIndex>> found;
    for (NodeIndex i = 0; i < kNodes; ++i) {
      for (const NodeIndex j : graph.neighbours(i)) found.emplace_back(i, j);
    }
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
  }
}

TEST(BuildGraph, RefusesEdgesToNowhere) {
  const std::vector<Edge> lines = {{0, 2}};
  EXPECT_THROW(build_graph(Context({.threads = 1}), 2, lines), Error);
}

TEST(Graph, RefusesArraysThatAreNotAGraph) {
  EXPECT_THROW(Graph({0, 1}, {0}), Error);                 // self loop
  EXPECT_THROW(Graph({0, 1, 2}, {1, 5}), Error);           // neighbour out of range
  EXPECT_THROW(Graph({0, 2, 3, 4}, {2, 1, 0, 0}), Error);  // not ascending
}

}  // namespace
}  // namespace cone
