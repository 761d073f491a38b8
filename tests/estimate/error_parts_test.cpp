#include "estimate/error_parts.hpp"

#include <cmath>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "support/known_log.hpp"

namespace cone {
namespace {

using testing::known_log;
using testing::KnownLog;
using testing::OwnedEvidence;

/// Evidence with noise of a known variance and the implied weights of a linear model.
struct NoisyEvidence {
  OwnedEvidence owned;
  Matrix<double> noise;

  explicit NoisyEvidence(const KnownLog& log) : owned(log.evidence()) {
    const std::size_t n = log.outcome.size();
    noise = Matrix<double>(n, 2, 0.25);
    owned.implied = ImpliedWeights{.weights = std::vector<double>(n, 1.0), .variance = 1e-4};
  }
  Evidence view() const {
    Evidence out = owned.view();
    out.noise = &noise;
    return out;
  }
};

Estimate row(const char* name, const NoisyEvidence& evidence, ArmNoise arm_noise,
             Target target = Target::kSample) {
  return estimate(*find_estimator(name), evidence.view(),
                  {.target = target, .arm_noise = arm_noise});
}

TEST(ErrorParts, AreThoseOfTheFormula) {
  const KnownLog log = known_log(300, 1, 0, 1);
  const NoisyEvidence evidence(log);
  const Estimate found = row("dm_ridge", evidence, ArmNoise::kIndependent);
  ASSERT_EQ(found.target, Target::kSample);
  const std::vector<double> raised = residuals_for_errors(evidence.view());
  double unlogged = 0;
  std::vector<double> parts;
  for (std::size_t i = 0; i < 300; ++i) {
    const Arm t = log.treatment[i];
    const double taken = t == 1 ? log.policy[i] : 1 - log.policy[i];
    const double residual = log.outcome[i] - (t == 1 ? log.mu1[i] : log.mu0[i]);
    EXPECT_NEAR(raised[i], residual, 0.02 * std::abs(residual));  // the arms' noise is the same
    parts.push_back((1 - taken) * raised[i]);
    unlogged += (1 - taken) * (1 - taken) * 0.25 / (300.0 * 300);
    EXPECT_NEAR(found.parts.sample[i], parts[i], 1e-12);
    EXPECT_NEAR(found.parts.coefficient[i], 1 - taken, 1e-12);
  }
  EXPECT_NEAR(found.parts.unlogged_variance, unlogged, 1e-15);
  EXPECT_NEAR(found.standard_error, std::sqrt(variance(parts, 1) / 300 + unlogged), 1e-12);
  EXPECT_NEAR(found.parts.predictive_error, found.standard_error, 1e-12);
}

TEST(ErrorParts, NoiseOfOtherArmsFollowsTheOption) {
  const NoisyEvidence evidence(known_log(300, 1, 0, 2));
  const double independent = row("dm_ridge", evidence, ArmNoise::kIndependent).standard_error;
  const double shared = row("dm_ridge", evidence, ArmNoise::kShared).standard_error;
  const double worst_case = row("dm_ridge", evidence, ArmNoise::kWorstCase).standard_error;
  EXPECT_LT(shared, 1e-12) << "every outcome has weight 1: shared noise cancels";
  EXPECT_LT(independent, worst_case);
  EXPECT_LT(shared, worst_case);
}

TEST(ErrorParts, ThePopulationIsTheOtherTarget) {
  const NoisyEvidence evidence(known_log(300, 1, 0, 3));
  for (const char* name : {"naive", "dm_ridge", "dr_ridge", "switch_dr", "dr_shrinkage"}) {
    const Estimate sampled = row(name, evidence, ArmNoise::kIndependent);
    const Estimate population = row(name, evidence, ArmNoise::kIndependent, Target::kPopulation);
    EXPECT_EQ(sampled.target, Target::kSample) << name;
    EXPECT_EQ(population.target, Target::kPopulation) << name;
    EXPECT_EQ(population.standard_error, sampled.population_standard_error) << name;
    if (std::string_view(name) == "naive")
      continue;  // its residuals are the variance between units
    EXPECT_LT(sampled.standard_error, population.standard_error)
        << name << ": without the variance of sampling units";
  }
}

TEST(ErrorParts, ImbalanceReplacesThePartOfTheResidualsThatIsNotNoise) {
  NoisyEvidence evidence(known_log(300, 1, 0, 4));
  const Estimate plain = row("network_dm", evidence, ArmNoise::kIndependent);
  evidence.owned.implied->imbalance = {0.01};
  evidence.owned.implied->noise_share = {0.25, 0.25};
  const Estimate split = row("network_dm", evidence, ArmNoise::kIndependent);
  const double expected = std::sqrt(0.25 * plain.standard_error * plain.standard_error + 0.01);
  EXPECT_NEAR(split.standard_error, expected, 1e-12);
  EXPECT_NEAR(split.parts.predictive_error, plain.standard_error, 1e-12);
}

TEST(ErrorParts, OfACorrectedEstimatorAreTheDirectMethodOnTheUncorrectedPart) {
  const KnownLog log = known_log(50, 1, 0.3, 5);
  const OwnedEvidence owned = log.evidence();
  const Evidence evidence = owned.view();
  const std::vector<double> weights =
      residual_weights(*find_estimator("switch_dr"), evidence, {.switch_threshold = 2});
  const Matrix<double> table = uncorrected_part(evidence, weights);
  CompensatedSum value;
  for (std::size_t i = 0; i < 50; ++i) {
    value.add(dot(table.row(i), owned.outcome.mu.row(i)) + weights[i] * log.outcome[i]);
    EXPECT_LE(weights[i], 2);
  }
  const double expected =
      estimate(*find_estimator("switch_dr"), evidence, {.switch_threshold = 2}).value;
  EXPECT_NEAR(value.value() / 50, expected, 1e-12);
}

}  // namespace
}  // namespace cone
