#include "simulate/simulated_data.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cone/simulate.hpp"

#include "simulate/semi_synthetic.hpp"
#include "simulate/topic_model.hpp"

namespace cone {
namespace {

std::vector<std::string> numbered_words(std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t j = 0; j < count; ++j) names.push_back("w" + std::to_string(j));
  return names;
}

// Fixed, so that the demo data is the same everywhere.
constexpr std::uint64_t kDemoSeed = 20;
constexpr std::uint64_t kDemoSimulation = 0;

/// The columns named by `kept` (ascending), renumbered in that order.
FeatureTable select_columns(const FeatureTable& features, const std::vector<std::uint32_t>& kept) {
  constexpr std::uint32_t kDropped = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> new_column(features.matrix.cols(), kDropped);
  FeatureTable out;
  for (std::size_t j = 0; j < kept.size(); ++j) {
    new_column[kept[j]] = static_cast<std::uint32_t>(j);
    out.names.push_back(features.names[kept[j]]);
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < features.matrix.rows(); ++i) {
    features.matrix.row(i).for_each([&](std::uint32_t j, double value) {
      if (new_column[j] == kDropped) return;
      columns.push_back(new_column[j]);
      values.push_back(value);
    });
    offsets.push_back(columns.size());
  }
  out.matrix = SparseMatrix(kept.size(), std::move(offsets), std::move(columns), std::move(values));
  return out;
}

/// The numeric features m1, m2, ... followed by the words.
FeatureTable prepend_numeric_features(Matrix<double> numeric_features, const FeatureTable& words) {
  const std::size_t added = numeric_features.cols();
  FeatureTable out;
  out.num_dense = added;
  std::vector<std::uint32_t> dense_columns;
  for (std::size_t j = 0; j < added; ++j) {
    dense_columns.push_back(static_cast<std::uint32_t>(j));
    out.names.push_back("m" + std::to_string(j + 1));
  }
  out.names.insert(out.names.end(), words.names.begin(), words.names.end());
  const SparseMatrix counts = words.matrix.to_sparse();
  std::vector<std::uint32_t> columns(counts.columns().begin(), counts.columns().end());
  for (std::uint32_t& column : columns) column += static_cast<std::uint32_t>(added);
  SparseMatrix shifted(added + counts.cols(), {counts.offsets().begin(), counts.offsets().end()},
                       std::move(columns), {counts.values().begin(), counts.values().end()});
  out.matrix =
      FeatureMatrix(std::move(dense_columns), std::move(numeric_features), std::move(shifted));
  return out;
}

}  // namespace

TopicNetwork synthetic_topic_network(const Context& context, const NetworkOptions& options) {
  SyntheticNetwork generated = generate_network(context, options);
  TopicNetwork network;
  network.ids = IdTable::numbered(generated.graph.num_nodes());
  network.edges.num_edges = generated.graph.num_edges();
  network.edges.num_lines = generated.graph.num_edges();
  network.graph = std::move(generated.graph);
  network.features.names = numbered_words(generated.words.cols());
  network.features.matrix = std::move(generated.words);
  network.topics = std::move(generated.topics);
  network.community = std::move(generated.community);
  return network;
}

TopicNetwork fitted_topic_network(const Context& context, LoadedData network,
                                  const TopicModelOptions& options, std::size_t top_words) {
  Dataset& raw = network.observed;
  const SparseMatrix counts = raw.features.matrix.to_sparse();
  const TopicModel model = fit_topic_model(context, counts, options);
  TopicNetwork out;
  out.source_checksum = raw.checksum();
  out.topics = model.transform(context, counts);
  out.features = select_columns(raw.features, model.union_of_top_words(top_words));
  out.ids = std::move(raw.ids);
  out.graph = std::move(raw.graph);
  out.edges = network.edges;
  return out;
}

SimulatedData simulate_data(const Context& context, TopicNetwork network,
                            const OutcomeOptions& options, std::uint64_t simulation) {
  SimulatedLog log =
      simulate_log(context, network.graph, network.topics.view(), options, simulation);
  SimulatedData out;
  Dataset& observed = out.data.observed;
  observed.ids = std::move(network.ids);
  observed.graph = std::move(network.graph);
  observed.features =
      log.numeric_features.cols() == 0
          ? std::move(network.features)
          : prepend_numeric_features(std::move(log.numeric_features), network.features);
  observed.arms.clear();
  for (int arm = 0; arm < options.arms; ++arm) observed.arms.push_back(std::to_string(arm));
  observed.treatment = std::move(log.treatment);
  observed.outcome = std::move(log.outcome);
  out.data.truth = std::move(log.truth);
  out.data.edges = network.edges;
  out.hidden = std::move(log.hidden);
  out.topics = std::move(network.topics);
  out.community = std::move(network.community);
  out.source_checksum = std::move(network.source_checksum);
  return out;
}

TopicNetwork demo_network(const Context& context) {
  return synthetic_topic_network(context.with_seed(kDemoSeed), NetworkOptions{});
}

LoadedData demo_data(const Context& context) {
  return simulate_data(context.with_seed(kDemoSeed), demo_network(context), OutcomeOptions{},
                       kDemoSimulation)
      .data;
}

}  // namespace cone
