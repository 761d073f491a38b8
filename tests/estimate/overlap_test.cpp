#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/estimate.hpp"
#include "cone/options.hpp"

#include "support/known_log.hpp"

namespace cone {
namespace {

using testing::fitted_table;
using testing::known_log;
using testing::KnownLog;
using testing::OwnedEvidence;

bool says(const Estimate& estimate, const std::string& part) {
  return std::any_of(estimate.warnings.begin(), estimate.warnings.end(),
                     [&](const std::string& w) { return w.find(part) != std::string::npos; });
}

Estimate of(const char* name, const OwnedEvidence& evidence, const EstimatorOptions& options = {}) {
  return estimate(*find_estimator(name), evidence.view(), options);
}

/// Treat-all, where a `share` of the nodes has propensity 0.
KnownLog without_support(double share) {
  KnownLog sample = known_log(1000, 0, 0, 3);
  for (std::size_t i = 0; i < 1000; ++i) {
    sample.policy[i] = 1;
    if (static_cast<double>(i) < 1000 * share) {
      sample.propensity[i] = 0;
      sample.treatment[i] = 0;
    }
  }
  return sample;
}

TEST(Overlap, EveryEstimatorWarnsOfNodesOffSupport) {
  const KnownLog sample = without_support(0.31);
  for (const char* name : {"naive", "ips", "snips", "ips_clipped", "dm", "dr", "switch_dr"}) {
    const Estimate result = of(name, sample.evidence());
    EXPECT_EQ(result.status, EstimateStatus::kCaution) << name;
    EXPECT_DOUBLE_EQ(*result.off_support_fraction, 0.31) << name;
    EXPECT_NEAR(*result.mean_weight, 0.69, 0.08) << name;
    EXPECT_TRUE(says(
        result,
        "positivity violation: 31 % of the policy's assignments are off support (propensity 0)"))
        << name;
    EXPECT_FALSE(says(result, "mean importance weight is")) << name << ": 0.69 is expected";
  }
}

TEST(Overlap, WeightingEstimatorsHaveNoIntervalOffSupport) {
  const KnownLog sample = without_support(0.31);
  for (const char* name : {"ips", "snips", "ips_clipped", "dr"}) {
    const Estimate result = of(name, sample.evidence());
    EXPECT_TRUE(std::isfinite(result.value)) << name;
    EXPECT_TRUE(std::isnan(result.standard_error)) << name;
    EXPECT_TRUE(std::isnan(result.sampling_interval.first)) << name;
    EXPECT_TRUE(says(result, "dm_ridge has one")) << name;
  }
  EXPECT_FALSE(std::isnan(of("naive", sample.evidence()).standard_error));
}

TEST(Overlap, OneNodeInAThousandIsReportedWithoutAWarning) {
  const Estimate result = of("snips", without_support(0.001).evidence());
  EXPECT_EQ(*result.off_support_fraction, 0.001);
  EXPECT_TRUE(result.warnings.empty()) << result.warnings[0];
  EXPECT_TRUE(std::isfinite(result.standard_error));
}

TEST(Overlap, APolicyThatAvoidsTheUnsupportedArmIsOnSupport) {
  KnownLog sample = without_support(0.31);
  for (double& p : sample.policy) p = 0;
  EXPECT_EQ(*of("ips", sample.evidence()).off_support_fraction, 0);
}

TEST(Overlap, FittedPropensitiesBelowTheBoundCountByThePolicysProbability) {
  KnownLog sample = known_log(1000, 0, 0, 4);
  std::vector<double> unbounded = sample.propensity;
  for (std::size_t i = 0; i < 100; ++i) {
    unbounded[i] = 0.001;
    sample.propensity[i] = 0.01;
    sample.policy[i] = 0.25;
    sample.treatment[i] = 0;
  }
  OwnedEvidence input = sample.evidence();
  input.propensity = fitted_table(sample.propensity, unbounded, 0.01);
  const Estimate direct = of("naive", input);
  EXPECT_DOUBLE_EQ(*direct.off_support_fraction, 0.025);
  EXPECT_TRUE(
      says(direct, "2.5 % of the policy's assignments are off support (propensity below 0.01)"));
  EXPECT_TRUE(std::isfinite(of("snips", input).standard_error)) << "a fit is no certainty";
}

TEST(Overlap, FittedPropensitiesBelowTheBoundRemoveIntervalsWhereTheMeanWeightIsLowToo) {
  KnownLog sample = without_support(0.31);
  std::vector<double> unbounded = sample.propensity;
  for (std::size_t i = 0; i < 310; ++i) {
    unbounded[i] = 1e-4;
    sample.propensity[i] = 0.01;
  }
  OwnedEvidence input = sample.evidence();
  input.propensity = fitted_table(sample.propensity, unbounded, 0.01);
  const Estimate result = of("snips", input);
  EXPECT_TRUE(std::isnan(result.standard_error));
  EXPECT_TRUE(says(result, "part of the policy is off support"));
  EXPECT_TRUE(says(of("switch_dr", input), "part of the policy is off support"));
  const Estimate direct = of("dm_nn", input);
  EXPECT_TRUE(says(direct, "estimation error of the outcome model"));
  EXPECT_FALSE(says(direct, "dr_nn has one")) << "not here";
}

TEST(ConstantArm, RemovesTheIntervalOfPoliciesThatAssignIt) {
  KnownLog sample = known_log(400, 0, 0, 8);
  for (std::size_t i = 0; i < 400; ++i) {
    if (sample.treatment[i] == 1) sample.outcome[i] = 3;
  }
  for (const char* name : {"naive", "ips", "snips", "dr"}) {
    for (const double share : {1.0, 0.5}) {
      std::ranges::fill(sample.policy, share);
      const Estimate given = of(name, sample.evidence());
      EXPECT_TRUE(std::isnan(given.standard_error)) << name;
      EXPECT_TRUE(says(given, "all outcomes in arm 1 are equal (3)")) << name;
      EXPECT_EQ(given.status, EstimateStatus::kCaution) << name;
    }
    std::ranges::fill(sample.policy, 0.0);
    EXPECT_TRUE(std::isfinite(of(name, sample.evidence()).standard_error)) << name;
  }
}

TEST(Overlap, WithoutPropensitiesNothingIsKnown) {
  const KnownLog sample = known_log(100, 0, 0, 5);
  OwnedEvidence input = sample.evidence();
  input.propensity.reset();
  const Estimate result = of("naive", input);
  EXPECT_FALSE(result.mean_weight);
  EXPECT_FALSE(result.off_support_fraction);
}

TEST(MeanWeight, FarFromOneIsAWarningOfEstimatorsThatUsePropensities) {
  KnownLog right = known_log(2000, 1, 0, 6);
  std::fill(right.policy.begin(), right.policy.end(), 1.0);
  EXPECT_FALSE(says(of("ips", right.evidence()), "mean importance weight"));
  KnownLog wrong = right;
  for (double& e : wrong.propensity) e *= 0.8;
  EXPECT_TRUE(says(of("ips", wrong.evidence()), "the propensities are misspecified"));
  EXPECT_FALSE(says(of("naive", wrong.evidence()), "mean importance weight"));
}

TEST(BoundedWeights, AreAWarningWhereTheyMoveTheEstimateHoweverMany) {
  KnownLog sample = known_log(1000, 1, 0, 7);
  std::vector<double> unbounded = sample.propensity;
  // For nine nodes in ten assignment is nearly deterministic, and the policy assigns the same arm:
  // bounding changes their weights from 1 to 1.0001.
  for (std::size_t i = 0; i < 900; ++i) {
    const bool treated = sample.treatment[i] == 1;
    sample.policy[i] = treated ? 1 : 0;
    unbounded[i] = treated ? 1 - 1e-5 : 1e-5;
    sample.propensity[i] = treated ? 1 - 1e-4 : 1e-4;
  }
  OwnedEvidence input = sample.evidence();
  input.propensity = fitted_table(sample.propensity, unbounded, 1e-4);
  const Estimate calm = of("ips", input);
  EXPECT_DOUBLE_EQ(calm.clipped_fraction, 0.9);
  EXPECT_TRUE(calm.warnings.empty()) << calm.warnings[0];

  // Bounding one large weight moves the estimate.
  sample.policy[950] = sample.treatment[950];
  unbounded[950] = sample.treatment[950] == 1 ? 0.005 : 0.995;
  sample.propensity[950] = sample.treatment[950] == 1 ? 0.05 : 0.95;
  sample.outcome[950] = 10;
  input = sample.evidence();
  input.propensity = fitted_table(sample.propensity, unbounded, 0.05);
  const Estimate moved = of("ips", input);
  EXPECT_TRUE(says(moved, "keeping propensities within [0.05, 0.95] moved the estimate by -1.8"))
      << moved.warnings.size();
  EXPECT_TRUE(says(moved, "standard errors)"));
}

TEST(BoundedWeights, AClipReportsHowFarItMovedTheEstimate) {
  const KnownLog sample = known_log(1000, 1, 0, 8);
  const double free = of("ips_clipped", sample.evidence(), {.clip = 1e9}).value;
  EXPECT_FALSE(says(of("ips_clipped", sample.evidence(), {.clip = 1e9}), "moved the estimate"));
  const Estimate cut = of("ips_clipped", sample.evidence(), {.clip = 1});
  EXPECT_TRUE(
      says(cut, fmt::format("clipping weights moved the estimate by {:+.3g} (", cut.value - free)));
}

TEST(ImplausiblePredictions, AreAWarningWhereTheyMoveTheValue) {
  KnownLog sample = known_log(1000, 0, 0, 9);
  OwnedEvidence input = sample.evidence();
  input.outcome.bounded = true;
  const auto predict = [&](std::size_t row, double excess) {
    input.outcome.implausible.push_back(
        {.row = row, .arm = 1, .predicted = sample.mu1[row] + excess, .limit = sample.mu1[row]});
  };
  predict(0, 1000);  // the value would be off by about 1000·π_0/1000
  const Estimate bounded = of("dr", input);
  EXPECT_TRUE(says(
      bounded,
      "0.1 % of the nodes lie far outside the range of observed outcomes; truncating them moved"));
  EXPECT_EQ(bounded.value, of("dr", sample.evidence()).value);

  input.outcome.implausible.clear();
  predict(0, 1e-3);
  EXPECT_FALSE(says(of("dr", input), "range of observed outcomes")) << "neither many nor far";
  for (std::size_t i = 1; i < 20; ++i) predict(i, 1e-3);
  EXPECT_TRUE(says(of("dr", input), "2 % of the nodes lie far outside")) << "many";

  input.policy = two_arm_probabilities(std::vector<double>(1000, 0.0));
  EXPECT_FALSE(says(of("dm", input), "range of observed outcomes")) << "a policy that uses none";
}

TEST(StandardErrors, ThatWouldIgnoreTheErrorOfTheOutcomeModelAreNotReported) {
  const KnownLog sample = known_log(500, 1, 0.3, 10);
  for (const auto& [name, valid] : {std::pair{"switch_dr", "dr_ridge"},
                                    {"dr_shrinkage", "dr_ridge"},
                                    {"dm_nn", "dr_nn"},
                                    {"cone_dm", "cone"},
                                    {"dm", "dr"}}) {
    const Estimate result = of(name, sample.evidence());
    EXPECT_TRUE(std::isfinite(result.value)) << name;
    EXPECT_TRUE(std::isnan(result.standard_error)) << name;
    EXPECT_TRUE(std::isnan(result.sampling_interval.first) &&
                std::isnan(result.sampling_interval.second))
        << name;
    EXPECT_EQ(result.status, EstimateStatus::kCaution) << name;
    EXPECT_TRUE(
        says(result, std::string("estimation error of the outcome model; ") + valid + " has one"))
        << name;
    EXPECT_TRUE(std::isfinite(of(valid, sample.evidence()).standard_error)) << valid;
  }
  OwnedEvidence input = sample.evidence();
  EstimatorInfo given = *find_estimator("dm_ols1");
  given.outcome = LearnerId::kGiven;
  EXPECT_TRUE(says(estimate(given, input.view(), {}), "; dr has one"));
  input.implied = ImpliedWeights{.weights = std::vector<double>(500, 1), .variance = 0.01};
  EXPECT_GE(of("dm_ols1", input).standard_error, 0.1);
}

}  // namespace
}  // namespace cone
