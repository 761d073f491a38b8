#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

#include "network_ridge/ridge_system.hpp"

namespace cone {

/// Positions of an arm from all ranks in one place, with their features and all of their
/// neighbours: what its variances are learnt from, and its dense factors. Only the positions that
/// any task learns from.
struct GatheredArm {
  /// On several ranks the gathered positions come first, then their neighbours, which no task
  /// learns from; its arms are yet to be set.
  RidgeSystem system;
  std::size_t arm = 0;                   ///< its number in the system
  std::vector<std::uint32_t> positions;  ///< ascending
  std::vector<double> outcome;
  std::vector<std::uint64_t> hash;  ///< of the ids
  /// The index of the k-th received position, in the order of ranks and of positions there.
  std::vector<std::uint32_t> row_of_received;
  std::vector<std::uint32_t> sent;  ///< on every rank: its own positions among them, ascending
};

/// The `count` positions of the arm whose ids have the smallest hashes over all ranks, on rank
/// `root`; empty on the others but for `sent`. Collective.
GatheredArm gather_arm(const Dataset& data, const RidgeSystem& system, std::size_t arm,
                       std::size_t count, std::size_t root);
/// The same of some positions of any arm, at least `count` over all ranks.
GatheredArm gather_positions(const Dataset& data, const RidgeSystem& system,
                             std::span<const std::uint32_t> positions, std::size_t count,
                             std::size_t root);

/// Of this rank's positions those in the sample of gather_positions().
std::vector<std::uint32_t> choose_sample(const Dataset& data, const RidgeInputs& inputs,
                                         std::span<const std::uint32_t> positions,
                                         std::size_t count);

/// The count-th smallest hash over all ranks, of at least `count`. Collective.
std::uint64_t find_hash_limit(const Communicator& comm, std::vector<std::uint64_t> hash,
                              std::size_t count);

/// The threads that the owner of one of `num_arms` gathered arms may use while the other ranks
/// wait; alone, as they take no part.
Context own_context(const Context& context, std::size_t num_arms, std::size_t num_positions);

/// The rows in the order of their ids' hashes: the first k are a random sample that does not depend
/// on the order of the nodes.
std::vector<std::size_t> order_by_hash(std::span<const std::uint64_t> hash);

}  // namespace cone
