#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cone {

/// 1234567 → "1,234,567".
std::string grouped(std::uint64_t number);

/// Text from a user's file, fit to be shown: control characters escaped, cut to `max_length`
/// characters with "..." at the end.
std::string printable(std::string_view text, std::size_t max_length = 60);

/// The name in `candidates` closest to `word` by edit distance, or "" when none is near.
template <class Names>
std::string closest_name(std::string_view word, const Names& candidates);

/// Levenshtein distance. O(|a|·|b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Names>
std::string closest_name(std::string_view word, const Names& candidates) {
  std::string best;
  std::size_t best_distance = 3;  // further than two edits is no typing slip
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace cone
