#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/load.hpp"
#include "cone/options.hpp"

/// \file
/// Simulated data with known truth.

namespace cone {

struct TopicNetwork;

/// The normalisation of edge weights; s_i = Σ_j w_ij.
enum class Normalisation {
  kNone,       ///< none: fits the published tables
  kRow,        ///< division by s_i
  kSymmetric,  ///< division by √(s_i s_j)
};

template <>
struct EnumNames<Normalisation> {
  static constexpr std::array kNames = {
      std::pair{Normalisation::kNone, std::string_view("none")},
      std::pair{Normalisation::kRow, std::string_view("row")},
      std::pair{Normalisation::kSymmetric, std::string_view("symmetric")}};
};

/// The data-generating process: the paper's, or one that changes one aspect of it.
enum class World {
  /// The paper's. Unobserved edge weights ~ Uniform(0.1, 1) affect treatment and outcome.
  kHiddenConfounding,
  /// All edge weights are 0.55, their mean: network and topics determine everything. The topics are
  /// still unobserved.
  kEqualEdgeWeights,
  /// t_i ~ softmax(4 p_i): propensities pile up at 0 and 1.
  kWeakOverlap,
  /// y_i(t), t > 0, gains 3 sd(p) tanh(u_i v_i), with u and v two random ±1 contrasts of the
  /// topics, standardised, drawn per arm: effects are not linear in the topics. Treatment as in the
  /// paper, so it does not depend on the effects.
  kHeterogeneousEffects,
  /// Randomised: every arm is equally likely for every node.
  kRandomisedLog,
  /// y_i(t) = 1{U_i < sigmoid(standardised p_i^t)}, one uniform U_i per node for all arms; 0 or 1,
  /// not standardised afterwards. `noise` has no effect.
  kBinaryOutcomes,
  /// Outcome and treatment are non-linear functions of five observed numeric features (curves,
  /// thresholds, interactions); topics and network have a small effect.
  /// lab/simulate/numeric_worlds.hpp.
  kNonlinear,
  /// The simulation of Guo, Li and Liu 2020, Learning individual causal effects from networked
  /// observational data (WSDM, doi:10.1145/3336191.3371816): all edge weights are 1,
  /// y_i(0) = 5 p_i^0 + ε_i and y_i(t) = 5 (p_i^t + p_i^0) + ε_i, not standardised. Theirs has
  /// kappa1 = 10 and noise = 1.
  kIndividualEffects,
  /// No unmeasured confounding: treatment and outcome depend on observed numeric features, a node's
  /// own and the sums over its neighbours. lab/simulate/numeric_worlds.hpp.
  kObservedConfounding,
  /// Neighbours share outcome noise, and have correlated treatments for causes that do not affect
  /// outcomes. A shared draw is the sum of one draw per node over a node and its neighbours,
  /// divided by its
  /// standard deviation; ε = noise·sd(p)·(√(1 − s)·own + √s·shared) with s = `shared_noise`, and
  /// the logit of treatment is 1.5 times another shared draw.
  kDependentNoise,
  // Worlds with their own network, features and coefficients (lab/simulate/self_contained.hpp), in
  // which an interval for sampling error alone fails. No other option of the outcomes and the
  // network has an effect.
  /// 12 communities, mean degree 7.5, 600 units: an unobserved value of the community affects
  /// treatment and outcome; three observed features.
  kBlocks,
  /// Five arms with effects 0, 0.2, 0.4, 0.1 and 0; mean degree 10, 800 units.
  kBlocks5,
  /// A small-world ring of 800 units with six neighbours each; the confounder is smooth along it.
  kRing,
  kThin,          ///< blocks with mean degree 3.5
  kHalfIsolated,  ///< blocks where half of the units have no edges
  /// The confounder is the largest of an unobserved value of the neighbours.
  kNeighbourMaximum,
  kManyColumns,     ///< 300 units, 150 features of which five matter; linear, all observed
  kExponential,     ///< the outcome is the exponential of the index that treatment follows
  kFewConversions,  ///< 5 % treated at random; 90 % of the outcomes are 0, the others log-normal
  kVillages,        ///< 40 villages, treated as a whole, with outcomes in common; given clusters
};

template <>
struct EnumNames<World> {
  static constexpr std::array kNames = {
      std::pair{World::kHiddenConfounding, std::string_view("hidden_confounding")},
      std::pair{World::kEqualEdgeWeights, std::string_view("equal_edge_weights")},
      std::pair{World::kWeakOverlap, std::string_view("weak_overlap")},
      std::pair{World::kHeterogeneousEffects, std::string_view("heterogeneous_effects")},
      std::pair{World::kRandomisedLog, std::string_view("randomised_log")},
      std::pair{World::kBinaryOutcomes, std::string_view("binary_outcomes")},
      std::pair{World::kNonlinear, std::string_view("nonlinear")},
      std::pair{World::kIndividualEffects, std::string_view("individual_effects")},
      std::pair{World::kObservedConfounding, std::string_view("observed_confounding")},
      std::pair{World::kDependentNoise, std::string_view("dependent_noise")},
      std::pair{World::kBlocks, std::string_view("blocks")},
      std::pair{World::kBlocks5, std::string_view("blocks5")},
      std::pair{World::kRing, std::string_view("ring")},
      std::pair{World::kThin, std::string_view("thin")},
      std::pair{World::kHalfIsolated, std::string_view("half_isolated")},
      std::pair{World::kNeighbourMaximum, std::string_view("neighbour_maximum")},
      std::pair{World::kManyColumns, std::string_view("many_columns")},
      std::pair{World::kExponential, std::string_view("exponential")},
      std::pair{World::kFewConversions, std::string_view("few_conversions")},
      std::pair{World::kVillages, std::string_view("villages")}};
};

struct OutcomeOptions {
  World world = World::kHiddenConfounding;
  int arms = 2;
  double kappa1 = 1;
  double kappa2 = 1;
  Normalisation normalisation = Normalisation::kNone;
  double noise = 0.01;
  double shared_noise = 0.5;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("world", self.world, "Data-generating process of treatments and outcomes");
    visitor("arms", self.arms, "Number of treatment arms, including the control arm",
            between(2, kMaxArms));
    visitor("kappa1", self.kappa1, "Effect of a node's own topics on treatment and outcome",
            between(0, 1e6));
    visitor("kappa2", self.kappa2, "Effect of the neighbours' topics (the unmeasured confounder)",
            between(0, 1e6));
    visitor("normalisation", self.normalisation, "Normalisation of the unobserved edge weights");
    visitor("noise", self.noise, "Standard deviation of the outcome noise, before standardising",
            between(0, 1e6));
    visitor("shared_noise", self.shared_noise,
            "World dependent_noise: share of the noise variance that neighbours have in common",
            between(0, 1));
  }
};

/// The type of a generated network.
enum class Layout {
  kSocial,     ///< communities, power-law degrees, clustering
  kGeometric,  ///< random geometric graph in a square: long paths, no hubs
};

template <>
struct EnumNames<Layout> {
  static constexpr std::array kNames = {
      std::pair{Layout::kSocial, std::string_view("social")},
      std::pair{Layout::kGeometric, std::string_view("geometric")}};
};

/// A synthetic social network. The defaults resemble BlogCatalog.
struct NetworkOptions {
  Layout layout = Layout::kSocial;
  std::uint32_t nodes = 5200;
  double mean_degree = 66;
  double degree_exponent = 2.7;
  double isolated_fraction = 0;
  std::uint32_t communities = 10;
  double homophily = 0.3;
  double clustering = 0.09;
  std::uint32_t topics = 50;
  std::uint32_t words = 2200;
  double words_per_node = 70;
  double zipf_exponent = 1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("layout", self.layout,
            "Type of network: social, or geometric (neighbours in the plane; homophily, clustering "
            "and degree_exponent then have no effect)");
    visitor("nodes", self.nodes, "Number of nodes", between(5, 1e8));
    visitor("mean_degree", self.mean_degree, "Mean degree over all nodes; 0 for no edges",
            at_least(0));
    visitor("degree_exponent", self.degree_exponent,
            "Exponent of the power-law tail of the degrees", strictly_between(2, 10));
    visitor("isolated_fraction", self.isolated_fraction,
            "Share of nodes without any edge; the others form one component", between(0, 1));
    visitor("communities", self.communities,
            "Number of communities; their nodes have similar topics", between(1, 1e8));
    visitor("homophily", self.homophily,
            "Share of edges within a community, beyond chance: 0 none, 1 all", between(0, 1));
    visitor("clustering", self.clustering,
            "Average local clustering coefficient beyond that of random wiring", between(0, 0.25));
    visitor("topics", self.topics, "Number of topics; nodes mix them, words belong to them",
            between(1, 10000));
    visitor("words", self.words, "Number of words in the vocabulary", between(8, 1e7));
    visitor("words_per_node", self.words_per_node, "Mean number of different words of a node",
            at_least(1));
    visitor("zipf_exponent", self.zipf_exponent,
            "Exponent s of Zipf's law: word frequencies of a topic fall as rank^-s", between(0, 3));
  }

  /// Rules across fields: there must be room for the edges and the words asked for.
  void check(std::vector<Fault>& faults) const;
};

/// Options of the topic model, latent Dirichlet allocation (Blei, Ng and Jordan 2003, Latent
/// Dirichlet allocation). The defaults make 10 passes as scikit-learn does.
struct TopicModelOptions {
  int topics = 50;
  int passes = 10;
  int document_updates = 20;
  double document_prior = 0;
  double word_prior = 0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("topics", self.topics, "Number of topics", between(1, 10000));
    visitor("passes", self.passes, "Passes of the topic model over the documents", at_least(1));
    visitor("document_updates", self.document_updates,
            "Maximum number of updates of a document's topics in one pass", at_least(1));
    visitor("document_prior", self.document_prior,
            "Dirichlet prior of a document's topics; 0 means 1/topics", at_least(0));
    visitor("word_prior", self.word_prior, "Dirichlet prior of a topic's words; 0 means 1/topics",
            at_least(0));
  }
};

/// Options of `cone simulate`: logged data on a real network (`network` names a .mat file) or on a
/// synthetic one.
struct SimulationOptions {
  std::string network;
  std::uint64_t simulation = 0;
  int top_words = 100;
  bool edge_weights = false;
  OutcomeOptions outcome;
  NetworkOptions synthetic;  ///< `topics` is also the number of topics fitted to a real network
  TopicModelOptions topic_model;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("network", self.network, "A real network (.mat); without it one is generated");
    visitor("simulation", self.simulation,
            "Index of the simulation: each is another draw of the same world",
            between(0, (1 << 24) - 1));
    visitor("edge_weights", self.edge_weights,
            "Also write the unobserved edge weights (hidden_edge_weights.csv)");
    OutcomeOptions::visit(self.outcome, visitor);
    visitor("top_words", self.top_words,
            "Real networks: the features are this many top words of each topic", at_least(1));
    visit_topic_model(self, visitor);
    NetworkOptions::visit(self.synthetic, visitor);
  }

 private:
  /// The fields of the topic model but `topics`, which the synthetic network declares.
  template <class Self, class Visitor>
  static void visit_topic_model(Self& self, Visitor& visitor) {
    TopicModelOptions::visit(self.topic_model, [&](std::string_view name, auto& value,
                                                   std::string_view help, const Range& range = {}) {
      if (name != "topics") visitor(name, value, help, range);
    });
  }
};

/// Makes the network of the options, without treatments and outcomes.
TopicNetwork make_topic_network(const Context& context, const SimulationOptions& options);

/// Simulates and writes a dataset folder: the files load_dataset reads, topics.npy, and
/// manifest.json with every option that had an effect, the structure of the network (degrees, their
/// tail, clustering, homophily), the centroid, the checksums and the list of the files. The folder
/// appears when it is complete. An existing one is refused unless it is empty or holds an earlier
/// simulation, whose files are replaced at once; other files in it stay.
/// Returns the manifest.
nlohmann::ordered_json write_simulation(const Context& context, const SimulationOptions& options,
                                        const std::filesystem::path& folder);

/// The built-in data `demo`: a synthetic network of BlogCatalog's size with unmeasured confounding
/// and known truth, generated on the fly and the same everywhere, whatever the seed of the context.
LoadedData demo_data(const Context& context);

/// Loads a table, a folder, a .mat file or, where no such path exists, the built-in data `demo`.
LoadedData load_named(const Context& context, const std::string& name, const LoadOptions& options);

/// Refuses options that have no effect with the chosen kind of network, instead of ignoring them.
void refuse_idle_simulation(const IsGiven& is_given, const SimulationOptions& options);

}  // namespace cone
