// Properties of each world.

#include "simulate/numeric_worlds.hpp"
#include "simulate/simulated_worlds.hpp"

namespace cone {
namespace {

using testing::correlation;
using testing::effects;
using testing::extreme_share;
using testing::sd;
using testing::shared_network;
using testing::simulate;

TEST(UnmeasuredConfounding, EdgeWeightsAreUniformBetweenATenthAndOne) {
  const std::vector<double> weights = simulate(World::kHiddenConfounding).hidden.edge_weights;
  EXPECT_GE(std::ranges::min(weights), 0.1);
  EXPECT_LT(std::ranges::max(weights), 1);
  EXPECT_NEAR(mean(weights), 0.55, 0.01);
  EXPECT_NEAR(sd(weights), 0.9 / std::sqrt(12.0), 0.005);
}

TEST(EqualEdgeWeights, AreAllTheirMean) {
  const SimulatedLog log = simulate(World::kEqualEdgeWeights);
  EXPECT_TRUE(std::ranges::all_of(log.hidden.edge_weights, [](double w) { return w == 0.55; }));
  EXPECT_EQ(log.hidden.edge_weights.size(), shared_network().graph.num_edges());
  EXPECT_EQ(log.hidden.centroids, simulate(World::kHiddenConfounding).hidden.centroids);
}

TEST(WeakOverlap, PropensitiesPileUpAtZeroAndOneWithTheSameOutcomes) {
  const SimulatedLog paper = simulate(World::kHiddenConfounding);
  const SimulatedLog weak = simulate(World::kWeakOverlap);
  EXPECT_TRUE(std::ranges::equal(arm_column(paper.truth.outcomes(), 1),
                                 arm_column(weak.truth.outcomes(), 1)));
  EXPECT_GT(extreme_share(weak), 3 * extreme_share(paper));
  EXPECT_GT(extreme_share(weak), 0.05);
  for (std::size_t i = 0; i < paper.propensity.rows(); ++i) {
    ASSERT_GE(std::abs(weak.propensity(i, 1) - 0.5), std::abs(paper.propensity(i, 1) - 0.5));
  }
}

TEST(HeterogeneousEffects, VaryMoreThanThePapersUnderTheSameTreatments) {
  const SimulatedLog paper = simulate(World::kHiddenConfounding);
  const SimulatedLog mixed = simulate(World::kHeterogeneousEffects);
  EXPECT_EQ(paper.treatment, mixed.treatment);
  EXPECT_GT(sd(effects(mixed)), 1.5 * sd(effects(paper)));
  const std::vector<double> effect = effects(mixed);
  const auto gaining = std::ranges::count_if(effect, [](double e) { return e > 0.5; });
  const auto losing = std::ranges::count_if(effect, [](double e) { return e < -0.5; });
  EXPECT_GT(gaining, 400);
  EXPECT_GT(losing, 400);
}

TEST(HeterogeneousEffects, AreNotLinearInTheTopics) {
  // Three corners and their centre: with a linear effect the centre has the corners' mean.
  Matrix<double> topics(4, 3, 1.0 / 3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) topics(i, k) = i == k ? 1 : 0;
  }
  const ArmValues scores{{0, 0, 0, 0}, {2, 2, 2, 2}};  // sd 1 over both arms
  const std::vector<double> a = {1, -1, -1};
  const std::vector<double> b = {-1, 1, -1};
  const std::vector<double> effect = nonlinear_effect(scores, topics.view(), a, b);
  // a·r = 1, −1, −1, −1/3 and b·r = −1, 1, −1, −1/3: mean −1/3, variance 2/3.
  const double edge = 3 * std::tanh((4.0 / 3) * (-2.0 / 3) / (2.0 / 3));
  EXPECT_NEAR(effect[0], edge, 1e-14);
  EXPECT_NEAR(effect[1], edge, 1e-14);
  EXPECT_NEAR(effect[2], 3 * std::tanh((4.0 / 9) / (2.0 / 3)), 1e-14);
  EXPECT_NEAR(effect[3], 0, 1e-14);
  EXPECT_GT(std::abs((effect[0] + effect[1] + effect[2]) / 3 - effect[3]), 0.5);
}

TEST(RandomisedTreatment, IsIndependentOfTheOutcomes) {
  const SimulatedLog log = simulate(World::kRandomisedLog);
  EXPECT_TRUE(std::ranges::all_of(log.propensity.values(), [](double p) { return p == 0.5; }));
  const std::vector<double> treated(log.treatment.begin(), log.treatment.end());
  EXPECT_NEAR(mean(treated), 0.5, 4 * 0.5 / std::sqrt(4000.0));
  EXPECT_NEAR(correlation(treated, arm_column(log.truth.outcomes(), 0)), 0, 4 / std::sqrt(4000.0));
  EXPECT_NEAR(correlation(treated, effects(log)), 0, 4 / std::sqrt(4000.0));
  const SimulatedLog paper = simulate(World::kHiddenConfounding);
  const std::vector<double> chosen(paper.treatment.begin(), paper.treatment.end());
  EXPECT_GT(correlation(chosen, effects(paper)), 4 / std::sqrt(4000.0));
}

TEST(BinaryOutcomes, AreZeroOrOneAndFollowTheScores) {
  const SimulatedLog log = simulate(World::kBinaryOutcomes);
  const SimulatedLog paper = simulate(OutcomeOptions{.noise = 0});
  double excess = 0;
  std::size_t against = 0;
  for (std::size_t i = 0; i < log.outcome.size(); ++i) {
    const double y0 = log.truth.outcomes()(i, 0);
    const double y1 = log.truth.outcomes()(i, 1);
    ASSERT_TRUE((y0 == 0 || y0 == 1) && (y1 == 0 || y1 == 1));
    excess += y1 - sigmoid(paper.truth.outcomes()(i, 1));
    // One uniform per node: the arm with the higher score never has the lower outcome.
    against +=
        (y1 - y0) * (paper.truth.outcomes()(i, 1) - paper.truth.outcomes()(i, 0)) < 0 ? 1 : 0;
  }
  EXPECT_EQ(against, 0U);
  EXPECT_LT(std::abs(excess), 4 * 0.5 * std::sqrt(4000.0));
  EXPECT_GT(correlation(arm_column(log.truth.outcomes(), 1), arm_column(paper.truth.outcomes(), 1)),
            0.2);
}

TEST(Nonlinear, FollowsTheFormulasOfTheHeader) {
  Matrix<double> m(2, kNumNumericFeatures, 0.0);
  m(0, 0) = 2;
  m(0, 1) = -0.5;
  m(0, 2) = 3;
  m(0, 3) = 0.5;
  m(0, 4) = 1;
  const double wave_sd = std::sqrt((1 + std::exp(-8.0)) / 2 - std::exp(-4.0));
  const std::vector<double> f = nonlinear_confounder(m.view());
  EXPECT_NEAR(f[0],
              0.5 * (3 / std::sqrt(2.0) - 1 + 1.5 + (std::cos(2.0) - std::exp(-2.0)) / wave_sd),
              1e-14);
  EXPECT_NEAR(f[1], 0.5 * (-1 / std::sqrt(2.0) - 1 + (1 - std::exp(-2.0)) / wave_sd), 1e-14);
  EXPECT_EQ(effect_modifier(m.view(), 1)[0], -3);  // sign(m2)·m3
  EXPECT_EQ(effect_modifier(m.view(), 4)[0], 2);   // sign(m5)·m1
  const ArmValues flat = {{0, 0}, {0, 0}, {0, 0}};
  const ArmValues logits = nonlinear_logits(flat, m.view());
  const ArmValues outcomes = nonlinear_outcomes(flat, m.view());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(logits[0][i], 0);
    EXPECT_EQ(logits[1][i], 2 * f[i]);
    EXPECT_EQ(logits[2][i], -2 * f[i]);
    EXPECT_EQ(outcomes[0][i], f[i]);
    EXPECT_NEAR(outcomes[1][i], f[i] + effect_modifier(m.view(), 1)[i] / 2, 1e-15);
  }
}

TEST(Nonlinear, ALinearModelDoesNotExplainTheConfounder) {
  const SimulatedLog log = simulate(World::kNonlinear);
  ASSERT_EQ(log.numeric_features.rows(), log.outcome.size());
  ASSERT_EQ(log.numeric_features.cols(), kNumNumericFeatures);
  const std::vector<double> f = nonlinear_confounder(log.numeric_features.view());
  EXPECT_NEAR(mean(f), 0, 0.06);
  EXPECT_NEAR(sd(f), 1, 0.06);
  // The features are independent, so their R² add up.
  double explained = 0;
  for (std::size_t j = 0; j < kNumNumericFeatures; ++j) {
    std::vector<double> column;
    for (std::size_t i = 0; i < f.size(); ++i) column.push_back(log.numeric_features(i, j));
    EXPECT_NEAR(mean(column), 0, 0.06);
    EXPECT_NEAR(sd(column), 1, 0.06);
    explained += std::pow(correlation(f, column), 2);
  }
  EXPECT_LT(explained, 0.25);
  const std::vector<double> treated(log.treatment.begin(), log.treatment.end());
  EXPECT_GT(correlation(treated, f), 0.3);
  EXPECT_GT(correlation(arm_column(log.truth.outcomes(), 0), f), 0.8);
  EXPECT_EQ(simulate(World::kHiddenConfounding).numeric_features.cols(), 0U);
  EXPECT_NE(simulate(OutcomeOptions{.world = World::kNonlinear}, 1).numeric_features.row(0)[0],
            log.numeric_features(0, 0));
}

TEST(IndividualEffects, AddTheScoresAsTheFormulaSaysAndAreNotStandardised) {
  const OutcomeOptions options{
      .world = World::kIndividualEffects, .kappa1 = 10, .kappa2 = 0.5, .noise = 1};
  const SimulatedLog log = simulate(options);
  EXPECT_TRUE(std::ranges::all_of(log.hidden.edge_weights, [](double w) { return w == 1; }));
  const ArmValues p = arm_scores(Context({.seed = 21, .threads = 1}), shared_network().graph,
                                 shared_network().topics.view(), log.hidden, options);
  std::vector<double> noise;
  for (std::size_t i = 0; i < log.outcome.size(); ++i) {
    const double y0 = log.truth.outcomes()(i, 0);
    noise.push_back(y0 - 5 * p[0][i]);
    ASSERT_NEAR(log.truth.outcomes()(i, 1) - y0, 5 * p[1][i], 1e-9);
    ASSERT_NEAR(log.propensity(i, 1), sigmoid(p[1][i] - p[0][i]), 1e-12);
  }
  EXPECT_NEAR(mean(noise), 0, 0.07);
  EXPECT_NEAR(sd(noise), 1, 0.05);
}

}  // namespace
}  // namespace cone
