#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "cone/estimate.hpp"
#include "cone/options.hpp"

#include "support/known_log.hpp"

namespace cone {
namespace {

using testing::known_log;
using testing::KnownLog;

constexpr double kTight = 1e-12;

/// Equal, or both without a standard error.
void expect_same_error(const Estimate& a, const Estimate& b) {
  EXPECT_EQ(std::isnan(a.standard_error), std::isnan(b.standard_error));
  if (!std::isnan(a.standard_error)) {
    EXPECT_NEAR(a.standard_error, b.standard_error, kTight);
  }
}

/// One estimator for each formula: estimators that differ in their nuisances alone would be copies
/// here. tests/evaluate tests them through a complete evaluation.
class EveryMethod : public ::testing::TestWithParam<std::string> {
 protected:
  static const EstimatorInfo& info() { return *find_estimator(GetParam()); }
  Estimate of(const KnownLog& sample) const {
    return estimate(info(), sample.evidence().view(), {});
  }
};

TEST_P(EveryMethod, IsUnchangedWhenArmsAndPolicySwapNames) {
  const KnownLog sample = known_log(500, 1, 0.3, 0);
  KnownLog swapped = sample;
  for (std::size_t i = 0; i < sample.treatment.size(); ++i) {
    swapped.treatment[i] = 1 - sample.treatment[i];
    swapped.policy[i] = 1 - sample.policy[i];
    swapped.propensity[i] = 1 - sample.propensity[i];
  }
  std::swap(swapped.mu0, swapped.mu1);
  EXPECT_NEAR(of(sample).value, of(swapped).value, kTight);
  expect_same_error(of(sample), of(swapped));
  EXPECT_EQ(of(sample).warnings, of(swapped).warnings);
  EXPECT_NEAR(*of(sample).mean_weight, *of(swapped).mean_weight, kTight);
}

TEST_P(EveryMethod, ShiftsWithTheOutcome) {
  const Method method = info().method;
  if (method == Method::kInversePropensity || method == Method::kClippedInversePropensity) {
    GTEST_SKIP() << "unnormalised weights do not sum to n";
  }
  constexpr double kShift = 100;
  const KnownLog sample = known_log(500, 1, 0.3, 1);
  KnownLog shifted = sample;
  for (auto* column : {&shifted.outcome, &shifted.mu0, &shifted.mu1}) {
    for (double& value : *column) value += kShift;
  }
  EXPECT_NEAR(of(shifted).value, of(sample).value + kShift, 1e-10);
}

TEST_P(EveryMethod, IsUnchangedByTheOrderOfNodes) {
  const KnownLog sample = known_log(2000, 1, 0.3, 2);
  KnownLog permuted = sample;
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
  expect_same_error(of(sample), of(permuted));
}

TEST_P(EveryMethod, RecoversTheValueOfARandomisedLog) {
  const KnownLog sample = known_log(40000, 0, 0, 3);
  const Estimate result = of(sample);
  // The naive estimator ignores that this policy treats units with smaller effects.
  if (info().method == Method::kArmMeans) {
    EXPECT_GT(std::abs(result.value - sample.true_value), 0.1);
  } else {
    EXPECT_NEAR(result.value, sample.true_value, 0.03);
  }
}

/// The first estimator of every method but kernel balancing, which has its own function and tests.
std::vector<std::string> one_row_per_method() {
  std::vector<std::string> names;
  std::set<Method> seen = {Method::kKernelBalancing};
  for (const EstimatorInfo& row : estimator_catalogue()) {
    if (seen.insert(row.method).second) names.emplace_back(row.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryMethod, ::testing::ValuesIn(one_row_per_method()),
                         [](const auto& row) { return row.param; });

TEST(WeightedEstimators, ValueTheLoggedPolicyAtExactlyTheMeanOutcome) {
  KnownLog sample = known_log(777, 1, 0, 4);
  sample.policy = sample.propensity;
  const double mean_outcome = mean(sample.outcome);
  for (const char* name : {"ips", "snips"}) {
    EXPECT_EQ(estimate(*find_estimator(name), sample.evidence().view(), {}).value, mean_outcome)
        << name;
  }
}

TEST(DoublyRobust, StaysRightWhenTheOutcomeModelIsWrongAndTheDirectMethodDoesNot) {
  const KnownLog sample = known_log(40000, 1, 0, 5);
  KnownLog wrong = sample;
  for (double& value : wrong.mu0) value += 0.5;
  const double direct = estimate(*find_estimator("dm"), wrong.evidence().view(), {}).value;
  const double doubly_robust = estimate(*find_estimator("dr"), wrong.evidence().view(), {}).value;
  EXPECT_GT(std::abs(direct - sample.true_value), 0.1);
  EXPECT_NEAR(doubly_robust, sample.true_value, 0.05);
}

TEST(DoublyRobust, ShrinkageGoesFromTheDirectMethodToPlainDr) {
  KnownLog sample = known_log(300, 1, 0.3, 6);
  sample.policy[0] = sample.treatment[0] == 1 ? 0 : 1;  // a weight of 0
  const auto value = [&](const char* name, const EstimatorOptions& options) {
    return estimate(*find_estimator(name), sample.evidence().view(), options).value;
  };
  EXPECT_NEAR(value("dr_shrinkage", {.shrinkage_lambda = 0}), value("dm", {}), kTight);
  EXPECT_NEAR(value("dr_shrinkage", {.shrinkage_lambda = 1e15}),
              value("dr", {.correction = Correction::kPlain}), 1e-9);
  EXPECT_NEAR(value("switch_dr", {.switch_threshold = 1e12}),
              value("dr", {.correction = Correction::kPlain}), kTight);
}

TEST(Warnings, ReportPoorOverlap) {
  KnownLog sample = known_log(1039, 0, 0, 7);
  for (std::size_t i = 0; i < sample.policy.size(); ++i) {
    sample.propensity[i] = sample.treatment[i] == 1 ? 0.9 : 0.1;
    sample.policy[i] = i < 12 ? sample.treatment[i] : 1 - sample.treatment[i];
  }
  const Estimate result = estimate(*find_estimator("snips"), sample.evidence().view(), {});
  EXPECT_EQ(result.status, EstimateStatus::kCaution);
  const std::string expected =
      "effective sample size 12 of 1,039: the policy overlaps little with the logged policy";
  EXPECT_EQ(std::count(result.warnings.begin(), result.warnings.end(), expected), 1);
}

TEST(Warnings, AnUndefinedEstimateIsAStatus) {
  KnownLog sample = known_log(50, 0, 0, 8);
  for (std::size_t i = 0; i < 50; ++i) sample.policy[i] = 1 - sample.treatment[i];
  for (const char* name : {"snips", "ips", "ips_clipped"}) {
    const Estimate result = estimate(*find_estimator(name), sample.evidence().view(), {});
    EXPECT_EQ(result.status, EstimateStatus::kUndefined) << name;
    EXPECT_TRUE(std::isnan(result.value)) << name;
    EXPECT_TRUE(std::isnan(result.standard_error)) << name;
    EXPECT_EQ(result.warnings[0],
              "no estimate: no logged node received an arm that the policy assigns")
        << name;
  }
}

TEST(Intervals, OfARandomisedLogCoverTheTruthAsOftenAsTheySay) {
  // The truth is the population value E[x + π(x)(1 + x)] of x ~ N(0, 1), by the trapezoidal rule,
  // which is exact to many digits for what is smooth and vanishes at both ends.
  double truth = 0;
  constexpr double kStep = 0.01;
  for (int k = -1000; k <= 1000; ++k) {
    const double x = kStep * k;
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    truth += kStep * density * (x + sigmoid(0.5 - x) * (1 + x));
  }
  EXPECT_NEAR(known_log(20000, 0, 0, 99).true_value, truth, 0.03);  // 4 standard errors
  constexpr std::array<const char*, 3> kNames = {"ips", "snips", "dr"};
  std::array<int, 3> covered = {0, 0, 0};
  for (int k = 0; k < 1000; ++k) {
    const auto evidence = known_log(400, 0, 0.5, 1000 + static_cast<std::uint64_t>(k)).evidence();
    for (std::size_t e = 0; e < kNames.size(); ++e) {
      const auto [low, high] =
          estimate(*find_estimator(kNames[e]), evidence.view(), {}).sampling_interval;
      covered[e] += low <= truth && truth <= high ? 1 : 0;
    }
  }
  for (std::size_t e = 0; e < kNames.size(); ++e) {
    EXPECT_GE(covered[e], 920) << kNames[e];
    EXPECT_LE(covered[e], 980) << kNames[e];
  }
}

}  // namespace
}  // namespace cone
