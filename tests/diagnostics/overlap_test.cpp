#include "diagnostics/overlap.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "diagnostics/calibration.hpp"
#include "diagnostics/outcome_model.hpp"
#include "diagnostics/residuals.hpp"

namespace cone {
namespace {

/// Treatments drawn from these probabilities.
LoggedSample draw_log(const std::vector<double>& treated) {
  LoggedSample sample;
  sample.arms = {"0", "1"};
  Rng rng(9, Stream::kTest);
  for (std::size_t i = 0; i < treated.size(); ++i) {
    sample.nodes.push_back(static_cast<NodeIndex>(i));
    sample.arm.push_back(rng.bernoulli(treated[i]) ? 1 : 0);
    sample.outcome.push_back(0);
  }
  return sample;
}

/// Logits from −slope to slope.
std::vector<double> spread_propensities(std::size_t n, double slope) {
  std::vector<double> p;
  for (std::size_t i = 0; i < n; ++i) {
    p.push_back(sigmoid(slope * (2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1)));
  }
  return p;
}

TEST(Overlap, CountsEveryNodeOnceByArmAndPropensity) {
  const std::vector<double> p = {0.02, 0.5, 0.5, 0.98, 1.0};
  LoggedSample sample = draw_log(p);
  sample.arm = {0, 0, 1, 1, 1};
  const std::vector<ArmOverlap> found =
      measure_arm_overlap(sample, two_arm_probabilities(p).view());
  EXPECT_EQ(found[1].others[0], 1U);
  EXPECT_EQ(found[1].others[10], 1U);
  EXPECT_EQ(found[1].got[10], 1U);
  EXPECT_EQ(found[1].got[19], 2U);
  EXPECT_EQ(std::accumulate(found[0].got.begin(), found[0].got.end(), 0U), 2U);
  EXPECT_DOUBLE_EQ(found[1].rare_fraction, 0.2);  // below a tenth of 3/5
  EXPECT_DOUBLE_EQ(found[0].rare_fraction, 0.4);
}

TEST(Overlap, IsACautionWhereAssignmentIsNearlyDeterministic) {
  for (const double slope : {1.0, 6.0}) {
    const std::vector<double> p = spread_propensities(2000, slope);
    for (const ArmOverlap& arm :
         measure_arm_overlap(draw_log(p), two_arm_probabilities(p).view())) {
      EXPECT_EQ(arm.verdict.is_caution, slope > 3) << arm.verdict.sentence;
    }
  }
}

TEST(Overlap, OfARareRandomisedArmIsOk) {
  const std::vector<double> p(2000, 0.03);
  for (const ArmOverlap& arm : measure_arm_overlap(draw_log(p), two_arm_probabilities(p).view())) {
    EXPECT_FALSE(arm.verdict.is_caution) << arm.verdict.sentence;
  }
}

TEST(Weights, UnderRandomisationAreThoseOfTheShares) {
  const std::vector<double> p(1000, 0.25);
  const LoggedSample sample = draw_log(p);
  const auto num_treated = static_cast<double>(std::ranges::count(sample.arm, Arm{1}));
  const Matrix<double> all = two_arm_probabilities(std::vector<double>(1000, 1.0));
  const std::vector<SamplePolicy> policies = {{"all", all.view()}};
  const WeightTail tail =
      measure_weight_tails(sample, two_arm_probabilities(p).view(), policies)[0];
  EXPECT_NEAR(tail.effective_sample_size, num_treated, 1e-9);
  for (const double q : {tail.median, tail.quantile_90, tail.quantile_99, tail.max}) {
    EXPECT_DOUBLE_EQ(q, 4);
  }
  EXPECT_NEAR(tail.heaviest_share, 10 / num_treated, 1e-12);
  EXPECT_FALSE(tail.verdict.is_caution);
}

TEST(Weights, AHeavyTailIsACaution) {
  std::vector<double> p(1000, 0.5);
  LoggedSample sample = draw_log(p);
  for (std::size_t i = 0; i < 3; ++i) {
    p[i] = 0.004;
    sample.arm[i] = 1;
  }
  const Matrix<double> all = two_arm_probabilities(std::vector<double>(1000, 1.0));
  const Matrix<double> none = two_arm_probabilities(std::vector<double>(1000, 0.0));
  const std::vector<SamplePolicy> policies = {{"all", all.view()}, {"none", none.view()}};
  const std::vector<WeightTail> tails =
      measure_weight_tails(sample, two_arm_probabilities(p).view(), policies);
  EXPECT_DOUBLE_EQ(tails[0].max, 250);
  EXPECT_DOUBLE_EQ(tails[0].median, 2);
  EXPECT_TRUE(tails[0].verdict.is_caution) << tails[0].verdict.sentence;
  EXPECT_FALSE(tails[1].verdict.is_caution) << tails[1].verdict.sentence;
}

TEST(Support, IsTheShareOfAssignmentsOffSupport) {
  std::vector<double> p(100, 0.5);
  for (std::size_t i = 0; i < 10; ++i) p[i] = 0;
  const LoggedSample sample = draw_log(p);
  PropensityTable given;
  given.e = two_arm_probabilities(p);
  const Matrix<double> all = two_arm_probabilities(std::vector<double>(100, 1.0));
  const Matrix<double> none = two_arm_probabilities(std::vector<double>(100, 0.0));
  const std::vector<SamplePolicy> policies = {{"all", all.view()}, {"none", none.view()}};
  const std::vector<PolicySupport> found = measure_support(sample, given, policies);
  EXPECT_DOUBLE_EQ(found[0].off_support_fraction, 0.1);
  EXPECT_TRUE(found[0].verdict.is_caution);
  EXPECT_DOUBLE_EQ(found[1].off_support_fraction, 0);
  EXPECT_FALSE(found[1].verdict.is_caution);
}

TEST(Calibration, HoldsForCorrectPropensitiesAndNotForOverconfidentOnes) {
  const std::vector<double> p = spread_propensities(4000, 1);
  const LoggedSample sample = draw_log(p);
  const auto correct = measure_calibration(sample, two_arm_probabilities(p).view());
  const auto overconfident =
      measure_calibration(sample, two_arm_probabilities(spread_propensities(4000, 3)).view());
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_EQ(correct[a].bins.size(), 10U);
    EXPECT_FALSE(correct[a].verdict.is_caution) << correct[a].verdict.sentence;
    EXPECT_GT(correct[a].p, 0.001);
    EXPECT_TRUE(overconfident[a].verdict.is_caution) << overconfident[a].verdict.sentence;
    EXPECT_LT(overconfident[a].bins.front().predicted, overconfident[a].bins.front().observed);
    EXPECT_GT(overconfident[a].bins.back().predicted, overconfident[a].bins.back().observed);
  }
  // With two arms one determines the other.
  EXPECT_NEAR(correct[0].mean_gap, correct[1].mean_gap, 1e-12);
  EXPECT_NEAR(correct[0].chi_squared, correct[1].chi_squared, 1e-9);
}

TEST(Calibration, AContradictedCertaintyHasPZero) {
  const std::vector<double> p(200, 1.0);
  LoggedSample sample = draw_log(p);
  for (std::size_t i = 0; i < 60; ++i) sample.arm[i] = 0;
  for (const ArmCalibration& arm : measure_calibration(sample, two_arm_probabilities(p).view())) {
    EXPECT_DOUBLE_EQ(arm.p, 0);
    EXPECT_TRUE(arm.verdict.is_caution);
    EXPECT_EQ(arm.bins.size(), 1U);  // equal propensities share a bin
  }
}

/// Node i of a hub-and-spokes network: degrees from 1 to many.
Graph uneven_graph(std::size_t n) {
  std::vector<Edge> edges;
  for (std::size_t i = 1; i < n; ++i) {
    edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(i / 2)});
    if (i % 5 == 0) edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(i / 9)});
  }
  return build_graph(Context({.threads = 1}), n, edges);
}

TEST(ResidualsByDegree, DetectATrendAndItsSign) {
  const Graph graph = uneven_graph(2000);
  const Neighbourhood network(graph);
  const LoggedSample sample = draw_log(std::vector<double>(2000, 0.5));
  const std::vector<NodeIndex>& nodes = sample.nodes;
  Rng rng(5, Stream::kTest);
  std::vector<double> noise;
  for (std::size_t i = 0; i < nodes.size(); ++i) noise.push_back(rng.normal());
  const DegreeResiduals none = measure_degree_residuals(network, sample, noise, "ridge");
  EXPECT_FALSE(none.verdict.is_caution) << none.verdict.sentence;
  std::size_t counted = 0;
  for (std::size_t g = 0; g < none.groups.size(); ++g) {
    counted += none.groups[g].num_nodes;
    if (g > 0) {
      EXPECT_GT(none.groups[g].degrees.first, none.groups[g - 1].degrees.second);
    }
  }
  EXPECT_EQ(counted, nodes.size());
  for (const double slope : {-0.5, 0.5}) {
    std::vector<double> residual = noise;
    for (const NodeIndex i : nodes) {
      residual[i] += slope * std::log1p(static_cast<double>(graph.degree(i)));
    }
    const DegreeResiduals trend = measure_degree_residuals(network, sample, residual, "ridge");
    EXPECT_TRUE(trend.verdict.is_caution) << trend.verdict.sentence;
    EXPECT_GT(trend.correlation * slope, 0);
    EXPECT_GT((trend.groups.back().mean_residual - trend.groups.front().mean_residual) * slope, 0);
  }
}

TEST(ResidualsByDegree, OfEqualDegreesHaveNoTrend) {
  std::vector<Edge> ring;
  std::vector<double> residual;
  for (NodeIndex i = 0; i < 50; ++i) {
    ring.push_back({i, (i + 1) % 50});
    residual.push_back(i);
  }
  const Graph graph = build_graph(Context({.threads = 1}), 50, ring);
  const DegreeResiduals found = measure_degree_residuals(
      Neighbourhood(graph), draw_log(std::vector<double>(50, 0.5)), residual, "ridge");
  ASSERT_EQ(found.groups.size(), 1U);
  EXPECT_EQ(found.groups[0].degrees.first, 2U);
  EXPECT_EQ(found.groups[0].degrees.second, 2U);
  EXPECT_DOUBLE_EQ(found.groups[0].mean_residual, 24.5);
  EXPECT_FALSE(found.verdict.is_caution);
}

TEST(VarianceShares, SumToOneAndAverageOverFolds) {
  NetworkRidgeSummary ridge;
  ridge.arms = {{.arm = "0", .groups = {{"own_counts", 1}, {"neighbour_effects", 1}}, .noise = 2},
                {.arm = "1", .groups = {{"own_counts", 0}, {"neighbour_effects", 0}}, .noise = 1},
                {.arm = "0",
                 .groups = {{"own_counts", 3}, {"neighbour_effects", 0}},
                 .noise = 0.5,
                 .noise_growth = 0.5}};
  const std::vector<std::string> arms = {"0", "1"};
  const std::vector<VarianceShares> shares = share_variance(ridge, arms);
  EXPECT_DOUBLE_EQ(shares[0].own, (0.25 + 0.75) / 2);
  EXPECT_DOUBLE_EQ(shares[0].network, 0.125);
  EXPECT_DOUBLE_EQ(shares[0].noise, (0.5 + 0.25) / 2);
  EXPECT_FALSE(shares[0].verdict.is_caution);
  EXPECT_DOUBLE_EQ(shares[1].noise, 1);
  EXPECT_TRUE(shares[1].verdict.is_caution);
}

TEST(OutcomeFit, IsACautionBelowAConstant) {
  EXPECT_TRUE(judge_fit({.name = "ridge", .r_squared = -0.01}).is_caution);
  EXPECT_FALSE(judge_fit({.name = "ridge", .r_squared = 0.01}).is_caution);
  EXPECT_FALSE(judge_fit({.name = "ridge", .r_squared = kNaN}).is_caution);
  EXPECT_FALSE(judge_fit({.name = "ridge", .r_squared = 0.998}).is_caution);
  EXPECT_TRUE(judge_fit({.name = "ridge", .r_squared = 0.9999999}).is_caution);
}

}  // namespace
}  // namespace cone
