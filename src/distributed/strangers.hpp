#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "distributed/node_rows.hpp"

namespace cone::distributed {

/// The nodes that own ones are connected to and that are not own, ascending, each once. The list is
/// tidied on the way: it never has many more entries than it ends with.
template <class IsOwn>
std::vector<std::uint64_t> list_strangers(const NodeRows& rows, const IsOwn& is_own) {
  constexpr std::size_t kFew = std::size_t{1} << 16;
  std::vector<std::uint64_t> out;
  std::size_t tidy_at = kFew;
  const auto tidy = [&] {
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    tidy_at = std::max(kFew, out.size() + out.size() / 2);
  };
  for (const std::uint64_t number : rows.neighbours) {
    if (is_own(number)) continue;
    if (out.size() == tidy_at) tidy();
    out.push_back(number);
  }
  tidy();
  out.shrink_to_fit();
  return out;
}

}  // namespace cone::distributed
