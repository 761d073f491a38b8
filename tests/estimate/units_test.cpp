// Survey weights: a node stands for several units.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "support/known_log.hpp"

namespace cone {
namespace {

using testing::known_log;
using testing::KnownLog;
using testing::OwnedEvidence;

struct Row {
  const char* name;
  Correction correction = Correction::kSelfNormalised;
};

/// Estimators, with given nuisances. The literal correction is left out: it divides by the number
/// of nodes twice, so that a node of weight two is not two nodes.
const std::vector<Row> kRows = {
    {"naive"},      {"ips"},         {"snips"},     {"ips_clipped"},
    {"dm_ridge"},   {"dr_ridge"},    {"switch_dr"}, {"dr_ridge", Correction::kPlain},
    {"network_dr"}, {"dr_shrinkage"}};

EstimatorOptions options_of(const Row& row) {
  return {.correction = row.correction,
          .clip = 1.5,
          .switch_threshold = 1.7,
          .shrinkage_lambda = 2,
          .target = Target::kPopulation};
}

OwnedEvidence weighted_evidence(const KnownLog& log, const std::vector<double>& weight) {
  OwnedEvidence out = log.evidence();
  const double centre = mean(weight);
  for (const double w : weight) out.sample.weight.push_back(w / centre);
  weigh_rows(out.sample, out.policy);
  return out;
}

Estimate estimate_row(const Row& row, const OwnedEvidence& evidence) {
  return estimate(*find_estimator(row.name), evidence.view(), options_of(row));
}

/// 0, 1, 2 or 3 units.
std::vector<double> draw_counts(std::size_t n, std::uint64_t item) {
  Rng rng(7, Stream::kTest, item);
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(static_cast<double>(rng.below(4)));
  return out;
}

KnownLog repeat_nodes(const KnownLog& log, const std::vector<double>& count) {
  KnownLog out;
  for (std::size_t i = 0; i < count.size(); ++i) {
    for (int k = 0; k < static_cast<int>(count[i]); ++k) {
      out.treatment.push_back(log.treatment[i]);
      out.outcome.push_back(log.outcome[i]);
      out.policy.push_back(log.policy[i]);
      out.propensity.push_back(log.propensity[i]);
      out.mu0.push_back(log.mu0[i]);
      out.mu1.push_back(log.mu1[i]);
    }
  }
  return out;
}

TEST(Units, ANodeOfWeightTwoIsTwoNodes) {
  const KnownLog log = known_log(200, 0.8, 0.3, 1);
  const std::vector<double> count = draw_counts(200, 1);
  const OwnedEvidence weighted = weighted_evidence(log, count);
  const OwnedEvidence repeated = repeat_nodes(log, count).evidence();
  for (const Row& row : kRows) {
    if (std::string(row.name) == "network_dr")
      continue;  // its factor depends on the number of nodes
    const Estimate one = estimate_row(row, weighted);
    const Estimate two = estimate_row(row, repeated);
    EXPECT_NEAR(one.value, two.value, 1e-12) << row.name;
    EXPECT_NEAR(one.mean_weight.value(), two.mean_weight.value(), 1e-12) << row.name;
    EXPECT_NEAR(one.clipped_fraction, two.clipped_fraction, 1e-12) << row.name;
    EXPECT_EQ(one.off_support_fraction.has_value(), two.off_support_fraction.has_value());
  }
}

TEST(Units, AreInvariantToTheScaleOfTheWeights) {
  const KnownLog log = known_log(200, 0.8, 0.3, 2);
  std::vector<double> weight = draw_counts(200, 2);
  const OwnedEvidence once = weighted_evidence(log, weight);
  for (double& w : weight) w *= 7;
  const OwnedEvidence seven = weighted_evidence(log, weight);
  for (const Row& row : kRows) {
    const Estimate a = estimate_row(row, once);
    const Estimate b = estimate_row(row, seven);
    EXPECT_NEAR(a.value, b.value, 1e-12) << row.name;
    if (!std::isnan(a.standard_error)) {
      EXPECT_NEAR(a.standard_error, b.standard_error, 1e-12) << row.name;
    }
  }
}

TEST(Units, ANodeOfWeightZeroAddsNothing) {
  KnownLog log = known_log(200, 0.8, 0.3, 3);
  std::vector<double> weight = draw_counts(200, 3);
  weight[17] = 0;
  std::vector<double> values;
  values.reserve(kRows.size());
  for (const Row& row : kRows) {
    values.push_back(estimate_row(row, weighted_evidence(log, weight)).value);
  }
  log.outcome[17] += 1000;
  log.mu0[17] = -1000;
  for (std::size_t k = 0; k < kRows.size(); ++k) {
    EXPECT_DOUBLE_EQ(estimate_row(kRows[k], weighted_evidence(log, weight)).value, values[k])
        << kRows[k].name;
  }
}

TEST(Units, InfluenceIsTheDerivativeByTheNumberOfUnits) {
  // One more unit at node i moves the value by its influence per unit over the number of units.
  const KnownLog log = known_log(60, 0.8, 0.3, 4);
  std::vector<double> weight = draw_counts(60, 4);
  for (double& w : weight) w += 0.5;
  for (const Row& row : kRows) {
    const std::string name = row.name;
    if (name == "network_dr") continue;  // its influence is that of the direct method
    const OwnedEvidence evidence = weighted_evidence(log, weight);
    const Estimate found = estimate_row(row, evidence);
    EXPECT_NEAR(mean(found.parts.population), 0, 1e-12) << name;
    for (const std::size_t i : {0U, 7U, 31U}) {
      constexpr double kStep = 1e-5;
      std::vector<double> more = weight;
      std::vector<double> fewer = weight;
      more[i] += kStep;
      fewer[i] -= kStep;
      const double slope = (estimate_row(row, weighted_evidence(log, more)).value -
                            estimate_row(row, weighted_evidence(log, fewer)).value) /
                           (2 * kStep);
      EXPECT_NEAR(slope * sum(weight), found.parts.population[i] / evidence.sample.weight[i], 1e-6)
          << name << " node " << i;
    }
  }
}

TEST(Units, AnExampleByHand) {
  // Four nodes of weights 1, 3, 2, 2; treat-all; propensities 1/2, 1/2, 1/4, 1/2.
  KnownLog log;
  log.treatment = {1, 0, 1, 1};
  log.outcome = {1, 2, 3, 5};
  log.policy = {1, 1, 1, 1};
  log.propensity = {0.5, 0.5, 0.25, 0.5};
  log.mu0 = {0, 0, 0, 0};
  log.mu1 = {1, 2, 2, 4};
  const OwnedEvidence evidence = weighted_evidence(log, {1, 3, 2, 2});
  const auto value = [&](const Row& row) { return estimate_row(row, evidence).value; };
  EXPECT_NEAR(value({"naive"}), (1 * 1 + 2 * 3 + 2 * 5) / 5.0, 1e-12);
  EXPECT_NEAR(value({"ips"}), (1 * 2 * 1 + 2 * 4 * 3 + 2 * 2 * 5) / 8.0, 1e-12);
  EXPECT_NEAR(value({"snips"}), (1 * 2 * 1 + 2 * 4 * 3 + 2 * 2 * 5) / (2 + 8 + 4.0), 1e-12);
  EXPECT_NEAR(value({"ips_clipped"}), 1.5 * (1 * 1 + 2 * 3 + 2 * 5) / 8.0, 1e-12);
  const double direct = (1 * 1 + 3 * 2 + 2 * 2 + 2 * 4) / 8.0;
  EXPECT_NEAR(value({"dm_ridge"}), direct, 1e-12);
  EXPECT_NEAR(value({"dr_ridge", Correction::kPlain}), direct + (2 * 4 * 1 + 2 * 2 * 1) / 8.0,
              1e-12);
  EXPECT_NEAR(value({"dr_ridge"}), direct + (2 * 4 * 1 + 2 * 2 * 1) / 14.0, 1e-12);
  EXPECT_NEAR(*estimate_row({"snips"}, evidence).effective_sample_size,
              14.0 * 14 / (2 * 2 + 8 * 8 + 4 * 4), 1e-12);
}

TEST(Units, StandardErrorsAreThoseOfRepeatedSamples) {
  // Survey weights correlate with outcomes; the value is that of the weighted population.
  constexpr std::size_t kDraws = 600;
  for (const Row& row : {Row{"naive"}, Row{"snips"}, Row{"dr_ridge"}}) {
    std::vector<double> values;
    std::vector<double> errors;
    for (std::size_t k = 0; k < kDraws; ++k) {
      const KnownLog log = known_log(600, 0.5, 0.3, 100 + k);
      std::vector<double> weight;
      for (const double m : log.mu0) weight.push_back(std::exp(0.4 * m));
      const Estimate found = estimate_row(row, weighted_evidence(log, weight));
      values.push_back(found.value);
      errors.push_back(found.population_standard_error);
    }
    const double spread = std::sqrt(variance(values, 1));
    EXPECT_NEAR(mean(errors) / spread, 1, 0.1) << row.name;
  }
}

TEST(Units, BoundsApplyToTheWeightOfOneUnit) {
  const std::vector<double> units = {2, 0.5, 0};
  const std::vector<double> weights = {2 * 3.0, 0.5 * 3.0, 0};  // the weight of a unit is 3
  EXPECT_EQ(clipped_weights(weights, 2, units), (std::vector<double>{4, 1, 0}));
  EXPECT_EQ(switched_weights(weights, 2.5, units), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(switched_weights(weights, 3, units), weights);
  const std::vector<double> shrunk = shrunk_weights(weights, 4, units);
  EXPECT_NEAR(shrunk[0], 2 * 4 * 3.0 / (9 + 4), 1e-15);
  EXPECT_NEAR(shrunk[1], 0.5 * 4 * 3.0 / (9 + 4), 1e-15);
  EXPECT_EQ(shrunk[2], 0);
}

TEST(Units, NoiseSharedByTheArmsCancelsForEveryUnit) {
  // Where a node's potential outcomes share all their noise, its contribution is (v − w)·r.
  const KnownLog log = known_log(100, 0.8, 0.3, 6);
  std::vector<double> weight = draw_counts(100, 6);
  OwnedEvidence evidence = weighted_evidence(log, weight);
  evidence.implied = ImpliedWeights{.weights = evidence.sample.weight, .variance = 1e-4};
  const Matrix<double> noise(100, 2, 0.25);
  Evidence view = evidence.view();
  view.noise = &noise;
  const Estimate found = estimate(*find_estimator("dm_ridge"), view,
                                  {.target = Target::kSample, .arm_noise = ArmNoise::kShared});
  for (const double part : found.parts.sample) EXPECT_NEAR(part, 0, 1e-12);
}

}  // namespace
}  // namespace cone
