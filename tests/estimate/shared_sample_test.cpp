// Estimates of a sample that is distributed over several ranks.

#include <gtest/gtest.h>

#include "cone/estimate.hpp"

#include "base/random.hpp"
#include "support/two_alike.hpp"

namespace cone {
namespace {

/// A sample with all inputs of an estimate; rows beyond n repeat the first ones.
struct Logged {
  LoggedSample sample;
  Matrix<double> policy;
  OutcomeTable outcome;
  PropensityTable propensity;
  ImpliedWeights implied;
  Matrix<double> noise;
};

Logged make_log(std::size_t n, std::size_t copies, const Communicator& comm) {
  constexpr std::size_t kArms = 3;
  const std::size_t rows = n * copies;
  Logged out{.policy = Matrix<double>(rows, kArms), .noise = Matrix<double>(rows, kArms)};
  out.sample.arms = {"none", "email", "sms"};
  out.sample.comm = &comm;
  out.outcome.mu = Matrix<double>(rows, kArms);
  Matrix<double> probability(rows, kArms);
  for (std::size_t i = 0; i < rows; ++i) {
    Rng rng(7, Stream::kTest, i % n);
    const auto arm = static_cast<Arm>(i % n % kArms);
    out.sample.nodes.push_back(static_cast<NodeIndex>(i));
    out.sample.arm.push_back(arm);
    double total = 0;
    for (std::size_t a = 0; a < kArms; ++a) {
      out.outcome.mu(i, a) = rng.normal() + static_cast<double>(a);
      total += probability(i, a) = a == 2 && i % n % 10 == 0 ? 1e-4 : 0.1 + rng.uniform();
      out.policy(i, a) = a == 2 ? 0.7 : 0.15;
      out.noise(i, a) = 0.5 + 0.1 * static_cast<double>(a);
    }
    for (double& p : probability.row(i)) p /= total;
    out.sample.outcome.push_back(out.outcome.mu(i, arm) + rng.normal());
    out.implied.weights.push_back(0.5 + rng.uniform());
  }
  out.implied.variance = 0.01;
  out.outcome.implausible = {{.row = 1, .arm = 2, .predicted = out.outcome.mu(1, 2), .limit = 0.5}};
  if (copies == 2) {
    out.outcome.implausible.push_back(out.outcome.implausible.front());
    out.outcome.implausible.back().row += n;
  }
  out.propensity =
      bound_propensities(std::move(probability), PropensityBounds::same(0.01, kArms), comm);
  return out;
}

TEST(SharedSample, EstimatesAreThoseOfAllRanks) {
  const testing::TwoAlike two;
  const Logged part = make_log(90, 1, two);
  const Logged all = make_log(90, 2, Communicator::self());
  for (const char* name : {"naive", "ips", "snips", "ips_clipped", "dm_ridge", "dr_ridge",
                           "switch_dr", "dr_shrinkage", "network_dm", "network_dr"}) {
    const EstimatorInfo& row = *find_estimator(name);
    for (const Target target : {Target::kSample, Target::kPopulation}) {
      SCOPED_TRACE(name);
      const EstimatorOptions options{.target = target};
      const auto value = [&](const Logged& log) {
        return estimate(row,
                        {.sample = log.sample,
                         .policy = log.policy.view(),
                         .outcome = &log.outcome,
                         .propensity = &log.propensity,
                         .implied = &log.implied,
                         .noise = &log.noise},
                        options);
      };
      const Estimate own = value(part);
      const Estimate expected = value(all);
      const auto expect_same = [](double a, double b) {
        EXPECT_TRUE(std::isnan(a) == std::isnan(b));
        if (std::isnan(a)) return;
        EXPECT_NEAR(a, b, 1e-12 * (1 + std::abs(b)));
      };
      expect_same(own.value, expected.value);
      expect_same(own.standard_error, expected.standard_error);
      expect_same(own.population_standard_error, expected.population_standard_error);
      expect_same(own.sampling_interval.second, expected.sampling_interval.second);
      expect_same(own.parts.unlogged_variance, expected.parts.unlogged_variance);
      expect_same(own.effective_sample_size.value_or(0),
                  expected.effective_sample_size.value_or(0));
      expect_same(own.max_weight.value_or(0), expected.max_weight.value_or(0));
      expect_same(own.mean_weight.value_or(0), expected.mean_weight.value_or(0));
      expect_same(own.clipped_fraction, expected.clipped_fraction);
      expect_same(own.off_support_fraction.value_or(0), expected.off_support_fraction.value_or(0));
      EXPECT_EQ(own.status, expected.status);
      EXPECT_EQ(own.warnings, expected.warnings);
      EXPECT_FALSE(own.warnings.empty());
      for (std::size_t i = 0; i < own.parts.sample.size(); ++i) {
        expect_same(own.parts.sample[i], expected.parts.sample[i]);
      }
    }
  }
}

}  // namespace
}  // namespace cone
