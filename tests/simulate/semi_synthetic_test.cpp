#include "simulate/semi_synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/simulate.hpp"

#include "base/numeric.hpp"
#include "simulate/bent_world.hpp"
#include "simulate/network.hpp"

namespace cone {
namespace {

/// A path 0–1–2 and a lone node 3, with two topics.
struct SmallCase {
  Graph graph;
  Matrix<double> topics{4, 2};
  HiddenState hidden{.centroids = {2}, .edge_weights = {0.2, 0.8}};

  SmallCase() {
    const std::vector<Edge> edges = {{0, 1}, {1, 2}};
    graph = build_graph(Context(0, 1), 4, edges);
    const double first[] = {1, 0.5, 0.25, 0.25};
    for (std::size_t i = 0; i < 4; ++i) {
      topics(i, 0) = first[i];
      topics(i, 1) = 1 - first[i];
    }
  }
};

/// 4000 nodes, 400 of them isolated.
const SyntheticNetwork& shared_network() {
  static const SyntheticNetwork network = [] {
    NetworkOptions options;
    options.nodes = 4000;
    options.mean_degree = 10;
    options.isolated_fraction = 0.1;
    options.topics = 10;
    options.words = 8;
    options.words_per_node = 1;
    return generate_network(Context(20), options);
  }();
  return network;
}

SimulatedLog simulate(OutcomeOptions options, std::uint64_t simulation = 0, int threads = 2) {
  return simulate_log(Context(21, threads), shared_network().graph, shared_network().topics.view(),
                      options, simulation);
}

SimulatedLog simulate(World world) { return simulate(OutcomeOptions{.world = world}); }

std::vector<World> all_worlds() {
  std::vector<World> worlds;
  for (const auto& entry : EnumNames<World>::kNames) worlds.push_back(entry.first);
  return worlds;
}

std::vector<double> effects(const SimulatedLog& log) {
  std::vector<double> effect;
  for (std::size_t i = 0; i < log.truth.outcomes().rows(); ++i) {
    effect.push_back(log.truth.outcomes()(i, 1) - log.truth.outcomes()(i, 0));
  }
  return effect;
}

double sd(std::span<const double> values) { return std::sqrt(variance(values, 0)); }

double correlation(std::span<const double> a, std::span<const double> b) {
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  std::vector<double> products;
  for (std::size_t i = 0; i < a.size(); ++i) products.push_back((a[i] - mean_a) * (b[i] - mean_b));
  return mean(products) / (sd(a) * sd(b));
}

double extreme_share(const SimulatedLog& log) {
  const std::vector<double> propensity = arm_column(log.propensity.view(), 1);
  const auto extreme =
      std::ranges::count_if(propensity, [](double p) { return std::min(p, 1 - p) < 0.05; });
  return static_cast<double>(extreme) / static_cast<double>(propensity.size());
}

void expect_same(const SimulatedLog& a, const SimulatedLog& b) {
  EXPECT_EQ(a.treatment, b.treatment);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_TRUE(std::ranges::equal(a.propensity.values(), b.propensity.values()));
  for (std::size_t arm = 0; arm < a.propensity.cols(); ++arm) {
    const auto number = static_cast<Arm>(arm);
    EXPECT_EQ(arm_column(a.truth.outcomes(), number), arm_column(b.truth.outcomes(), number));
  }
  EXPECT_EQ(a.hidden.centroids, b.hidden.centroids);
  EXPECT_EQ(a.hidden.edge_weights, b.hidden.edge_weights);
}

TEST(ArmScores, FollowTheFormulaUnderEveryNormalisation) {
  const SmallCase c;
  // Mean topics (0.5, 0.5) make every r·r̄^0 one half; r̄^1 = (0.25, 0.75).
  const double own1[] = {0.25, 0.5, 0.625, 0.625};
  const double w01 = 0.2;
  const double w12 = 0.8;
  OutcomeOptions options{.kappa1 = 3, .kappa2 = 2};
  const auto expect_sums = [&](const std::vector<double>& sums0, const std::vector<double>& sums1) {
    const ArmValues scores = arm_scores(Context(0, 1), c.graph, c.topics.view(), c.hidden, options);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(scores[0][i], 3 * 0.5 + 2 * sums0[i], 1e-15) << i;
      EXPECT_NEAR(scores[1][i], 3 * own1[i] + 2 * sums1[i], 1e-15) << i;
    }
  };
  expect_sums({w01 * 0.5, 0.5, w12 * 0.5, 0},
              {w01 * own1[1], w01 * own1[0] + w12 * own1[2], w12 * own1[1], 0});
  options.normalisation = Normalisation::kRow;  // strengths 0.2, 1, 0.8, 0
  expect_sums({0.5, 0.5, 0.5, 0}, {own1[1], w01 * own1[0] + w12 * own1[2], own1[1], 0});
  options.normalisation = Normalisation::kSymmetric;
  const double s01 = w01 / std::sqrt(0.2 * 1);
  const double s12 = w12 / std::sqrt(1 * 0.8);
  expect_sums({s01 * 0.5, (s01 + s12) * 0.5, s12 * 0.5, 0},
              {s01 * own1[1], s01 * own1[0] + s12 * own1[2], s12 * own1[1], 0});
}

TEST(SimulateLog, IsTheSameAtAnyNumberOfThreads) {
  for (const World world : all_worlds()) {
    const OutcomeOptions options{.world = world};
    expect_same(simulate(options, 3, 1), simulate(options, 3, 4));
  }
}

TEST(SimulateLog, DoesNotDependOnOtherSimulationsAndDiffersBetweenThem) {
  const OutcomeOptions options;
  const SimulatedLog alone = simulate(options, 2);
  const Context context(21, 2);
  std::vector<SimulatedLog> sequence;
  for (std::uint64_t k = 0; k < 3; ++k) {
    sequence.push_back(
        simulate_log(context, shared_network().graph, shared_network().topics.view(), options, k));
  }
  expect_same(alone, sequence[2]);
  EXPECT_NE(sequence[0].treatment, sequence[1].treatment);
  EXPECT_NE(sequence[0].hidden.centroids, sequence[1].hidden.centroids);
  EXPECT_NEAR(correlation(sequence[0].hidden.edge_weights, sequence[1].hidden.edge_weights), 0,
              0.03);
}

TEST(SimulateLog, StandardisesContinuousOutcomesOverBothArms) {
  for (const World world : all_worlds()) {
    if (world == World::kBinaryOutcomes || world == World::kIndividualEffects) continue;
    const SimulatedLog log = simulate(world);
    std::vector<double> both = arm_column(log.truth.outcomes(), 0);
    const std::vector<double> y1 = arm_column(log.truth.outcomes(), 1);
    both.insert(both.end(), y1.begin(), y1.end());
    EXPECT_NEAR(mean(both), 0, 1e-12);
    EXPECT_NEAR(variance(both, 0), 1, 1e-12);
  }
}

TEST(SimulateLog, LogsTheOutcomeOfTheArmTakenAndTreatsAsOftenAsThePropensitySays) {
  for (const World world : all_worlds()) {
    const SimulatedLog log = simulate(world);
    CompensatedSum excess;
    CompensatedSum spread;
    for (std::size_t i = 0; i < log.outcome.size(); ++i) {
      EXPECT_EQ(log.outcome[i],
                log.treatment[i] == 1 ? log.truth.outcomes()(i, 1) : log.truth.outcomes()(i, 0));
      excess.add(log.treatment[i] - log.propensity(i, 1));
      spread.add(log.propensity(i, 1) * (1 - log.propensity(i, 1)));
    }
    EXPECT_LT(std::abs(excess.value()), 4 * std::sqrt(spread.value())) << enum_name(world);
  }
}

TEST(SimulateLog, IsolatedNodesFollowTheirOwnTopicsWhereTopicsDrive) {
  for (const World world : all_worlds()) {
    // These are driven by measurements, and by nothing at all.
    if (world == World::kObservedConfounding || world == World::kDependentNoise) continue;
    for (const auto normalisation :
         {Normalisation::kNone, Normalisation::kRow, Normalisation::kSymmetric}) {
      OutcomeOptions options{.world = world, .normalisation = normalisation};
      const SimulatedLog near = simulate(options);
      options.kappa2 = 5;
      const SimulatedLog far = simulate(options);
      std::size_t moved = 0;
      for (NodeIndex i = 0; i < near.outcome.size(); ++i) {
        ASSERT_TRUE(std::isfinite(near.truth.outcomes()(i, 0)) &&
                    std::isfinite(near.truth.outcomes()(i, 1)));
        if (shared_network().graph.degree(i) == 0) {
          ASSERT_EQ(near.propensity(i, 1), far.propensity(i, 1));
        } else {
          moved += near.propensity(i, 1) != far.propensity(i, 1) ? 1 : 0;
        }
      }
      EXPECT_EQ(moved > 0, world != World::kRandomisedLog);
    }
  }
}

TEST(HiddenConfounding, EdgeWeightsAreUniformBetweenATenthAndOne) {
  const std::vector<double> weights = simulate(World::kHiddenConfounding).hidden.edge_weights;
  EXPECT_GE(std::ranges::min(weights), 0.1);
  EXPECT_LT(std::ranges::max(weights), 1);
  EXPECT_NEAR(mean(weights), 0.55, 0.01);
  EXPECT_NEAR(sd(weights), 0.9 / std::sqrt(12.0), 0.005);
}

TEST(NoHiddenConfounding, EdgeWeightsAreAllTheirMean) {
  const SimulatedLog log = simulate(World::kEqualTies);
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

TEST(RandomisedLog, TreatsHalfIndependentlyOfTheOutcomes) {
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

TEST(Bent, IsAFunctionOfTheMeasurementsAsWritten) {
  Matrix<double> m(2, kNumMeasurements, 0.0);
  m(0, 0) = 2;
  m(0, 1) = -0.5;
  m(0, 2) = 3;
  m(0, 3) = 0.5;
  m(0, 4) = 1;
  const double wave_sd = std::sqrt((1 + std::exp(-8.0)) / 2 - std::exp(-4.0));
  const std::vector<double> f = shared_bend(m.view());
  EXPECT_NEAR(f[0],
              0.5 * (3 / std::sqrt(2.0) - 1 + 1.5 + (std::cos(2.0) - std::exp(-2.0)) / wave_sd),
              1e-14);
  EXPECT_NEAR(f[1], 0.5 * (-1 / std::sqrt(2.0) - 1 + (1 - std::exp(-2.0)) / wave_sd), 1e-14);
  EXPECT_EQ(effect_bend(m.view(), 1)[0], -3);  // sign(m2)·m3
  EXPECT_EQ(effect_bend(m.view(), 4)[0], 2);   // sign(m5)·m1
  const ArmValues flat = {{0, 0}, {0, 0}, {0, 0}};
  const ArmValues logits = bent_logits(flat, m.view());
  const ArmValues outcomes = bent_outcomes(flat, m.view());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(logits[0][i], 0);
    EXPECT_EQ(logits[1][i], 2 * f[i]);
    EXPECT_EQ(logits[2][i], -2 * f[i]);
    EXPECT_EQ(outcomes[0][i], f[i]);
    EXPECT_NEAR(outcomes[1][i], f[i] + effect_bend(m.view(), 1)[i] / 2, 1e-15);
  }
}

TEST(Bent, NoLinearAdjustmentExplainsTheConfounder) {
  const SimulatedLog log = simulate(World::kBent);
  ASSERT_EQ(log.measurements.rows(), log.outcome.size());
  ASSERT_EQ(log.measurements.cols(), kNumMeasurements);
  const std::vector<double> f = shared_bend(log.measurements.view());
  EXPECT_NEAR(mean(f), 0, 0.06);
  EXPECT_NEAR(sd(f), 1, 0.06);
  // Measurements are independent: the shares that they explain one by one add up.
  double explained = 0;
  for (std::size_t j = 0; j < kNumMeasurements; ++j) {
    std::vector<double> column;
    for (std::size_t i = 0; i < f.size(); ++i) column.push_back(log.measurements(i, j));
    EXPECT_NEAR(mean(column), 0, 0.06);
    EXPECT_NEAR(sd(column), 1, 0.06);
    explained += std::pow(correlation(f, column), 2);
  }
  EXPECT_LT(explained, 0.25);
  const std::vector<double> treated(log.treatment.begin(), log.treatment.end());
  EXPECT_GT(correlation(treated, f), 0.3);
  EXPECT_GT(correlation(arm_column(log.truth.outcomes(), 0), f), 0.8);
  EXPECT_EQ(simulate(World::kHiddenConfounding).measurements.cols(), 0U);
  EXPECT_NE(simulate(OutcomeOptions{.world = World::kBent}, 1).measurements.row(0)[0],
            log.measurements(0, 0));
}

TEST(IndividualEffects, AddTheScoresAsTheFormulaSaysAndAreNotStandardised) {
  const OutcomeOptions options{
      .world = World::kIndividualEffects, .kappa1 = 10, .kappa2 = 0.5, .noise = 1};
  const SimulatedLog log = simulate(options);
  EXPECT_TRUE(std::ranges::all_of(log.hidden.edge_weights, [](double w) { return w == 1; }));
  const ArmValues p = arm_scores(Context(21, 1), shared_network().graph,
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

TEST(SimulateLog, FurtherArmsLeaveTheFirstOnesAlone) {
  const HiddenState two = simulate(OutcomeOptions{}).hidden;
  const SimulatedLog four = simulate(OutcomeOptions{.arms = 4});
  ASSERT_EQ(four.hidden.centroids.size(), 3U);
  EXPECT_EQ(four.hidden.centroids[0], two.centroids[0]);
  EXPECT_NE(four.hidden.centroids[1], four.hidden.centroids[0]);
  EXPECT_EQ(four.hidden.edge_weights, two.edge_weights);
  // The scores of the first two arms are the same up to the common scale.
  const SimulatedLog plain = simulate(OutcomeOptions{.noise = 0});
  const SimulatedLog more = simulate(OutcomeOptions{.arms = 4, .noise = 0});
  for (const Arm arm : {0, 1}) {
    EXPECT_NEAR(correlation(arm_column(plain.truth.outcomes(), arm),
                            arm_column(more.truth.outcomes(), arm)),
                1, 1e-12);
  }
}

TEST(SimulateLog, ManyArmsFollowTheirPropensitiesInEveryWorld) {
  for (const World world : all_worlds()) {
    const OutcomeOptions options{.world = world, .arms = 5};
    const SimulatedLog log = simulate(options);
    expect_same(log, simulate(options, 0, 1));
    ASSERT_EQ(log.propensity.cols(), 5U);
    for (std::size_t arm = 0; arm < 5; ++arm) {
      CompensatedSum excess;
      CompensatedSum spread;
      for (std::size_t i = 0; i < log.outcome.size(); ++i) {
        const double p = log.propensity(i, arm);
        excess.add((log.treatment[i] == arm ? 1 : 0) - p);
        spread.add(p * (1 - p));
      }
      EXPECT_LT(std::abs(excess.value()), 4 * std::sqrt(spread.value())) << enum_name(world);
    }
    for (std::size_t i = 0; i < log.outcome.size(); ++i) {
      const auto row = log.propensity.row(i);
      ASSERT_NEAR(sum(row), 1, 1e-12);
      ASSERT_EQ(log.outcome[i], log.truth.outcomes()(i, log.treatment[i]));
    }
    if (world == World::kRandomisedLog) {
      EXPECT_EQ(log.propensity(7, 3), 0.2);
    }
    if (world == World::kBinaryOutcomes || world == World::kIndividualEffects) continue;
    std::vector<double> all;
    for (std::size_t i = 0; i < log.outcome.size(); ++i) {
      const auto row = log.truth.outcomes().row(i);
      all.insert(all.end(), row.begin(), row.end());
    }
    EXPECT_NEAR(mean(all), 0, 1e-12);
    EXPECT_NEAR(variance(all, 0), 1, 1e-12);
  }
}

TEST(SimulateLog, ReadsEveryOption) {
  const SimulatedLog base = simulate(OutcomeOptions{});
  for (const OutcomeOptions& options :
       {OutcomeOptions{.kappa1 = 2}, OutcomeOptions{.kappa2 = 2}, OutcomeOptions{.noise = 0.1},
        OutcomeOptions{.normalisation = Normalisation::kRow},
        OutcomeOptions{.normalisation = Normalisation::kSymmetric}}) {
    EXPECT_NE(simulate(options).outcome, base.outcome) << canonical_text(options);
  }
}

TEST(SimulateLog, RefusesWhatItCannotSimulate) {
  const SmallCase c;
  const Context context(0, 1);
  const auto expect_refusal = [&](ErrorCode code, std::size_t num_faults, const Graph& graph,
                                  MatrixView<const double> topics, const OutcomeOptions& options,
                                  std::uint64_t simulation) {
    try {
      simulate_log(context, graph, topics, options, simulation);
      ADD_FAILURE() << "simulated";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_EQ(error.faults().size(), num_faults) << error.what();
    }
  };
  const OutcomeOptions bad{.arms = 17, .kappa1 = -1, .noise = -1};
  expect_refusal(ErrorCode::kUsage, 3, c.graph, c.topics.view(), bad, 0);
  expect_refusal(ErrorCode::kUsage, 1, c.graph, c.topics.view(), {}, 1ULL << 24);
  expect_refusal(ErrorCode::kData, 1, Graph(), {}, {}, 0);
  const Graph lone = build_graph(context, 4, {});
  const Matrix<double> alike(4, 2, 0.5);
  expect_refusal(ErrorCode::kData, 1, lone, alike.view(), {.noise = 0}, 0);
}

}  // namespace
}  // namespace cone
