#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace cone {

/// Draws item i with probability weights[i] / Σ weights in constant time by the alias method
/// (Walker 1977, An Efficient Method for Generating Discrete Random Variables with General
/// Distributions), built in linear time (Vose 1991, A Linear Algorithm for Generating Random
/// Numbers with a Given Distribution). One 64-bit draw per call; 8 bytes per item.
class AliasTable {
 public:
  AliasTable() = default;
  /// Weights must be finite, at least 0, and not all 0. An item of weight 0 is never drawn.
  explicit AliasTable(std::span<const double> weights);

  std::size_t size() const { return slots_.size(); }

  std::uint32_t draw(Rng& rng) const {
    // The integer part of u · size picks the slot, its fraction decides between the slot and its
    // alias.
    const auto scaled = static_cast<unsigned __int128>(rng.next_u64()) * slots_.size();
    const auto index = static_cast<std::uint32_t>(scaled >> 64);
    const auto coin = static_cast<std::uint32_t>(static_cast<std::uint64_t>(scaled) >> 32);
    const Slot& slot = slots_[index];
    return coin < slot.threshold ? index : slot.alias;
  }

 private:
  struct Slot {
    std::uint32_t threshold;  // P(keep the index) · 2^32
    std::uint32_t alias;
  };
  std::vector<Slot> slots_;
};

}  // namespace cone
