#include "simulate/self_contained.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "simulate/semi_synthetic.hpp"
#include "simulate/simulation_items.hpp"

namespace cone {
namespace {

enum class Wiring {
  kNone,
  kBlocks,  // stochastic block model
  kRing,    // Watts and Strogatz 1998, Collective dynamics of 'small-world' networks
};

enum class HiddenValue { kCommunity, kSmoothOnRing, kNeighbourMaximum, kDrawnByCommunity };

enum class OutcomeForm { kLinear, kExponential, kSpending };

struct ArmTerms {
  double intercept = 0;
  double hidden = 0;
  double index = 0;
  double effect = 0;
};

struct Recipe {
  World world;
  std::size_t nodes;
  std::vector<ArmTerms> arms;  // the control arm first
  double outcome_hidden;       // b
  Wiring wiring = Wiring::kBlocks;
  double degree_within = 6;  // expected number of neighbours in the community, and of any others
  double degree_across = 1.5;
  double isolated_share = 0;
  HiddenValue hidden = HiddenValue::kCommunity;
  OutcomeForm form = OutcomeForm::kLinear;
  std::size_t features = 3;
  std::size_t index_features = 1;  // k
  double outcome_index = 1;        // c
  double noise = 1;
  std::size_t communities = 12;
  bool treats_communities = false;  // as a whole; they are given clusters
};

// One draw of normals, the same in every simulation: an average over draws would hide how wrong the
// intervals are in each of them.
constexpr std::array<double, 12> kCommunityValues = {0.4278,  -0.5708, 2.6545,  -1.6085,
                                                     0.6617,  -0.1434, -0.3545, 1.0664,
                                                     -1.8179, -0.9847, -0.1142, 1.7413};
constexpr std::size_t kRingNeighbours = 6;
constexpr double kRewired = 0.1;
constexpr double kRingWaves = 3;
constexpr double kConversion = 0.1;
constexpr double kLogSpendingMean = 1.6;
constexpr double kLogSpendingSd = 1;

/// Two arms that differ in treatment by these terms and in outcome by 0.5.
std::vector<ArmTerms> two_arms(double hidden, double index) {
  return {{}, {.hidden = hidden, .index = index, .effect = 0.5}};
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> table = {
      {.world = World::kBlocks, .nodes = 600, .arms = two_arms(1.3, 0.5), .outcome_hidden = 1.45},
      {.world = World::kBlocks5,
       .nodes = 800,
       .arms = {{.intercept = 0.7},
                {.hidden = 1, .effect = 0.2},
                {.hidden = -0.8, .effect = 0.4},
                {.index = 0.5, .effect = 0.1},
                {.intercept = -1}},
       .outcome_hidden = 1,
       .degree_within = 8,
       .degree_across = 2},
      {.world = World::kRing,
       .nodes = 800,
       .arms = two_arms(0.8, 0.5),
       .outcome_hidden = 0.95,
       .wiring = Wiring::kRing,
       .hidden = HiddenValue::kSmoothOnRing},
      {.world = World::kThin,
       .nodes = 600,
       .arms = two_arms(0.9, 0.5),
       .outcome_hidden = 2.05,
       .degree_within = 2.8,
       .degree_across = 0.7},
      {.world = World::kHalfIsolated,
       .nodes = 600,
       .arms = two_arms(1, 0.5),
       .outcome_hidden = 1.07,
       .isolated_share = 0.5},
      {.world = World::kNeighbourMaximum,
       .nodes = 600,
       .arms = two_arms(1, 0.5),
       .outcome_hidden = 1,
       .hidden = HiddenValue::kNeighbourMaximum},
      {.world = World::kManyColumns,
       .nodes = 300,
       .arms = two_arms(0, 1.2),
       .outcome_hidden = 0,
       .wiring = Wiring::kNone,
       .features = 150,
       .index_features = 5,
       .outcome_index = 2},
      {.world = World::kExponential,
       .nodes = 800,
       .arms = two_arms(0, 1.5),
       .outcome_hidden = 0,
       .wiring = Wiring::kNone,
       .form = OutcomeForm::kExponential,
       .index_features = 2,
       .noise = 0.5},
      {.world = World::kFewConversions,
       .nodes = 1000,
       .arms = {{}, {.intercept = -2.944}},  // log(0.05/0.95)
       .outcome_hidden = 0,
       .wiring = Wiring::kNone,
       .form = OutcomeForm::kSpending},
      {.world = World::kVillages,
       .nodes = 800,
       .arms = two_arms(0, 0),
       .outcome_hidden = 0.7,
       .wiring = Wiring::kNone,
       .hidden = HiddenValue::kDrawnByCommunity,
       .outcome_index = 0.5,
       .communities = 40,
       .treats_communities = true}};
  return table;
}

const Recipe* find_recipe(World world) {
  const auto found = std::ranges::find(recipes(), world, &Recipe::world);
  return found == recipes().end() ? nullptr : &*found;
}

const Recipe& recipe_of(World world) {
  const Recipe* recipe = find_recipe(world);
  require(recipe != nullptr, "simulate: the world is not self-contained");
  return *recipe;
}

/// What the nodes are before edges, treatments and outcomes.
struct Nodes {
  std::vector<std::uint32_t> community;
  std::vector<std::uint8_t> is_isolated;
  std::vector<double> draw;  // one unobserved normal each
  Matrix<double> features;
};

Nodes draw_nodes(const Context& context, const Recipe& recipe, std::uint64_t simulation) {
  const std::size_t n = recipe.nodes;
  Nodes nodes{.community = std::vector<std::uint32_t>(n),
              .is_isolated = std::vector<std::uint8_t>(n),
              .draw = std::vector<double>(n),
              .features = Matrix<double>(n, recipe.features)};
  for_each_item(context, Stream::kWorld, simulation, n, [&](std::size_t i, Rng& rng) {
    nodes.community[i] = static_cast<std::uint32_t>(rng.below(recipe.communities));
    nodes.is_isolated[i] = rng.bernoulli(recipe.isolated_share) ? 1 : 0;
    nodes.draw[i] = rng.normal();
    for (double& value : nodes.features.row(i)) value = rng.normal();
  });
  return nodes;
}

/// Every pair has an edge with its own probability. Isolated nodes have none, and count for none of
/// the probabilities: the others keep their expected degree.
std::vector<Edge> draw_blocks(const Context& context, const Recipe& recipe, const Nodes& nodes,
                              std::uint64_t simulation) {
  std::vector<double> others(recipe.communities, -1.0);  // connected members but one
  double all_others = -1;
  for (std::size_t i = 0; i < recipe.nodes; ++i) {
    if (nodes.is_isolated[i] != 0) continue;
    others[nodes.community[i]] += 1;
    all_others += 1;
  }
  std::vector<std::vector<Edge>> by_node(recipe.nodes);
  for_each_item(context, Stream::kNetwork, simulation, recipe.nodes, [&](std::size_t i, Rng& rng) {
    if (nodes.is_isolated[i] != 0) return;
    for (std::size_t j = i + 1; j < recipe.nodes; ++j) {
      if (nodes.is_isolated[j] != 0) continue;
      double probability = recipe.degree_across / all_others;
      if (nodes.community[i] == nodes.community[j]) {
        probability += recipe.degree_within / others[nodes.community[i]];
      }
      if (rng.bernoulli(probability)) {
        by_node[i].push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(j)});
      }
    }
  });
  std::vector<Edge> edges;
  for (const std::vector<Edge>& of_node : by_node) {
    edges.insert(edges.end(), of_node.begin(), of_node.end());
  }
  return edges;
}

std::vector<Edge> draw_ring(const Context& context, const Recipe& recipe,
                            std::uint64_t simulation) {
  constexpr std::size_t kAhead = kRingNeighbours / 2;
  std::vector<Edge> edges(recipe.nodes * kAhead);
  for_each_item(context, Stream::kNetwork, simulation, recipe.nodes, [&](std::size_t i, Rng& rng) {
    for (std::size_t step = 1; step <= kAhead; ++step) {
      const std::size_t next = (i + step) % recipe.nodes;
      const std::size_t target = rng.bernoulli(kRewired) ? rng.below(recipe.nodes) : next;
      edges[i * kAhead + step - 1] = {static_cast<NodeIndex>(i), static_cast<NodeIndex>(target)};
    }
  });
  return edges;
}

Graph draw_graph(const Context& context, const Recipe& recipe, const Nodes& nodes,
                 std::uint64_t simulation) {
  std::vector<Edge> edges;
  if (recipe.wiring == Wiring::kBlocks) edges = draw_blocks(context, recipe, nodes, simulation);
  if (recipe.wiring == Wiring::kRing) edges = draw_ring(context, recipe, simulation);
  return build_graph(context, recipe.nodes, edges);
}

/// The largest draw among the neighbours, standardised; 0 before that where there is none.
std::vector<double> neighbour_maximum(const Graph& graph, std::span<const double> draw) {
  std::vector<double> largest(draw.size(), 0.0);
  for (NodeIndex i = 0; i < largest.size(); ++i) {
    const std::span<const NodeIndex> neighbours = graph.neighbours(i);
    if (neighbours.empty()) continue;
    largest[i] = draw[neighbours[0]];
    for (const NodeIndex j : neighbours) largest[i] = std::max(largest[i], draw[j]);
  }
  standardise(largest);
  return largest;
}

/// u of every node.
std::vector<double> hidden_values(const Context& context, const Recipe& recipe, const Nodes& nodes,
                                  const Graph& graph, std::uint64_t simulation) {
  if (recipe.hidden == HiddenValue::kNeighbourMaximum) return neighbour_maximum(graph, nodes.draw);
  std::vector<double> values(recipe.nodes);
  if (recipe.hidden == HiddenValue::kSmoothOnRing) {
    const double step = 2 * std::numbers::pi * kRingWaves / static_cast<double>(recipe.nodes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::numbers::sqrt2 * std::sin(step * static_cast<double>(i));
    }
    return values;
  }
  std::vector<double> of_community(kCommunityValues.begin(), kCommunityValues.end());
  if (recipe.hidden == HiddenValue::kDrawnByCommunity) {
    Rng rng(context.seed(), Stream::kCentroid, simulation);
    of_community.resize(recipe.communities);
    for (double& value : of_community) value = rng.normal();
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = of_community[nodes.community[i]];
  return values;
}

double draw_outcome(const Recipe& recipe, double hidden, double index, double effect, Rng& rng) {
  if (recipe.form == OutcomeForm::kSpending) {
    const bool converts = rng.bernoulli(kConversion);
    const double spending = std::exp(kLogSpendingMean + kLogSpendingSd * rng.normal());
    return converts ? spending : 0;
  }
  const double expected = recipe.outcome_hidden * hidden + recipe.outcome_index * index;
  return (recipe.form == OutcomeForm::kExponential ? std::exp(expected) : expected) + effect +
         recipe.noise * rng.normal();
}

/// A uniform draw per node; nodes of a community that is treated as a whole share it.
std::vector<double> treatment_draws(const Context& context, const Recipe& recipe,
                                    const Nodes& nodes, std::uint64_t simulation) {
  std::vector<double> draws(recipe.nodes);
  for_each_item(context, Stream::kTreatment, simulation, recipe.nodes,
                [&](std::size_t i, Rng& rng) { draws[i] = rng.uniform(); });
  if (!recipe.treats_communities) return draws;
  std::vector<double> shared(recipe.nodes);
  for (std::size_t i = 0; i < shared.size(); ++i) shared[i] = draws[nodes.community[i]];
  return shared;
}

FeatureTable numeric_table(Matrix<double> features) {
  FeatureTable table;
  table.num_dense = features.cols();
  table.names.reserve(table.num_dense);
  for (std::size_t j = 0; j < table.num_dense; ++j)
    table.names.push_back(fmt::format("x{}", j + 1));
  table.matrix = FeatureMatrix(std::move(features));
  return table;
}

/// Numbered in the order of first appearance, as in a dataset that was loaded.
std::vector<std::uint32_t> number_by_appearance(std::span<const std::uint32_t> community,
                                                std::size_t count) {
  constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(count, kUnseen);
  std::vector<std::uint32_t> numbered;
  numbered.reserve(community.size());
  std::uint32_t next = 0;
  for (const std::uint32_t c : community) {
    if (number[c] == kUnseen) number[c] = next++;
    numbered.push_back(number[c]);
  }
  return numbered;
}

}  // namespace

std::vector<World> self_contained_worlds() {
  std::vector<World> worlds;
  worlds.reserve(recipes().size());
  for (const Recipe& recipe : recipes()) worlds.push_back(recipe.world);
  return worlds;
}

bool is_self_contained(World world) { return find_recipe(world) != nullptr; }

std::size_t num_arms(World world) { return recipe_of(world).arms.size(); }

bool is_unconfounded(World world) {
  const Recipe& recipe = recipe_of(world);
  return recipe.outcome_hidden == 0 ||
         std::ranges::all_of(recipe.arms, [](const ArmTerms& arm) { return arm.hidden == 0; });
}

SimulatedData simulate_self_contained(const Context& context, World world,
                                      std::uint64_t simulation) {
  require(simulation < kMaxSimulations, "simulate: the number of the simulation is too large");
  const Recipe& recipe = recipe_of(world);
  const std::size_t n = recipe.nodes;
  const std::size_t arms = recipe.arms.size();
  Nodes nodes = draw_nodes(context, recipe, simulation);
  Graph graph = draw_graph(context, recipe, nodes, simulation);
  const std::vector<double> hidden = hidden_values(context, recipe, nodes, graph, simulation);
  ArmValues logits(arms, std::vector<double>(n));
  ArmValues outcomes = logits;
  for_each_item(context, Stream::kOutcomeNoise, simulation, n, [&](std::size_t i, Rng& rng) {
    const double index = sum(nodes.features.row(i).first(recipe.index_features)) /
                         std::sqrt(static_cast<double>(recipe.index_features));
    for (std::size_t a = 0; a < arms; ++a) {
      const ArmTerms& arm = recipe.arms[a];
      logits[a][i] = arm.intercept + arm.hidden * hidden[i] + arm.index * index;
      outcomes[a][i] = draw_outcome(recipe, hidden[i], index, arm.effect, rng);
    }
  });
  const Matrix<double> propensity = logging_propensity(logits);
  const std::vector<double> draws = treatment_draws(context, recipe, nodes, simulation);

  SimulatedData out;
  Dataset& observed = out.data.observed;
  observed.ids = IdTable::numbered(n);
  observed.features = numeric_table(std::move(nodes.features));
  observed.arms.clear();
  for (std::size_t a = 0; a < arms; ++a) observed.arms.push_back(std::to_string(a));
  observed.treatment.resize(n);
  observed.outcome.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    observed.treatment[i] = draw_arm(propensity.row(i), draws[i]);
    observed.outcome[i] = outcomes[observed.treatment[i]][i];
  }
  if (recipe.treats_communities) {
    observed.cluster = number_by_appearance(nodes.community, recipe.communities);
  }
  out.data.truth = Truth(join_arms(outcomes));
  out.data.edges.num_edges = graph.num_edges();
  out.data.edges.num_lines = graph.num_edges();
  if (recipe.wiring == Wiring::kBlocks) out.community = std::move(nodes.community);
  observed.graph = std::move(graph);
  return out;
}

}  // namespace cone
