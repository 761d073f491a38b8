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

// Treatments and outcomes for a network whose nodes have topics r_i (rows of a table, sums 1). With
// hidden edge weights w_ij = w_ji, r̄^0 the mean topics of all nodes and r̄^t the topics of one node
// for every other arm t (its centroid):
//
//   p_i^t  = κ1 r_i·r̄^t + κ2 Σ_j w_ij r_j·r̄^t          no neighbours: the sum is 0
//   t_i    ~ softmax(p_i^0, p_i^1, ...)               two arms: Bernoulli(sigmoid(p_i^1 − p_i^0))
//   y_i(t) = p_i^t + ε_i,  ε_i ~ N(0, noise²), one draw per node,
//
// standardised with the mean and the population sd over all arms. More arms change no draw of the
// arms before them.

namespace cone {

/// What no estimator may see. Kept apart from everything that goes into a Dataset.
struct HiddenState {
  std::vector<NodeIndex> centroids;  ///< one per arm after the control arm
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
  /// What the log says of the nodes beside their words, nodes × columns; of World::kBent and
  /// World::kObservedConfounding.
  Matrix<double> measurements;
};

struct Moments {
  double mean;
  double sd;
};
/// Over all arms together.
Moments pooled_moments(const ArmValues& values);

/// p^t of every node and arm, from kappa1, kappa2 and normalisation. O(arms · (nodes · topics +
/// edges)).
ArmValues arm_scores(const Context& context, const Graph& graph, MatrixView<const double> topics,
                     const HiddenState& hidden, const OutcomeOptions& options);

/// softmax(scale · p), nodes × arms.
Matrix<double> logging_propensity(const ArmValues& scores, double scale = 1);

/// 3 sd(p) tanh(u_i v_i), with u_i and v_i the standardised a·r_i and b·r_i; sd(p) over all arms.
std::vector<double> nonlinear_effect(const ArmValues& scores, MatrixView<const double> topics,
                                     std::span<const double> a, std::span<const double> b);

/// p^t + noise, standardised with the mean and the population sd over all arms. Throws
/// Error(kData) when all values are the same.
ArmValues standardised_outcomes(ArmValues scores, std::span<const double> noise);

/// Simulation number `simulation` (below 2^24) of a network: its own centroids, edge weights,
/// treatments and noise, a function of the seed and the number, whichever others were run.
/// Throws Error(kUsage) on bad options and Error(kData) when there is nothing to simulate.
SimulatedLog simulate_log(const Context& context, const Graph& graph,
                          MatrixView<const double> topics, const OutcomeOptions& options,
                          std::uint64_t simulation);

}  // namespace cone
