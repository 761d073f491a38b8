#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

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
  const CoverageOptions options{.coverage_nodes = 100, .unconfounded_simulations = 1};
  const Context context({.seed = 5, .threads = 2});
  const auto networks = generate_coverage_networks(context, options);
  const UnitStore store(folder.path());
  const CoverageTable whole = reproduce_coverage(context, networks, 1, options, UnitWork{store});
  const ValueTable& first = whole.values;
  EXPECT_EQ(first.run.num_reused, 0U);
  EXPECT_TRUE(first.run.failures.empty());
  const CoverageTable again =
      reproduce_coverage(Context({.seed = 5, .threads = 1}), networks, 1, options, UnitWork{store});
  EXPECT_EQ(again.values.run.num_reused, again.values.run.num_units);
  const StudyReport report = report_coverage(whole);
  EXPECT_EQ(report_coverage(again).table.csv(), report.table.csv());
  EXPECT_EQ(report_coverage(again).json, report.json);
  ASSERT_EQ(first.cells.size(), first.settings.size());
  ASSERT_EQ(first.settings.size(), 24U);
  for (std::size_t s = 0; s < first.cells.size(); ++s) {
    const std::size_t num_policies = first.settings[s] == "blocks5" ? 5 : kStudyPolicies.size();
    ASSERT_EQ(first.cells[s].size(), num_policies);
    ASSERT_EQ(first.policies[s].size(), num_policies);
    for (const auto& rows : first.cells[s]) EXPECT_EQ(rows[0].num_simulations, 1U);
    EXPECT_EQ(first.decisions[s].num_simulations, 1U);
    EXPECT_EQ(first.decisions[s].best_set.made, 1U);
    const ClaimCount& supported = first.decisions[s].supported;
    EXPECT_LE(supported.made + first.decisions[s].conditional.made, num_policies);
    EXPECT_LE(supported.correct, supported.made);
  }
  // The community drives treatment: some difference from the logged policy must be claimed.
  const auto blocks = std::ranges::find(first.settings, "blocks") - first.settings.begin();
  const DecisionClaims& claims = first.decisions[static_cast<std::size_t>(blocks)];
  EXPECT_GT(claims.supported.made + claims.conditional.made, 0U);
  EXPECT_NE(report.markdown().find("observed confounding"), std::string::npos);
  EXPECT_EQ(report.table.csv().find("nan"), std::string::npos);
}

DecidedPolicy decided(const char* name, double value, std::optional<double> truth,
                      std::pair<std::size_t, std::size_t> ranks, bool may_be_best) {
  DecidedPolicy policy{.name = name, .is_logged = !truth, .value = value, .truth = truth};
  policy.gain = value - 1;
  policy.joint_interval = {value - 0.1, value + 0.1};
  policy.ranks = ranks;
  policy.may_be_best = may_be_best;
  return policy;
}

TEST(CoverageDecision, TheLoggedPolicyMayBeTheBest) {
  Decision decision;
  decision.policies = {decided("logged", 1, std::nullopt, {1, 2}, true),
                       decided("a", 0.7, 0.75, {2, 3}, false),
                       decided("b", 1.1, 0.9, {1, 2}, true)};
  decision.policies[1].verdict = ComparisonVerdict::kSupported;    // worse, and is
  decision.policies[2].verdict = ComparisonVerdict::kConditional;  // better, and is not
  auto found = describe_decision(decision);
  EXPECT_TRUE(found.at("best_in_set").get<bool>());
  EXPECT_FALSE(found.at("all_bands_hold").get<bool>());  // b is 0.2 off
  EXPECT_EQ(found.at("verdicts").at("supported").at("true"), 1);
  EXPECT_EQ(found.at("verdicts").at("conditional").at("given"), 1);
  EXPECT_EQ(found.at("verdicts").at("conditional").at("true"), 0);
  EXPECT_TRUE(found.at("ranks_hold").get<bool>());
  EXPECT_TRUE(found.at("sensitivity_ranks_hold").is_null());
  EXPECT_TRUE(found.at("single_best_is_right").is_null());

  decision.policies[0].may_be_best = false;
  decision.policies[0].ranks = {2, 3};
  decision.single_best = "b";
  found = describe_decision(decision);
  EXPECT_FALSE(found.at("best_in_set").get<bool>());
  EXPECT_FALSE(found.at("ranks_hold").get<bool>());
  EXPECT_FALSE(found.at("single_best_is_right").get<bool>());
  decision.single_best = "logged";
  EXPECT_TRUE(describe_decision(decision).at("single_best_is_right").get<bool>());
  decision.policies[1].joint_interval.reset();
  EXPECT_TRUE(describe_decision(decision).is_null());
}

TEST(CoverageDecision, UnitsAreJudgedForTheSample) {
  const Unit unit = value_unit(self_contained_setting(World::kBlocks5, 7), 0, coverage_group());
  EXPECT_EQ(unit.identity.options.at("evaluation").at("target"), "sample");
  EXPECT_EQ(setting_policies(self_contained_setting(World::kBlocks5, 7)).back(), "always:4");
}

}  // namespace
}  // namespace cone
