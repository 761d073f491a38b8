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
  // With at most half of all pairs taken the sampler finds free ones quickly.
  const auto connected = static_cast<double>(num_connected(*this));
  const double degree = connected > 0 ? mean_degree * nodes / connected : mean_degree;
  if (mean_degree > 0 && mean_degree < 2) {
    faults.push_back(
        {{.item = flag_name("mean_degree")},
         fmt::format("a mean degree of {} is too small for a connected network", mean_degree),
         "use 0 (no edges) or at least 2"});
  } else if (mean_degree > 0 && degree > (connected - 1.0) / 2.0) {
    faults.push_back({{.item = flag_name("mean_degree")},
                      fmt::format("a mean degree of {} is too large for {} connected nodes",
                                  mean_degree, connected),
                      "lower it to at most half of the other nodes, or raise --nodes"});
  } else if (communities > 0 && layout == Layout::kSocial) {
    const double within = degree * (homophily + (1.0 - homophily) / communities);
    const double others = connected / communities - 1.0;
    if (within > (others + 1.0) / 2.0) {
      faults.push_back({{.item = flag_name("homophily")},
                        fmt::format("requires {:.1f} neighbours within communities of {:.1f} nodes",
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
