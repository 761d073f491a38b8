#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/random.hpp"

namespace cone::testing {

/// Replaces one to three bytes at or after `first`, preferably with values that make sizes absurd;
/// one in eight results is truncated as well.
inline std::string mutate(std::string bytes, std::uint64_t number, std::size_t first = 0) {
  Rng rng(20, Stream::kTest, number);
  const std::uint64_t num_bytes = 1 + rng.below(3);
  for (std::uint64_t k = 0; k < num_bytes; ++k) {
    const std::array<std::uint32_t, 8> choices = {0, 1, 2, 4, 0x7f, 0x80, 0xff, rng.next_u32()};
    bytes[first + rng.below(bytes.size() - first)] = static_cast<char>(choices[rng.below(8)]);
  }
  if (rng.below(8) == 0) bytes.resize(rng.below(bytes.size()));
  return bytes;
}

}  // namespace cone::testing
