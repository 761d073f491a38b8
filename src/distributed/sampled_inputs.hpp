#pragma once

#include <cstdint>
#include <vector>

#include "distributed/share.hpp"
#include "network_ridge/inputs.hpp"

namespace cone::distributed {

/// Some nodes of an arm with their features and neighbours whole, on one rank: what the likelihood
/// is made of. The first positions are the nodes, those behind them neighbours of theirs.
struct SampledInputs {
  RidgeInputs inputs;
  std::vector<std::uint32_t> positions;
  std::vector<double> outcome;
  std::vector<std::uint64_t> hash;
  std::vector<int> fold;
  /// The position of the k-th node in the order of ranks and of positions there.
  std::vector<std::uint32_t> position_of_sent;
};

/// The nodes of the arm with the smallest hashes, `count` of all ranks' together, on rank
/// `receiver`; the others get nothing. Called by all ranks.
SampledInputs sample_arm(const Ranks& ranks, const Share& share, std::size_t arm,
                         std::uint64_t count, std::size_t receiver);

}  // namespace cone::distributed
