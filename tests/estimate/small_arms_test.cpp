// Few units of one arm may dominate the variance while the overall effective sample size is large.

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/estimate.hpp"

#include "base/random.hpp"
#include "support/two_alike.hpp"

namespace cone {
namespace {

constexpr std::size_t kArms = 3;

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
             const Totals& totals = Totals::alone()) {
  std::vector<Arm> arms;
  for (std::size_t a = 0; a < kArms; ++a) arms.insert(arms.end(), sizes[a], static_cast<Arm>(a));
  const std::size_t n = arms.size();
  Log out{.policy = Matrix<double>(n, kArms), .noise = Matrix<double>(n, kArms)};
  out.sample.arms = {"control", "email", "rare"};
  out.sample.totals = &totals;
  out.outcome.mu = Matrix<double>(n, kArms);
  Matrix<double> probability(n, kArms);
  for (std::size_t i = 0; i < n; ++i) {
    Rng rng(3, Stream::kTest, i);
    out.sample.nodes.push_back(static_cast<NodeIndex>(i));
    out.sample.arm.push_back(arms[i]);
    for (std::size_t a = 0; a < kArms; ++a) {
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
      bound_propensities(std::move(probability), PropensityBounds::same(0.001, kArms), totals);
  return out;
}

std::vector<std::string> small_arms_said(const char* name, const Log& log, Target target) {
  const Estimate found = estimate(*find_estimator(name),
                                  {.sample = log.sample,
                                   .policy = log.policy.view(),
                                   .outcome = &log.outcome,
                                   .propensity = &log.propensity,
                                   .implied = &log.implied,
                                   .noise = &log.noise},
                                  {.target = target});
  std::vector<std::string> said;
  std::ranges::copy_if(found.warnings, std::back_inserter(said), [](const std::string& w) {
    return w.find("of the variance") != std::string::npos;
  });
  EXPECT_TRUE(said.empty() || found.status == EstimateStatus::kCaution);
  return said;
}

constexpr const char* kWeighingRows[] = {"ips", "snips", "dr_ridge", "dm_ridge", "network_dm"};

TEST(SmallArms, AFifthOfThePolicyOnAnArmOfSixIsAWarning) {
  const Log log = make_log({297, 297, 6}, {0, 0.8, 0.2});
  for (const char* row : kWeighingRows) {
    for (const Target target : {Target::kSample, Target::kPopulation}) {
      const std::vector<std::string> said = small_arms_said(row, log, target);
      ASSERT_EQ(said.size(), 1U) << row;
      EXPECT_EQ(said[0].find("effective sample size 6 in arm 'rare', which contributes "), 0U)
          << said[0];
    }
  }
}

TEST(SmallArms, ManyUnitsOrLittleVarianceAreNoWarning) {
  for (const char* row : kWeighingRows) {
    EXPECT_TRUE(
        small_arms_said(row, make_log({200, 200, 200}, {0, 0.8, 0.2}), Target::kSample).empty())
        << row;
    EXPECT_TRUE(
        small_arms_said(row, make_log({297, 297, 6}, {0.5, 0.5, 0}), Target::kSample).empty())
        << row << ": never assigned";
    EXPECT_TRUE(
        small_arms_said(row, make_log({280, 280, 40}, {0.49, 0.49, 0.02}), Target::kSample).empty())
        << row << ": rarely assigned";
    EXPECT_TRUE(
        small_arms_said(row, make_log({30, 30, 30}, {0, 0.5, 0.5}), Target::kSample).empty())
        << row << ": the overall effective sample size is small too";
  }
}

TEST(SmallArms, AreCountedOverAllRanks) {
  const testing::TwoAlike two;
  const Log half = make_log({300, 300, 30}, {0, 0.8, 0.2}, two);
  const Log alone = make_log({300, 300, 30}, {0, 0.8, 0.2});
  EXPECT_EQ(small_arms_said("snips", alone, Target::kSample).size(), 1U);
  EXPECT_TRUE(small_arms_said("snips", half, Target::kSample).empty()) << "60 in all";
}

}  // namespace
}  // namespace cone
