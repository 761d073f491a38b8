#include "cone/evaluate.hpp"

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/options.hpp"

#include "data/split.hpp"
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

/// Estimators without cone's networks: the fast part of the catalogue.
EvaluateOptions on_features() {
  EvaluateOptions options;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    if (row.runs_by_default() && !row.needs(LearnerId::kCone))
      options.estimators.emplace_back(row.name);
  }
  return options;
}

TEST(Evaluate, AdjustingRemovesTheConfoundingThatTheNaiveEstimateKeeps) {
  SmallWorld world = small_world(2000, 1.0, 1.0, 0);
  world.policies[0].probability =
      two_arm_probabilities(std::vector<double>(2000, 0.9));  // at one half the two biases cancel
  const Context context({.threads = 2});
  const EvaluationRecord record = evaluate(context, world.data, world.policies, on_features());
  const double truth = *record.policies[0].truth;
  EXPECT_GT(std::abs(find(record, "naive").value - truth), 0.1);
  for (const char* name : {"snips", "dm_ols1", "dm_ols2", "dm_ridge", "dr_ols1", "dr_ridge",
                           "network_dm", "network_dr"}) {
    EXPECT_NEAR(find(record, name).value, truth, 0.06) << name;
  }
}

TEST(Evaluate, WithoutNoiseThereIsNoWarningOfWorsePredictions) {
  SmallWorld world = small_world(600, 0.5, 1.0, 5);
  Dataset& data = world.data.observed;
  for (std::size_t i = 0; i < 600; ++i) {
    data.outcome[i] = data.features.matrix.row(i).at(0) + data.treatment[i];
  }
  world.data.truth.reset();
  const EvaluationRecord record =
      evaluate(Context({.threads = 2}), world.data, world.policies, on_features());
  for (const std::string& warning : find(record, "network_dm").warnings) {
    EXPECT_EQ(warning.find("worse than"), std::string::npos) << warning;
  }
}

TEST(Evaluate, SplitEstimatesOnTheTestNodesAndComparesWithTheirTruth) {
  const SmallWorld world = small_world(1000, 0.5, 1.0, 1);
  EvaluateOptions options = on_features();
  options.plan.protocol = Protocol::kSplit;
  const EvaluationRecord record =
      evaluate(Context({.seed = 3, .threads = 1}), world.data, world.policies, options);
  EXPECT_EQ(record.diagnostics.num_evaluated_nodes, 200U);
  const Split split = make_split(world.data.observed, {}, 3);
  EXPECT_EQ(*record.policies[0].truth,
            world.data.truth->value(world.policies[0].probability.view(), split.test));
}

TEST(Evaluate, AnObserverCanCancelTheRun) {
  class Impatient : public ProgressObserver {
   public:
    bool update(std::string_view, std::uint64_t, std::uint64_t) override { return false; }
  };
  Impatient observer;
  const SmallWorld world = small_world(200, 0, 1, 2);
  const Context context({.threads = 2, .progress = &observer});
  EXPECT_THROW(evaluate(context, world.data, world.policies, on_features()), Cancelled);
}

/// Cancels as soon as a network trains.
class StopAtNetworks : public ProgressObserver {
 public:
  bool update(std::string_view phase, std::uint64_t, std::uint64_t) override {
    return phase != "training a network" && phase != "training representations";
  }
};

TEST(Evaluate, ACancelledRunKeepsTheEstimatorsThatWereFinished) {
  const SmallWorld world = small_world(300, 0, 1, 2);
  EvaluateOptions options = on_features();
  options.estimators = {"cone", "dr_nn", "dm_nn", "dr_ridge", "naive", "snips"};
  StopAtNetworks observer;
  const EvaluationRecord stopped =
      evaluate(Context({.threads = 2, .progress = &observer}), world.data, world.policies, options);
  EXPECT_EQ(stopped.status, "interrupted");
  EXPECT_EQ(stopped.unfinished, (std::vector<std::string>{"cone", "dr_nn", "dm_nn"}));
  ASSERT_EQ(stopped.policies[0].estimates.size(), 3U);
  EXPECT_EQ(stopped.policies[0].estimates[0].estimator, "dr_ridge");

  options.estimators = {"dr_ridge", "naive", "snips"};
  const EvaluationRecord complete =
      evaluate(Context({.threads = 2}), world.data, world.policies, options);
  EXPECT_EQ(complete.status, "completed");
  EXPECT_TRUE(complete.unfinished.empty());
  for (const std::string& name : options.estimators) {
    EXPECT_EQ(find(stopped, name).value, find(complete, name).value) << name;
  }
}

/// Asks to stop the k-th time that it is asked after all models are learnt.
class StopInEstimates : public ProgressObserver {
 public:
  explicit StopInEstimates(int k) : asks_left_(k) {}
  bool update(std::string_view, std::uint64_t, std::uint64_t) override {
    if (has_learnt_) --asks_left_;
    return asks_left_ > 0;
  }
  void enter(const ProgressStage& stage) override {
    is_last_ = is_last_ || stage.label.find("(3 of 3 models)") != std::string::npos;
    has_learnt_ = is_last_ && stage.label.empty();
    // Observers are asked every 50 ms at most: after this pause, at once.
    if (has_learnt_) std::this_thread::sleep_for(std::chrono::milliseconds(60));
  }

 private:
  int asks_left_;
  bool is_last_ = false;
  bool has_learnt_ = false;
};

TEST(Evaluate, AStopDuringTheEstimatesKeepsThoseThatAllPoliciesHave) {
  SmallWorld world = small_world(2000, 0, 1, 2);
  while (world.policies.size() < 24) world.policies.push_back(world.policies[0]);
  for (std::size_t p = 0; p < world.policies.size(); ++p) {
    world.policies[p].name = fmt::format("policy {}", p);
  }
  EvaluateOptions options;
  options.estimators = {"naive", "snips", "dm_ols2", "dm_ridge", "dr_ridge"};
  const EvaluationRecord complete =
      evaluate(Context({.threads = 1}), world.data, world.policies, options);
  StopInEstimates at_once(1);
  EXPECT_THROW(
      evaluate(Context({.threads = 1, .progress = &at_once}), world.data, world.policies, options),
      Cancelled);
  for (const int k : {2, 4, 8, 16, 32, 64}) {
    StopInEstimates later(k);
    EvaluationRecord stopped;
    try {
      stopped = evaluate(Context({.threads = 1, .progress = &later}), world.data, world.policies,
                         options);
    } catch (const Cancelled&) {
      continue;  // before the first estimator was finished
    }
    const std::size_t kept = stopped.policies[0].estimates.size();
    EXPECT_GT(kept, 0U);
    EXPECT_EQ(kept + stopped.unfinished.size(), options.estimators.size());
    for (const PolicyResult& policy : stopped.policies) {
      ASSERT_EQ(policy.estimates.size(), kept);
      for (const Estimate& e : policy.estimates) {
        EXPECT_EQ(e.value, find(complete, e.estimator).value);
      }
    }
  }
}

TEST(Evaluate, FitsInOrderOfCostWithStagesThatCoverTheRun) {
  class Stages : public ProgressObserver {
   public:
    bool update(std::string_view, std::uint64_t, std::uint64_t) override { return true; }
    void enter(const ProgressStage& stage) override {
      if (stage.label.find("models)") == std::string::npos) return;
      EXPECT_GE(stage.begin, 0);
      EXPECT_LE(stage.end, 1 + 1e-12);
      if (stage.label.ends_with("models)")) last = stage;
      labels += stage.label + '\n';
    }
    ProgressStage last;
    std::string labels;
  };
  Stages observer;
  const SmallWorld world = small_world(300, 0, 1, 2);
  EvaluateOptions options = on_features();
  options.estimators = {"cone", "dm_nn", "dm_ols2"};
  options.cone.epochs = 20;
  evaluate(Context({.threads = 2, .progress = &observer}), world.data, world.policies, options);
  EXPECT_NE(observer.labels.find("propensity (1 of 4 models)"), std::string::npos)
      << observer.labels;
  EXPECT_NE(observer.labels.find("ols2 (2 of 4 models)"), std::string::npos) << observer.labels;
  EXPECT_NE(observer.labels.find("nn (3 of 4 models), fold 5 of 5, treated"), std::string::npos);
  EXPECT_NE(observer.labels.find("cone (4 of 4 models), fold 1 of 5"), std::string::npos);
  EXPECT_NEAR(observer.last.end, 1, 1e-12);
}

TEST(Evaluate, ExpectsMoreTimeForMoreDataInOrderOfCost) {
  EvaluateOptions options;
  const auto costs = [&](std::size_t nodes) {
    return expected_costs(Context({.threads = 2}), small_world(nodes, 0, 1, 2).data.observed,
                          options);
  };
  const auto small = costs(200);
  const auto large = costs(2000);
  // propensity, ols1, ols2, ridge, nn, cone, network_ridge, network_treatment, and those for
  // sensitivity intervals
  ASSERT_EQ(small.size(), 9U);
  ASSERT_EQ(large.size(), 9U);
  EXPECT_EQ(large.back().name, "unmeasured confounding");
  EXPECT_GT(large.back().seconds, 2 * small.back().seconds);
  EXPECT_EQ(large.front().name, "propensity");  // for overlap diagnostics
  double previous = 0;
  for (std::size_t k = 1; k + 1 < large.size(); ++k) {
    EXPECT_GE(large[k].seconds, previous) << large[k].name;
    previous = large[k].seconds;
  }
  const auto seconds_of = [](const auto& all, const std::string& name) {
    return std::ranges::find(all, name, &ExpectedCost::name)->seconds;
  };
  for (const std::string name : {"cone", "network_ridge"}) {
    EXPECT_GT(seconds_of(large, name), 5 * seconds_of(small, name)) << name;
  }
  options.sensitivity_interval = false;
  EXPECT_EQ(costs(200).size(), 8U);
}

TEST(Evaluate, TheRunsIdentityFollowsConfigurationAndDataOnly) {
  const SmallWorld world = small_world(200, 0, 1, 3);
  const auto id = [&](std::uint64_t seed, const EvaluateOptions& options, int threads) {
    return evaluate(Context({.seed = seed, .threads = threads}), world.data, world.policies,
                    options)
        .run_id();
  };
  EvaluateOptions other_plan = on_features();
  other_plan.plan.folds = 4;
  EXPECT_EQ(id(0, on_features(), 1), id(0, on_features(), 2));
  EXPECT_NE(id(0, on_features(), 1), id(1, on_features(), 1));
  EXPECT_NE(id(0, on_features(), 1), id(0, other_plan, 1));

  SmallWorld other_policy = world;
  other_policy.policies[0].probability(0, 1) += 0.01;
  SmallWorld other_data = world;
  other_data.data.observed.outcome[0] += 1;
  const auto id_of = [](const SmallWorld& w) {
    return evaluate(Context({.threads = 1}), w.data, w.policies, on_features()).run_id();
  };
  EXPECT_NE(id_of(world), id_of(other_policy));
  EXPECT_NE(id_of(world), id_of(other_data));
}

TEST(Evaluate, SwappingArmLabelsAndPolicyChangesNoFittedEstimate) {
  for (const std::size_t n : {198U, 200U, 203U}) {
    const SmallWorld world = small_world(n, 0.7, 1.0, n);
    SmallWorld swapped = world;
    for (std::uint8_t& t : swapped.data.observed.treatment) t = 1 - t;
    Matrix<double>& policy = swapped.policies[0].probability;
    for (std::size_t i = 0; i < n; ++i) std::swap(policy(i, 0), policy(i, 1));
    const Context context({.threads = 2});
    const auto plain = evaluate(context, world.data, world.policies, on_features());
    const auto mirrored = evaluate(context, swapped.data, swapped.policies, on_features());
    for (const Estimate& e : plain.policies[0].estimates) {
      EXPECT_NEAR(e.value, find(mirrored, e.estimator).value, 1e-7) << e.estimator << " " << n;
    }
  }
}

}  // namespace
}  // namespace cone
