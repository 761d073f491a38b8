#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/options.hpp"
#include "cone/simulate.hpp"

#include "base/random.hpp"
#include "data/split.hpp"
#include "simulate/simulated_data.hpp"
#include "support/small_data.hpp"

namespace cone::testing {

/// Twelve nodes: 0 is a hub, 10 a pendant, 11 isolated; sparse features of both signs.
inline Dataset tiny_network() {
  Dataset data;
  data.ids = IdTable::numbered(12);
  const std::vector<Edge> edges = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7},
                                   {0, 8}, {1, 2}, {3, 4}, {5, 9}, {8, 9}, {9, 10}};
  data.graph = build_graph(Context({.threads = 1}), 12, edges);
  std::vector<std::vector<double>> rows(12, std::vector<double>(5));
  Rng rng(6, Stream::kTest);
  for (auto& row : rows) {
    for (double& value : row) {
      if (rng.bernoulli(0.6)) value = rng.normal();
    }
  }
  data.features.matrix = sparse_from_rows(rows);
  data.features.names = {"a", "b", "c", "d", "e"};
  data.features.num_dense = 5;
  for (int i = 0; i < 12; ++i) {
    data.treatment.push_back(rng.bernoulli(0.5) ? 1 : 0);
    data.outcome.push_back(10 + 3 * rng.normal());
  }
  return data;
}

/// A simulated network with unmeasured confounding, small enough for many trainings. Neighbours
/// enter as a mean, which attention can represent.
inline Dataset simulated_network(std::uint32_t nodes, std::uint64_t seed = 1) {
  const Context context({.seed = seed, .threads = 2});
  NetworkOptions network;
  network.nodes = nodes;
  network.mean_degree = 8;
  network.topics = 4;
  network.words = 300;
  network.words_per_node = 60;
  OutcomeOptions outcomes;
  outcomes.normalisation = Normalisation::kRow;
  return simulate_data(context, synthetic_topic_network(context, network), outcomes, 0)
      .data.observed;
}

inline ConeOptions small_options() {
  ConeOptions options;
  options.heads = 2;
  options.head_size = 4;
  options.hidden = 8;
  return options;
}

/// Row i of the result is row order[i] of the input.
inline Dataset with_nodes_permuted(const Dataset& data, const std::vector<NodeIndex>& order) {
  std::vector<NodeIndex> position(order.size());
  for (NodeIndex i = 0; i < order.size(); ++i) position[order[i]] = i;
  Dataset permuted;
  std::vector<Edge> edges;
  for (const NodeIndex i : order) {
    permuted.ids.insert(data.ids[i]);
    permuted.treatment.push_back(data.treatment[i]);
    permuted.outcome.push_back(data.outcome[i]);
    for (const NodeIndex j : data.graph.neighbours(i)) edges.push_back({position[i], position[j]});
  }
  permuted.graph = build_graph(Context({.threads = 1}), order.size(), edges);
  permuted.features = {data.features.matrix.select_rows(order), data.features.names,
                       data.features.num_dense};
  return permuted;
}

inline std::vector<NodeIndex> first_nodes(std::uint32_t count, std::uint32_t begin = 0) {
  std::vector<NodeIndex> nodes(count);
  for (std::uint32_t i = 0; i < count; ++i) nodes[i] = begin + i;
  return nodes;
}

}  // namespace cone::testing
