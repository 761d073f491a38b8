#include "cone/experiment/evaluate.hpp"

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

const Estimate& find(const EvaluationRecord& record, const std::string& name) {
  for (const Estimate& estimate : record.policies[0].estimates) {
    if (estimate.estimator == name) return estimate;
  }
  throw std::runtime_error("no estimate " + name);
}

/// What is fitted without networks: the fast part of the catalogue.
EvaluateOptions on_features() {
  EvaluateOptions options;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    if (row.runs_by_default() && !row.needs_cone()) options.estimators.emplace_back(row.name);
  }
  return options;
}

TEST(Evaluate, AdjustingRemovesTheConfoundingThatTheNaiveEstimateKeeps) {
  SmallWorld world = small_world(4000, 1.0, 1.0, 0);
  world.policies[0].treat_probability.assign(4000, 0.9);  // at one half the two biases cancel
  const Context context(0, 2);
  const EvaluationRecord record =
      evaluate(context, world.data, world.policies, on_features()).record;
  const double truth = *record.policies[0].truth;
  EXPECT_GT(std::abs(find(record, "naive").value - truth), 0.1);
  for (const char* name : {"snips", "dm_ols1", "dm_ols2", "dm_ridge", "dr_ols1", "dr_ridge"}) {
    EXPECT_NEAR(find(record, name).value, truth, 0.06) << name;
  }
}

TEST(Evaluate, SplitEstimatesOnTheTestNodesAndComparesWithTheirTruth) {
  const SmallWorld world = small_world(1000, 0.5, 1.0, 1);
  EvaluateOptions options = on_features();
  options.plan.protocol = Protocol::kSplit;
  const EvaluationRecord record =
      evaluate(Context(3, 1), world.data, world.policies, options).record;
  EXPECT_EQ(record.diagnostics.num_evaluated_nodes, 200U);
  const Split split = make_split(world.data.observed, {}, 3);
  EXPECT_EQ(*record.policies[0].truth,
            world.data.truth->utility(world.policies[0].treat_probability, split.test));
}

TEST(Evaluate, AnObserverThatSaysStopCancelsTheRun) {
  class Impatient : public ProgressObserver {
   public:
    bool update(std::string_view, std::uint64_t, std::uint64_t) override { return false; }
  };
  Impatient observer;
  const SmallWorld world = small_world(200, 0, 1, 2);
  const Context context(0, 2, &observer);
  EXPECT_EQ(evaluate(context, world.data, world.policies, on_features()).status,
            RunStatus::kCancelled);
}

TEST(Evaluate, TheRunsIdentityFollowsConfigurationAndDataOnly) {
  const SmallWorld world = small_world(200, 0, 1, 3);
  const auto id = [&](std::uint64_t seed, const EvaluateOptions& options, int threads) {
    return evaluate(Context(seed, threads), world.data, world.policies, options).record.run_id();
  };
  EvaluateOptions other_plan = on_features();
  other_plan.plan.folds = 4;
  EXPECT_EQ(id(0, on_features(), 1), id(0, on_features(), 2));
  EXPECT_NE(id(0, on_features(), 1), id(1, on_features(), 1));
  EXPECT_NE(id(0, on_features(), 1), id(0, other_plan, 1));

  SmallWorld other_policy = world;
  other_policy.policies[0].treat_probability[0] += 0.01;
  SmallWorld other_data = world;
  other_data.data.observed.outcome[0] += 1;
  const auto id_of = [](const SmallWorld& w) {
    return evaluate(Context(0, 1), w.data, w.policies, on_features()).record.run_id();
  };
  EXPECT_NE(id_of(world), id_of(other_policy));
  EXPECT_NE(id_of(world), id_of(other_data));
}

TEST(Evaluate, SwappingArmLabelsAndPolicyChangesNoFittedEstimate) {
  for (const std::size_t n : {198U, 200U, 203U}) {
    const SmallWorld world = small_world(n, 0.7, 1.0, n);
    SmallWorld swapped = world;
    for (std::uint8_t& t : swapped.data.observed.treatment) t = 1 - t;
    for (double& p : swapped.policies[0].treat_probability) p = 1 - p;
    const Context context(0, 2);
    const auto plain = evaluate(context, world.data, world.policies, on_features()).record;
    const auto mirrored = evaluate(context, swapped.data, swapped.policies, on_features()).record;
    for (const Estimate& e : plain.policies[0].estimates) {
      EXPECT_NEAR(e.value, find(mirrored, e.estimator).value, 1e-7) << e.estimator << " " << n;
    }
  }
}

}  // namespace
}  // namespace cone
