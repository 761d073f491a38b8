#include <cmath>

#include <gtest/gtest.h>

#include "study/coverage.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

TEST(Coverage, LowerLimitIsWilsons) {
  // 190 of 200: (p + z²/2n − z√(p(1−p)/n + z²/4n²))/(1 + z²/n) with z = 1.6449.
  EXPECT_NEAR(wilson_lower_limit(190, 200), 0.9183, 5e-4);
  EXPECT_NEAR(wilson_lower_limit(10, 10), 0.787, 1e-3);
  EXPECT_EQ(wilson_lower_limit(0, 10), 0);
  EXPECT_TRUE(std::isnan(wilson_lower_limit(0, 0)));
}

TEST(Coverage, AResumedStudyGivesTheSameResults) {
  const testing::TemporaryFolder folder;
  const CoverageOptions options{.coverage_nodes = 100, .unconfounded_simulations = 2};
  const Context context(5, 2);
  const auto networks = generate_coverage_networks(context, options);
  const UnitStore store(folder.path());
  const CoverageTable first = reproduce_coverage(context, networks, 2, options, UnitWork{store});
  EXPECT_EQ(first.run.num_reused, 0U);
  EXPECT_TRUE(first.run.failures.empty());
  const CoverageTable again =
      reproduce_coverage(Context(5, 1), networks, 2, options, UnitWork{store});
  EXPECT_EQ(again.run.num_reused, again.run.num_units);
  EXPECT_EQ(coverage_csv(again), coverage_csv(first));
  EXPECT_EQ(coverage_json(again), coverage_json(first));
  ASSERT_EQ(first.cells.size(), first.settings.size());
  EXPECT_GE(first.settings.size(), 8U);
  for (const auto& policies : first.cells) {
    ASSERT_EQ(policies.size(), kStudyPolicies.size());
    for (const auto& rows : policies) EXPECT_EQ(rows[0].num_simulations, 2U);
  }
  EXPECT_NE(coverage_markdown(first).find("observed confounding"), std::string::npos);
}

}  // namespace
}  // namespace cone
