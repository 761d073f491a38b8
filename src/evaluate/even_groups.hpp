#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "exec/ordered_values.hpp"

namespace cone {

/// Places in `values` by group: at most `num_groups` groups of about the same size, in ascending
/// order of the values. Equal values share a group, so the order of the nodes does not matter. Of
/// values that several processes have parts of, the groups are those of all of them: one that has
/// nobody here is empty. O(n log n).
inline std::vector<std::vector<std::size_t>> group_evenly(std::span<const double> values,
                                                          std::size_t num_groups,
                                                          const Totals& totals) {
  const OrderedValues sorted({values.begin(), values.end()}, totals);
  std::vector<std::uint64_t> places;
  for (std::size_t g = 1; g < num_groups; ++g) places.push_back(g * sorted.size() / num_groups);
  const std::vector<double> cuts = sorted.at(places);
  std::vector<std::vector<std::size_t>> groups(num_groups);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto after = std::upper_bound(cuts.begin(), cuts.end(), values[i]);
    groups[static_cast<std::size_t>(after - cuts.begin())].push_back(i);
  }
  std::vector<double> sizes(num_groups);
  for (std::size_t g = 0; g < num_groups; ++g) sizes[g] = static_cast<double>(groups[g].size());
  totals.allreduce(sizes);
  std::size_t kept = 0;
  for (std::size_t g = 0; g < num_groups; ++g) {
    if (sizes[g] == 0) continue;
    if (kept != g) groups[kept] = std::move(groups[g]);
    ++kept;
  }
  groups.resize(kept);
  return groups;
}

}  // namespace cone
