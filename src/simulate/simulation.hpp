#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "exec/context.hpp"
#include "options/options.hpp"
#include "simulate/simulated_data.hpp"

namespace cone {

/// What `cone simulate` makes: a log on a real network (`network` names a .mat file) or on a
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
            "Number of the simulation: each is another draw of the same world",
            between(0, (1 << 24) - 1));
    visitor("edge_weights", self.edge_weights,
            "Also write the hidden edge weights (hidden_edge_weights.csv)");
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

/// Makes the network the options ask for, without a log.
TopicNetwork make_topic_network(const Context& context, const SimulationOptions& options);

/// Simulates and writes a dataset folder: the files load_dataset reads, topics.npy, and
/// manifest.json with every option that had a part, the structure that came out (degrees, their
/// tail, clustering, homophily), the centroid, the checksums and the list of the files. The folder
/// appears when it is complete. An existing one is refused unless it is empty or holds an earlier
/// simulation, whose files are replaced at once; other files in it stay.
/// Returns the manifest.
nlohmann::ordered_json write_simulation(const Context& context, const SimulationOptions& options,
                                        const std::filesystem::path& folder);

}  // namespace cone
