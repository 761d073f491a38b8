// Positivity violation by a feature: every estimator warns of it, and those that cannot extrapolate
// have no interval.

#include <cmath>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"
#include "cone/options.hpp"

#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

double third_column(const Dataset& data, std::size_t node) {
  double found = 0;
  data.features.matrix.row(node).for_each([&](std::uint32_t column, double value) {
    if (column == 2) found = value;
  });
  return found;
}

/// No node above 0.7 in the third column was treated. The policy treats all nodes, or only the
/// others.
SmallWorld separated_world(std::size_t n, std::uint64_t item, bool treats_all) {
  SmallWorld world = small_world(n, 0.5, 1.0, item);
  Dataset& data = world.data.observed;
  std::vector<double> policy(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (third_column(data, i) <= 0.7) continue;
    if (data.treatment[i] == 1) data.outcome[i] -= 1;
    data.treatment[i] = 0;
    if (!treats_all) policy[i] = 0;
  }
  world.policies = {{"treat", two_arm_probabilities(policy)}};
  return world;
}

EvaluateOptions some_rows() {
  EvaluateOptions options;
  options.estimators = {"network_dm", "network_dr", "dm_ridge", "dr_ridge", "ips", "naive"};
  return options;
}

TEST(Separation, IsAWarningOfEveryEstimatorAndRemovesIntervals) {
  for (const std::size_t n : {200U, 400U, 800U}) {
    const SmallWorld world = separated_world(n, n, /*treats_all=*/true);
    const EvaluationRecord record =
        evaluate(Context({.threads = 2}), world.data, world.policies, some_rows());
    for (const Estimate& row : record.policies[0].estimates) {
      EXPECT_FALSE(row.warnings.empty()) << n << ' ' << row.estimator;
      EXPECT_GT(row.off_support_fraction.value_or(0), 0.15) << n << ' ' << row.estimator;
      const bool may_have_one = row.estimator == "dm_ridge" || row.estimator == "naive";
      EXPECT_EQ(std::isfinite(row.standard_error), may_have_one) << n << ' ' << row.estimator;
    }
  }
}

TEST(Separation, IsNoneForAPolicyThatDoesNotTreatTheseNodes) {
  const SmallWorld world = separated_world(400, 1, /*treats_all=*/false);
  const EvaluationRecord record =
      evaluate(Context({.threads = 2}), world.data, world.policies, some_rows());
  for (const Estimate& row : record.policies[0].estimates) {
    EXPECT_LT(row.off_support_fraction.value_or(1), 0.02) << row.estimator;
    EXPECT_TRUE(std::isfinite(row.standard_error)) << row.estimator;
  }
}

}  // namespace
}  // namespace cone
