#include "simulate/network.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cone/simulate.hpp"

#include "base/numeric.hpp"
#include "simulate/network_statistics.hpp"

namespace cone {
namespace {

NetworkOptions small_options() {
  NetworkOptions options;
  options.nodes = 3000;
  options.mean_degree = 20;
  options.topics = 8;
  options.words = 400;
  options.words_per_node = 20;
  return options;
}

/// Few words and topics, for tests of the graph alone.
NetworkOptions graph_options(std::uint32_t nodes, double degree) {
  NetworkOptions options;
  options.nodes = nodes;
  options.mean_degree = degree;
  options.topics = 2;
  options.words = 8;
  options.words_per_node = 1;
  return options;
}

std::size_t num_isolated(const Graph& graph) {
  std::size_t count = 0;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) count += graph.degree(i) == 0 ? 1 : 0;
  return count;
}

TEST(GenerateNetwork, GivesTheMeanDegreeAskedForInOneComponent) {
  // Sparse as a tree, dense, crowded communities, flat and steep tails.
  struct Setting {
    std::uint32_t nodes;
    double degree, exponent, homophily, clustering;
    std::uint32_t communities;
  };
  for (const Setting& s : {Setting{2000, 2, 2.5, 0.3, 0.1, 5}, Setting{5, 2, 2.5, 0, 0, 1},
                           Setting{500, 200, 2.2, 0.1, 0, 3}, Setting{1000, 40, 2.5, 0.9, 0.2, 10},
                           Setting{5000, 30, 9.5, 1, 0.25, 20}, Setting{4000, 8, 2.1, 0, 0, 1}}) {
    NetworkOptions options = graph_options(s.nodes, s.degree);
    options.degree_exponent = s.exponent;
    options.homophily = s.homophily;
    options.clustering = s.clustering;
    options.communities = s.communities;
    const Graph graph = generate_network(Context({.seed = 1}), options).graph;
    ASSERT_EQ(graph.num_nodes(), s.nodes);
    EXPECT_NEAR(mean_degree(graph), s.degree, 0.01 * s.degree) << s.nodes;
    EXPECT_EQ(largest_component_size(graph), s.nodes);
  }
}

TEST(GenerateNetwork, StaysConnectedWhenAllCliquesAreWithinCommunities) {
  NetworkOptions options = graph_options(5000, 10);
  options.homophily = 1;
  const SyntheticNetwork network = generate_network(Context({.seed = 2}), options);
  EXPECT_EQ(largest_component_size(network.graph), 5000U);
  EXPECT_GT(label_assortativity(network.graph, network.community), 0.99);
}

TEST(GenerateNetwork, IsolatesTheFractionOfNodesAskedForAndConnectsTheRest) {
  NetworkOptions options = small_options();
  options.isolated_fraction = 0.15;
  const SyntheticNetwork network = generate_network(Context({.seed = 3}), options);
  EXPECT_EQ(num_isolated(network.graph), 450U);
  EXPECT_EQ(largest_component_size(network.graph), 2550U);
  EXPECT_NEAR(mean_degree(network.graph), 20, 0.2);
  for (std::size_t i = 0; i < options.nodes; ++i) EXPECT_GT(network.words.row(i).size(), 0U);
}

TEST(GenerateNetwork, HasNoSelfLoopsAndEveryEdgeOnceInBothDirections) {
  const Graph graph = generate_network(Context({.seed = 4}), small_options()).graph;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    NodeIndex previous = 0;
    bool first = true;
    for (const NodeIndex j : graph.neighbours(i)) {
      ASSERT_NE(i, j);
      ASSERT_TRUE(first || previous < j);
      ASSERT_TRUE(std::ranges::binary_search(graph.neighbours(j), i));
      previous = j;
      first = false;
    }
  }
}

TEST(GenerateNetwork, IsAFunctionOfTheSeedAtAnyNumberOfThreads) {
  NetworkOptions options = small_options();
  options.nodes = 20'000;  // several pieces of everything
  const SyntheticNetwork one = generate_network(Context({.seed = 7, .threads = 1}), options);
  for (const int threads : {2, 5}) {
    const SyntheticNetwork other =
        generate_network(Context({.seed = 7, .threads = threads}), options);
    EXPECT_TRUE(std::ranges::equal(one.graph.neighbours(), other.graph.neighbours()));
    EXPECT_TRUE(std::ranges::equal(one.graph.offsets(), other.graph.offsets()));
    EXPECT_TRUE(std::ranges::equal(one.topics.values(), other.topics.values()));
    EXPECT_TRUE(std::ranges::equal(one.words.columns(), other.words.columns()));
    EXPECT_TRUE(std::ranges::equal(one.words.values(), other.words.values()));
    EXPECT_EQ(one.community, other.community);
  }
  const SyntheticNetwork reseeded = generate_network(Context({.seed = 8, .threads = 1}), options);
  EXPECT_FALSE(std::ranges::equal(one.graph.neighbours(), reseeded.graph.neighbours()));
  EXPECT_FALSE(std::ranges::equal(one.topics.values(), reseeded.topics.values()));
}

TEST(GenerateNetwork, DegreesHaveTheTailAskedFor) {
  for (const double exponent : {2.3, 2.7, 3.2}) {
    NetworkOptions options = graph_options(100'000, 16);
    options.degree_exponent = exponent;
    options.clustering = 0.02;
    const Graph graph = generate_network(Context({.seed = 5}), options).graph;
    EXPECT_NEAR(degree_tail_exponent(graph, 64), exponent, 0.3);
    EXPECT_LT(max_degree(graph), 1.5 * std::sqrt(16 * 100'000.0));
  }
}

TEST(GenerateNetwork, CommunitiesAreAsAssortativeAsAskedFor) {
  for (const double homophily : {0.0, 0.1, 0.5, 0.9}) {
    NetworkOptions options = graph_options(10'000, 24);
    options.homophily = homophily;
    const SyntheticNetwork network = generate_network(Context({.seed = 6}), options);
    EXPECT_NEAR(label_assortativity(network.graph, network.community), homophily,
                0.004 + 0.02 * homophily);
  }
}

TEST(GenerateNetwork, TopicCorrelationOfNeighboursIsProportionalToHomophily) {
  std::vector<double> correlation;
  for (const double homophily : {0.0, 0.3, 0.6}) {
    NetworkOptions options = small_options();
    options.homophily = homophily;
    const SyntheticNetwork network = generate_network(Context({.seed = 9}), options);
    correlation.push_back(
        topic_homophily(Context({.seed = 9}), network.graph, network.topics.view()));
  }
  EXPECT_NEAR(correlation[0], 0, 0.01);
  EXPECT_GT(correlation[1], 0.04);
  EXPECT_NEAR(correlation[2] / correlation[1], 2, 0.3);
}

TEST(GenerateNetwork, CliquesAddTheClusteringAskedFor) {
  NetworkOptions options = graph_options(20'000, 24);
  options.clustering = 0;
  const Context context({.seed = 10});
  const double base = average_clustering(context, generate_network(context, options).graph);
  EXPECT_LT(base, 0.03);
  for (const double clustering : {0.02, 0.1, 0.25}) {
    options.clustering = clustering;
    const double total = average_clustering(context, generate_network(context, options).graph);
    EXPECT_NEAR(total - base, clustering, 0.15 * clustering);
  }
}

TEST(GenerateNetwork, TopicsOfEveryNodeSumToOne) {
  const SyntheticNetwork network = generate_network(Context({.seed = 11}), small_options());
  for (std::size_t i = 0; i < network.topics.rows(); ++i) {
    EXPECT_NEAR(sum(network.topics.row(i)), 1, 1e-12);
    EXPECT_GE(std::ranges::min(network.topics.row(i)), 0);
  }
}

TEST(GenerateNetwork, NodesHaveAsManyDistinctWordsAsAskedForAndIntegerCounts) {
  const SyntheticNetwork network = generate_network(Context({.seed = 12}), NetworkOptions{});
  EXPECT_NEAR(static_cast<double>(network.words.num_entries()) / 5200, 70, 2);
  const std::span<const double> counts = network.words.values();
  EXPECT_TRUE(std::ranges::all_of(counts, [](double c) { return c >= 1 && c == std::floor(c); }));
  EXPECT_GT(mean(counts), 1.1);
}

TEST(GenerateNetwork, WordFrequenciesOfASingleTopicFollowZipf) {
  for (const double exponent : {0.6, 1.0}) {
    NetworkOptions options = small_options();
    options.topics = 1;
    options.words = 2000;
    options.nodes = 20'000;
    options.zipf_exponent = exponent;
    const SparseMatrix words = generate_network(Context({.seed = 13}), options).words;
    std::vector<double> frequency(options.words, 0);
    for (std::size_t k = 0; k < words.num_entries(); ++k) {
      frequency[words.columns()[k]] += words.values()[k];
    }
    std::ranges::sort(frequency, std::greater<>());
    // Slope over two decades of ranks, from means over neighbouring ranks.
    const auto level = [&](std::size_t rank) {
      return mean(std::span<const double>(frequency).subspan(rank - rank / 5, 2 * (rank / 5) + 1));
    };
    const double slope = std::log(level(1000) / level(10)) / std::log(1000.0 / 10.0);
    EXPECT_NEAR(slope, -exponent, 0.06);
  }
}

TEST(GenerateNetwork, NodesUseTheWordsOfTheirTopics) {
  // Two nodes of one topic share more words than two of different topics.
  NetworkOptions options = small_options();
  const SyntheticNetwork network = generate_network(Context({.seed = 14}), options);
  std::vector<std::vector<double>> profile(options.topics, std::vector<double>(options.words, 0));
  for (std::size_t i = 0; i < options.nodes; ++i) {
    const auto topics = network.topics.row(i);
    const auto main = std::ranges::max_element(topics);
    if (*main < 0.8) continue;
    const SparseMatrix::Row row = network.words.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      profile[static_cast<std::size_t>(main - topics.begin())][row.columns[k]] += row.values[k];
    }
  }
  const auto cosine = [](std::span<const double> a, std::span<const double> b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t w = 0; w < a.size(); ++w) {
      ab += a[w] * b[w];
      aa += a[w] * a[w];
      bb += b[w] * b[w];
    }
    return ab / std::sqrt(aa * bb);
  };
  int compared = 0;
  for (std::size_t a = 0; a < profile.size(); ++a) {
    for (std::size_t b = a + 1; b < profile.size(); ++b) {
      if (sum(profile[a]) < 500 || sum(profile[b]) < 500) continue;
      EXPECT_LT(cosine(profile[a], profile[b]), 0.8);
      ++compared;
    }
  }
  EXPECT_GT(compared, 3);
}

TEST(GenerateNetwork, ListsEveryOptionThatCannotBeMet) {
  NetworkOptions options = small_options();
  options.degree_exponent = 1.5;
  options.mean_degree = 2900;
  options.words_per_node = 300;
  try {
    generate_network(Context(), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    ASSERT_EQ(error.faults().size(), 3U);
    EXPECT_EQ(error.faults()[0].place.item, "--degree-exponent");
    EXPECT_EQ(error.faults()[1].place.item, "--mean-degree");
    EXPECT_EQ(error.faults()[2].place.item, "--words-per-node");
  }
  options = small_options();
  options.communities = 300;
  options.homophily = 0.9;
  try {
    generate_network(Context(), options);
    FAIL();
  } catch (const Error& error) {
    ASSERT_EQ(error.faults().size(), 1U);
    EXPECT_EQ(error.faults()[0].place.item, "--homophily");
  }
  options = small_options();
  options.isolated_fraction = 1;
  EXPECT_THROW(generate_network(Context(), options), Error);
}

TEST(GenerateNetwork, WithoutEdgesHasTheSameNodes) {
  NetworkOptions options;
  options.nodes = 300;
  options.mean_degree = 8;
  const SyntheticNetwork social = generate_network(Context({.seed = 4, .threads = 2}), options);
  options.mean_degree = 0;
  options.isolated_fraction = 0.2;  // has no effect without edges
  const SyntheticNetwork alone = generate_network(Context({.seed = 4, .threads = 2}), options);
  EXPECT_EQ(alone.graph.num_nodes(), 300U);
  EXPECT_EQ(alone.graph.num_edges(), 0U);
  EXPECT_EQ(alone.community, social.community);
  EXPECT_TRUE(std::ranges::equal(alone.topics.values(), social.topics.values()));
  EXPECT_TRUE(std::ranges::equal(alone.words.values(), social.words.values()));
  options.mean_degree = 1.5;
  EXPECT_THROW(generate_network(Context({.seed = 4, .threads = 2}), options), Error);
}

}  // namespace
}  // namespace cone
