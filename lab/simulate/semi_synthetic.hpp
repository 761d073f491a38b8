#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"
#include "cone/simulate.hpp"

// Semi-synthetic treatments and outcomes (Guo, Li and Liu 2020, Counterfactual Evaluation of
// Treatment Assignment Functions with Networked Observational Data, SDM) for a network whose nodes
// have topics r_i (rows sum to 1). With unobserved edge weights w_ij = w_ji, r̄^0 the mean topics of
// all nodes and r̄^t the topics of one node for every other arm t (its centroid):
//
//   p_i^t  = κ1 r_i·r̄^t + κ2 Σ_j w_ij r_j·r̄^t          without neighbours the sum is 0
//   t_i    ~ softmax(p_i^0, p_i^1, ...)               two arms: Bernoulli(sigmoid(p_i^1 − p_i^0))
//   y_i(t) = p_i^t + ε_i,  ε_i ~ N(0, noise²), one draw per node,
//
// standardised with the mean and the population sd over all arms. Further arms do not change the
// draws of the arms before them.

namespace cone {

/// What is not observed: kept apart from everything that goes into a Dataset.
struct HiddenState {
  std::vector<NodeIndex> centroids;  ///< one per arm except the control arm
  /// One per undirected edge, in the order of the graph: by source, then target, source < target.
  std::vector<double> edge_weights;
};

/// One value per node for every arm.
using ArmValues = std::vector<std::vector<double>>;

struct SimulatedLog {
  std::vector<Arm> treatment;
  std::vector<double> outcome;  ///< y_i(t_i)
  Matrix<double> propensity;    ///< the true P(t_i = a), nodes × arms
  Truth truth;
  HiddenState hidden;
  /// Observed numeric features, nodes × columns; only in World::kNonlinear and
  /// World::kObservedConfounding.
  Matrix<double> numeric_features;
};

struct Moments {
  double mean;
  double sd;
};
/// Over all arms together.
Moments pooled_moments(const ArmValues& values);

/// To mean 0 and sd 1; all 0 where they do not vary.
void standardise(std::vector<double>& values);

/// p^t of every node and arm, from kappa1, kappa2 and normalisation. O(arms · (nodes · topics +
/// edges)).
ArmValues arm_scores(const Context& context, const Graph& graph, MatrixView<const double> topics,
                     const HiddenState& hidden, const OutcomeOptions& options);

/// softmax(scale · p), nodes × arms.
Matrix<double> logging_propensity(const ArmValues& scores, double scale = 1);

/// The arm selected by a uniform draw; the control arm has the last interval.
Arm draw_arm(std::span<const double> propensity, double u);

/// 3 sd(p) tanh(u_i v_i), with u_i and v_i the standardised a·r_i and b·r_i; sd(p) over all arms.
std::vector<double> nonlinear_effect(const ArmValues& scores, MatrixView<const double> topics,
                                     std::span<const double> a, std::span<const double> b);

/// p^t + noise, standardised with the mean and the population sd over all arms. Throws
/// Error(kData) when all values are equal.
ArmValues standardised_outcomes(ArmValues scores, std::span<const double> noise);

/// Simulation number `simulation` (below 2^24) on a network: its own centroids, edge weights,
/// treatments and noise, a function of the seed and the number alone.
/// Throws Error(kUsage) on bad options and Error(kData) when there is nothing to simulate.
SimulatedLog simulate_log(const Context& context, const Graph& graph,
                          MatrixView<const double> topics, const OutcomeOptions& options,
                          std::uint64_t simulation);

}  // namespace cone
