// Diagnostics that rule out a verdict.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"

#include "diagnostics/stability.hpp"
#include "support/small_world.hpp"

namespace cone {
namespace {

/// Of four units with outcomes of variance 1.
std::string failure_of(const std::string& estimator, double off_support, double fold_p,
                       double residual) {
  LoggedSample sample;
  sample.nodes = {0, 1, 2, 3};
  sample.outcome = {-1, 1, -1, 1};
  Estimate estimate;
  estimate.estimator = estimator;
  estimate.off_support_fraction = off_support;
  const PolicyStability stability{.policy = "p", .by_fold = {0, 1}, .fold_p = fold_p};
  return find_failure(sample, estimate, find_estimator(estimator)->method, &stability,
                      std::vector<double>(4, residual));
}

TEST(Reliability, IsRuledOutByThreeDiagnostics) {
  EXPECT_EQ(failure_of("network_dm", 0.09, 0.01, 1), "");
  EXPECT_EQ(failure_of("network_dm", 0.12, 0.01, 1),
            "12 % of its assignments are off support, where the value extrapolates");
  EXPECT_EQ(failure_of("network_dm", 0, 1e-5, 1),
            "values by fold differ by more than sampling error explains (p < 0.0001)");
  EXPECT_EQ(failure_of("network_dm", 0, 1, 1.1),
            "the outcome model predicts worse than a constant (R² -0.21)");
  EXPECT_EQ(failure_of("dr_ridge", 0, 1, 1.1), "") << "corrected by weights";
}

TEST(Reliability, AFailedDiagnosticLeavesNoVerdictAndEveryRank) {
  const auto decide_with = [](double confounding) {
    testing::SmallWorld world = testing::small_world(600, confounding, 3, 6);
    world.policies = {{"all", two_arm_probabilities(std::vector<double>(600, 1.0))},
                      {"none", two_arm_probabilities(std::vector<double>(600, 0.0))}};
    EvaluateOptions options;
    options.randomised = true;
    options.estimators = {"dm_ridge", "snips"};  // a regression keeps its interval off support
    return *evaluate(Context({.seed = 1, .threads = 2}), world.data, world.policies, options)
                .decision;
  };
  const Decision supported = decide_with(0.5);
  EXPECT_EQ(supported.policies[1].unreliable, "");
  EXPECT_EQ(supported.policies[1].verdict, ComparisonVerdict::kSupported);
  EXPECT_EQ(supported.single_best, "all");
  const Decision failed = decide_with(6);  // treated where the first feature is positive
  EXPECT_NE(failed.policies[1].unreliable.find("off support"), std::string::npos)
      << failed.policies[1].unreliable;
  EXPECT_EQ(failed.policies[1].verdict, ComparisonVerdict::kNotShown);
  EXPECT_EQ(failed.policies[1].ranks, std::pair(std::size_t{1}, std::size_t{3}));
  for (const PolicyDifference& pair : failed.differences) {
    EXPECT_EQ(pair.verdict, ComparisonVerdict::kNotShown);
  }
  EXPECT_FALSE(failed.single_best);
}

}  // namespace
}  // namespace cone
