// The shrunken doubly robust correction of network_dr, and the target of standard errors.

#include <cmath>

#include <gtest/gtest.h>

#include "cone/estimate.hpp"
#include "cone/options.hpp"

#include "estimate/significance.hpp"
#include "support/known_log.hpp"

namespace cone {
namespace {

using testing::known_log;
using testing::KnownLog;
using testing::OwnedEvidence;

struct Parts {
  std::vector<double> expected, weights, residual;
};

/// Residuals of mean `shift` and standard deviation 1, half of them weighted.
Parts parts_of(std::size_t n, double shift) {
  Parts out;
  for (std::size_t i = 0; i < n; ++i) {
    out.expected.push_back(static_cast<double>(i % 5));
    out.weights.push_back(i % 2 == 0 ? 2 : 0);
    out.residual.push_back(shift + (i % 4 < 2 ? 1 : -1));
  }
  return out;
}

CautiousCorrection correct(const Parts& parts) {
  return correct_cautiously(parts.expected, parts.weights, parts.residual);
}

TEST(CautiousCorrection, IsDroppedWithinOneStandardError) {
  const double error = correct(parts_of(400, 0)).correction_error;
  EXPECT_NEAR(error, std::sqrt(2.0 / 400), 0.01);
  for (const double shift : {0.0, 0.5 * error, -0.99 * error}) {
    const CautiousCorrection found = correct(parts_of(400, shift));
    EXPECT_NEAR(found.correction, shift, 1e-12);
    EXPECT_EQ(found.factor, 0) << shift;
  }
}

TEST(CautiousCorrection, IsShrunkLessTheMoreSignificantItIs) {
  const double error = correct(parts_of(400, 0)).correction_error;
  double before = 0;
  for (const double sizes : {1.01, 1.5, 2.0, 5.0, 50.0}) {
    for (const double sign : {1.0, -1.0}) {
      const CautiousCorrection found = correct(parts_of(400, sign * sizes * error));
      EXPECT_GT(found.factor, 0);
      EXPECT_LT(found.factor, 1);
      // The spread of the residuals is that of the shift, so the error is the same.
      EXPECT_NEAR(found.factor, 1 - 1 / (sizes * sizes), 1e-9);
    }
    EXPECT_GT(correct(parts_of(400, sizes * error)).factor, before);
    before = correct(parts_of(400, sizes * error)).factor;
  }
  EXPECT_GT(correct(parts_of(400, 1000 * error)).factor, 1 - 2e-6) << "significant";
  Parts exact = parts_of(400, 3);
  for (double& r : exact.residual) r = 3;
  EXPECT_EQ(correct(exact).factor, 1) << "without any error";
}

TEST(CautiousCorrection, IsZeroWithoutResiduals) {
  Parts none = parts_of(100, 0);
  for (double& r : none.residual) r = 0;
  const CautiousCorrection found = correct(none);
  EXPECT_EQ(found.factor, 0);
  EXPECT_EQ(found.correction, 0);
  EXPECT_NEAR(found.direct.value, 2, 1e-12);
}

/// Evidence with the implied weights of an outcome model and these variances.
OwnedEvidence with_implied(const KnownLog& sample, std::optional<double> for_sample,
                           double of_model) {
  OwnedEvidence evidence = sample.evidence();
  evidence.implied = ImpliedWeights{.weights = std::vector<double>(sample.outcome.size(), 1.0),
                                    .variance = of_model,
                                    .variance_for_sample = for_sample};
  return evidence;
}

Estimate row(const char* name, const OwnedEvidence& evidence) {
  return estimate(*find_estimator(name), evidence.view(), {.target = Target::kSample});
}

TEST(Targets, TheDirectMethodIsAboutTheSampleWhereTheModelHasItsVariance) {
  const KnownLog sample = known_log(400, 1, 0, 1);
  const Estimate sampled = row("network_dm", with_implied(sample, 0.04, 0.09));
  EXPECT_EQ(sampled.target, Target::kSample);
  EXPECT_NEAR(sampled.standard_error, 0.2, 1e-12);
  const std::vector<double> expected =
      expected_outcome(sample.evidence().view().policy, sample.evidence().outcome.mu.view());
  const double units = variance(expected, 1) / 400;
  // The arms' noise is the same: its raised variance adds little.
  EXPECT_GE(sampled.population_standard_error, std::sqrt(units + 0.09) - 1e-12);
  EXPECT_NEAR(sampled.population_standard_error, std::sqrt(units + 0.09), 1e-4);
  const double quantile = two_sided_t_quantile(0.95, sampled.degrees_of_freedom);
  EXPECT_GT(sampled.degrees_of_freedom, 100);
  EXPECT_NEAR(sampled.sampling_interval.first, sampled.value - quantile * 0.2, 1e-9);
  EXPECT_NEAR(sampled.population_sampling_interval.second,
              sampled.value + quantile * sampled.population_standard_error, 1e-9);

  const Estimate population = row("dm_ridge", with_implied(sample, std::nullopt, 0.09));
  EXPECT_EQ(population.target, Target::kPopulation);
  EXPECT_EQ(population.standard_error, population.population_standard_error);
  EXPECT_EQ(population.sampling_interval, population.population_sampling_interval);
  EXPECT_NEAR(population.standard_error, sampled.population_standard_error, 1e-12);
}

TEST(CautiousCorrection, HasNoLargerEffectiveSampleSizeThanItsRegression) {
  OwnedEvidence evidence = with_implied(known_log(400, 0.5, 0, 3), 0.04, 0.09);
  for (std::size_t i = 0; i < 400; ++i) evidence.implied->weights[i] = i < 12 ? 400.0 / 12 : 0;
  const Estimate found = row("network_dr", evidence);
  EXPECT_NEAR(found.effective_sample_size.value(), 12, 1e-9);
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_NE(found.warnings[0].find("12 of 400"), std::string::npos) << found.warnings[0];
}

TEST(Targets, EstimatorsWithoutAnOutcomeModelAreAboutThePopulation) {
  const OwnedEvidence evidence = with_implied(known_log(400, 1, 0.2, 2), 0.04, 0.09);
  for (const EstimatorInfo& info : estimator_catalogue()) {
    if (info.needs_balance() || info.needs_outcome_model() || info.method == Method::kArmMeans) {
      continue;
    }
    const Estimate found = estimate(info, evidence.view(), {});
    EXPECT_EQ(found.target, Target::kPopulation) << info.name;
    if (std::isnan(found.standard_error)) {
      EXPECT_TRUE(std::isnan(found.population_standard_error)) << info.name;
      EXPECT_TRUE(std::isnan(found.population_sampling_interval.first)) << info.name;
    } else {
      EXPECT_EQ(found.standard_error, found.population_standard_error) << info.name;
      EXPECT_EQ(found.sampling_interval, found.population_sampling_interval) << info.name;
    }
  }
}

TEST(NetworkDr, IsNetworkDmWhereTheModelIsRight) {
  const OwnedEvidence evidence = with_implied(known_log(400, 0, 0, 3), 0.04, 0.09);
  OwnedEvidence exact = evidence;
  // Alternating residuals: the correction is within its standard error.
  for (std::size_t i = 0; i < 400; ++i) {
    exact.sample.outcome[i] = exact.outcome.mu(i, exact.sample.arm[i]) + (i % 2 == 0 ? 0.1 : -0.1);
  }
  const Estimate dm = row("network_dm", exact);
  const Estimate dr = row("network_dr", exact);
  EXPECT_EQ(dr.value, dm.value);
  EXPECT_EQ(dr.standard_error, dm.standard_error);
  EXPECT_EQ(dr.population_standard_error, dm.population_standard_error);
}

TEST(NetworkDr, CorrectsAMisspecifiedModelAndHasALargerError) {
  const KnownLog sample = known_log(40000, 1, 0, 4);
  OwnedEvidence wrong = with_implied(sample, 1e-6, 2e-6);
  for (std::size_t i = 0; i < 40000; ++i) wrong.outcome.mu(i, 0) += 0.5;
  const Estimate dm = row("network_dm", wrong);
  const Estimate dr = row("network_dr", wrong);
  EXPECT_GT(std::abs(dm.value - sample.true_value), 0.1);
  EXPECT_NEAR(dr.value, sample.true_value, 0.05);
  EXPECT_GT(dr.standard_error, dm.standard_error);
}

TEST(NetworkDr, ItsErrorIsNeverBelowThatOfNetworkDm) {
  for (std::uint64_t item = 10; item < 40; ++item) {
    for (const double model_error : {0.0, 0.1, 1.0}) {
      const OwnedEvidence evidence = with_implied(known_log(200, 1, model_error, item), 0.01, 0.02);
      const Estimate dm = row("network_dm", evidence);
      const Estimate dr = row("network_dr", evidence);
      EXPECT_GE(dr.standard_error, dm.standard_error);
      EXPECT_GE(dr.population_standard_error, dm.population_standard_error);
      EXPECT_EQ(dr.target, Target::kSample);
    }
  }
}

TEST(NetworkDr, HasNoErrorWhereThatOfTheModelIsUnknown) {
  const OwnedEvidence evidence = known_log(200, 1, 0.1, 5).evidence();
  for (const char* name : {"network_dm", "network_dr"}) {
    const Estimate found = row(name, evidence);
    EXPECT_TRUE(std::isfinite(found.value)) << name;
    EXPECT_TRUE(std::isnan(found.standard_error)) << name;
    EXPECT_TRUE(std::isnan(found.population_standard_error)) << name;
    EXPECT_TRUE(std::isnan(found.population_sampling_interval.second)) << name;
  }
}

TEST(NetworkDr, IsTheDirectMethodWithoutAnyOverlap) {
  KnownLog sample = known_log(200, 0, 0, 6);
  for (std::size_t i = 0; i < 200; ++i) sample.policy[i] = 1 - sample.treatment[i];
  const OwnedEvidence evidence = with_implied(sample, 0.01, 0.02);
  const Estimate found = row("network_dr", evidence);
  EXPECT_EQ(found.value, row("network_dm", evidence).value);
  EXPECT_EQ(found.status, EstimateStatus::kCaution);
  EXPECT_FALSE(found.warnings.empty());
}

}  // namespace
}  // namespace cone
