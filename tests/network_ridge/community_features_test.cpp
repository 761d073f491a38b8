// Community effects in the network ridge.

#include "network_ridge/community_features.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "cone/learn.hpp"

#include "base/random.hpp"
#include "network_ridge/groups.hpp"
#include "network_ridge/network_ridge_learner.hpp"

namespace cone {
namespace {

const Context kOnTwo({.threads = 2});

/// Nodes in blocks of equal size: edges mostly inside a block.
struct BlockWorld {
  Dataset data;
  std::vector<double> effect;  ///< of every node's block
};

using Edges = std::vector<Edge>;

Dataset make_data(std::size_t n, const Edges& edges) {
  Dataset data;
  data.ids = IdTable::numbered(n);
  data.arms = {"0", "1"};
  data.treatment.assign(n, 0);
  data.outcome.assign(n, 0.0);
  data.features.matrix = FeatureMatrix(Matrix<double>(n, 0));
  data.graph = build_graph(kOnTwo, n, edges);
  return data;
}

/// Block effects move treatment and outcome; the effect of the treatment is 1.
BlockWorld make_blocks(std::size_t n, std::size_t num_blocks, std::uint64_t item) {
  Rng rng(93, Stream::kTest, item);
  Edges edges;
  const std::size_t size = n / num_blocks;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool together = i / size == j / size;
      const double probability =
          together ? 6.0 / static_cast<double>(size) : 1.0 / static_cast<double>(n);
      if (rng.uniform() < probability)
        edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(j)});
    }
  }
  BlockWorld world{make_data(n, edges), {}};
  std::vector<double> of_block(num_blocks);
  for (double& u : of_block) u = rng.normal();
  for (std::size_t i = 0; i < n; ++i) {
    world.effect.push_back(of_block[std::min(i / size, num_blocks - 1)]);
    const double treated = 1 / (1 + std::exp(-1.5 * world.effect[i]));
    world.data.treatment[i] = rng.uniform() < treated ? 1 : 0;
    world.data.outcome[i] = world.effect[i] + world.data.treatment[i] + rng.normal();
  }
  return world;
}

/// The mean predicted outcome under treatment less the mean true one.
double bias_of_treat_all(const BlockWorld& world, std::vector<std::string> groups) {
  NetworkRidgeOptions options;
  options.ridge_groups = std::move(groups);
  const FitPlan plan = make_plan(kOnTwo, world.data, {}, 1);
  const Nuisances found = NetworkRidgeLearner(options).fit(kOnTwo, world.data, plan);
  double bias = 0;
  for (std::size_t k = 0; k < plan.scored.size(); ++k) {
    bias += found.outcome->mu(k, 1) - world.effect[plan.scored[k]] - 1;
  }
  return bias / static_cast<double>(plan.scored.size());
}

CommunityFeatures find_features(const Dataset& data, std::span<const NodeIndex> node_at) {
  return {data, node_at, find_node_communities(kOnTwo, data)};
}

TEST(CommunityFeatures, AreIndicatorsOfCommunitiesWithTwoOrMoreNodes) {
  // Two cliques of five, and a node without neighbours.
  Edges edges;
  for (NodeIndex i = 0; i < 10; ++i) {
    for (NodeIndex j = 0; j < i; ++j) {
      if (i / 5 == j / 5) edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(j)});
    }
  }
  const Dataset data = make_data(11, edges);
  const std::vector<NodeIndex> node_at = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  const CommunityFeatures found = find_features(data, node_at);
  EXPECT_EQ(found.num_columns(), 2U);  // all resolutions find the same ones
  const GroupKind kind = GroupKind::kCommunitiesCoarse;
  EXPECT_DOUBLE_EQ(found.share_of(kind, Communicator::self()), 10.0 / 11);
  EXPECT_EQ(found.share_of(GroupKind::kCommunities, Communicator::self()), 0);
  EXPECT_EQ(found.share_of(GroupKind::kCommunitiesFine, Communicator::self()), 0);
  EXPECT_FALSE(found.of(kind, 0));
  for (std::size_t p = 1; p < 11; ++p) EXPECT_EQ(*found.of(kind, p), p <= 5 ? 1U : 0U) << p;
  const std::vector<std::uint32_t> chosen = {0, 7, 3};
  EXPECT_EQ(found.label(kind, chosen), (std::vector<std::uint32_t>{kNoCommunity, 0, 1}));
}

TEST(CommunityFeatures, AreNoneWithoutEdgesAndInASingleCommunity) {
  const std::vector<NodeIndex> node_at = {0, 1, 2, 3};
  EXPECT_EQ(find_features(make_data(4, {}), node_at).num_columns(), 0U);
  const Dataset clique = make_data(4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}});
  EXPECT_EQ(find_features(clique, node_at).num_columns(), 0U);
}

TEST(CommunityEffects, RemoveMostOfTheBiasOfAConfounderThatFollowsCommunities) {
  const std::vector<std::string> others = {"own", "neighbour_sums", "neighbour_effects",
                                           "neighbour_means", "mean_neighbour_effects"};
  double without = 0;
  double with = 0;
  for (std::uint64_t item = 0; item < 3; ++item) {
    const BlockWorld world = make_blocks(480, 8, item);
    without += bias_of_treat_all(world, others) / 3;
    with += bias_of_treat_all(world, {}) / 3;
  }
  EXPECT_GT(without, 0.15);
  EXPECT_LT(std::abs(with), 0.05);
}

TEST(CommunityEffects, AreTheSameByDenseFactorsAndByIteration) {
  const BlockWorld world = make_blocks(300, 6, 7);
  const FitPlan plan = make_plan(kOnTwo, world.data, {}, 1);
  const auto predict = [&](RidgeSolverChoice solver) {
    NetworkRidgeOptions options;
    options.ridge_groups = {"communities", "neighbour_effects"};
    options.ridge_solver = solver;
    return NetworkRidgeLearner(options).fit(kOnTwo, world.data, plan).outcome->mu;
  };
  const Matrix<double> dense = predict(RidgeSolverChoice::kDense);
  const Matrix<double> iterative = predict(RidgeSolverChoice::kIterative);
  for (std::size_t k = 0; k < dense.values().size(); ++k) {
    ASSERT_NEAR(dense.values()[k], iterative.values()[k], 1e-6);
  }
}

}  // namespace
}  // namespace cone
