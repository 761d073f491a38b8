#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"
#include "cone/simulate.hpp"

#include "simulate/network.hpp"
#include "simulate/semi_synthetic.hpp"
#include "simulate/topic_model.hpp"

namespace cone {

/// A network whose nodes have words (observed) and topics (unobserved), to simulate treatments and
/// outcomes on.
struct TopicNetwork {
  IdTable ids;
  Graph graph;
  FeatureTable features;
  Matrix<double> topics;                 ///< nodes × topics, rows sum to 1
  std::vector<std::uint32_t> community;  ///< of a generated network, one per node; else empty
  EdgeListReport edges;
  std::string source_checksum;  ///< of the real network's dataset; empty for a generated one
};

/// A generated network with ids "0", "1", ... and words "w0", "w1", ....
TopicNetwork synthetic_topic_network(const Context& context, const NetworkOptions& options);

/// A real network with real words: topics fitted on the full vocabulary, features reduced to the
/// union of each topic's `top_words` most probable words (docs/method.md, section 7, steps 1 and
/// 2).
TopicNetwork fitted_topic_network(const Context& context, LoadedData network,
                                  const TopicModelOptions& options, std::size_t top_words);

/// The network of the demo data, without treatments and outcomes.
TopicNetwork demo_network(const Context& context);

struct SimulatedData {
  LoadedData data;
  Matrix<double> topics;
  std::vector<std::uint32_t> community;
  HiddenState hidden;
  std::string source_checksum;
};

/// Simulation number `simulation` on the network, as a dataset with its truth.
SimulatedData simulate_data(const Context& context, TopicNetwork network,
                            const OutcomeOptions& options, std::uint64_t simulation);

}  // namespace cone
