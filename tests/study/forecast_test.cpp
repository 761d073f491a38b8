#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/effects.hpp"
#include "cone/evaluate.hpp"
#include "cone/learn_policy.hpp"
#include "cone/sensitivity.hpp"

#include "study/refute.hpp"
#include "support/small_world.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

using cone::testing::small_world;
using cone::testing::SmallWorld;
using cone::testing::TemporaryFolder;

/// A command with its expected run time.
struct Forecast {
  std::string name;
  std::function<std::vector<ExpectedCost>(const Context&, const SmallWorld&)> costs;
  std::function<void(const Context&, const SmallWorld&)> run;
};

std::vector<Forecast> every_command() {
  EvaluateOptions evaluation;
  evaluation.estimators = {"dr_ridge", "network_dm"};
  const EffectOptions effects;
  LearnPolicyOptions rule;
  rule.folds = 3;
  SensitivityOptions sensitivity;
  sensitivity.folds = 3;
  RefuteOptions refutation;
  refutation.draws = 2;
  refutation.checks = {"placebo", "bootstrap"};
  ModelOptions model;
  model.cone.epochs = 2;
  return {{"evaluate",
           [=](const Context& context, const SmallWorld& world) {
             return expected_costs(context, world.data.observed, evaluation);
           },
           [=](const Context& context, const SmallWorld& world) {
             evaluate(context, world.data, world.policies, evaluation);
           }},
          {"evaluate with repeats",
           [=](const Context& context, const SmallWorld& world) {
             return expected_costs(context, world.data.observed, evaluation);
           },
           [=](const Context& context, const SmallWorld& world) {
             EvaluateOptions repeated = evaluation;
             repeated.repeats = 2;
             evaluate(context, world.data, world.policies, repeated);
           }},
          {"effects",
           [=](const Context& context, const SmallWorld& world) {
             return expected_costs(context, world.data.observed, effects);
           },
           [=](const Context& context, const SmallWorld& world) {
             predict_effects(context, world.data.observed, effects);
           }},
          {"learn",
           [=](const Context& context, const SmallWorld& world) {
             return expected_costs(context, world.data.observed, rule);
           },
           [=](const Context& context, const SmallWorld& world) {
             learn_policy(context, world.data.observed, rule);
           }},
          {"sensitivity",
           [=](const Context& context, const SmallWorld& world) {
             return expected_costs(context, world.data, sensitivity, 1);
           },
           [=](const Context& context, const SmallWorld& world) {
             analyse_sensitivity(context, world.data, world.policies, Reference::kLogged, nullptr,
                                 sensitivity);
           }},
          {"refute",
           [=](const Context& context, const SmallWorld& world) {
             return expected_costs(context, world.data.observed, refutation);
           },
           [=](const Context& context, const SmallWorld& world) {
             const TemporaryFolder folder;
             refute(context, world.data.observed, world.policies, refutation,
                    UnitWork{UnitStore(folder.path())});
           }},
          {"fit",
           [=](const Context& context, const SmallWorld& world) {
             return expected_costs(context, world.data.observed, model);
           },
           [=](const Context& context, const SmallWorld& world) {
             fit_model(context, world.data.observed, model);
           }}};
}

TEST(Forecast, OfEveryCommandGrowsWithTheDataAndFallsWithTheThreads) {
  for (const Forecast& command : every_command()) {
    double previous = 0;
    for (const std::size_t nodes : {200, 1000, 5000, 20000}) {
      const SmallWorld world = small_world(nodes, 0.5, 1, 1);
      const std::vector<ExpectedCost> costs =
          command.costs(Context({.seed = 1, .threads = 1}), world);
      double sum = 0;
      for (const ExpectedCost& cost : costs) {
        EXPECT_FALSE(cost.name.empty());
        EXPECT_GE(cost.seconds, 0) << command.name << ": " << cost.name;
        sum += cost.seconds;
      }
      EXPECT_DOUBLE_EQ(total_seconds(costs), sum);
      EXPECT_GT(sum, previous) << command.name << " of " << nodes;
      EXPECT_LT(total_seconds(command.costs(Context({.seed = 1, .threads = 2}), world)), sum)
          << command.name;
      previous = sum;
    }
    EXPECT_GT(previous, 5) << command.name << " of 20,000 nodes";
  }
}

/// Records the stages that a run reports.
class StageLog : public ProgressObserver {
 public:
  bool update(std::string_view phase, std::uint64_t, std::uint64_t) override {
    if (stage.label.empty() && !phase.empty()) outside += std::string(phase) + "; ";
    return true;
  }
  void enter(const ProgressStage& entered) override {
    const bool returns = entered.label.size() < stage.label.size();
    if (!returns) {
      EXPECT_GE(entered.begin, furthest - 1e-9) << stage.label << ", then " << entered.label;
      furthest = std::max(furthest, entered.begin);
    } else {
      furthest = std::max(furthest, stage.end);
    }
    EXPECT_LE(entered.end, 1 + 1e-9) << entered.label;
    stage = entered;
  }
  ProgressStage stage;
  double furthest = 0;
  std::string outside;
};

TEST(Forecast, ProgressOfEveryCommandNeverGoesBackAndEndsAtOne) {
  const SmallWorld world = small_world(150, 0.5, 1, 1);
  for (const Forecast& command : every_command()) {
    SCOPED_TRACE(command.name);
    StageLog log;
    command.run(Context({.seed = 1, .threads = 2, .progress = &log}), world);
    EXPECT_NEAR(log.furthest, 1, 1e-9);
    EXPECT_TRUE(log.stage.label.empty());
  }
}

}  // namespace
}  // namespace cone
