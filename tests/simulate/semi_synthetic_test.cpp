#include "simulate/semi_synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "simulate/simulated_worlds.hpp"

namespace cone {
namespace {

using testing::all_worlds;
using testing::correlation;
using testing::expect_same;
using testing::shared_network;
using testing::simulate;

/// A path 0–1–2 and a lone node 3, with two topics.
struct SmallCase {
  Graph graph;
  Matrix<double> topics{4, 2};
  HiddenState hidden{.centroids = {2}, .edge_weights = {0.2, 0.8}};

  SmallCase() {
    const std::vector<Edge> edges = {{0, 1}, {1, 2}};
    graph = build_graph(Context({.threads = 1}), 4, edges);
    const double first[] = {1, 0.5, 0.25, 0.25};
    for (std::size_t i = 0; i < 4; ++i) {
      topics(i, 0) = first[i];
      topics(i, 1) = 1 - first[i];
    }
  }
};

TEST(ArmScores, FollowTheFormulaUnderEveryNormalisation) {
  const SmallCase c;
  // Mean topics (0.5, 0.5) make every r·r̄^0 one half; r̄^1 = (0.25, 0.75).
  const double own1[] = {0.25, 0.5, 0.625, 0.625};
  const double w01 = 0.2;
  const double w12 = 0.8;
  OutcomeOptions options{.kappa1 = 3, .kappa2 = 2};
  const auto expect_sums = [&](const std::vector<double>& sums0, const std::vector<double>& sums1) {
    const ArmValues scores =
        arm_scores(Context({.threads = 1}), c.graph, c.topics.view(), c.hidden, options);
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
  const Context context({.seed = 21, .threads = 2});
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

TEST(SimulateLog, IsolatedNodesDependOnTheirOwnTopicsOnly) {
  for (const World world : all_worlds()) {
    // Treatment depends on numeric features in the first and on random draws in the second.
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

TEST(SimulateLog, FurtherArmsDoNotChangeTheFirstOnes) {
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

TEST(SimulateLog, UsesEveryOption) {
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
  const Context context({.threads = 1});
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

TEST(SimulateLog, DependentNoiseIsIndependentOfTheTreatment) {
  // Noise and treatment are correlated between neighbours, but independent of each other.
  double product = 0;
  double squares = 0;
  std::size_t count = 0;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const SimulatedLog noiseless =
        simulate({.world = World::kDependentNoise, .kappa1 = 1e-9, .kappa2 = 0, .noise = 0}, k);
    const SimulatedLog log = simulate({.world = World::kDependentNoise,
                                       .kappa1 = 1e-9,
                                       .kappa2 = 0,
                                       .noise = 100,
                                       .shared_noise = 1},
                                      k);
    for (std::size_t i = 0; i < log.outcome.size(); ++i) {
      EXPECT_EQ(log.propensity(i, 1), noiseless.propensity(i, 1));
      const double noise = log.truth.outcomes()(i, 0);
      product += noise * (log.propensity(i, 1) - 0.5);
      squares += (log.propensity(i, 1) - 0.5) * (log.propensity(i, 1) - 0.5);
      ++count;
    }
  }
  const double correlation =
      product / static_cast<double>(count) / std::sqrt(squares / static_cast<double>(count));
  EXPECT_LT(std::abs(correlation), 0.1) << "would be 1 if both used the same draw";
}

}  // namespace
}  // namespace cone
