#include "study/topic_features.hpp"

#include <fmt/format.h>

namespace cone {

FeatureTable topic_features(const TopicNetwork& network) {
  const std::size_t num_topics = network.topics.cols();
  Matrix<double> columns(network.graph.num_nodes(), 2 * num_topics + 1, 0.0);
  for (NodeIndex i = 0; i < columns.rows(); ++i) {
    const auto row = columns.row(i);
    for (std::size_t k = 0; k < num_topics; ++k) row[k] = network.topics(i, k);
    for (const NodeIndex j : network.graph.neighbours(i)) {
      for (std::size_t k = 0; k < num_topics; ++k) row[num_topics + k] += network.topics(j, k);
    }
    row[2 * num_topics] = static_cast<double>(network.graph.degree(i));
  }
  FeatureTable features;
  for (std::size_t k = 0; k < num_topics; ++k) features.names.push_back(fmt::format("topic{}", k));
  for (std::size_t k = 0; k < num_topics; ++k) features.names.push_back(fmt::format("sum{}", k));
  features.names.emplace_back("degree");
  features.num_dense = features.names.size();
  features.matrix = FeatureMatrix(std::move(columns));
  return features;
}

}  // namespace cone
