#include <cmath>

#include <gtest/gtest.h>

#include "cone/estimate/estimate.hpp"

#include "support/logged_data.hpp"

namespace cone {
namespace {

using testing::logged_sample;
using testing::LoggedSample;

constexpr double kTight = 1e-12;

class EveryEstimator : public ::testing::TestWithParam<std::string> {
 protected:
  static const EstimatorInfo& info() { return *find_estimator(GetParam()); }
  Estimate of(const LoggedSample& sample) const { return estimate(info(), sample.input(), {}); }
};

TEST_P(EveryEstimator, IsUnchangedWhenArmsAndPolicySwapNames) {
  const LoggedSample sample = logged_sample(500, 1, 0.3, 0);
  LoggedSample swapped = sample;
  for (std::size_t i = 0; i < sample.treatment.size(); ++i) {
    swapped.treatment[i] = 1 - sample.treatment[i];
    swapped.policy[i] = 1 - sample.policy[i];
    swapped.propensity[i] = 1 - sample.propensity[i];
  }
  std::swap(swapped.mu0, swapped.mu1);
  EXPECT_NEAR(of(sample).value, of(swapped).value, kTight);
  EXPECT_NEAR(of(sample).standard_error, of(swapped).standard_error, kTight);
}

TEST_P(EveryEstimator, ShiftsWithTheOutcome) {
  const Method method = info().method;
  if (method == Method::kInversePropensity || method == Method::kClippedInversePropensity) {
    GTEST_SKIP() << "unnormalised weights do not sum to n";
  }
  constexpr double kShift = 100;
  const LoggedSample sample = logged_sample(500, 1, 0.3, 1);
  LoggedSample shifted = sample;
  for (auto* column : {&shifted.outcome, &shifted.mu0, &shifted.mu1}) {
    for (double& value : *column) value += kShift;
  }
  EXPECT_NEAR(of(shifted).value, of(sample).value + kShift, 1e-10);
}

TEST_P(EveryEstimator, IsUnchangedByTheOrderOfNodes) {
  const LoggedSample sample = logged_sample(2000, 1, 0.3, 2);
  LoggedSample permuted = sample;
  const auto order = Rng(5, Stream::kTest).permutation(2000);
  for (std::size_t i = 0; i < order.size(); ++i) {
    permuted.treatment[i] = sample.treatment[order[i]];
    permuted.outcome[i] = sample.outcome[order[i]];
    permuted.policy[i] = sample.policy[order[i]];
    permuted.propensity[i] = sample.propensity[order[i]];
    permuted.mu0[i] = sample.mu0[order[i]];
    permuted.mu1[i] = sample.mu1[order[i]];
  }
  EXPECT_NEAR(of(sample).value, of(permuted).value, kTight);
  EXPECT_NEAR(of(sample).standard_error, of(permuted).standard_error, kTight);
}

TEST_P(EveryEstimator, RecoversTheUtilityOfARandomisedLog) {
  const LoggedSample sample = logged_sample(40000, 0, 0, 3);
  const Estimate result = of(sample);
  // The naive estimator ignores that this policy treats those with less to gain.
  if (info().method == Method::kArmMeans) {
    EXPECT_GT(std::abs(result.value - sample.true_utility), 0.1);
  } else {
    EXPECT_NEAR(result.value, sample.true_utility, 0.03);
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    // Balanced by another function, with tests of its own.
    if (row.method != Method::kKernelBalancing) names.emplace_back(row.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryEstimator, ::testing::ValuesIn(all_names()),
                         [](const auto& row) { return row.param; });

TEST(WeightedEstimators, ValueTheLoggingPolicyAtExactlyTheMeanOutcome) {
  LoggedSample sample = logged_sample(777, 1, 0, 4);
  sample.policy = sample.propensity;
  const double mean_outcome = mean(sample.outcome);
  for (const char* name : {"ips", "snips"}) {
    EXPECT_EQ(estimate(*find_estimator(name), sample.input(), {}).value, mean_outcome) << name;
  }
}

TEST(DoublyRobust, StaysRightWhenTheOutcomeModelIsWrongAndTheDirectMethodDoesNot) {
  const LoggedSample sample = logged_sample(40000, 1, 0, 5);
  LoggedSample wrong = sample;
  for (double& value : wrong.mu0) value += 0.5;
  const double direct = estimate(*find_estimator("dm"), wrong.input(), {}).value;
  const double robust = estimate(*find_estimator("dr"), wrong.input(), {}).value;
  EXPECT_GT(std::abs(direct - sample.true_utility), 0.1);
  EXPECT_NEAR(robust, sample.true_utility, 0.05);
}

TEST(DoublyRobust, ShrinkageGoesFromTheDirectMethodToPlainDr) {
  LoggedSample sample = logged_sample(300, 1, 0.3, 6);
  sample.policy[0] = sample.treatment[0] == 1 ? 0 : 1;  // a weight of 0
  const auto value = [&](const char* name, const EstimatorOptions& options) {
    return estimate(*find_estimator(name), sample.input(), options).value;
  };
  EXPECT_NEAR(value("dr_shrinkage", {.shrinkage_lambda = 0}), value("dm", {}), kTight);
  EXPECT_NEAR(value("dr_shrinkage", {.shrinkage_lambda = 1e15}),
              value("dr", {.correction = Correction::kPlain}), 1e-9);
  EXPECT_NEAR(value("switch_dr", {.switch_threshold = 1e12}),
              value("dr", {.correction = Correction::kPlain}), kTight);
}

TEST(Warnings, SayWhenThePolicyDoesWhatTheLogHardlyEverDid) {
  LoggedSample sample = logged_sample(1039, 0, 0, 7);
  for (std::size_t i = 0; i < sample.policy.size(); ++i) {
    sample.propensity[i] = sample.treatment[i] == 1 ? 0.9 : 0.1;
    sample.policy[i] = i < 12 ? sample.treatment[i] : 1 - sample.treatment[i];
  }
  const Estimate result = estimate(*find_estimator("snips"), sample.input(), {});
  EXPECT_EQ(result.status, EstimateStatus::kCaution);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_EQ(result.warnings[0],
            "effective sample size is 12 of 1,039: the policy does what the log hardly ever did");
}

TEST(Warnings, AValueThatDoesNotExistIsAStatus) {
  LoggedSample sample = logged_sample(50, 0, 0, 8);
  for (std::size_t i = 0; i < 50; ++i) sample.policy[i] = 1 - sample.treatment[i];
  const Estimate result = estimate(*find_estimator("snips"), sample.input(), {});
  EXPECT_EQ(result.status, EstimateStatus::kUndefined);
  EXPECT_TRUE(std::isnan(result.value));
}

TEST(Intervals, OfARandomisedLogCoverTheTruthAsOftenAsTheySay) {
  // The truth is the population utility E[x + π(x)(1 + x)], by a sample too large to matter.
  const double truth = logged_sample(4000000, 0, 0, 99).true_utility;
  for (const char* name : {"ips", "snips", "dr", "switch_dr", "dr_shrinkage"}) {
    int covered = 0;
    constexpr int kRepetitions = 1000;
    for (int k = 0; k < kRepetitions; ++k) {
      const LoggedSample sample = logged_sample(400, 0, 0.5, 1000 + static_cast<std::uint64_t>(k));
      const auto [low, high] = estimate(*find_estimator(name), sample.input(), {}).interval;
      covered += low <= truth && truth <= high ? 1 : 0;
    }
    EXPECT_GE(covered, 920) << name;
    EXPECT_LE(covered, 980) << name;
  }
}

}  // namespace
}  // namespace cone
