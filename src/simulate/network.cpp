#include "simulate/network.hpp"

#include <utility>

#include <fmt/format.h>

#include "cone/simulate.hpp"

#include "simulate/geometric_network.hpp"
#include "simulate/network_edges.hpp"
#include "simulate/network_population.hpp"
#include "simulate/network_words.hpp"

namespace cone {

void NetworkOptions::check(std::vector<Fault>& faults) const {
  // Half of all pairs is room enough for the sampler to find free ones.
  const auto connected = static_cast<double>(num_connected(*this));
  const double degree = connected > 0 ? mean_degree * nodes / connected : mean_degree;
  if (mean_degree > 0 && mean_degree < 2) {
    faults.push_back({{.item = flag_name("mean_degree")},
                      fmt::format("a mean degree of {} leaves the network in pieces", mean_degree),
                      "ask for 0 (no edges) or for at least 2"});
  } else if (mean_degree > 0 && degree > (connected - 1.0) / 2.0) {
    faults.push_back({{.item = flag_name("mean_degree")},
                      fmt::format("a mean degree of {} does not fit {} nodes with edges",
                                  mean_degree, connected),
                      "ask for at most half of the other nodes, or for more nodes"});
  } else if (communities > 0 && layout == Layout::kSocial) {
    const double within = degree * (homophily + (1.0 - homophily) / communities);
    const double others = connected / communities - 1.0;
    if (within > (others + 1.0) / 2.0) {
      faults.push_back({{.item = flag_name("homophily")},
                        fmt::format("needs {:.1f} neighbours within communities of {:.1f} nodes",
                                    within, others + 1),
                        "lower --homophily, --mean-degree or --communities"});
    }
  }
  if (words_per_node > words / 4.0) {
    faults.push_back(
        {{.item = flag_name("words_per_node")},
         fmt::format("is {}, more than a quarter of the {} words", words_per_node, words),
         "raise --words"});
  }
}

SyntheticNetwork generate_network(const Context& context, const NetworkOptions& options) {
  validate(options);
  constexpr std::string_view kPhase = "network";
  context.report(kPhase, 0, 3);
  std::vector<std::uint32_t> community;
  Graph graph;
  if (options.layout == Layout::kGeometric) {
    GeometricNetwork drawn = draw_geometric_network(context, options);
    graph = std::move(drawn.graph);
    community = std::move(drawn.community);
  } else {
    Population population = draw_population(context, options);
    graph = draw_edges(context, options, population);
    community = std::move(population.community);
  }
  context.report(kPhase, 1, 3);
  Matrix<double> topics = draw_topics(context, options, community);
  context.report(kPhase, 2, 3);
  SparseMatrix words = draw_words(context, options, topics.view());
  context.report(kPhase, 3, 3);
  return {std::move(graph), std::move(topics), std::move(words), std::move(community)};
}

}  // namespace cone
