#include "study/coverage.hpp"

#include <algorithm>
#include <cmath>

#include "base/numeric.hpp"
#include "simulate/self_contained.hpp"

namespace cone {
namespace {

constexpr double kCoverageDegree = 20;
constexpr int kUnconfoundedFactor = 5;
constexpr double kOneSidedQuantile = 1.6448536269514722;

}  // namespace

double wilson_lower_limit(std::size_t hits, std::size_t trials) {
  if (trials == 0) return kNaN;
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(hits) / n;
  const double z = kOneSidedQuantile;
  const double centre = p + z * z / (2 * n);
  const double spread = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return (centre - spread) / (1 + z * z / n);
}

std::vector<StudyNetwork> generate_coverage_networks(const Context& context,
                                                     const CoverageOptions& options) {
  validate(options);
  NetworkOptions network;
  network.nodes = options.coverage_nodes;
  network.mean_degree = std::min(kCoverageDegree, static_cast<double>(options.coverage_nodes) / 25);
  std::vector<StudyNetwork> networks;
  networks.push_back(name_network("social", synthetic_topic_network(context, network)));
  network.layout = Layout::kGeometric;
  networks.push_back(name_network("geometric", synthetic_topic_network(context, network)));
  return networks;
}

CoverageSettings coverage_settings(std::span<const StudyNetwork> networks, std::uint64_t seed) {
  struct Named {
    std::string_view name;
    OutcomeOptions outcome;
    bool is_unconfounded = false;
    bool geometric = false;
  };
  // Noise is in units of p before standardisation, in dependent_noise in units of its sd.
  const std::vector<Named> worlds = {
      {"randomised treatment", {.world = World::kRandomisedLog, .noise = 0.1}, true},
      {"observed confounding", {.world = World::kObservedConfounding, .noise = 0.5}, true},
      {"unmeasured confounding, kappa2 = 1", {.world = World::kHiddenConfounding}},
      {"unmeasured confounding, kappa2 = 2", {.world = World::kHiddenConfounding, .kappa2 = 2}},
      {"unmeasured confounding, noisy", {.world = World::kHiddenConfounding, .noise = 0.1}},
      {"equal edge weights", {.world = World::kEqualEdgeWeights, .kappa2 = 2}},
      {"heterogeneous effects", {.world = World::kHeterogeneousEffects}},
      {"weak overlap", {.world = World::kWeakOverlap}},
      {"binary outcomes", {.world = World::kBinaryOutcomes}},
      {"nonlinear", {.world = World::kNonlinear, .noise = 0.1}},
      {"shared noise 0.3", {.world = World::kDependentNoise, .noise = 1, .shared_noise = 0.3}},
      {"shared noise 0.8", {.world = World::kDependentNoise, .noise = 1, .shared_noise = 0.8}},
      {"shared noise 0.3, geometric",
       {.world = World::kDependentNoise, .noise = 1, .shared_noise = 0.3},
       false,
       true},
      {"shared noise 0.8, geometric",
       {.world = World::kDependentNoise, .noise = 1, .shared_noise = 0.8},
       false,
       true}};
  CoverageSettings out;
  for (const Named& world : worlds) {
    out.settings.push_back({.name = std::string(world.name),
                            .network = &networks[world.geometric ? 1 : 0],
                            .outcome = world.outcome,
                            .seed = seed});
    out.is_unconfounded.push_back(world.is_unconfounded);
  }
  for (const World world : self_contained_worlds()) {
    out.settings.push_back(self_contained_setting(world, seed));
    out.is_unconfounded.push_back(is_unconfounded(world));
  }
  return out;
}

ValueGroup coverage_group() {
  ValueGroup group{.name = "intervals"};
  for (const char* name : {"naive", "network_dm", "network_joint", "dr_ridge", "cohesion_dm",
                           "spectral_dm", "spectral_dr"}) {
    group.rows.push_back({name, name});
  }
  return group;
}

CoverageTable reproduce_coverage(const Context& context, std::span<const StudyNetwork> networks,
                                 int simulations, const CoverageOptions& options,
                                 const UnitWork& work) {
  const int unconfounded = options.unconfounded_simulations > 0 ? options.unconfounded_simulations
                                                                : kUnconfoundedFactor * simulations;
  const CoverageSettings worlds = coverage_settings(networks, context.seed());
  ValuePlan plan{.settings = worlds.settings,
                 .groups = {coverage_group()},
                 .simulations = simulations,
                 .phase = "coverage"};
  for (const bool is_unconfounded : worlds.is_unconfounded) {
    plan.more_simulations.push_back(is_unconfounded ? unconfounded : simulations);
  }
  return {run_value_study(context, plan, work), worlds.is_unconfounded};
}

}  // namespace cone
