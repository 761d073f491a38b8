#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"

#include "base/numeric.hpp"
#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

constexpr std::size_t kTableNodes = 300;

struct EvaluatedNodes {
  EvaluationRecord record;
  NodeTable nodes;
  const Estimate& estimate() const {
    return *std::ranges::find(record.policies[0].estimates, nodes.estimator, &Estimate::estimator);
  }
};

EvaluatedNodes evaluate_with_nodes(const SmallWorld& world, const EvaluateOptions& options) {
  EvaluatedNodes found;
  found.record =
      evaluate(Context({.threads = 2}), world.data, world.policies, options, nullptr, &found.nodes);
  return found;
}

TEST(NodeTable, WeightsTimesOutcomesAverageToTheValueOfALinearModel) {
  const SmallWorld world = small_world(kTableNodes, 1.0, 1.0, 0);
  for (const ArmNoise noise : {ArmNoise::kIndependent, ArmNoise::kShared}) {
    EvaluateOptions options;
    options.estimators = {"naive", "network_dm"};
    options.estimator.arm_noise = noise;
    const EvaluatedNodes found = evaluate_with_nodes(world, options);
    EXPECT_EQ(found.nodes.estimator, "network_dm");
    EXPECT_EQ(found.nodes.estimator, found.record.decision->estimator);
    ASSERT_EQ(found.nodes.weight.rows(), kTableNodes);
    CompensatedSum value;
    for (std::size_t i = 0; i < kTableNodes; ++i) {
      value.add(found.nodes.weight(i, 0) * world.data.observed.outcome[found.nodes.nodes[i]]);
    }
    EXPECT_NEAR(value.value() / kTableNodes, found.estimate().value, 1e-9);
  }
}

TEST(NodeTable, PredictionsUnderThePolicyAverageToTheDirectMethod) {
  const SmallWorld world = small_world(kTableNodes, 1.0, 1.0, 1);
  EvaluateOptions options;
  options.estimators = {"network_dm"};
  const EvaluatedNodes found = evaluate_with_nodes(world, options);
  const std::vector<double> expected =
      expected_outcome(world.policies[0].probability.view(), found.nodes.mu.view());
  EXPECT_NEAR(mean(expected), found.estimate().value, 1e-12);
  for (std::size_t i = 0; i < kTableNodes; ++i) {
    EXPECT_NEAR(found.nodes.propensity(i, 0) + found.nodes.propensity(i, 1), 1, 1e-12);
  }
}

TEST(NodeTable, InfluenceGivesTheIndependentStandardError) {
  const SmallWorld world = small_world(kTableNodes, 1.0, 1.0, 2);
  for (const Target target : {Target::kSample, Target::kPopulation}) {
    EvaluateOptions options;
    options.estimators = {"network_dm"};
    options.estimator.target = target;
    const EvaluatedNodes found = evaluate_with_nodes(world, options);
    std::vector<double> influence;
    for (std::size_t i = 0; i < kTableNodes; ++i) influence.push_back(found.nodes.influence(i, 0));
    const Estimate& e = found.estimate();
    ASSERT_EQ(e.target, target);
    double expected = variance(influence, 0) / kTableNodes;
    if (target == Target::kSample) {
      expected += e.parts.unlogged_variance + e.parts.imbalance.at(0);
    }
    const auto independent = std::ranges::find(e.errors_by_dependence, Dependence::kIndependent,
                                               &DependentError::dependence);
    ASSERT_NE(independent, e.errors_by_dependence.end());
    EXPECT_NEAR(independent->standard_error / std::sqrt(expected), 1, 1e-9);
  }
}

TEST(NodeTable, QuantitiesThatAnEstimatorLacksAreNaN) {
  const SmallWorld world = small_world(kTableNodes, 1.0, 1.0, 3);
  EvaluateOptions options;
  options.estimators = {"snips"};
  const EvaluatedNodes found = evaluate_with_nodes(world, options);
  EXPECT_TRUE(std::isnan(found.nodes.mu(0, 0)));
  EXPECT_TRUE(std::isnan(found.nodes.weight(0, 0)));
  EXPECT_TRUE(std::isfinite(found.nodes.influence(0, 0)));
}

TEST(NodeTable, ASplitHasTheTestNodesOnly) {
  const SmallWorld world = small_world(kTableNodes, 1.0, 1.0, 4);
  EvaluateOptions options;
  options.estimators = {"dr_ridge"};
  options.plan.protocol = Protocol::kSplit;
  const EvaluatedNodes found = evaluate_with_nodes(world, options);
  EXPECT_FALSE(found.record.decision);
  EXPECT_EQ(found.nodes.estimator, "dr_ridge");
  EXPECT_EQ(found.nodes.nodes.size(), found.record.diagnostics.num_evaluated_nodes);
  EXPECT_LT(found.nodes.nodes.size(), kTableNodes);
  EXPECT_EQ(found.nodes.influence.rows(), found.nodes.nodes.size());
}

}  // namespace
}  // namespace cone
