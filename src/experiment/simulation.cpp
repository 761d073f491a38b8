#include "cone/experiment/simulation.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "cone/base/error.hpp"
#include "cone/base/file.hpp"
#include "cone/base/version.hpp"
#include "cone/data/array_file.hpp"
#include "cone/data/load.hpp"
#include "cone/data/write.hpp"
#include "cone/results/option_json.hpp"

namespace cone {
namespace {

constexpr const char* kManifest = "manifest.json";
constexpr std::string_view kManifestSchema = "cone.simulation/1";

void prepare_folder(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  if (fs::exists(folder) && !fs::is_empty(folder) && !fs::exists(folder / kManifest)) {
    throw Error(
        ErrorCode::kUsage,
        {{.file = folder.string()}, "has files that are not a simulation's", "name a new folder"});
  }
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    throw Error(
        ErrorCode::kIo,
        {{.file = folder.string()}, "cannot be created: " + failure.message(), "check the path"});
  }
  // Until the new manifest is there, the folder does not pass for a finished simulation.
  fs::remove(folder / kManifest, failure);
}

void write_edge_weights(const std::filesystem::path& path, const Graph& graph, const IdTable& ids,
                        const std::vector<double>& weights) {
  write_atomically(path, [&](std::ostream& out) {
    out << "source,target,weight\n";
    std::size_t edge = 0;
    for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
      for (const NodeIndex j : graph.neighbours(i)) {
        if (i < j) out << fmt::format("{},{},{}\n", ids[i], ids[j], weights[edge++]);
      }
    }
  });
}

/// The options that had a part in it: those of a generated network say nothing about a real one.
nlohmann::ordered_json used_options(const SimulationOptions& options) {
  nlohmann::ordered_json config = option_json(options);
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

nlohmann::ordered_json manifest(const Context& context, const SimulationOptions& options,
                                const SimulatedData& simulated) {
  const Dataset& data = simulated.data.observed;
  nlohmann::ordered_json config = used_options(options);
  config["seed"] = context.seed();
  return {{"schema", std::string(kManifestSchema)},
          {"version", std::string(kVersion)},
          {"config", std::move(config)},
          {"data",
           {{"num_nodes", data.num_nodes()},
            {"num_edges", data.graph.num_edges()},
            {"num_features", data.features.matrix.cols()},
            {"num_treated", data.num_treated()},
            {"checksum", data.checksum()}}},
          {"centroid", std::string(data.ids[simulated.hidden.centroid])}};
}

}  // namespace

TopicNetwork make_topic_network(const Context& context, const SimulationOptions& options) {
  validate(options);
  if (options.network.empty()) return synthetic_topic_network(context, options.synthetic);
  TopicModelOptions topic_model = options.topic_model;
  topic_model.topics = static_cast<int>(options.synthetic.topics);
  return fitted_topic_network(context, load_dataset(context, options.network), topic_model,
                              static_cast<std::size_t>(options.top_words));
}

void write_simulation(const Context& context, const SimulationOptions& options,
                      const std::filesystem::path& folder) {
  validate(options);
  prepare_folder(folder);
  TopicNetwork network = make_topic_network(context, options);
  write_npy(folder / "topics.npy", network.topics.view());
  const SimulatedData simulated =
      simulate_data(context, std::move(network), options.outcome, options.simulation);
  const LoadedData& data = simulated.data;
  write_dataset(context, folder, data.observed, &*data.truth);
  if (options.edge_weights) {
    write_edge_weights(folder / "hidden_edge_weights.csv", data.observed.graph, data.observed.ids,
                       simulated.hidden.edge_weights);
  }
  write_atomically(folder / kManifest, [&](std::ostream& out) {
    out << manifest(context, options, simulated).dump(2) << '\n';
  });
}

}  // namespace cone
