#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

#include "base/hash.hpp"

namespace cone::testing {

/// The rows of a dataset that one rank owns, as readers on ranks make them: sorted by arm, with the
/// other ends of their edges as ghosts. `owner`: the rank of every node.
inline Dataset distribute(const Dataset& all, const Communicator& comm,
                          std::span<const std::size_t> owner) {
  const std::size_t n = all.num_nodes();
  std::vector<NodeIndex> order(n);
  std::iota(order.begin(), order.end(), NodeIndex{0});
  std::ranges::stable_sort(order, {}, [&](NodeIndex i) { return all.treatment[i]; });
  DistributedRows rows{.comm = &comm, .num_nodes = n, .num_edges = all.graph.num_edges()};
  rows.arm_sizes.assign(all.num_arms(), 0);
  std::vector<std::uint32_t> row_of(n);  // at its owner
  std::vector<std::uint32_t> num_rows(comm.size(), 0);
  std::vector<NodeIndex> own;
  for (const NodeIndex i : order) {
    ++rows.arm_sizes[all.treatment[i]];
    row_of[i] = num_rows[owner[i]]++;
    if (owner[i] == comm.rank()) own.push_back(i);
  }
  std::vector<NodeIndex> ghosts;
  for (const NodeIndex i : own) {
    for (const NodeIndex j : all.graph.neighbours(i)) {
      if (owner[j] != comm.rank()) ghosts.push_back(j);
    }
  }
  std::ranges::sort(ghosts);
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  for (std::size_t g = 0; g < ghosts.size(); ++g) {
    rows.remote.push_back({owner[ghosts[g]], row_of[ghosts[g]]});
  }
  NeighbourLists lists;
  for (const NodeIndex i : own) {
    rows.number.push_back(i);
    rows.hash.push_back(hash64(all.ids[i]));
    for (std::size_t a = 0; a < all.num_arms(); ++a) {
      lists.arm_offsets.push_back(lists.rows.size());
      for (const NodeIndex j : all.graph.neighbours(i)) {
        if (all.treatment[j] != a) continue;
        const auto ghost = std::ranges::lower_bound(ghosts, j) - ghosts.begin();
        lists.rows.push_back(owner[j] == comm.rank() ? row_of[j]
                                                     : static_cast<std::uint32_t>(own.size()) +
                                                           static_cast<std::uint32_t>(ghost));
      }
    }
    lists.offsets.push_back(lists.rows.size());
  }
  rows.number.insert(rows.number.end(), ghosts.begin(), ghosts.end());
  lists.arm_offsets.push_back(lists.rows.size());
  rows.lists = std::make_shared<const NeighbourLists>(std::move(lists));
  rows.ghosts = comm.connect_ghosts(
      {.num_owned = own.size(), .num_ghosts = rows.remote.size(), .remote = rows.remote});

  Dataset out;
  out.ids = IdTable::numbered(own.size());
  out.arms = all.arms;
  out.features = all.features;
  out.features.matrix = all.features.matrix.select_rows(own);
  for (const NodeIndex i : own) {
    out.treatment.push_back(all.treatment[i]);
    out.outcome.push_back(all.outcome[i]);
  }
  out.distributed = std::make_shared<const DistributedRows>(std::move(rows));
  return out;
}

}  // namespace cone::testing
