#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"

namespace cone::distributed {

/// The partition in which nodes are read: every rank owns a range of node numbers.
struct Blocks {
  std::vector<std::uint64_t> first;  ///< ranks + 1: first node number of every rank, then the total

  /// Collective; `num_own`: number of nodes of this rank.
  static Blocks make(const Communicator& comm, std::uint64_t num_own);

  std::size_t owner_of(std::uint64_t number) const;
  std::uint64_t begin(const Communicator& comm) const { return first[comm.rank()]; }
  bool is_own(const Communicator& comm, std::uint64_t number) const {
    return number >= first[comm.rank()] && number < first[comm.rank() + 1];
  }
};

}  // namespace cone::distributed
