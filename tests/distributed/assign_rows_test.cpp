// How the root assigns nodes to ranks.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "distributed/node_rows.hpp"

namespace cone::distributed {
namespace {

/// Nodes without features.
NodeRows make_rows(std::size_t num_nodes,
                   const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::vector<std::vector<std::uint64_t>> lists(num_nodes);
  for (const auto& [a, b] : edges) {
    lists[a].push_back(b);
    lists[b].push_back(a);
  }
  NodeRows rows;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    rows.number.push_back(i);
    std::ranges::sort(lists[i]);
    rows.neighbours.insert(rows.neighbours.end(), lists[i].begin(), lists[i].end());
    rows.edge_offsets.push_back(rows.neighbours.size());
  }
  rows.counts = SparseMatrix(0, std::vector<std::uint64_t>(num_nodes + 1, 0), {}, {});
  return rows;
}

/// A square grid whose nodes are numbered by `number`.
NodeRows make_grid(std::size_t side, const std::vector<std::size_t>& number) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) edges.emplace_back(number[i], number[i + 1]);
    if (i + side < side * side) edges.emplace_back(number[i], number[i + side]);
  }
  return make_rows(side * side, edges);
}

std::size_t count_cut_edges(const NodeRows& rows, const std::vector<std::uint32_t>& owner) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::uint64_t k = rows.edge_offsets[i]; k < rows.edge_offsets[i + 1]; ++k) {
      count += owner[i] < owner[rows.neighbours[k]] ? 1 : 0;
    }
  }
  return count;
}

TEST(AssignRows, NeighboursInAShuffledGridStayTogether) {
  constexpr std::size_t kSide = 40;
  const auto drawn = Rng(1, Stream::kTest).permutation(kSide * kSide);
  const std::vector<std::size_t> number(drawn.begin(), drawn.end());
  const NodeRows rows = make_grid(kSide, number);
  const std::vector<std::uint32_t> owner = assign_rows(rows, 4);
  // Three borders of at most a diagonal each, with two edges per node; at random it would be 2340.
  EXPECT_LE(count_cut_edges(rows, owner), 6 * kSide);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_NEAR(static_cast<double>(std::ranges::count(owner, rank)), kSide * kSide / 4.0, 10);
  }
}

TEST(AssignRows, AnOrderWithFewerGhostsIsKept) {
  std::vector<std::size_t> number(100);
  std::iota(number.begin(), number.end(), std::size_t{0});
  std::vector<std::pair<std::size_t, std::size_t>> ring;
  for (std::size_t i = 0; i < 100; ++i) ring.emplace_back(i, (i + 1) % 100);
  const std::vector<std::uint32_t> owner = assign_rows(make_rows(100, ring), 3);
  EXPECT_TRUE(std::ranges::is_sorted(owner));
  EXPECT_EQ(owner.front(), 0U);
  EXPECT_EQ(owner.back(), 2U);
}

TEST(AssignRows, NodesWithManyNeighboursAreWorkForSeveral) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t j = 0; j < i; ++j) edges.emplace_back(i, j);
  }
  const std::vector<std::uint32_t> owner = assign_rows(make_rows(200, edges), 2);
  // 50 nodes with 32 + 49 units of work and 150 with 32: half of it is 4425.
  EXPECT_EQ(std::ranges::count(owner, 0U), 50 + 12);
  EXPECT_TRUE(std::ranges::is_sorted(owner));
}

TEST(AssignRows, FewerNodesThanRanks) {
  EXPECT_EQ(assign_rows(make_rows(1, {}), 4), std::vector<std::uint32_t>{0});
  EXPECT_TRUE(assign_rows(make_rows(0, {}), 4).empty());
}

}  // namespace
}  // namespace cone::distributed
