// An arm that is too large for dense factors: solved by conjugate gradients, its variances learnt
// on a sample.

#include <gtest/gtest.h>

#include "network_ridge/learn_variances.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/ridge_world.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

TEST(LargeArm, IsSolvedIterativelyWithVariancesOfASample) {
  constexpr std::uint32_t kNodes = 6000;
  Dataset data = testing::ridge_world({.nodes = kNodes, .counts = 12, .mean_degree = 5}, 41).data;
  for (std::size_t i = 0; i < kNodes; ++i) {
    if (i % 10 != 3) data.treatment[i] = 0;
  }
  ASSERT_GT(data.arm_sizes()[0], kLargestDenseArm);
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  const testing::RidgeAnswer found = testing::answer(data, plan);
  EXPECT_EQ(found.summary.solver, "iterative");
  EXPECT_TRUE(found.summary.converged && found.implied.converged);
  EXPECT_EQ(found.summary.arms[0].num_nodes, kVarianceSample);
  EXPECT_EQ(found.summary.arms[1].num_nodes, data.arm_sizes()[1]);
  for (const auto& [group, variance] : found.summary.arms[0].groups) {
    if (group == "neighbour_effects") {
      EXPECT_GE(found.summary.arms[0].noise_growth, 0.1 * variance);
    }
  }
  // Groups with negligible variance are dropped, as each group costs passes over the network.
  for (const auto& arm : found.summary.arms) {
    for (const auto& [group, variance] : arm.groups) {
      EXPECT_TRUE(variance == 0 || variance > kNegligibleShare * (arm.noise + arm.noise_growth))
          << group;
    }
  }
  const Matrix<double> policy = testing::some_policy(kNodes, 2);
  EXPECT_NEAR(dot(found.implied.weights, data.outcome) / kNodes, found.value(policy, plan), 1e-6);
  EXPECT_NEAR(sum(found.implied.weights) / kNodes, 1, 1e-8);

  // The sample depends on the ids of the nodes, not on their order. A smaller one suffices here,
  // and takes less time: learning is cubic in its size.
  const std::vector<NodeIndex> order = Rng(5, Stream::kTest).permutation(kNodes);
  Dataset permuted = testing::with_nodes_permuted(data, order);
  permuted.arms = data.arms;
  const NetworkRidgeLearner learner({}, {.most_nodes = 500});
  const Context context({.threads = 2});
  const OutcomeTable one = *learner.fit(context, data, plan).outcome;
  const OutcomeTable other =
      *learner.fit(context, permuted, cross_fit_plan(permuted, 3, 2, 1)).outcome;
  EXPECT_EQ(one.network_ridge->arms[0].num_nodes, 500U);
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t i = 0; i < kNodes; ++i) {
      ASSERT_NEAR(other.mu(i, a), one.mu(order[i], a), 1e-5);
    }
  }
}

}  // namespace
}  // namespace cone
