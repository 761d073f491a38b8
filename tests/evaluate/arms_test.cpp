#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"

#include "support/arms_world.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

using testing::arms_world;
using testing::SmallWorld;

bool is_trained(const EstimatorInfo& row) {
  return row.needs(LearnerId::kCone) || row.outcome == LearnerId::kNetworks;
}

EvaluateOptions rows_that(bool trained, NuisanceSource nuisances = NuisanceSource::kFitted) {
  EvaluateOptions options;
  options.nuisances = nuisances;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    if (row.outcome == LearnerId::kGiven && nuisances == NuisanceSource::kFitted) continue;
    if (is_trained(row) == trained) options.estimators.emplace_back(row.name);
  }
  options.cone = testing::small_options();
  options.cone.epochs = 40;
  options.plan.folds = 3;
  return options;
}

EvaluationRecord run(const SmallWorld& world, const EvaluateOptions& options) {
  return evaluate(Context({.threads = 2}), world.data, world.policies, options);
}

TEST(Arms, RelabellingThemChangesNoClosedForm) {
  const SmallWorld world = arms_world(400, 3, 1);
  for (const NuisanceSource source : {NuisanceSource::kFitted, NuisanceSource::kGiven}) {
    const auto options = rows_that(/*trained=*/false, source);
    const EvaluationRecord before = run(world, options);
    for (const std::vector<Arm>& order : {std::vector<Arm>{1, 0, 2}, {2, 0, 1}, {0, 2, 1}}) {
      const EvaluationRecord after = run(testing::with_arms_relabelled(world, order), options);
      // Estimators that coincide with given models are listed once.
      const std::size_t count = before.policies[0].estimates.size();
      if (source == NuisanceSource::kFitted) {
        ASSERT_EQ(count, options.estimators.size());
      }
      ASSERT_EQ(after.policies[0].estimates.size(), count);
      for (std::size_t k = 0; k < count; ++k) {
        const Estimate& was = before.policies[0].estimates[k];
        const Estimate& is = after.policies[0].estimates[k];
        EXPECT_NEAR(is.value, was.value, 1e-6) << was.estimator;
        EXPECT_EQ(std::isnan(is.standard_error), std::isnan(was.standard_error)) << was.estimator;
        if (!std::isnan(was.standard_error)) {
          EXPECT_NEAR(is.standard_error, was.standard_error, 1e-6) << was.estimator;
        }
        EXPECT_EQ(is.status, was.status) << was.estimator;
        EXPECT_EQ(is.warnings, was.warnings) << was.estimator;
      }
      EXPECT_NEAR(*after.policies[0].truth, *before.policies[0].truth, 1e-12);
    }
  }
}

TEST(Arms, RelabellingThemMovesTrainedEstimatorsByNoMoreThanAnotherSeed) {
  const SmallWorld world = arms_world(400, 3, 2);
  const auto options = rows_that(/*trained=*/true);
  const EvaluationRecord before = run(world, options);
  const EvaluationRecord after = run(testing::with_arms_relabelled(world, {2, 0, 1}), options);
  for (std::size_t k = 0; k < options.estimators.size(); ++k) {
    const Estimate& was = before.policies[0].estimates[k];
    // Outcomes have a standard deviation of 1.5; the bias of naive is larger than this.
    EXPECT_NEAR(after.policies[0].estimates[k].value, was.value, 0.3) << was.estimator;
  }
}

TEST(Arms, SplittingOneAtRandomChangesValuesByNoise) {
  const SmallWorld world = arms_world(900, 2, 3);
  const SmallWorld split = testing::with_last_arm_split(world, 3);
  ASSERT_NEAR(*world.data.truth->outcomes().data(), *split.data.truth->outcomes().data(), 0);
  auto options = rows_that(/*trained=*/false);
  const EvaluationRecord before = run(world, options);
  const EvaluationRecord after = run(split, options);
  for (std::size_t k = 0; k < options.estimators.size(); ++k) {
    const Estimate& was = before.policies[0].estimates[k];
    EXPECT_NEAR(after.policies[0].estimates[k].value, was.value, 0.1) << was.estimator;
  }
  EXPECT_NEAR(*before.policies[0].truth, *after.policies[0].truth, 1e-12);
}

TEST(Arms, OfAnyNumberAreEvaluatedCloseToTheTruth) {
  for (const std::size_t num_arms : {3U, 5U}) {
    const SmallWorld world = arms_world(1000, num_arms, num_arms);
    EvaluateOptions options;
    options.estimators = {"naive",   "snips",    "dm_ols2",    "dm_ridge",  "dr_ols1",
                          "dr_ols2", "dr_ridge", "network_dm", "network_dr"};
    const EvaluationRecord record = run(world, options);
    const PolicyResult& policy = record.policies[0];
    ASSERT_EQ(record.data.arms.size(), num_arms);
    EXPECT_EQ(policy.arm_fractions.size(), num_arms);
    EXPECT_NEAR(sum(policy.arm_fractions), 1, 1e-12);
    for (const Estimate& e : policy.estimates) {
      if (e.estimator == "naive") {
        EXPECT_GT(std::abs(e.value - *policy.truth), 0.05) << "treatment is confounded";
      } else {
        EXPECT_NEAR(e.value, *policy.truth, 4 * 0.05) << e.estimator << " " << num_arms;
      }
    }
  }
}

TEST(Arms, GivenNuisancesOfThreeArmsAreUsedAsTheyAre) {
  const SmallWorld world = arms_world(300, 3, 4);
  EvaluateOptions options;
  options.nuisances = NuisanceSource::kGiven;
  options.estimators = {"dm"};
  const EvaluationRecord record = run(world, options);
  // The given model is the truth itself.
  EXPECT_NEAR(record.policies[0].estimates[0].value, *record.policies[0].truth, 1e-12);
}

TEST(Arms, AreListedInTheRecordWithTheControlArmFirst) {
  const SmallWorld world = arms_world(200, 3, 5);
  EvaluateOptions options;
  options.estimators = {"naive"};
  const auto json = to_json(run(world, options));
  EXPECT_EQ(json["data"]["arms"].size(), 3U);
  EXPECT_EQ(json["data"]["arms"][0]["label"], "arm0");
  std::uint64_t total = 0;
  for (const auto& arm : json["data"]["arms"]) total += arm["num_nodes"].get<std::uint64_t>();
  EXPECT_EQ(total, 200U);
  EXPECT_EQ(json["data"]["num_treated"].get<std::uint64_t>(),
            total - json["data"]["arms"][0]["num_nodes"].get<std::uint64_t>());
}

}  // namespace
}  // namespace cone
