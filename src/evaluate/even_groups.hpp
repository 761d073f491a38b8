#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace cone {

/// Places in `values` by group: at most `num_groups` groups of about the same size, in ascending
/// order of the values. Equal values share a group, so the order of the nodes does not matter.
/// O(n log n).
inline std::vector<std::vector<std::size_t>> group_evenly(std::span<const double> values,
                                                          std::size_t num_groups) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> cuts;
  for (std::size_t g = 1; g < num_groups; ++g)
    cuts.push_back(sorted[g * sorted.size() / num_groups]);
  std::vector<std::vector<std::size_t>> groups(num_groups);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto after = std::upper_bound(cuts.begin(), cuts.end(), values[i]);
    groups[static_cast<std::size_t>(after - cuts.begin())].push_back(i);
  }
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

}  // namespace cone
