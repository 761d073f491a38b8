#include "simulate/network_edges.hpp"

#include <algorithm>
#include <cmath>

#include "cone/simulate.hpp"

#include "simulate/network_streams.hpp"

namespace cone {
namespace {

constexpr std::size_t kEdgesPerPiece = 1 << 14;

constexpr std::uint64_t num_pairs(std::uint64_t size) { return size * (size - 1) / 2; }

/// Cliques of one size.
struct CliqueGroup {
  NetworkDraw purpose;
  std::uint64_t size;
  std::uint64_t count;
  std::uint64_t num_edges() const { return count * num_pairs(size); }
};

/// Average local clustering added by cliques of `size` nodes with a fraction `share` of the edges.
/// A node of weight θ is in k ~ Poisson(share θ / (size − 1)) of them; of the pairs among its
/// d = 2 + (1 − share) θ + k (size − 1) neighbours, k (size − 1) (size − 2) / 2 are in one clique.
double expected_clustering(std::span<const double> weights, double share, double size) {
  constexpr double kManyCliques = 30;  // beyond, the Poisson spread is negligible
  double total = 0;
  for (const double weight : weights) {
    const double rate = share * weight / (size - 1.0);
    const auto closed_fraction = [&](double k) {
      const double degree = 2.0 + (1.0 - share) * weight + k * (size - 1.0);
      return k * (size - 1.0) * (size - 2.0) / (degree * (degree - 1.0));
    };
    if (rate > kManyCliques) {
      total += closed_fraction(rate);
      continue;
    }
    double probability = std::exp(-rate);
    for (double k = 1; k < rate + 8.0 * std::sqrt(rate) + 4.0; ++k) {
      probability *= rate / k;
      total += probability * closed_fraction(k);
    }
  }
  return total / static_cast<double>(weights.size());
}

/// Where the increasing `f` reaches `value` on [low, high], or the nearer end.
template <class F>
double solve_increasing(const F& f, double value, double low, double high) {
  for (int step = 0; step < 30; ++step) {
    const double middle = 0.5 * (low + high);
    (f(middle) < value ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// How many cliques of which sizes give the clustering asked for, out of `num_edges` edges.
std::vector<CliqueGroup> plan_cliques(const NetworkOptions& options, const Population& population,
                                      std::uint64_t num_edges) {
  // Arrivals are in random order, so the first few hundred are a random sample.
  constexpr std::size_t kSampledNodes = 500;
  std::vector<double> weights;
  for (std::size_t k = 0; k < std::min(kSampledNodes, population.arrivals.size()); ++k) {
    weights.push_back(population.weight[population.arrivals[k]]);
  }
  // Many small cliques rather than few large ones, which would blur the degrees: raise the fraction
  // of edges first, then the size, up to that of a neighbourhood, beyond which nothing is gained.
  constexpr double kMaxShare = 0.9;
  const double share =
      solve_increasing([&](double c) { return expected_clustering(weights, c, 3); },
                       options.clustering, 0, kMaxShare);
  const double largest =
      std::clamp(static_cast<double>(population.arrivals.size()) / options.communities / 2.0, 3.0,
                 1.0 + options.mean_degree);
  const double size =
      solve_increasing([&](double s) { return expected_clustering(weights, share, s); },
                       options.clustering, 3, largest);

  // Sizes are integers: split the edges between the two nearest.
  const auto small = static_cast<std::uint64_t>(size);
  const double edges_in_cliques = share * static_cast<double>(num_edges);
  const double edges_in_large = edges_in_cliques * (size - static_cast<double>(small));
  const auto count = [](double edges, std::uint64_t clique_size) {
    return static_cast<std::uint64_t>(edges / static_cast<double>(num_pairs(clique_size)));
  };
  std::vector<CliqueGroup> groups = {
      {NetworkDraw::kSmallClique, small, count(edges_in_cliques - edges_in_large, small)},
      {NetworkDraw::kLargeClique, small + 1, count(edges_in_large, small + 1)}};
  groups.push_back(
      {NetworkDraw::kSingleEdge, 2, num_edges - groups[0].num_edges() - groups[1].num_edges()});
  return groups;
}

class EdgeDrawer {
 public:
  EdgeDrawer(const Context& context, const NetworkOptions& options, const Population& population)
      : context_(context), options_(options), population_(population) {}

  /// A random recursive tree: each arrival joins an earlier one.
  void draw_tree(std::span<Edge> out) const {
    std::vector<std::uint32_t> rank(population_.arrivals.size());  // within its community
    std::vector<std::uint32_t> arrived(options_.communities, 0);
    for (std::size_t k = 0; k < rank.size(); ++k) {
      rank[k] = arrived[population_.community[population_.arrivals[k]]]++;
    }
    context_.for_each_range(out.size(), kEdgesPerPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const NodeIndex node = population_.arrivals[k + 1];
        Rng rng = make_rng(NetworkDraw::kTree, k);
        const bool within = rng.bernoulli(options_.homophily) && rank[k + 1] > 0;
        const NodeIndex host =
            within ? population_.members[population_.community[node]][rng.below(rank[k + 1])]
                   : population_.arrivals[rng.below(k + 1)];
        out[k] = {node, host};
      }
    });
  }

  /// All pairs of each clique; a node drawn twice makes self loops and repeats, for step 4.
  void draw_cliques(const CliqueGroup& group, std::span<Edge> out) const {
    // The first ones rather than Bernoulli draws, which would be noisy: large cliques are few.
    const auto num_within = static_cast<std::uint64_t>(
        std::llround(options_.homophily * static_cast<double>(group.count)));
    const std::size_t grain = kEdgesPerPiece / num_pairs(group.size) + 1;
    context_.for_each_range(group.count, grain, [&](std::size_t begin, std::size_t end) {
      std::vector<NodeIndex> clique(group.size);
      std::size_t next = begin * num_pairs(group.size);
      for (std::size_t k = begin; k < end; ++k) {
        Rng rng = make_rng(group.purpose, k);
        const bool within = k < num_within;
        const std::uint32_t g = population_.draw_community(rng);
        for (NodeIndex& node : clique) {
          node = within ? population_.draw_member(rng, g) : population_.draw_node(rng);
        }
        for (std::size_t a = 0; a < clique.size(); ++a) {
          for (std::size_t b = a + 1; b < clique.size(); ++b) out[next++] = {clique[a], clique[b]};
        }
      }
    });
  }

  /// Up to `wanted` single edges that `graph` does not have, within or across communities.
  std::vector<Edge> draw_new_edges(const Graph& graph, std::uint64_t wanted, bool within,
                                   std::uint64_t round) const {
    std::vector<Edge> candidates(wanted == 0 ? 0 : 2 * wanted + 64);
    const NetworkDraw purpose = within ? NetworkDraw::kTopUpWithin : NetworkDraw::kTopUpAcross;
    context_.for_each_range(
        candidates.size(), kEdgesPerPiece, [&](std::size_t begin, std::size_t end) {
          for (std::size_t k = begin; k < end; ++k) {
            Rng rng(context_.seed(), Stream::kNetwork, network_item(purpose, k, round));
            const NodeIndex a = population_.draw_node(rng);
            const std::uint32_t g = population_.community[a];
            const NodeIndex b =
                within ? population_.draw_member(rng, g) : population_.draw_node(rng);
            const bool fits = a != b && (population_.community[b] == g) == within &&
                              !std::ranges::binary_search(graph.neighbours(a), b);
            candidates[k] = fits ? Edge{std::min(a, b), std::max(a, b)} : Edge{0, 0};
          }
        });
    return first_distinct(candidates, wanted);
  }

 private:
  Rng make_rng(NetworkDraw purpose, std::uint64_t index) const {
    return {context_.seed(), Stream::kNetwork, network_item(purpose, index)};
  }

  /// The first `wanted` different edges in the order drawn; {0, 0} marks no edge.
  static std::vector<Edge> first_distinct(const std::vector<Edge>& candidates,
                                          std::uint64_t wanted) {
    struct Drawn {
      std::uint64_t key;
      std::uint64_t position;
    };
    std::vector<Drawn> drawn;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const Edge& edge = candidates[k];
      if (edge.source == edge.target) continue;
      drawn.push_back({static_cast<std::uint64_t>(edge.source) << 32 | edge.target, k});
    }
    std::ranges::sort(drawn, [](const Drawn& a, const Drawn& b) {
      return a.key != b.key ? a.key < b.key : a.position < b.position;
    });
    drawn.erase(std::unique(drawn.begin(), drawn.end(),
                            [](const Drawn& a, const Drawn& b) { return a.key == b.key; }),
                drawn.end());
    std::ranges::sort(drawn, {}, &Drawn::position);
    drawn.resize(std::min<std::size_t>(drawn.size(), wanted));
    std::vector<Edge> edges;
    edges.reserve(drawn.size());
    for (const Drawn& d : drawn) edges.push_back(candidates[d.position]);
    return edges;
  }

  const Context& context_;
  const NetworkOptions& options_;
  const Population& population_;
};

std::uint64_t count_within(const Context& context, const Graph& graph,
                           const std::vector<std::uint32_t>& community) {
  constexpr std::size_t kNodesPerPiece = 4096;
  const auto counts = context.map_ranges<std::uint64_t>(
      graph.num_nodes(), kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
        std::uint64_t ends = 0;
        for (std::size_t i = begin; i < end; ++i) {
          for (const NodeIndex j : graph.neighbours(static_cast<NodeIndex>(i))) {
            ends += community[i] == community[j] ? 1 : 0;
          }
        }
        return ends;
      });
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) total += count;
  return total / 2;
}

}  // namespace

Graph draw_edges(const Context& context, const NetworkOptions& options,
                 const Population& population) {
  if (population.arrivals.empty()) return build_graph(context, options.nodes, {});
  const EdgeDrawer drawer(context, options, population);
  const std::uint64_t wanted = num_edges_wanted(options);
  const std::uint64_t tree_edges = population.arrivals.size() - 1;
  std::vector<Edge> edges(wanted);  // more than the tree has: a mean degree is at least 2
  std::span<Edge> rest(edges);
  drawer.draw_tree(rest.first(tree_edges));
  rest = rest.subspan(tree_edges);
  for (const CliqueGroup& group : plan_cliques(options, population, rest.size())) {
    drawer.draw_cliques(group, rest.first(group.num_edges()));
    rest = rest.subspan(group.num_edges());
  }

  const double share_within =
      options.homophily + (1.0 - options.homophily) * population.probability_within();
  const auto wanted_within =
      static_cast<std::uint64_t>(std::llround(share_within * static_cast<double>(wanted)));
  // A round adds the missing edges unless most of its pairs are taken, which check() rules out
  // except for hubs of dense communities.
  constexpr std::uint64_t kMaxRounds = 20;
  Graph graph = build_graph(context, options.nodes, edges);
  for (std::uint64_t round = 0; round < kMaxRounds && graph.num_edges() < wanted; ++round) {
    const std::uint64_t missing = wanted - graph.num_edges();
    const std::uint64_t within = count_within(context, graph, population.community);
    const std::uint64_t missing_within =
        std::min(missing, wanted_within - std::min(wanted_within, within));
    for (const bool is_within : {true, false}) {
      const std::uint64_t count = is_within ? missing_within : missing - missing_within;
      const std::vector<Edge> added = drawer.draw_new_edges(graph, count, is_within, round);
      edges.insert(edges.end(), added.begin(), added.end());
    }
    graph = build_graph(context, options.nodes, edges);
  }
  return graph;
}

}  // namespace cone
