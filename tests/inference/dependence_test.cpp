#include "inference/dependence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "graph/communities.hpp"
#include "inference/association.hpp"
#include "support/thread_communicator.hpp"
#include "support/two_alike.hpp"

namespace cone {
namespace {

/// `groups` cliques of `size` nodes, one edge from each to the next.
Graph make_groups(std::size_t groups, std::size_t size) {
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
  return build_graph(Context(), groups * size, edges);
}

Clustering find_clusters(const Context& context, const Graph& graph) {
  std::vector<std::uint64_t> keys(graph.num_nodes());
  std::iota(keys.begin(), keys.end(), std::uint64_t{0});
  return take_clusters(graph, find_communities(context, graph, keys));
}

/// Noise of which a share is common to the group.
std::vector<double> draw_grouped(std::size_t groups, std::size_t size, double share,
                                 std::uint64_t item) {
  Rng rng(5, Stream::kTest, item);
  std::vector<double> out;
  for (std::size_t g = 0; g < groups; ++g) {
    const double common = rng.normal();
    for (std::size_t i = 0; i < size; ++i) {
      out.push_back(std::sqrt(1 - share) * rng.normal() + std::sqrt(share) * common);
    }
  }
  return out;
}

Matrix<double> as_column(const std::vector<double>& values) {
  Matrix<double> out(values.size(), 1);
  const double centre = mean(values);
  for (std::size_t i = 0; i < values.size(); ++i) out(i, 0) = values[i] - centre;
  return out;
}

TEST(Dependence, VarianceOfSharedNoiseIsDetected) {
  // The variance of a mean of n = groups · size values, of which a share is common to a group, is
  // (1 + share · (size − 1))/n; independent nodes would have 1/n.
  constexpr std::size_t kGroups = 60;
  constexpr std::size_t kSize = 8;
  constexpr double kShare = 0.5;
  const Graph graph = make_groups(kGroups, kSize);
  const DependenceKernels kernels(Context(), graph, find_clusters(Context(), graph));
  double clusters = 0;
  double shared = 0;
  double independent = 0;
  constexpr int kDraws = 40;
  for (int d = 0; d < kDraws; ++d) {
    const std::vector<double> noise =
        draw_grouped(kGroups, kSize, kShare, static_cast<std::uint64_t>(d));
    const auto ways = kernels.covariances(Context(), as_column(noise).view());
    independent += ways[0].covariance(0, 0) / kDraws;
    for (const auto& way : ways) {
      if (way.dependence == Dependence::kClusters) clusters += way.covariance(0, 0) / kDraws;
    }
    const SharedNoise measured = kernels.measure_shared_noise(Context(), noise);
    const Matrix<double> ones(noise.size(), 1, 1.0);
    shared += kernels.shared_covariance(Context(), measured, ones.view(), ways[0].covariance)
                  .covariance(0, 0) /
              kDraws;
  }
  const double truth = (1 + kShare * (kSize - 1)) / static_cast<double>(kGroups * kSize);
  EXPECT_NEAR(clusters / truth, 1, 0.15);
  EXPECT_GT(shared / truth, 0.85);
  EXPECT_LT(independent / truth, 0.3);
}

TEST(Dependence, IndependentNoiseHasNoSharedPart) {
  const Graph graph = make_groups(60, 8);
  const DependenceKernels kernels(Context(), graph, {});
  double largest = 0;
  for (std::uint64_t d = 0; d < 20; ++d) {
    const SharedNoise noise =
        kernels.measure_shared_noise(Context(), draw_grouped(60, 8, 0, 100 + d));
    largest = std::max(largest, std::abs(noise.pairs) / noise.pairs_error);
  }
  EXPECT_LT(largest, 4) << "standard errors";
}

TEST(Dependence, ThreadsChangeNothing) {
  const Graph graph = make_groups(40, 7);
  const Matrix<double> parts = as_column(draw_grouped(40, 7, 0.3, 7));
  const auto on = [&](int threads) {
    const Context context({.threads = threads});
    const DependenceKernels kernels(context, graph, find_clusters(context, graph));
    return kernels.covariances(context, parts.view());
  };
  const auto one = on(1);
  for (const int threads : {2, 5}) {
    const auto many = on(threads);
    ASSERT_EQ(many.size(), one.size());
    for (std::size_t w = 0; w < one.size(); ++w) {
      EXPECT_EQ(many[w].covariance(0, 0), one[w].covariance(0, 0));
      EXPECT_EQ(many[w].noise, one[w].noise);
    }
  }
}

TEST(Dependence, WithoutEdgesNodesAreIndependent) {
  const Graph graph = build_graph(Context(), 5, {});
  const DependenceKernels kernels(Context(), graph, {});
  const auto ways = kernels.covariances(Context(), as_column({1, 2, 3, 4, 6}).view());
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_TRUE(ways[0].is_usable());
}

TEST(Association, IsSignificantOnlyWhereNeighboursAreCorrelated) {
  const Graph graph = make_groups(40, 6);
  const NetworkAssociation alike =
      measure_association(Context(), Neighbourhood(graph), draw_grouped(40, 6, 0.5, 1), 3);
  EXPECT_GT(alike.moran, 0.2);
  EXPECT_LE(alike.p, 0.01);
  int significant = 0;
  for (std::uint64_t d = 0; d < 40; ++d) {
    significant +=
        measure_association(Context(), Neighbourhood(graph), draw_grouped(40, 6, 0, 50 + d), d).p <
        0.05;
  }
  EXPECT_LE(significant, 7) << "about 2 of 40 by chance";
}

TEST(Association, DistributedIsThatOfTheGlobalNetwork) {
  // Two ranks with a copy of the network each: together they have it twice.
  const Graph once = make_groups(40, 6);
  std::vector<double> values = draw_grouped(40, 6, 0.1, 1);
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < once.num_nodes(); ++i) {
    for (const NodeIndex j : once.neighbours(i)) {
      edges.push_back({i, j});
      edges.push_back({static_cast<NodeIndex>(i + once.num_nodes()),
                       static_cast<NodeIndex>(j + once.num_nodes())});
    }
  }
  const Graph twice = build_graph(Context(), 2 * once.num_nodes(), edges);
  constexpr double kNoPermutations = 0;
  const NetworkAssociation parts = measure_association(Context(), Neighbourhood(once), values, 3,
                                                       testing::TwoAlike(), kNoPermutations);
  values.insert(values.end(), values.begin(), values.end());
  const NetworkAssociation whole = measure_association(Context(), Neighbourhood(twice), values, 3,
                                                       Communicator::self(), kNoPermutations);
  EXPECT_NEAR(parts.moran, whole.moran, 1e-13);
  EXPECT_NEAR(parts.p, whole.p, 1e-12);
  EXPECT_EQ(parts.permutations, 0);
  EXPECT_GT(whole.p, 1e-12);
  EXPECT_LT(whole.p, 0.5);
}

TEST(Association, RanksDivideThePermutations) {
  const Graph graph = make_groups(40, 6);
  const std::vector<double> values = draw_grouped(40, 6, 0.05, 1);
  const Neighbourhood network(graph);
  const NetworkAssociation alone = measure_association(Context(), network, values, 3);
  testing::run_on_ranks(3, [&](const Communicator& comm) {
    const NetworkAssociation shared =
        measure_association(Context({.threads = 1}), network, values, 3, comm);
    EXPECT_EQ(shared.p, alone.p);
    EXPECT_EQ(shared.moran, alone.moran);
    EXPECT_EQ(shared.permutations, 999);
  });
}

TEST(Association, IsNoneWithoutEdgesOrVariance) {
  const Graph empty = build_graph(Context(), 5, {});
  const Graph groups = make_groups(3, 4);
  EXPECT_EQ(
      measure_association(Context(), Neighbourhood(empty), std::vector<double>{1, 2, 3, 4, 5}, 0).p,
      1);
  EXPECT_EQ(
      measure_association(Context(), Neighbourhood(groups), std::vector<double>(12, 2.5), 0).p, 1);
}

}  // namespace
}  // namespace cone
