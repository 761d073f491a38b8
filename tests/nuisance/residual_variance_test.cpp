#include "nuisance/residual_variance.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace cone {
namespace {

struct ArmResiduals {
  LoggedSample sample;
  std::vector<double> residual;

  void add(Arm arm, double r) {
    sample.nodes.push_back(static_cast<NodeIndex>(residual.size()));
    sample.arm.push_back(arm);
    residual.push_back(r);
  }
  double mean_square(Arm arm) const {
    double total = 0;
    double count = 0;
    for (std::size_t i = 0; i < residual.size(); ++i) {
      if (sample.arm[i] != arm) continue;
      total += residual[i] * residual[i];
      count += 1;
    }
    return total / count;
  }
};

ArmResiduals two_arms() {
  ArmResiduals out;
  out.sample.arms = {"0", "1"};
  return out;
}

TEST(RaiseArmNoise, GivesAnArmWithoutLargeOutcomesTheVarianceOfAll) {
  ArmResiduals log = two_arms();
  for (int i = 0; i < 950; ++i) log.add(0, i % 95 == 0 ? 47.0 : -0.5);
  for (int i = 0; i < 40; ++i) log.add(1, i % 2 == 0 ? 0.3 : -0.3);
  const std::vector<double> factor = raise_arm_noise(log.sample, log.residual);
  const double all = (950 * log.mean_square(0) + 40 * log.mean_square(1)) / 990;
  EXPECT_EQ(factor[0], 1);
  EXPECT_NEAR(factor[1] * factor[1] * log.mean_square(1), all, 0.25 * all);
  for (double& r : log.residual) r *= 1e160;
  const std::vector<double> same = raise_arm_noise(log.sample, log.residual);
  EXPECT_NEAR(same[1], factor[1], 1e-9 * factor[1]);
}

TEST(RaiseArmNoise, LeavesAnArmAloneThatTheDataShowToBeQuieter) {
  ArmResiduals log = two_arms();
  Rng rng(3, Stream::kTest);
  for (int i = 0; i < 3000; ++i) log.add(0, rng.normal());
  for (int i = 0; i < 1000; ++i) log.add(1, 0.3 * rng.normal());
  const std::vector<double> factor = raise_arm_noise(log.sample, log.residual);
  EXPECT_EQ(factor[0], 1);
  EXPECT_GT(factor[1], 1);
  EXPECT_LT(factor[1], 1.05);
}

TEST(RaiseArmNoise, HasNothingToRaiseWithoutNodesOrResiduals) {
  ArmResiduals log = two_arms();
  log.sample.arms.emplace_back("2");
  for (int i = 0; i < 30; ++i) log.add(0, i - 14.5);
  for (int i = 0; i < 30; ++i) log.add(1, 0);
  EXPECT_EQ(raise_arm_noise(log.sample, log.residual), (std::vector<double>{1, 1, 1}));
  for (double& r : log.residual) r = 0;
  EXPECT_EQ(raise_arm_noise(log.sample, log.residual), (std::vector<double>{1, 1, 1}));
}

}  // namespace
}  // namespace cone
