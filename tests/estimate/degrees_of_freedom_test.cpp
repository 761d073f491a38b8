// Intervals by Student's t: few units of one arm may dominate the variance.

#include "estimate/degrees_of_freedom.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "estimate/significance.hpp"
#include "support/two_alike.hpp"

namespace cone {
namespace {

constexpr std::size_t kThreeArms = 3;

/// A randomised log of `sizes` units per arm with models of no error.
struct Log {
  LoggedSample sample;
  Matrix<double> policy;
  OutcomeTable outcome;
  PropensityTable propensity;
  ImpliedWeights implied;
  Matrix<double> noise;
};

Log make_log(const std::vector<std::size_t>& sizes, const std::vector<double>& policy,
             const Communicator& comm = Communicator::self()) {
  std::vector<Arm> arms;
  for (std::size_t a = 0; a < kThreeArms; ++a)
    arms.insert(arms.end(), sizes[a], static_cast<Arm>(a));
  const std::size_t n = arms.size();
  Log out{.policy = Matrix<double>(n, kThreeArms), .noise = Matrix<double>(n, kThreeArms)};
  out.sample.arms = {"control", "email", "rare"};
  out.sample.comm = &comm;
  out.outcome.mu = Matrix<double>(n, kThreeArms);
  Matrix<double> probability(n, kThreeArms);
  for (std::size_t i = 0; i < n; ++i) {
    Rng rng(3, Stream::kTest, i);
    out.sample.nodes.push_back(static_cast<NodeIndex>(i));
    out.sample.arm.push_back(arms[i]);
    for (std::size_t a = 0; a < kThreeArms; ++a) {
      probability(i, a) = static_cast<double>(sizes[a]) / static_cast<double>(n);
      out.policy(i, a) = policy[a];
      out.noise(i, a) = 1;
    }
    out.sample.outcome.push_back(rng.normal());
    out.implied.weights.push_back(policy[arms[i]] / probability(i, arms[i]));
    out.implied.variance += out.implied.weights[i] * out.implied.weights[i];
  }
  out.implied.variance /= static_cast<double>(n * n);
  out.propensity =
      bound_propensities(std::move(probability), PropensityBounds::same(0.001, kThreeArms), comm);
  return out;
}

Estimate estimate_with(const char* name, const Log& log, Target target = Target::kSample) {
  return estimate(*find_estimator(name),
                  {.sample = log.sample,
                   .policy = log.policy.view(),
                   .outcome = &log.outcome,
                   .propensity = &log.propensity,
                   .implied = &log.implied,
                   .noise = &log.noise},
                  {.target = target});
}

constexpr const char* kWeighing[] = {"naive", "snips", "dr_ridge", "dm_ridge", "network_dm"};

TEST(DegreesOfFreedom, AreThoseOfTheOnlyArmThatThePolicyAssigns) {
  const Log log = make_log({20, 13, 9}, {0, 1, 0});
  for (const char* row : {"naive", "dr_ridge", "network_dm"}) {
    const Estimate found = estimate_with(row, log);
    EXPECT_NEAR(found.degrees_of_freedom, 12, 1e-9) << row;
    const double half_width = two_sided_t_quantile(0.95, 12) * found.standard_error;
    EXPECT_NEAR(found.sampling_interval.second, found.value + half_width, 1e-9) << row;
  }
}

TEST(DegreesOfFreedom, AreThoseOfWelchForTwoArms) {
  const std::vector<double> a = {1, 3, 4, 8, 9, 2};
  const std::vector<double> b = {10, 11, 13, 11};
  LoggedSample sample;
  sample.arms = {"a", "b"};
  std::vector<double> contributions;
  const auto add_arm = [&](const std::vector<double>& values, Arm arm) {
    const auto n = static_cast<double>(values.size());
    for (const double v : values) {
      sample.arm.push_back(arm);
      contributions.push_back((v - mean(values)) / n * std::sqrt(n / (n - 1)));
    }
  };
  add_arm(a, 0);
  add_arm(b, 1);
  EXPECT_NEAR(satterthwaite_degrees(sample, contributions, std::vector<double>{5, 3}),
              welch_t_test_less(a, b).degrees_of_freedom, 1e-9);
}

TEST(DegreesOfFreedom, AreFewWhereASmallArmDominates) {
  for (const char* row : kWeighing) {
    for (const Target target : {Target::kSample, Target::kPopulation}) {
      const Log few = make_log({297, 297, 6}, {0, 0.8, 0.2});
      EXPECT_LT(estimate_with(row, few, target).degrees_of_freedom, 20) << row;
      const Log many = make_log({200, 200, 200}, {0, 0.8, 0.2});
      EXPECT_GT(estimate_with(row, many, target).degrees_of_freedom, 190) << row;
    }
    const Log unused = make_log({297, 297, 6}, {0.5, 0.5, 0});
    EXPECT_GT(estimate_with(row, unused).degrees_of_freedom, 290) << row << ": never assigned";
    for (const std::string& warning :
         estimate_with(row, make_log({30, 30, 6}, {0, 0, 1})).warnings) {
      EXPECT_EQ(warning.find("narrow"), std::string::npos) << warning;
    }
  }
}

TEST(DegreesOfFreedom, AreSplitByTheNetworkRidgeForTheSample) {
  Log log = make_log({40, 40, 40}, {0, 1, 0});
  log.implied.noise_share = {1, 0.6, 1};
  log.implied.imbalance = {0};
  EXPECT_NEAR(estimate_with("network_dm", log).degrees_of_freedom, 0.6 * 40 - 1, 1e-9);
  log.implied.noise_share[1] = 0.2;
  EXPECT_NEAR(estimate_with("network_dm", log).degrees_of_freedom, 0.8 * 40 - 1, 1e-9);
  EXPECT_NEAR(estimate_with("network_dm", log, Target::kPopulation).degrees_of_freedom, 39, 1e-9);
}

TEST(DegreesOfFreedom, UnequalWeightsCountForFewer) {
  Log log = make_log({40, 40, 40}, {0, 1, 0});
  for (std::size_t i = 40; i < 50; ++i) log.implied.weights[i] *= 5;
  const double effective = (10 * 25.0 + 30) * (10 * 25.0 + 30) / (10 * 625.0 + 30);
  EXPECT_NEAR(estimate_with("network_dm", log).degrees_of_freedom, effective - 1, 1e-9);
}

TEST(DegreesOfFreedom, AreCountedOverAllRanks) {
  const testing::TwoAlike two;
  const Log half = make_log({300, 300, 30}, {0, 0, 1}, two);
  const Log alone = make_log({300, 300, 30}, {0, 0, 1});
  EXPECT_NEAR(estimate_with("dm_ridge", alone).degrees_of_freedom, 29, 1e-9);
  EXPECT_NEAR(estimate_with("dm_ridge", half).degrees_of_freedom, 59, 1e-9);
}

}  // namespace
}  // namespace cone
