#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/estimate.hpp"

#include "base/random.hpp"
#include "estimate/significance.hpp"

namespace cone {
namespace {

Matrix<double> diagonal(std::vector<double> variances) {
  Matrix<double> out(variances.size(), variances.size(), 0.0);
  for (std::size_t k = 0; k < variances.size(); ++k) out(k, k) = variances[k];
  return out;
}

PolicyComparison compare(std::vector<double> values, const Matrix<double>& covariance,
                         double level = 0.95) {
  return compare_policies(Context({.seed = 1, .threads = 1}), values, covariance.view(), level);
}

TEST(Compare, ClearOrderHasOneRankEach) {
  const PolicyComparison found = compare({3, 1, 2}, diagonal({1e-4, 1e-4, 1e-4}));
  EXPECT_EQ(found.policies[0].best_rank, 1U);
  EXPECT_EQ(found.policies[0].worst_rank, 1U);
  EXPECT_EQ(found.policies[1].best_rank, 3U);
  EXPECT_EQ(found.policies[2].worst_rank, 2U);
  EXPECT_TRUE(found.policies[0].may_be_best);
  EXPECT_FALSE(found.policies[1].may_be_best);
  EXPECT_EQ(found.policies[0].regret, 0);
  EXPECT_GT(found.policies[1].regret, 2);
  for (const PolicyDifference& pair : found.differences) EXPECT_LT(pair.p, 0.01);
}

TEST(Compare, AdjustedPIsNeverBelowTheUnadjusted) {
  for (int seed = 0; seed < 40; ++seed) {  // draws of some seeds have too few large values
    const PolicyComparison found =
        compare_policies(Context({.seed = static_cast<std::uint64_t>(seed), .threads = 1}),
                         std::vector{0.0, 1.9}, diagonal({0, 1}).view(), 0.95);
    EXPECT_GE(found.differences[0].p, 0.0574);  // 2·(1 − Φ(1.9))
    EXPECT_LT(found.differences[0].sampling_interval.first, -1.9);
    EXPECT_GT(found.differences[0].sampling_interval.second, 0);
  }
}

TEST(Compare, NoiseLeavesRanksUndetermined) {
  const PolicyComparison found = compare({0.1, 0, 0.05}, diagonal({1, 1, 1}));
  for (const RankedPolicy& policy : found.policies) {
    EXPECT_EQ(policy.best_rank, 1U);
    EXPECT_EQ(policy.worst_rank, 3U);
    EXPECT_TRUE(policy.may_be_best);
  }
  for (const PolicyDifference& pair : found.differences) EXPECT_GT(pair.p, 0.5);
}

TEST(Compare, UsesTheCovarianceOfTheValues) {
  Matrix<double> covariance(2, 2, 0.99);
  covariance(0, 0) = covariance(1, 1) = 1;
  const PolicyDifference pair = compare({0.5, 0}, covariance).differences[0];
  EXPECT_NEAR(pair.standard_error, std::sqrt(0.02), 1e-12);
  EXPECT_LT(pair.p, 0.01) << "each alone is not significant, the difference is";
}

TEST(Compare, IdenticalPoliciesAreTied) {
  const PolicyComparison found = compare({1, 1, 0}, Matrix<double>(3, 3, 0.25));
  EXPECT_EQ(found.differences[0].standard_error, 0);
  EXPECT_EQ(found.differences[0].p, 1);
  EXPECT_EQ(found.policies[0].best_rank, 1U);
  EXPECT_EQ(found.policies[1].best_rank, 1U);
}

TEST(Compare, TheSetOfTheBestNeedsSmallerLeadsThanRanks) {
  // Differences of independent values have the standard error √2. A lead of 2.5 of them is beyond
  // Dunnett's one-sided factor for four comparisons (2.16), not beyond Tukey's for ten pairs
  // (2.73).
  const Matrix<double> covariance = diagonal({1, 1, 1, 1, 1});
  const PolicyComparison found = compare({2.5 * std::numbers::sqrt2, 0, 0, 0, 0}, covariance);
  EXPECT_TRUE(found.policies[0].may_be_best);
  EXPECT_EQ(found.policies[0].worst_rank, 5U);
  for (std::size_t k = 1; k < 5; ++k) {
    EXPECT_FALSE(found.policies[k].may_be_best);
    EXPECT_EQ(found.policies[k].best_rank, 1U);
  }
  // Two values: never by less than the two-sided interval of their difference.
  EXPECT_TRUE(compare({1.9 * std::numbers::sqrt2, 0}, diagonal({1, 1})).policies[1].may_be_best);
  EXPECT_FALSE(compare({2 * std::numbers::sqrt2, 0}, diagonal({1, 1})).policies[1].may_be_best);
}

TEST(Compare, TheSetOfTheBestHoldsTheBestAtItsLevel) {
  constexpr std::size_t kNumDraws = 2000;
  for (const double lead : {0.0, 0.5}) {  // of the first value over all others
    std::size_t excluded = 0;
    std::size_t alone = 0;
    for (std::size_t draw = 0; draw < kNumDraws; ++draw) {
      Rng rng(5, Stream::kComparison, draw);
      std::vector<double> values;
      for (std::size_t k = 0; k < 6; ++k) values.push_back(rng.normal() + (k == 0 ? lead : 0));
      const PolicyComparison found = compare(values, diagonal(std::vector<double>(6, 1.0)));
      excluded += found.policies[0].may_be_best ? 0 : 1;
      for (const RankedPolicy& policy : found.policies) {
        EXPECT_TRUE(!policy.may_be_best || policy.best_rank == 1);
      }
      alone += std::ranges::count(found.policies, true, &RankedPolicy::may_be_best) == 1 ? 1 : 0;
    }
    EXPECT_LE(excluded, kNumDraws * 0.06) << lead;
    EXPECT_LE(alone, kNumDraws * 0.06) << "a single best among equals";
    if (lead == 0) {
      EXPECT_GE(excluded, kNumDraws * 0.03) << "the level is used";
    }
  }
}

TEST(Compare, KnownFactorsOfIndependentValues) {
  // Šidák: P(max |t| ≤ c) = (2Φ(c) − 1)^K. K = 5: c = 2.569 at 95 %.
  const PolicyComparison found =
      compare_policies(Context({.seed = 3, .threads = 1}), std::vector<double>(5, 0.0),
                       diagonal({1, 4, 9, 1, 1}).view(), 0.95, {.draws = 20000});
  EXPECT_NEAR(found.band_factor, 2.569, 0.04);
  // Tukey's studentised range over √2, 5 means with known variance: 3.858/√2 = 2.728.
  const PolicyComparison equal =
      compare_policies(Context({.seed = 3, .threads = 1}), std::vector<double>(5, 0.0),
                       diagonal({1, 1, 1, 1, 1}).view(), 0.95, {.draws = 20000});
  EXPECT_NEAR(equal.pair_factor, 2.728, 0.04);
  const PolicyComparison alone =
      compare_policies(Context({.seed = 3, .threads = 1}), std::vector<double>(1, 0.0),
                       diagonal({1}).view(), 0.95, {.draws = 20000});
  EXPECT_NEAR(alone.band_factor, 1.96, 0.05);
}

TEST(Compare, ListingFewerPairsOnMoreThreadsChangesNothingElse) {
  constexpr std::size_t kCount = 40;
  constexpr std::size_t kNodes = 12;  // fewer than policies, as with many policies on little data
  Rng rng(4, Stream::kTest, 0);
  Matrix<double> influence(kNodes, kCount);
  for (double& v : influence.values()) v = rng.normal();
  Matrix<double> covariance(kCount, kCount, 0.0);
  std::vector<double> values(kCount);
  for (std::size_t k = 0; k < kCount; ++k) {
    values[k] = 3 * rng.normal();
    for (std::size_t l = 0; l < kCount; ++l) {
      for (std::size_t i = 0; i < kNodes; ++i) {
        covariance(k, l) += influence(i, k) * influence(i, l) / kNodes;
      }
    }
  }
  const PolicyComparison all = compare(values, covariance);
  const PolicyComparison few =
      compare_policies(Context({.seed = 1, .threads = 3}), values, covariance.view(), 0.95,
                       {.listed = ListedPairs::kWithFirst});
  ASSERT_EQ(all.differences.size(), kCount * (kCount - 1) / 2);
  ASSERT_EQ(few.differences.size(), kCount - 1);
  EXPECT_EQ(few.band_factor, all.band_factor);
  EXPECT_EQ(few.pair_factor, all.pair_factor);
  for (std::size_t k = 0; k < kCount; ++k) {
    EXPECT_EQ(few.policies[k].best_rank, all.policies[k].best_rank);
    EXPECT_EQ(few.policies[k].worst_rank, all.policies[k].worst_rank);
    EXPECT_EQ(few.policies[k].regret, all.policies[k].regret);
    if (k + 1 == kCount) continue;
    EXPECT_EQ(few.differences[k].second, k + 1);
    EXPECT_EQ(few.differences[k].p, all.differences[k].p);
    EXPECT_EQ(few.differences[k].sampling_joint_interval,
              all.differences[k].sampling_joint_interval);
  }
}

TEST(Compare, ScaleAndShiftOfTheOutcomeChangeNoVerdict) {
  const Matrix<double> covariance = diagonal({0.04, 0.01, 0.02});
  const PolicyComparison plain = compare({0.5, 0.1, 0.4}, covariance);
  const PolicyComparison scaled = compare({510, 110, 410}, diagonal({4e4, 1e4, 2e4}));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(scaled.policies[k].best_rank, plain.policies[k].best_rank);
    EXPECT_NEAR(scaled.policies[k].band.first, 10 + 1000 * plain.policies[k].band.first, 1e-6);
    EXPECT_NEAR(scaled.differences[k].p, plain.differences[k].p, 1e-12);
  }
}

TEST(Compare, JointBandsAndIntervalsHaveTheirNominalCoverage) {
  // Three values with a common part; the truth is that the first two are equal and the third lower.
  const std::vector<double> truth = {1, 1, 0.7};
  Matrix<double> covariance(3, 3, 0.005);
  for (std::size_t k = 0; k < 3; ++k) covariance(k, k) = 0.01 * static_cast<double>(k + 1);
  int bands = 0;
  int pairs = 0;
  int rejected = 0;
  constexpr int kDraws = 400;
  for (int d = 0; d < kDraws; ++d) {
    Rng rng(9, Stream::kTest, static_cast<std::uint64_t>(d));
    const double common = std::sqrt(0.005) * rng.normal();
    std::vector<double> values;
    for (std::size_t k = 0; k < 3; ++k) {
      values.push_back(truth[k] + common + std::sqrt(covariance(k, k) - 0.005) * rng.normal());
    }
    const PolicyComparison found = compare(values, covariance);
    bool all = true;
    for (std::size_t k = 0; k < 3; ++k) {
      all = all && found.policies[k].band.first <= truth[k] &&
            truth[k] <= found.policies[k].band.second;
    }
    bands += all ? 1 : 0;
    bool all_pairs = true;
    for (const PolicyDifference& pair : found.differences) {
      const double difference = truth[pair.first] - truth[pair.second];
      all_pairs = all_pairs && pair.sampling_joint_interval.first <= difference &&
                  difference <= pair.sampling_joint_interval.second;
    }
    pairs += all_pairs ? 1 : 0;
    rejected += found.differences[0].p < 0.05 ? 1 : 0;  // the equal pair
  }
  EXPECT_GE(bands, 0.92 * kDraws);
  EXPECT_GE(pairs, 0.92 * kDraws);
  EXPECT_LE(rejected, 0.08 * kDraws);
}

TEST(Compare, FewDegreesOfFreedomWidenEveryInterval) {
  const std::vector<double> values = {0, 1, 2.5};
  const Matrix<double> covariance = diagonal({1, 1, 1});
  const auto compare_with = [&](std::vector<double> degrees) {
    return compare_policies(Context({.seed = 1, .threads = 1}), values, covariance.view(), 0.95,
                            {.degrees_of_freedom = degrees});
  };
  const PolicyComparison normal = compare(values, covariance);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(compare_with({kInfinite, kInfinite, kInfinite}).differences[2].p,
            normal.differences[2].p);
  const PolicyComparison few = compare_with({kInfinite, 8, 5});
  const auto width = [](std::pair<double, double> interval) {
    return interval.second - interval.first;
  };
  const double error = std::sqrt(2.0);
  EXPECT_NEAR(width(few.differences[0].sampling_interval),
              2 * error * two_sided_t_quantile(0.95, 8), 1e-9);
  EXPECT_NEAR(width(few.differences[2].sampling_interval),
              2 * error * two_sided_t_quantile(0.95, 5), 1e-9);
  for (std::size_t k = 0; k < 3; ++k) {
    const PolicyDifference& pair = few.differences[k];
    EXPECT_GT(width(pair.sampling_joint_interval), width(pair.sampling_interval));
    EXPECT_GT(width(pair.sampling_joint_interval),
              1.1 * width(normal.differences[k].sampling_joint_interval));
    EXPECT_GT(pair.p, normal.differences[k].p);
  }
  EXPECT_EQ(few.policies[0].band, normal.policies[0].band) << "infinite";
  EXPECT_GT(width(few.policies[2].band), 1.2 * width(normal.policies[2].band));
  const PolicyComparison many = compare_with({1e5, 1e5, 1e5});
  EXPECT_NEAR(width(many.policies[2].band), width(normal.policies[2].band), 1e-4);
}

TEST(Compare, SmoothingBiasExtendsIntervalsToItsSide) {
  const std::vector<double> values = {0, 1};
  const Matrix<double> covariance = diagonal({0.01, 0.01});
  const PolicyComparison plain = compare(values, covariance);
  // The first is too low, the second too high.
  const std::vector<Alternatives> unbiased = {{{.shift = 0.3}}, {{.shift = -0.6}}};
  const PolicyComparison found =
      compare_policies(Context({.seed = 1, .threads = 1}), values, covariance.view(), 0.95,
                       {.alternatives = unbiased});
  const PolicyDifference& pair = found.differences[0];
  EXPECT_EQ(pair.sampling_interval, plain.differences[0].interval);
  EXPECT_EQ(pair.interval.first, pair.sampling_interval.first);
  EXPECT_NEAR(pair.interval.second, pair.sampling_interval.second + 0.9, 1e-12);
  EXPECT_NEAR(pair.joint_interval.second, pair.sampling_joint_interval.second + 0.9, 1e-12);
  EXPECT_EQ(found.policies[1].joint_interval.second, plain.policies[1].band.second);
  EXPECT_NEAR(found.policies[1].joint_interval.first, plain.policies[1].band.first - 0.6, 1e-12);
  EXPECT_EQ(plain.policies[0].best_rank, 2U);
  EXPECT_EQ(found.policies[0].best_rank, 1U) << "the bias may explain the difference";
  EXPECT_GT(pair.p, 0.3) << "without bias the difference is -0.1, less than a standard error";
}

TEST(Compare, NoDifferenceHasALowerErrorThanWithIndependentUnits) {
  const std::vector<double> values = {0, 1};
  Matrix<double> joint(2, 2, 3.9);  // a dependence that is larger for both values, not for the pair
  joint(0, 0) = joint(1, 1) = 4;
  const Matrix<double> independent = diagonal({1, 1});
  const PolicyComparison found =
      compare_policies(Context({.seed = 1, .threads = 1}), values, joint.view(), 0.95,
                       {.least_covariance = independent.view()});
  EXPECT_NEAR(found.differences[0].standard_error, std::sqrt(2.0), 1e-12);
  EXPECT_GT(found.differences[0].p, compare(values, joint).differences[0].p);
  EXPECT_EQ(found.policies[0].band, compare(values, joint).policies[0].band);
}

}  // namespace
}  // namespace cone
