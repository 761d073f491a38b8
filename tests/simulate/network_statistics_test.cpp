#include "simulate/network_statistics.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace cone {
namespace {

/// A triangle 0 1 2 with a tail 2–3, a pair 4–5 and a lone 6.
Graph small_graph() {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {4, 5}};
  return build_graph(Context({.threads = 1}), 7, edges);
}

/// Cliques of `size` nodes, side by side.
Graph cliques(std::uint32_t count, std::uint32_t size) {
  std::vector<Edge> edges;
  for (std::uint32_t c = 0; c < count; ++c) {
    for (std::uint32_t a = 0; a < size; ++a) {
      for (std::uint32_t b = a + 1; b < size; ++b) edges.push_back({c * size + a, c * size + b});
    }
  }
  return build_graph(Context({.threads = 1}), count * size, edges);
}

TEST(NetworkStatistics, CountsDegreesAndComponents) {
  const Graph graph = small_graph();
  EXPECT_DOUBLE_EQ(mean_degree(graph), 10.0 / 7.0);
  EXPECT_EQ(max_degree(graph), 3U);
  EXPECT_EQ(largest_component_size(graph), 4U);
  EXPECT_EQ(largest_component_size(Graph()), 0U);
}

TEST(NetworkStatistics, AveragesTheLocalClusteringOverAllNodes) {
  // Nodes 0 and 1 have 1 of 1 pairs, node 2 has 1 of 3, the others none.
  EXPECT_NEAR(average_clustering(Context({.threads = 2}), small_graph()), (1 + 1 + 1.0 / 3) / 7,
              1e-15);
}

TEST(NetworkStatistics, SampledClusteringIsNearTheExactOneAndRepeatable) {
  const Graph graph = small_graph();
  const double exact = average_clustering(Context({.seed = 5, .threads = 1}), graph);
  const double sampled = average_clustering(Context({.seed = 5, .threads = 1}), graph, 0);
  EXPECT_NE(sampled, exact);
  EXPECT_NEAR(sampled, exact, 0.0025);
  EXPECT_EQ(sampled, average_clustering(Context({.seed = 5, .threads = 3}), graph, 0));
}

TEST(NetworkStatistics, FindsTheExponentOfAPowerLaw) {
  // Stars whose degrees are the quantiles of a power law of exponent 2.5 from 10 on.
  std::vector<Edge> edges;
  std::uint32_t next = 0;
  for (int k = 0; k < 400; ++k) {
    const double degree = 9.5 * std::pow(1 - (k + 0.5) / 400, -1 / 1.5);
    const std::uint32_t centre = next++;
    for (int leaf = 0; leaf < std::lround(degree); ++leaf) edges.push_back({centre, next++});
  }
  const Graph graph = build_graph(Context({.threads = 1}), next, edges);
  EXPECT_NEAR(degree_tail_exponent(graph, 10), 2.5, 0.02);
  EXPECT_TRUE(std::isnan(degree_tail_exponent(graph, 1'000'000)));
}

TEST(NetworkStatistics, AssortativityIsOneWithinLabelsAndZeroByChance) {
  const Graph graph = cliques(3, 4);
  std::vector<std::uint32_t> labels(12);
  for (std::uint32_t i = 0; i < 12; ++i) labels[i] = i / 4;
  EXPECT_NEAR(label_assortativity(graph, labels), 1, 1e-14);
  // Half of a clique each: 2 of 6 edges are within, chance is 1/2.
  for (std::uint32_t i = 0; i < 12; ++i) labels[i] = i % 2;
  EXPECT_NEAR(label_assortativity(graph, labels), (1.0 / 3 - 0.5) / 0.5, 1e-14);
  for (std::uint32_t& label : labels) label = 0;
  EXPECT_TRUE(std::isnan(label_assortativity(graph, labels)));
}

TEST(NetworkStatistics, TopicHomophilyIsTheCorrelationAcrossEdges) {
  const Graph graph = cliques(3, 4);
  Matrix<double> topics(12, 3);
  for (std::size_t i = 0; i < 12; ++i) topics(i, i / 4) = 1;
  EXPECT_NEAR(topic_homophily(Context({.threads = 2}), graph, topics.view()), 1, 1e-14);

  // One topic: the plain correlation of the two ends, here of a path 0–1–2 with values 1, 2, 4.
  const std::vector<Edge> path = {{0, 1}, {1, 2}};
  Matrix<double> values(3, 1);
  values(0, 0) = 1;
  values(1, 0) = 2;
  values(2, 0) = 4;
  const double centre = (1 + 2 * 2 + 4) / 4.0;
  const double across = 2 * ((1 - centre) * (2 - centre) + (2 - centre) * (4 - centre));
  const double self =
      (1 - centre) * (1 - centre) + 2 * (2 - centre) * (2 - centre) + (4 - centre) * (4 - centre);
  EXPECT_NEAR(topic_homophily(Context({.threads = 1}),
                              build_graph(Context({.threads = 1}), 3, path), values.view()),
              across / self, 1e-14);
}

}  // namespace
}  // namespace cone
