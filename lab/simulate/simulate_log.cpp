#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "cone/error.hpp"
#include "cone/simulate.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "simulate/numeric_worlds.hpp"
#include "simulate/self_contained.hpp"
#include "simulate/semi_synthetic.hpp"
#include "simulate/simulation_items.hpp"

namespace cone {
namespace {

constexpr double kLowWeight = 0.1;
constexpr double kHighWeight = 1.0;
constexpr double kWeakOverlapScale = 4;
constexpr double kEffectScale = 5;  // C of individual_effects
constexpr double kNeighbourhoodScale = 1.5;

/// draw(rng) for items 0 ... count − 1 of a simulation.
template <class Draw>
std::vector<double> draw_items(const Context& context, Stream stream, std::uint64_t simulation,
                               std::size_t count, const Draw& draw) {
  std::vector<double> values(count);
  for_each_item(context, stream, simulation, count,
                [&](std::size_t i, Rng& rng) { values[i] = draw(rng); });
  return values;
}

/// Item number of draws made once per arm except the control arm: arm 1 has the simulation's
/// number.
std::uint64_t arm_number(std::uint64_t simulation, std::size_t arm) {
  return simulation | static_cast<std::uint64_t>(arm - 1) << kItemBits;
}

/// One node per arm except the control arm, distinct where there are enough nodes.
std::vector<NodeIndex> draw_centroids(const Context& context, std::size_t num_nodes,
                                      std::size_t num_arms, std::uint64_t simulation) {
  std::vector<NodeIndex> centroids;
  for (std::size_t arm = 1; arm < num_arms; ++arm) {
    Rng rng(context.seed(), Stream::kCentroid, arm_number(simulation, arm));
    auto node = static_cast<NodeIndex>(rng.below(num_nodes));
    while (num_nodes >= num_arms &&
           std::find(centroids.begin(), centroids.end(), node) != centroids.end()) {
      node = static_cast<NodeIndex>(rng.below(num_nodes));
    }
    centroids.push_back(node);
  }
  return centroids;
}

HiddenState draw_hidden(const Context& context, const Graph& graph, const OutcomeOptions& options,
                        std::uint64_t simulation) {
  HiddenState hidden;
  hidden.centroids = draw_centroids(context, graph.num_nodes(),
                                    static_cast<std::size_t>(options.arms), simulation);
  if (options.world == World::kEqualEdgeWeights) {
    hidden.edge_weights.assign(graph.num_edges(), 0.5 * (kLowWeight + kHighWeight));
  } else if (options.world == World::kIndividualEffects) {
    hidden.edge_weights.assign(graph.num_edges(), 1.0);
  } else {
    hidden.edge_weights = draw_items(context, Stream::kEdgeWeights, simulation, graph.num_edges(),
                                     [](Rng& rng) { return rng.uniform(kLowWeight, kHighWeight); });
  }
  return hidden;
}

Matrix<double> world_propensity(const ArmValues& scores, World world) {
  if (world == World::kRandomisedLog) {
    return {scores[0].size(), scores.size(), 1.0 / static_cast<double>(scores.size())};
  }
  return logging_propensity(scores, world == World::kWeakOverlap ? kWeakOverlapScale : 1.0);
}

ArmValues draw_binary_outcomes(const Context& context, ArmValues scores, std::uint64_t simulation) {
  const std::size_t n = scores[0].size();
  ArmValues outcomes = standardised_outcomes(std::move(scores), std::vector<double>(n, 0.0));
  const std::vector<double> u = draw_items(context, Stream::kOutcomeNoise, simulation, n,
                                           [](Rng& rng) { return rng.uniform(); });
  for (std::vector<double>& arm : outcomes) {
    for (std::size_t i = 0; i < n; ++i) arm[i] = u[i] < sigmoid(arm[i]) ? 1 : 0;
  }
  return outcomes;
}

/// Adds a non-linear effect to every arm except the control arm.
void add_effects(const Context& context, MatrixView<const double> topics, std::uint64_t simulation,
                 ArmValues& scores) {
  const ArmValues before = scores;
  for (std::size_t arm = 1; arm < scores.size(); ++arm) {
    Rng rng(context.seed(), Stream::kWorld, arm_number(simulation, arm));
    std::vector<double> a(topics.cols());
    std::vector<double> b(topics.cols());
    for (double& sign : a) sign = rng.sign();
    for (double& sign : b) sign = rng.sign();
    const std::vector<double> effect = nonlinear_effect(before, topics, a, b);
    for (std::size_t i = 0; i < effect.size(); ++i) scores[arm][i] += effect[i];
  }
}

/// y(t) = C (p^t + p^0) for every arm except the control arm, y(0) = C p^0, plus noise. The effect
/// is C p^t, in the units of p: not standardised.
ArmValues individual_outcomes(ArmValues scores, std::span<const double> noise) {
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double control = scores[0][i];
    for (std::size_t arm = 0; arm < scores.size(); ++arm) {
      const double total = arm == 0 ? control : scores[arm][i] + control;
      scores[arm][i] = kEffectScale * total + noise[i];
    }
  }
  return scores;
}

/// One draw per node, summed over the node and its neighbours and divided by its standard
/// deviation. Each `number` has its own draws: 0 for noise, the others for arms.
std::vector<double> draw_over_neighbourhoods(const Context& context, const Graph& graph,
                                             std::uint64_t simulation, std::size_t number) {
  const std::size_t n = graph.num_nodes();
  std::vector<double> draw(n);
  for_each_item(context, Stream::kNeighbourhoodDraws, simulation, n, [&](std::size_t i, Rng& rng) {
    for (std::size_t skipped = 0; skipped < number; ++skipped) rng.normal();
    draw[i] = rng.normal();
  });
  std::vector<double> out(draw);
  for (NodeIndex i = 0; i < n; ++i) {
    for (const NodeIndex j : graph.neighbours(i)) out[i] += draw[j];
    out[i] /= std::sqrt(1 + static_cast<double>(graph.degree(i)));
  }
  return out;
}

/// Treatment is correlated between neighbours but independent of the outcomes.
Matrix<double> propensity_by_neighbourhood(const Context& context, const Graph& graph,
                                           std::size_t num_arms, std::uint64_t simulation) {
  ArmValues logits(num_arms, std::vector<double>(graph.num_nodes(), 0.0));
  for (std::size_t arm = 1; arm < num_arms; ++arm) {
    logits[arm] = draw_over_neighbourhoods(context, graph, simulation, arm);
  }
  return logging_propensity(logits, kNeighbourhoodScale);
}

ArmValues draw_outcomes(const Context& context, const Graph& graph, MatrixView<const double> topics,
                        MatrixView<const double> numeric_features, ArmValues scores,
                        const OutcomeOptions& options, std::uint64_t simulation) {
  if (options.world == World::kBinaryOutcomes) {
    return draw_binary_outcomes(context, std::move(scores), simulation);
  }
  if (options.world == World::kHeterogeneousEffects)
    add_effects(context, topics, simulation, scores);
  const std::vector<double> noise =
      draw_items(context, Stream::kOutcomeNoise, simulation, topics.rows(),
                 [&](Rng& rng) { return options.noise * rng.normal(); });
  if (options.world == World::kDependentNoise) {
    const std::vector<double> shared = draw_over_neighbourhoods(context, graph, simulation, 0);
    const double scale = pooled_moments(scores).sd;
    std::vector<double> mixed(noise.size());
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      mixed[i] = scale * (std::sqrt(1 - options.shared_noise) * noise[i] +
                          std::sqrt(options.shared_noise) * options.noise * shared[i]);
    }
    return standardised_outcomes(std::move(scores), mixed);
  }
  if (options.world == World::kIndividualEffects) {
    return individual_outcomes(std::move(scores), noise);
  }
  if (options.world == World::kNonlinear)
    scores = nonlinear_outcomes(std::move(scores), numeric_features);
  return standardised_outcomes(std::move(scores), noise);
}

}  // namespace

SimulatedLog simulate_log(const Context& context, const Graph& graph,
                          MatrixView<const double> topics, const OutcomeOptions& options,
                          std::uint64_t simulation) {
  validate(options);
  require(!is_self_contained(options.world), "simulate_log: the world has its own network");
  if (simulation >= kMaxSimulations) {
    throw Error(ErrorCode::kUsage,
                Fault{{.item = "simulation"},
                      fmt::format("is {}, which is too large", simulation),
                      fmt::format("simulations are numbered below {}", kMaxSimulations)});
  }
  if (graph.num_nodes() == 0) {
    throw Error(ErrorCode::kData, Fault{{.item = "network"}, "has no nodes", ""});
  }
  HiddenState hidden = draw_hidden(context, graph, options, simulation);
  const bool is_nonlinear = options.world == World::kNonlinear;
  const bool is_observed = options.world == World::kObservedConfounding;
  Matrix<double> numeric_features;
  if (is_nonlinear || is_observed) {
    numeric_features = draw_numeric_features(context, graph.num_nodes(), simulation);
  }
  ArmValues scores =
      is_observed ? observed_scores(context, graph, numeric_features.view(), options, simulation)
                  : arm_scores(context, graph, topics, hidden, options);
  Matrix<double> propensity =
      options.world == World::kDependentNoise
          ? propensity_by_neighbourhood(context, graph, scores.size(), simulation)
          : world_propensity(
                is_nonlinear ? nonlinear_logits(scores, numeric_features.view()) : scores,
                options.world);
  const ArmValues outcomes = draw_outcomes(context, graph, topics, numeric_features.view(),
                                           std::move(scores), options, simulation);

  const std::vector<double> u =
      draw_items(context, Stream::kTreatment, simulation, propensity.rows(),
                 [](Rng& rng) { return rng.uniform(); });
  std::vector<Arm> treatment(u.size());
  std::vector<double> outcome(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    treatment[i] = draw_arm(propensity.row(i), u[i]);
    outcome[i] = outcomes[treatment[i]][i];
  }
  return {std::move(treatment),       std::move(outcome), std::move(propensity),
          Truth(join_arms(outcomes)), std::move(hidden),  std::move(numeric_features)};
}

}  // namespace cone
