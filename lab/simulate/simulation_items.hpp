#pragma once

#include <cstddef>
#include <cstdint>

#include "cone/context.hpp"

#include "base/random.hpp"

namespace cone {

/// Simulations below 2^24 and items below 2^40 never share a number.
inline constexpr int kItemBits = 40;
inline constexpr std::uint64_t kMaxSimulations = 1ULL << (64 - kItemBits);

/// body(i, rng) for items 0 ... count − 1 of a simulation, each with its own generator.
template <class Body>
void for_each_item(const Context& context, Stream stream, std::uint64_t simulation,
                   std::size_t count, const Body& body) {
  constexpr std::size_t kItemsPerPiece = 8192;
  context.for_each_range(count, kItemsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng(context.seed(), stream, simulation << kItemBits | i);
      body(i, rng);
    }
  });
}

}  // namespace cone
