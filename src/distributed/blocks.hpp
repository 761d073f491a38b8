#pragma once

#include <cstdint>
#include <vector>

#include "distributed/ranks.hpp"

namespace cone::distributed {

/// The partition in which nodes are read: every rank owns a range of node numbers.
struct Blocks {
  std::vector<std::uint64_t> first;  ///< ranks + 1: first node number of every rank, then the total

  /// Collective; `num_own`: number of nodes of this rank.
  static Blocks make(const Ranks& ranks, std::uint64_t num_own);

  std::size_t owner_of(std::uint64_t number) const;
  std::uint64_t begin(const Ranks& ranks) const { return first[ranks.rank()]; }
  bool is_own(const Ranks& ranks, std::uint64_t number) const {
    return number >= first[ranks.rank()] && number < first[ranks.rank() + 1];
  }
};

}  // namespace cone::distributed
