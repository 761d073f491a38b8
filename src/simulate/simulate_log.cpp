#include "base/error.hpp"
#include "base/numeric.hpp"
#include "base/random.hpp"
#include "simulate/semi_synthetic.hpp"

namespace cone {
namespace {

constexpr double kLowWeight = 0.1;
constexpr double kHighWeight = 1.0;
constexpr double kWeakOverlapScale = 4;

/// Simulations below 2^24 and items below 2^40 never share a number.
constexpr int kItemBits = 40;
constexpr std::uint64_t kMaxSimulations = 1ULL << (64 - kItemBits);
constexpr std::uint64_t item_number(std::uint64_t simulation, std::uint64_t item) {
  return simulation << kItemBits | item;
}

/// draw(rng) for items 0 ... count − 1 of a simulation.
template <class Draw>
std::vector<double> draw_items(const Context& context, Stream stream, std::uint64_t simulation,
                               std::size_t count, const Draw& draw) {
  std::vector<double> values(count);
  constexpr std::size_t kItemsPerPiece = 8192;
  context.for_each_range(count, kItemsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng(context.seed(), stream, item_number(simulation, i));
      values[i] = draw(rng);
    }
  });
  return values;
}

HiddenState draw_hidden(const Context& context, const Graph& graph, World world,
                        std::uint64_t simulation) {
  HiddenState hidden;
  hidden.centroid = static_cast<NodeIndex>(
      Rng(context.seed(), Stream::kCentroid, simulation).below(graph.num_nodes()));
  if (world == World::kNoHiddenConfounding) {
    hidden.edge_weights.assign(graph.num_edges(), 0.5 * (kLowWeight + kHighWeight));
  } else {
    hidden.edge_weights = draw_items(context, Stream::kEdgeWeights, simulation, graph.num_edges(),
                                     [](Rng& rng) { return rng.uniform(kLowWeight, kHighWeight); });
  }
  return hidden;
}

std::vector<double> world_propensity(const ArmValues& scores, World world) {
  if (world == World::kRandomisedLog) return std::vector<double>(scores.control.size(), 0.5);
  return logging_propensity(scores, world == World::kWeakOverlap ? kWeakOverlapScale : 1.0);
}

ArmValues draw_binary_outcomes(const Context& context, ArmValues scores, std::uint64_t simulation) {
  const std::size_t n = scores.control.size();
  ArmValues outcomes = standardised_outcomes(std::move(scores), std::vector<double>(n, 0.0));
  const std::vector<double> u = draw_items(context, Stream::kOutcomeNoise, simulation, n,
                                           [](Rng& rng) { return rng.uniform(); });
  for (std::size_t i = 0; i < n; ++i) {
    outcomes.control[i] = u[i] < sigmoid(outcomes.control[i]) ? 1 : 0;
    outcomes.treated[i] = u[i] < sigmoid(outcomes.treated[i]) ? 1 : 0;
  }
  return outcomes;
}

ArmValues draw_outcomes(const Context& context, MatrixView<const double> topics, ArmValues scores,
                        const OutcomeOptions& options, std::uint64_t simulation) {
  if (options.world == World::kBinaryOutcomes) {
    return draw_binary_outcomes(context, std::move(scores), simulation);
  }
  if (options.world == World::kHeterogeneousEffects) {
    Rng rng(context.seed(), Stream::kWorld, simulation);
    std::vector<double> a(topics.cols());
    std::vector<double> b(topics.cols());
    for (double& sign : a) sign = rng.sign();
    for (double& sign : b) sign = rng.sign();
    const std::vector<double> effect = nonlinear_effect(scores, topics, a, b);
    for (std::size_t i = 0; i < effect.size(); ++i) scores.treated[i] += effect[i];
  }
  const std::vector<double> noise =
      draw_items(context, Stream::kOutcomeNoise, simulation, topics.rows(),
                 [&](Rng& rng) { return options.noise * rng.normal(); });
  return standardised_outcomes(std::move(scores), noise);
}

}  // namespace

SimulatedLog simulate_log(const Context& context, const Graph& graph,
                          MatrixView<const double> topics, const OutcomeOptions& options,
                          std::uint64_t simulation) {
  validate(options);
  if (simulation >= kMaxSimulations) {
    throw Error(ErrorCode::kUsage,
                Fault{{.item = "simulation"},
                      fmt::format("number {} is too large", simulation),
                      fmt::format("simulations are numbered below {}", kMaxSimulations)});
  }
  if (graph.num_nodes() == 0) {
    throw Error(ErrorCode::kData, Fault{{.item = "network"}, "has no nodes", ""});
  }
  HiddenState hidden = draw_hidden(context, graph, options.world, simulation);
  ArmValues scores = arm_scores(context, graph, topics, hidden, options);
  std::vector<double> propensity = world_propensity(scores, options.world);
  ArmValues outcomes = draw_outcomes(context, topics, std::move(scores), options, simulation);

  const std::vector<double> u =
      draw_items(context, Stream::kTreatment, simulation, propensity.size(),
                 [](Rng& rng) { return rng.uniform(); });
  std::vector<std::uint8_t> treatment(u.size());
  std::vector<double> outcome(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    treatment[i] = u[i] < propensity[i] ? 1 : 0;
    outcome[i] = treatment[i] != 0 ? outcomes.treated[i] : outcomes.control[i];
  }
  return {std::move(treatment), std::move(outcome), std::move(propensity),
          Truth(join_arms(std::array{outcomes.control, outcomes.treated})), std::move(hidden)};
}

}  // namespace cone
