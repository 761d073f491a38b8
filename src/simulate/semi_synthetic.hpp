#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "data/dataset.hpp"
#include "exec/context.hpp"
#include "graph/graph.hpp"
#include "options/options.hpp"

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

/// What the neighbours' weights are divided by; s_i = Σ_j w_ij.
enum class Normalisation {
  kNone,       ///< nothing: what fits the published tables
  kRow,        ///< s_i
  kSymmetric,  ///< √(s_i s_j)
};

template <>
struct EnumNames<Normalisation> {
  static constexpr std::array kNames = {
      std::pair{Normalisation::kNone, std::string_view("none")},
      std::pair{Normalisation::kRow, std::string_view("row")},
      std::pair{Normalisation::kSymmetric, std::string_view("symmetric")}};
};

/// How the log comes about: the paper's way, or with one thing changed to stress an estimator.
enum class World {
  /// The paper's. Edge weights ~ Uniform(0.1, 1) are hidden and move treatment and outcome.
  kHiddenConfounding,
  /// All edge weights are 0.55, their mean: network and topics explain everything.
  kNoHiddenConfounding,
  /// t_i ~ softmax(4 p_i): propensities pile up at 0 and 1.
  kWeakOverlap,
  /// y_i(t), t > 0, gains 3 sd(p) tanh(u_i v_i), with u and v two random ±1 contrasts of the
  /// topics, standardised, for every arm its own: who gains and who loses is not linear in the
  /// topics. Treatment as in the paper, so the log does not know.
  kHeterogeneousEffects,
  /// Every arm is as likely as any other, whatever else.
  kRandomisedLog,
  /// y_i(t) = 1{U_i < sigmoid(standardised p_i^t)}, one uniform U_i per node for all arms; 0 or 1,
  /// not standardised afterwards. `noise` plays no part.
  kBinaryOutcomes,
};

template <>
struct EnumNames<World> {
  static constexpr std::array kNames = {
      std::pair{World::kHiddenConfounding, std::string_view("hidden_confounding")},
      std::pair{World::kNoHiddenConfounding, std::string_view("no_hidden_confounding")},
      std::pair{World::kWeakOverlap, std::string_view("weak_overlap")},
      std::pair{World::kHeterogeneousEffects, std::string_view("heterogeneous_effects")},
      std::pair{World::kRandomisedLog, std::string_view("randomised_log")},
      std::pair{World::kBinaryOutcomes, std::string_view("binary_outcomes")}};
};

struct OutcomeOptions {
  World world = World::kHiddenConfounding;
  int arms = 2;
  double kappa1 = 1;
  double kappa2 = 1;
  Normalisation normalisation = Normalisation::kNone;
  double noise = 0.01;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("world", self.world, "How treatments and outcomes are made");
    visitor("arms", self.arms, "Arms of the treatment, the control arm included",
            between(2, kMaxArms));
    visitor("kappa1", self.kappa1, "Influence of a node's own topics on treatment and outcome",
            between(0, 1e6));
    visitor("kappa2", self.kappa2, "Influence of the neighbours' topics (the hidden confounder)",
            between(0, 1e6));
    visitor("normalisation", self.normalisation, "Scaling of the hidden edge weights");
    visitor("noise", self.noise, "Standard deviation of the outcome noise, before standardising",
            between(0, 1e6));
  }
};

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
};

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
