#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"
#include "cone/load.hpp"
#include "cone/simulate.hpp"

#include "data/write.hpp"
#include "distributed/read_data.hpp"
#include "simulate/simulated_data.hpp"
#include "support/temporary_folder.hpp"

namespace cone::testing {

inline std::filesystem::path example(const std::string& name) {
  return std::filesystem::path(CONE_SOURCE_DIR) / "examples" / name;
}

/// Writes a simulated network with count features and its truth.
inline void write_simulation(const TemporaryFolder& folder, std::uint32_t nodes) {
  const Context context({.seed = 3, .threads = 1});
  NetworkOptions network;
  network.nodes = nodes;
  network.mean_degree = 8;
  network.topics = 5;
  network.words = 120;
  network.words_per_node = 12;
  network.isolated_fraction = 0.05;
  const LoadedData data =
      simulate_data(context, synthetic_topic_network(context, network), {}, 0).data;
  write_dataset(context, folder.path(), data.observed, &*data.truth);
}

inline distributed::ReadData read_on(const Communicator& comm, const std::filesystem::path& folder,
                                     const LoadOptions& options = {},
                                     std::span<const std::string> policies = {}) {
  distributed::PhaseMeter meter(comm);
  return distributed::read_on_ranks(Context({.threads = 1}), comm, folder, options, policies,
                                    meter);
}

}  // namespace cone::testing
