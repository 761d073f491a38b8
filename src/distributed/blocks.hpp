#pragma once

#include <cstdint>
#include <vector>

#include "distributed/ranks.hpp"

namespace cone::distributed {

/// Nodes where they were read: every rank has those of a range of numbers.
struct Blocks {
  std::vector<std::uint64_t> first;  ///< of every rank, and behind them all: ranks + 1 numbers

  /// Called by all ranks, each with the number of its nodes.
  static Blocks make(const Ranks& ranks, std::uint64_t num_own);

  std::size_t owner_of(std::uint64_t number) const;
  std::uint64_t begin(const Ranks& ranks) const { return first[ranks.rank()]; }
  bool is_own(const Ranks& ranks, std::uint64_t number) const {
    return number >= first[ranks.rank()] && number < first[ranks.rank() + 1];
  }
};

}  // namespace cone::distributed
