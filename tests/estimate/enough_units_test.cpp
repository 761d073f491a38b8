#include "estimate/enough_units.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/learn.hpp"
#include "cone/matrix.hpp"

namespace cone {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// 400 units, the first of them treated; every tenth outcome is not 0.
LoggedSample sample_with_treated(std::size_t num_treated) {
  LoggedSample sample;
  sample.arms = {"control", "treated"};
  for (std::size_t i = 0; i < 400; ++i) {
    sample.nodes.push_back(static_cast<NodeIndex>(i));
    sample.arm.push_back(i < num_treated ? 1 : 0);
    sample.outcome.push_back(i % 10 == 0 ? 3.5 + static_cast<double>(i) : 0);
  }
  return sample;
}

Matrix<double> always(const LoggedSample& sample, Arm arm) {
  Matrix<double> policy(sample.size(), 2, 0.0);
  for (std::size_t i = 0; i < sample.size(); ++i) policy(i, arm) = sample.weight_of(i);
  return policy;
}

TEST(EnoughUnits, FewEventsAmongUnitsThatChangeArmsLeaveNoReliableDifference) {
  // 40 units with an event; 4 of them are treated.
  const LoggedSample few = sample_with_treated(40);
  const Matrix<double> none = always(few, 0);
  EXPECT_EQ(find_unreliable(few, none.view(), {}, kUnknown), "");
  EXPECT_EQ(
      find_few_taken(few, none.view()),
      "effective sample size 4 of units in arm 'treated' with an outcome other than 0 and whose "
      "arm it changes, too few to rely on the interval");
  EXPECT_EQ(find_few_taken(sample_with_treated(200), none.view()), "");
}

TEST(EnoughUnits, AnArmThatHardlyChangesDoesNotCount) {
  // Everybody gets arm 1: the 10 treated units keep theirs.
  const LoggedSample sample = sample_with_treated(10);
  EXPECT_EQ(find_few_taken(sample, always(sample, 1).view()), "");
}

TEST(EnoughUnits, ASurveyWeightThatStandsForAlmostAllUnitsIsTooFew) {
  LoggedSample sample = sample_with_treated(200);
  sample.weight.assign(400, 1.0);
  EXPECT_EQ(find_unreliable(sample, always(sample, 1).view(), {}, kUnknown), "");
  sample.weight[7] = 10'000;
  EXPECT_EQ(
      find_unreliable(sample, always(sample, 1).view(), {}, kUnknown),
      "the survey weights have an effective sample size of 1, too few to rely on the interval");
}

}  // namespace
}  // namespace cone
