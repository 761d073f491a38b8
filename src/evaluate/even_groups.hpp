#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "exec/ordered_values.hpp"

namespace cone {

/// Indices into `values` by group: at most `num_groups` groups of about the same size, in ascending
/// order of the values. Equal values share a group, so the order of the nodes does not matter. In
/// distributed runs the groups are those of all ranks: one without local values is empty.
/// O(n log n).
inline std::vector<std::vector<std::size_t>> group_evenly(std::span<const double> values,
                                                          std::size_t num_groups,
                                                          const Communicator& comm) {
  const OrderedValues sorted({values.begin(), values.end()}, comm);
  std::vector<std::uint64_t> positions;
  for (std::size_t g = 1; g < num_groups; ++g) positions.push_back(g * sorted.size() / num_groups);
  const std::vector<double> cuts = sorted.at(positions);
  std::vector<std::vector<std::size_t>> groups(num_groups);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto after = std::upper_bound(cuts.begin(), cuts.end(), values[i]);
    groups[static_cast<std::size_t>(after - cuts.begin())].push_back(i);
  }
  std::vector<double> sizes(num_groups);
  for (std::size_t g = 0; g < num_groups; ++g) sizes[g] = static_cast<double>(groups[g].size());
  comm.allreduce(sizes);
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
