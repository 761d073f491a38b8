#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/simulate.hpp"

#include "simulate/simulated_data.hpp"
#include "study/study.hpp"

namespace cone::testing {

/// One network on which a study takes about a second.
inline std::vector<StudyNetwork> small_study_networks(std::uint32_t nodes = 200) {
  NetworkOptions options;
  options.nodes = nodes;
  options.mean_degree = 8;
  options.topics = 4;
  options.words = 60;
  options.words_per_node = 12;
  std::vector<StudyNetwork> networks;
  networks.push_back(
      name_network("small", synthetic_topic_network(Context({.seed = 3, .threads = 1}), options)));
  return networks;
}

}  // namespace cone::testing
