#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/load.hpp"
#include "cone/simulate.hpp"

#include "data/array_file.hpp"
#include "data/write.hpp"
#include "simulate/network_statistics.hpp"
#include "simulate/self_contained.hpp"
#include "simulate/simulated_data.hpp"
#include "simulate/simulation_folder.hpp"

namespace cone {
namespace {

nlohmann::ordered_json arms_json(const Dataset& data) {
  nlohmann::ordered_json arms = nlohmann::ordered_json::array();
  const std::vector<std::size_t> sizes = data.arm_sizes();
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    arms.push_back({{"label", data.arms[a]}, {"num_nodes", sizes[a]}});
  }
  return arms;
}

/// Refuses networks that do not fit in memory, before hours of swapping. Counts the finished arrays
/// only: the peak is higher.
void require_memory(const NetworkOptions& options) {
  const double bytes =
      static_cast<double>(options.nodes) *
      (8.0 * options.topics + 8 * options.mean_degree + 12 * options.words_per_node + 40);
  const double available =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (bytes <= available) return;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  throw Error(ErrorCode::kUsage,
              {{.item = "--nodes, --mean-degree, --topics, --words-per-node"},
               fmt::format("the network takes {:.0f} GiB, this machine has {:.0f}", bytes / kGib,
                           available / kGib),
               "lower one of them"});
}

/// The options that have an effect: those of a generated network have none on a real one, and a
/// self-contained world has its own network.
nlohmann::ordered_json used_options(const SimulationOptions& options) {
  nlohmann::ordered_json config = option_json(options);
  if (is_self_contained(options.outcome.world)) {
    return {{"simulation", config["simulation"]}, {"world", config["world"]}};
  }
  const auto drop_all_but_topics = [&](const nlohmann::ordered_json& idle) {
    for (const auto& [name, value] : idle.items()) {
      if (name != "topics") config.erase(name);
    }
  };
  if (options.network.empty()) {
    drop_all_but_topics(option_json(options.topic_model));
    config.erase("network");
    config.erase("top_words");
  } else {
    drop_all_but_topics(option_json(options.synthetic));
  }
  return config;
}

/// Statistics of the network, to compare with the options. The tail exponent is fitted from twice
/// the mean degree on.
nlohmann::ordered_json structure(const Context& context, const SimulatedData& simulated) {
  const Graph& graph = simulated.data.observed.graph;
  const double degree = mean_degree(graph);
  const auto tail_from = std::max<std::size_t>(1, static_cast<std::size_t>(2 * degree));
  nlohmann::ordered_json json = {{"mean_degree", degree},
                                 {"max_degree", max_degree(graph)},
                                 {"degree_exponent", degree_tail_exponent(graph, tail_from)},
                                 {"clustering", average_clustering(context, graph)}};
  if (simulated.topics.cols() > 0) {
    json["topic_correlation"] = topic_homophily(context, graph, simulated.topics.view());
  }
  json["largest_component"] = largest_component_size(graph);
  if (!simulated.community.empty()) {
    json["homophily"] = label_assortativity(graph, simulated.community);
  }
  return json;
}

/// The centroids: one id for two arms, a list for more, nothing in worlds without.
void add_centroids(const SimulatedData& simulated, nlohmann::ordered_json& manifest) {
  std::vector<std::string> ids;
  for (const NodeIndex centroid : simulated.hidden.centroids) {
    ids.emplace_back(simulated.data.observed.ids[centroid]);
  }
  if (ids.empty()) return;
  if (ids.size() == 1) {
    manifest["centroid"] = ids[0];
  } else {
    manifest["centroids"] = ids;
  }
}

nlohmann::ordered_json manifest(const Context& context, const SimulationOptions& options,
                                const SimulatedData& simulated) {
  const Dataset& data = simulated.data.observed;
  nlohmann::ordered_json config = used_options(options);
  config["seed"] = context.seed();
  if (!simulated.source_checksum.empty()) config["network_checksum"] = simulated.source_checksum;
  nlohmann::ordered_json json = {
      {"schema", std::string(kManifestSchema)},
      {"version", std::string(kVersion)},
      {"commit", std::string(build_commit())},
      {"config", std::move(config)},
      {"data",
       {{"num_nodes", data.num_nodes()},
        {"num_edges", data.graph.num_edges()},
        {"num_features", data.features.matrix.cols()},
        {"num_numeric_features", data.features.num_dense},
        {"num_treated", data.num_nodes() - data.arm_sizes()[kControlArm]},
        {"arms", arms_json(data)},
        {"checksum", data.checksum()}}},
      {"structure", structure(context, simulated)}};
  if (!data.cluster.empty()) {
    json["data"]["clusters"] = {{"count", std::ranges::max(data.cluster) + 1}};
  }
  add_centroids(simulated, json);
  return json;
}

}  // namespace

TopicNetwork make_topic_network(const Context& context, const SimulationOptions& options) {
  validate(options);
  if (options.network.empty()) {
    require_memory(options.synthetic);
    return synthetic_topic_network(context, options.synthetic);
  }
  TopicModelOptions topic_model = options.topic_model;
  topic_model.topics = static_cast<int>(options.synthetic.topics);
  return fitted_topic_network(context, load_dataset(context, options.network), topic_model,
                              static_cast<std::size_t>(options.top_words));
}

nlohmann::ordered_json write_simulation(const Context& context, const SimulationOptions& options,
                                        const std::filesystem::path& folder) {
  validate(options);
  SimulationFolder output(folder);
  const SimulatedData simulated =
      is_self_contained(options.outcome.world)
          ? simulate_self_contained(context, options.outcome.world, options.simulation)
          : simulate_data(context, make_topic_network(context, options), options.outcome,
                          options.simulation);
  const Dataset& data = simulated.data.observed;
  nlohmann::ordered_json record = manifest(context, options, simulated);
  if (simulated.topics.cols() > 0) {
    write_npy(output.staging() / "topics.npy", simulated.topics.view());
  }
  write_dataset(context, output.staging(), data, &*simulated.data.truth);
  if (options.edge_weights) {
    write_weighted_edges(output.staging() / "hidden_edge_weights.csv", data.ids, data.graph,
                         simulated.hidden.edge_weights);
  }
  output.finish(record);
  return record;
}

}  // namespace cone
