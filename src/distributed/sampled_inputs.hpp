#pragma once

#include <cstdint>
#include <vector>

#include "distributed/local_data.hpp"
#include "network_ridge/inputs.hpp"

namespace cone::distributed {

/// A sample of an arm's nodes on one rank, with their features and all of their neighbours: the
/// input of the restricted likelihood. The first positions are the sampled nodes, the others their
/// neighbours.
struct SampledInputs {
  RidgeInputs inputs;
  std::vector<std::uint32_t> positions;
  std::vector<double> outcome;
  std::vector<std::uint64_t> hash;
  std::vector<int> fold;
  /// The position of the k-th received node (in the order of ranks and of positions there).
  std::vector<std::uint32_t> position_of_received;
};

/// The `count` nodes of the arm with the smallest hashes over all ranks, on rank `root`; empty on
/// the others. Collective.
SampledInputs sample_arm(const Communicator& comm, const LocalData& local, std::size_t arm,
                         std::uint64_t count, std::size_t root);

}  // namespace cone::distributed
