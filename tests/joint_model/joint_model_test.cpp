#include "joint_model/joint_model.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "network_ridge/network_ridge_learner.hpp"
#include "simulate/self_contained.hpp"

namespace cone {
namespace {

/// 600 nodes with a confounder along communities: both arms have clear slopes.
Dataset confounded_data() {
  return simulate_self_contained(Context({.seed = 3, .threads = 1}), World::kBlocks, 0)
      .data.observed;
}

JointModel fit(const Dataset& data, int threads = 1) {
  const Context context({.seed = 1, .threads = threads});
  const FitPlan plan = make_plan(context, data, PlanOptions{}, 1);
  const NetworkRidgeOptions options;
  const Nuisances found = NetworkRidgeLearner(options).fit(context, data, plan);
  return fit_joint_model(context, data, plan, options, *found.outcome);
}

Matrix<double> treat_all(const Dataset& data) {
  Matrix<double> policy(data.num_nodes(), data.num_arms());
  for (std::size_t i = 0; i < data.num_nodes(); ++i) policy(i, 1) = 1;
  return policy;
}

TEST(JointModel, MovesValuesAgainstTheSelection) {
  const Dataset data = confounded_data();
  const JointModel model = fit(data);
  ASSERT_EQ(model.arms.size(), 2U);
  EXPECT_GT(model.arms[1].slope, 3 * model.arms[1].slope_error);
  EXPECT_LT(model.arms[0].slope, -3 * model.arms[0].slope_error);
  const AlternativeValue moved = model.revalue(treat_all(data).view()).front();
  EXPECT_LT(moved.shift, 0) << "units with high outcomes under treatment were treated";
  EXPECT_GT(moved.error_with(0), 0);
}

TEST(JointModel, IsTheSameAtAnyNumberOfThreads) {
  const Dataset data = confounded_data();
  const JointModel one = fit(data, 1);
  const JointModel three = fit(data, 3);
  EXPECT_TRUE(
      std::ranges::equal(one.without_noise.change.values(), three.without_noise.change.values()));
  EXPECT_TRUE(std::ranges::equal(one.with_noise.extrapolated.values(),
                                 three.with_noise.extrapolated.values()));
}

TEST(JointModel, FollowsTheUnitAndTheOriginOfTheOutcome) {
  Dataset data = confounded_data();
  const Matrix<double> policy = treat_all(data);
  const JointModel plain = fit(data);
  for (double& y : data.outcome) y = 1000 - 20 * y;
  const JointModel other = fit(data);
  EXPECT_NEAR(other.arms[1].slope, -plain.arms[1].slope, 1e-3 * std::abs(plain.arms[1].slope));
  const double shift = plain.revalue(policy.view())[0].shift;
  EXPECT_NEAR(other.revalue(policy.view())[0].shift, -20 * shift, 0.02 * 20 * std::abs(shift));
}

TEST(JointModel, ChangesNothingWhereNothingSelects) {
  Dataset data = confounded_data();
  // Treatment by the parity of the node, with the outcome as it would have been in one world.
  for (std::size_t i = 0; i < data.num_nodes(); ++i) data.treatment[i] = static_cast<Arm>(i % 2);
  const JointModel model = fit(data);
  for (const JointArm& arm : model.arms) {
    EXPECT_EQ(arm.trust, 0) << arm.slope << " +- " << arm.slope_error;
    EXPECT_FALSE(arm.reason.empty());
  }
  EXPECT_TRUE(model.revalue_cautiously(treat_all(data).view()).is_same());
  for (const AlternativeValue& value : model.revalue(treat_all(data).view())) {
    EXPECT_TRUE(value.is_same());
  }
}

TEST(JointModel, LeavesRareArmsAlone) {
  Dataset data = confounded_data();
  std::size_t kept = 0;
  for (Arm& t : data.treatment) {
    if (t == 1 && ++kept > 40) t = 0;  // 40 of 600
  }
  const JointModel model = fit(data);
  EXPECT_EQ(model.arms[1].trust, 0);
  EXPECT_EQ(model.arms[1].reason, "less than a tenth of the units received it");
}

}  // namespace
}  // namespace cone
