#pragma once

#include <cstdint>

namespace cone {

/// Purpose of an item of Stream::kNetwork or Stream::kWords; each purpose numbers its own items.
enum class NetworkDraw : std::uint64_t {
  kOrder = 0,
  kNode = 1,
  kTree = 2,
  kSingleEdge = 3,
  kSmallClique = 4,
  kLargeClique = 5,
  kProfile = 6,
  kTopics = 7,
  kWordOrder = 8,
  kTokens = 9,
  kWedge = 10,
  kPosition = 11,
  kTopUpWithin = 0x1000,  ///< plus the round
  kTopUpAcross = 0x2000,  ///< plus the round
};

/// `index` below 2^48.
constexpr std::uint64_t network_item(NetworkDraw purpose, std::uint64_t index,
                                     std::uint64_t round = 0) {
  return (static_cast<std::uint64_t>(purpose) + round) << 48 | index;
}

}  // namespace cone
