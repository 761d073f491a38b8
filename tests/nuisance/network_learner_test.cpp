#include "nuisance/network_learner.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "cone/options.hpp"

#include "nuisance/simulated_data.hpp"
#include "support/by_node.hpp"

namespace cone {
namespace {

ConeOptions quick() {
  ConeOptions options;
  options.hidden = 16;
  options.learning_rate = 0.02;
  return options;
}

testing::ByNode learn(const Context& context, const Dataset& data, const FitPlan& plan,
                      const ConeOptions& options) {
  return testing::by_node(NetworkLearner(options).fit(context, data, plan), plan.scored,
                          data.num_nodes());
}

TEST(NetworkLearner, FindsTheEffectOfTreatmentAndWhatItDependsOn) {
  const Context context({.seed = 1, .threads = 2});
  const testing::Simulated world = testing::simulate({.nodes = 1200}, 1);
  const FitPlan plan = cross_fit_plan(world.data, 3, 3, 1);
  const testing::ByNode predicted = learn(context, world.data, plan, quick());
  double squares = 0;
  for (std::size_t i = 0; i < 1200; ++i) {
    const double effect =
        testing::expected_outcome(world.x[i], 1) - testing::expected_outcome(world.x[i], 0);
    squares += std::pow(predicted.mu1[i] - predicted.mu0[i] - effect, 2) / 1200;
  }
  EXPECT_LT(std::sqrt(squares), 0.5);
  EXPECT_EQ(predicted.learnt.outcome->variance, nullptr) << "networks are not linear";
}

TEST(NetworkLearner, WarnsWhereTrainingDiverges) {
  const Context context({.seed = 1, .threads = 2});
  const testing::Simulated world = testing::simulate({.nodes = 120}, 2);
  const FitPlan plan = cross_fit_plan(world.data, 2, 2, 1);
  EXPECT_TRUE(learn(context, world.data, plan, quick()).learnt.outcome->warnings.empty());
  ConeOptions options = quick();
  options.learning_rate = 1e30;
  const testing::ByNode predicted = learn(context, world.data, plan, options);
  ASSERT_EQ(predicted.learnt.outcome->warnings.size(), 4U);  // two folds, two arms
  EXPECT_NE(predicted.learnt.outcome->warnings[1].find("of treated nodes in fold 1 diverged"),
            std::string::npos);
  for (const double mu : predicted.mu1) EXPECT_TRUE(std::isfinite(mu));
}

TEST(NetworkLearner, ANodesOutcomeNeverReachesItsPrediction) {
  const Context context({.seed = 1, .threads = 2});
  testing::Simulated world = testing::simulate({.nodes = 120}, 2);
  const FitPlan plan = cross_fit_plan(world.data, 3, 3, 1);
  const testing::ByNode before = learn(context, world.data, plan, quick());
  const NodeIndex changed = plan.tasks[0].score[3];
  world.data.outcome[changed] += 50;
  const testing::ByNode after = learn(context, world.data, plan, quick());
  EXPECT_EQ(before.mu0[changed], after.mu0[changed]);
  EXPECT_EQ(before.mu1[changed], after.mu1[changed]);
  EXPECT_TRUE(before.mu0 != after.mu0 || before.mu1 != after.mu1);
}

TEST(NetworkLearner, IsBitwiseEqualAtAnyNumberOfThreads) {
  const testing::Simulated world = testing::simulate({.nodes = 150}, 3);
  const FitPlan plan = cross_fit_plan(world.data, 2, 2, 1);
  const auto one = learn(Context({.seed = 1, .threads = 1}), world.data, plan, quick());
  const auto five = learn(Context({.seed = 1, .threads = 5}), world.data, plan, quick());
  EXPECT_EQ(one.mu0, five.mu0);
  EXPECT_EQ(one.mu1, five.mu1);
}

}  // namespace
}  // namespace cone
