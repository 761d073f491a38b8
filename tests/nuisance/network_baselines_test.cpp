#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "nuisance/cohesion_learner.hpp"
#include "nuisance/cohesion_system.hpp"
#include "nuisance/linear_learner.hpp"
#include "nuisance/simulated_data.hpp"
#include "nuisance/spectral_learner.hpp"
#include "support/small_network.hpp"

// The learners of cohesion_dm, spectral_dm and spectral_dr.

namespace cone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Features and outcomes of simulate(), with a network of blocks whose effects confound: more
/// treated, and higher outcomes.
Dataset confounded_blocks(std::size_t num_nodes, std::uint64_t seed) {
  Dataset data = testing::simulate({.nodes = num_nodes}, seed).data;
  constexpr NodeIndex kBlocks = 5;
  std::vector<Edge> edges;
  Rng rng(seed, Stream::kTest, 1U << 20U);
  for (NodeIndex i = 0; i < num_nodes; ++i) {
    const double effect = 2.0 * (i % kBlocks) / (kBlocks - 1) - 1;
    if (rng.bernoulli(0.5)) {
      const bool is_treated = rng.bernoulli(sigmoid(3 * effect));
      data.outcome[i] += 2.0 * (is_treated ? 1 : 0) - 2.0 * data.treatment[i];
      data.treatment[i] = is_treated ? 1 : 0;
    }
    data.outcome[i] += 2 * effect;
    for (NodeIndex j = 0; j < i; ++j) {
      if (rng.bernoulli(i % kBlocks == j % kBlocks ? 0.12 : 0.004)) edges.push_back({i, j});
    }
  }
  data.graph = build_graph(Context({.threads = 1}), num_nodes, edges);
  return data;
}

FitPlan plan_for(const Dataset& data) { return cross_fit_plan(data, 3, 3, 1); }

std::vector<std::unique_ptr<Learner>> baselines() {
  std::vector<std::unique_ptr<Learner>> out;
  out.push_back(std::make_unique<CohesionLearner>(NuisanceOptions{}));
  out.push_back(std::make_unique<SpectralLearner>(NuisanceOptions{}, /*learns_propensity=*/true));
  return out;
}

/// The mean of μ_1 − μ_0.
double mean_effect(const OutcomeTable& table) {
  double total = 0;
  for (std::size_t i = 0; i < table.mu.rows(); ++i) total += table.mu(i, 1) - table.mu(i, 0);
  return total / static_cast<double>(table.mu.rows());
}

TEST(NetworkBaselines, AreRidgeRegressionsWithoutEdges) {
  Dataset data = testing::simulate({}, 4).data;
  data.graph = build_graph(Context({.threads = 1}), data.num_nodes(), {});
  const FitPlan plan = plan_for(data);
  const Context context({.threads = 2});
  const OutcomeTable ridge =
      *LinearLearner(LinearModel::kRidge, {}).fit(context, data, plan).outcome;
  for (const auto& learner : baselines()) {
    const OutcomeTable table = *learner->fit(context, data, plan).outcome;
    for (std::size_t k = 0; k < ridge.mu.values().size(); ++k) {
      EXPECT_NEAR(table.mu.values()[k], ridge.mu.values()[k], 1e-8);
    }
    ASSERT_EQ(table.warnings.size(), 1U);
    EXPECT_NE(table.warnings[0].find("the data has no edges"), std::string::npos);
  }
}

TEST(NetworkBaselines, AdjustForAConfounderAlongBlocks) {
  const Dataset data = confounded_blocks(600, 2);
  const FitPlan plan = plan_for(data);
  const Context context({.threads = 2});
  const double ridge = std::abs(
      mean_effect(*LinearLearner(LinearModel::kRidge, {}).fit(context, data, plan).outcome) - 2);
  ASSERT_GT(ridge, 0.8) << "the world is not confounded";
  for (const auto& learner : baselines()) {
    EXPECT_LT(std::abs(mean_effect(*learner->fit(context, data, plan).outcome) - 2), 0.5 * ridge);
  }
}

TEST(NetworkBaselines, ImplyTheWeightsOfTheirPredictions) {
  const Dataset data = confounded_blocks(300, 3);
  const FitPlan plan = plan_for(data);
  const Context context({.threads = 2});
  const Matrix<double> treated = testing::three_policies(data.num_nodes());
  for (const auto& learner : baselines()) {
    const OutcomeTable table = *learner->fit(context, data, plan).outcome;
    for (std::size_t p = 0; p < treated.rows(); ++p) {
      const Matrix<double> policy = two_arm_probabilities(treated.row(p));
      const MatrixView<const double> views[] = {policy.view()};
      const ImpliedWeights implied = table.variance->imply_weights(context, views)[0];
      double total = 0;
      for (std::size_t k = 0; k < table.mu.rows(); ++k) {
        for (std::size_t a = 0; a < 2; ++a) total += policy(plan.scored[k], a) * table.mu(k, a);
      }
      EXPECT_TRUE(implied.converged);
      EXPECT_NEAR(dot(implied.weights, data.outcome), total, 1e-6 * data.outcome.size());
      EXPECT_NEAR(sum(implied.weights), static_cast<double>(data.num_nodes()), 1e-6);
      EXPECT_GT(implied.variance, 0);
    }
  }
}

TEST(NetworkBaselines, AreBitwiseEqualAtAnyNumberOfThreads) {
  const Dataset data = confounded_blocks(300, 4);
  const FitPlan plan = plan_for(data);
  for (const auto& learner : baselines()) {
    const Nuisances one = learner->fit(Context({.threads = 1}), data, plan);
    const Nuisances four = learner->fit(Context({.threads = 4}), data, plan);
    EXPECT_TRUE(testing::same_bits(one.outcome->mu.values(), four.outcome->mu.values()));
    if (!one.propensity) continue;
    EXPECT_TRUE(testing::same_bits(one.propensity->e.values(), four.propensity->e.values()));
  }
}

TEST(NetworkBaselines, SeeNeitherTreatmentNorOutcomeOfTheNodesTheyScore) {
  const Dataset data = confounded_blocks(300, 5);
  const FitPlan plan = plan_for(data);
  Dataset other = data;
  for (const NodeIndex i : plan.tasks[0].score) {
    other.outcome[i] += 100;
    other.treatment[i] = 1 - other.treatment[i];
  }
  const Context context({.threads = 2});
  for (const auto& learner : baselines()) {
    const OutcomeTable before = *learner->fit(context, data, plan).outcome;
    const OutcomeTable after = *learner->fit(context, other, plan).outcome;
    for (const NodeIndex i : plan.tasks[0].score) {
      // Moments are taken around the mean of all outcomes: equal up to rounding.
      EXPECT_NEAR(before.mu(i, 0), after.mu(i, 0), 1e-8);
      EXPECT_NEAR(before.mu(i, 1), after.mu(i, 1), 1e-8);
    }
  }
}

TEST(NetworkBaselines, AreUnchangedByTheOrderOfNodes) {
  const Dataset data = confounded_blocks(300, 6);
  const auto order = Rng(8, Stream::kTest).permutation(300);
  const Dataset permuted = testing::with_nodes_permuted(data, {order.begin(), order.end()});
  const Context context({.threads = 2});
  for (const auto& learner : baselines()) {
    const OutcomeTable before = *learner->fit(context, data, plan_for(data)).outcome;
    const OutcomeTable after = *learner->fit(context, permuted, plan_for(permuted)).outcome;
    for (std::size_t k = 0; k < order.size(); ++k) {
      for (std::size_t a = 0; a < 2; ++a) {
        EXPECT_NEAR(after.mu(k, a), before.mu(order[k], a), 1e-8);
      }
    }
  }
}

/// Every third node, as if the others had another arm.
struct SmallSystem {
  SmallSystem() {
    for (NodeIndex i = 0; i < data.num_nodes(); i += 3) {
      nodes.push_back(i);
      outcomes.push_back(data.outcome[i]);
    }
  }
  CohesionCoefficients fit(const CohesionPenalties& penalties) const {
    const CohesionSystem system(Context({.threads = 1}), data.features.matrix, data.graph, nodes);
    CohesionCoefficients found = system.zeros();
    EXPECT_TRUE(system.fit(outcomes, penalties, 1e-13, found));
    return found;
  }

  Dataset data = confounded_blocks(150, 7);
  std::vector<NodeIndex> nodes;
  std::vector<double> outcomes;
};

TEST(CohesionSystem, FindsTheMinimum) {
  const SmallSystem small;
  const CohesionPenalties penalties{.ridge = 3, .cohesion = 0.4};
  const CohesionCoefficients found = small.fit(penalties);
  const CentredMatrix x(Context({.threads = 1}), small.data.features.matrix, small.nodes);
  const auto objective = [&](const CohesionCoefficients& c) {
    std::vector<double> fitted(small.nodes.size());
    x.multiply(c.slopes, fitted);
    double total = penalties.ridge * dot(c.slopes, c.slopes);
    for (std::size_t k = 0; k < fitted.size(); ++k) {
      const double r = small.outcomes[k] - fitted[k] - c.intercept - c.effects[small.nodes[k]];
      total += r * r;
    }
    for (NodeIndex i = 0; i < c.effects.size(); ++i) {
      total += penalties.cohesion * kCohesionDiagonal * c.effects[i] * c.effects[i];
      for (const NodeIndex j : small.data.graph.neighbours(i)) {
        const double difference = c.effects[i] - c.effects[j];
        total += 0.5 * penalties.cohesion * difference * difference;  // every edge twice
      }
    }
    return total;
  };
  const auto slope = [&](double& coefficient, const CohesionCoefficients& at) {
    constexpr double kStep = 1e-3;
    coefficient += kStep;
    const double up = objective(at);
    coefficient -= 2 * kStep;
    const double down = objective(at);
    coefficient += kStep;
    return (up - down) / (2 * kStep);
  };
  CohesionCoefficients at = found;
  EXPECT_NEAR(slope(at.intercept, at), 0, 1e-6);
  for (double& value : at.slopes) EXPECT_NEAR(slope(value, at), 0, 1e-6);
  for (NodeIndex i = 0; i < at.effects.size(); ++i) {
    if (small.data.graph.degree(i) == 0) continue;
    EXPECT_NEAR(slope(at.effects[i], at), 0, 1e-6);
  }
}

TEST(CohesionSystem, ApproachesOneInterceptAsThePenaltyGrows) {
  const SmallSystem small;
  const CohesionCoefficients strong = small.fit({.ridge = 3, .cohesion = 1e9});
  const CohesionCoefficients without = small.fit({.ridge = 3, .cohesion = kInfinity});
  EXPECT_NEAR(strong.intercept, without.intercept, 1e-5);
  for (std::size_t j = 0; j < strong.slopes.size(); ++j) {
    EXPECT_NEAR(strong.slopes[j], without.slopes[j], 1e-5);
  }
  for (const double effect : strong.effects) EXPECT_NEAR(effect, 0, 1e-5);
}

TEST(CohesionSystem, GivesUnobservedNodesTheMeanOfTheirNeighbours) {
  const SmallSystem small;
  const CohesionCoefficients found = small.fit({.ridge = 3, .cohesion = 0.4});
  for (NodeIndex i = 0; i < small.data.num_nodes(); ++i) {
    const auto neighbours = small.data.graph.neighbours(i);
    if (i % 3 == 0) continue;
    double of_neighbours = 0;
    for (const NodeIndex j : neighbours) of_neighbours += found.effects[j];
    const double divisor = static_cast<double>(neighbours.size()) + kCohesionDiagonal;
    EXPECT_NEAR(found.effects[i], of_neighbours / divisor, 1e-9);
  }
}

}  // namespace
}  // namespace cone
