// network_dr weights by propensities on features and network, which sensitivity intervals share.

#include <algorithm>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "network_ridge/treatment_ridge.hpp"
#include "support/small_world.hpp"

namespace cone {
namespace {

const Context kPropensityContext({.threads = 2});

double seconds_of(const std::vector<ExpectedCost>& costs, std::string_view name) {
  const auto found = std::ranges::find(costs, name, &ExpectedCost::name);
  return found == costs.end() ? 0 : found->seconds;
}

EvaluateOptions with_estimators(std::vector<std::string> names) {
  EvaluateOptions options;
  options.estimators = std::move(names);
  return options;
}

const Estimate& first_estimate(const EvaluationRecord& record) {
  return record.policies.front().estimates.front();
}

TEST(NetworkPropensity, IsFittedOnceForWeightsAndSensitivityIntervals) {
  const auto world = testing::small_world(200, 0.8, 1, 5);
  const EvaluateOptions alone = with_estimators({"network_dm"});
  const EvaluateOptions both = with_estimators({"network_dm", "network_dr"});
  const auto few = expected_costs(kPropensityContext, world.data.observed, alone);
  const auto all = expected_costs(kPropensityContext, world.data.observed, both);
  EXPECT_EQ(seconds_of(few, "network_treatment"), 0);
  EXPECT_GT(seconds_of(all, "network_treatment"), 0);
  EXPECT_NEAR(seconds_of(all, "network_treatment") + seconds_of(all, "unmeasured confounding"),
              seconds_of(few, "unmeasured confounding"),
              1e-9 * seconds_of(few, "unmeasured confounding"));
  const EvaluationRecord without = evaluate(kPropensityContext, world.data, world.policies, alone);
  const EvaluationRecord with = evaluate(kPropensityContext, world.data, world.policies, both);
  EXPECT_EQ(first_estimate(with).estimator, "network_dm");
  EXPECT_EQ(first_estimate(with).sensitivity_interval,
            first_estimate(without).sensitivity_interval);
}

TEST(NetworkPropensity, DependsOnTheNetwork) {
  const auto world = testing::small_world(200, 0.8, 1, 5);
  const Dataset& data = world.data.observed;
  const FitPlan plan = make_plan(kPropensityContext, data, {}, 0);
  const NetworkTreatmentLearner learner({}, {});
  const Nuisances fitted = learner.fit(kPropensityContext, data, plan);
  ASSERT_TRUE(fitted.propensity);
  EXPECT_FALSE(fitted.outcome);
  const Matrix<double> expected = predict_treatment(kPropensityContext, data, plan, {}, true);
  EXPECT_TRUE(std::ranges::equal(fitted.propensity->unbounded.values(), expected.values()));
  const Matrix<double> by_features = predict_treatment(kPropensityContext, data, plan, {}, false);
  EXPECT_FALSE(std::ranges::equal(fitted.propensity->unbounded.values(), by_features.values()));
}

TEST(NetworkPropensity, IsThatOfTheFeaturesWithoutANetwork) {
  auto world = testing::small_world(200, 0.8, 1, 5);
  Dataset& data = world.data.observed;
  data.graph = Graph(std::vector<std::uint64_t>(data.num_nodes() + 1, 0), {});
  const auto costs =
      expected_costs(kPropensityContext, data, with_estimators({"network_dm", "network_dr"}));
  EXPECT_EQ(seconds_of(costs, "network_treatment"), 0);
  EXPECT_GT(seconds_of(costs, "propensity"), 0);
}

}  // namespace
}  // namespace cone
