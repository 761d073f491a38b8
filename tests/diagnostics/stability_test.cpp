#include "diagnostics/stability.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace cone {
namespace {

constexpr std::size_t kStripedNodes = 200;
constexpr std::size_t kStripes = 4;

/// Node i is scored by fold i mod 4.
FitPlan striped_plan() {
  FitPlan plan;
  plan.tasks.resize(kStripes);
  for (NodeIndex i = 0; i < kStripedNodes; ++i) {
    plan.tasks[i % kStripes].score.push_back(i);
    plan.scored.push_back(i);
  }
  return plan;
}

/// Influences are noise; those of fold 2 are `shift` larger.
PolicyResult noisy_result(double shift) {
  Rng rng(3, Stream::kTest, 8);
  Estimate estimate{.estimator = "network_dm", .value = 5, .standard_error = 0.1};
  for (std::size_t i = 0; i < kStripedNodes; ++i) {
    estimate.parts.population.push_back(rng.normal() + (i % kStripes == 2 ? shift : 0.0));
  }
  return {.name = "p", .estimates = {estimate}};
}

PolicyStability measure(const PolicyResult& result, const FitPlan& plan = striped_plan()) {
  const std::vector<PolicyStability> found =
      measure_stability(std::span(&result, 1), "network_dm", plan);
  EXPECT_EQ(found.size(), 1U);
  return found.at(0);
}

TEST(Stability, FoldsThatDifferByChanceAreOk) {
  const PolicyStability found = measure(noisy_result(0));
  ASSERT_EQ(found.by_fold.size(), kStripes);
  EXPECT_GT(found.fold_p, 0.01);
  EXPECT_FALSE(found.verdict.is_caution) << found.verdict.sentence;
}

TEST(Stability, ValuesByFoldAreThoseOfItsNodesAndLieAroundTheValue) {
  PolicyResult result = noisy_result(0);
  std::vector<double>& parts = result.estimates[0].parts.population;
  for (std::size_t i = 0; i < kStripedNodes; ++i) {
    parts[i] = static_cast<double>(i % kStripes) + (i < kStripedNodes / 2 ? 1 : -1);
  }
  const PolicyStability found = measure(result);
  for (std::size_t k = 0; k < kStripes; ++k) {
    EXPECT_DOUBLE_EQ(found.by_fold[k], 5 + static_cast<double>(k) - 1.5);  // around the value
  }
}

TEST(Stability, FoldsOfCompleteClustersMayDifferBySharedNoise) {
  // Two clusters per fold with shared noise: with independent nodes the folds differ significantly.
  PolicyResult result = noisy_result(0);
  Rng rng(3, Stream::kTest, 9);
  std::vector<double> shared;
  for (int c = 0; c < 8; ++c) shared.push_back(rng.normal());
  std::vector<std::uint32_t> cluster;
  for (std::uint32_t i = 0; i < kStripedNodes; ++i) {
    cluster.push_back(i % 8);
    result.estimates[0].parts.population[i] += shared[i % 8];
  }
  const FitPlan plan = striped_plan();
  EXPECT_LT(measure(result, plan).fold_p, 0.001);
  const auto found = measure_stability(std::span(&result, 1), "network_dm", plan, cluster);
  EXPECT_GT(found.at(0).fold_p, 0.01);
  EXPECT_FALSE(found.at(0).verdict.is_caution);
}

TEST(Stability, AnOutlyingFoldIsACaution) {
  const PolicyStability found = measure(noisy_result(1.5));
  EXPECT_LT(found.fold_p, 1e-6);
  EXPECT_TRUE(found.verdict.is_caution);
}

TEST(Stability, SeedsThatMoveTheValueAreACaution) {
  PolicyResult result = noisy_result(0);
  result.estimates[0].seed_sd = 0.04;
  EXPECT_FALSE(measure(result).verdict.is_caution);
  result.estimates[0].seed_sd = 0.06;
  EXPECT_TRUE(measure(result).verdict.is_caution);
  EXPECT_NE(measure(result).verdict.sentence.find("0.60 standard errors"), std::string::npos);
}

TEST(Stability, ASplitHasSeedsOnlyAndEstimatesWithoutInfluencesHaveNothing) {
  FitPlan split = striped_plan();
  split.tasks.resize(1);
  PolicyResult result = noisy_result(0);
  EXPECT_TRUE(measure_stability(std::span(&result, 1), "network_dm", split).empty());
  EXPECT_TRUE(measure_stability(std::span(&result, 1), "naive", striped_plan()).empty());
  result.estimates[0].seed_sd = 0.01;
  EXPECT_TRUE(measure(result, split).by_fold.empty());
  result.estimates[0].parts.population.clear();
  EXPECT_TRUE(measure(result).by_fold.empty());
}

}  // namespace
}  // namespace cone
