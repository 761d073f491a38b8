#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "distributed/node_rows.hpp"

namespace cone::distributed {

/// Neighbours of this rank's nodes that other ranks own, ascending, each once. Duplicates are
/// removed while the list grows, so it never has many more entries than at the end.
template <class IsOwn>
std::vector<std::uint64_t> list_ghosts(const NodeRows& rows, const IsOwn& is_own) {
  constexpr std::size_t kFew = std::size_t{1} << 16;
  std::vector<std::uint64_t> out;
  std::size_t next_size = kFew;
  const auto remove_duplicates = [&] {
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    next_size = std::max(kFew, out.size() + out.size() / 2);
  };
  for (const std::uint64_t number : rows.neighbours) {
    if (is_own(number)) continue;
    if (out.size() == next_size) remove_duplicates();
    out.push_back(number);
  }
  remove_duplicates();
  out.shrink_to_fit();
  return out;
}

}  // namespace cone::distributed
