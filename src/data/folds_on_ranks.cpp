#include "data/folds_on_ranks.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "exec/distributed_sort.hpp"

namespace cone {
namespace {

/// A 64-bit key as two doubles, without loss and in the same order.
constexpr double high_half(std::uint64_t key) { return static_cast<double>(key >> 32); }
constexpr double low_half(std::uint64_t key) { return static_cast<double>(key & 0xffffffffU); }

struct FoldOfNode {
  std::uint64_t node;
  std::uint64_t fold;
};

}  // namespace

std::vector<int> assign_folds_on_ranks(const Dataset& data, std::span<const NodeIndex> nodes,
                                       int num_folds, std::uint64_t seed, Stream stream) {
  const Communicator& comm = data.comm();
  const std::size_t num_arms = data.num_arms();
  std::vector<std::uint64_t> key;
  key.reserve(nodes.size());
  // Arms are ordered by their smallest keys, so their labels do not matter.
  std::vector<std::uint64_t> smallest(num_arms, std::numeric_limits<std::uint64_t>::max());
  for (const NodeIndex i : nodes) {
    key.push_back(Rng(seed, stream, data.hash_of(i)).next_u64());
    std::uint64_t& least = smallest[data.treatment[i]];
    least = std::min(least, key.back());
  }
  for (std::uint64_t& least : smallest) least = ~comm.allreduce_max(~least);
  std::vector<double> arm_order(num_arms, 0.0);
  for (std::size_t a = 0; a < num_arms; ++a) {
    arm_order[a] = static_cast<double>(
        std::ranges::count_if(smallest, [&](std::uint64_t other) { return other < smallest[a]; }));
  }
  constexpr std::size_t kWidth = 5;
  Matrix<double> rows(nodes.size(), kWidth);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const std::array<double, kWidth> row = {arm_order[data.treatment[nodes[k]]], high_half(key[k]),
                                            low_half(key[k]), static_cast<double>(comm.rank()),
                                            static_cast<double>(nodes[k])};
    std::ranges::copy(row, rows.row(k).begin());
  }
  const Matrix<double> sorted = distributed_sort(comm, rows);
  const std::uint64_t before = comm.exclusive_scan(std::uint64_t{sorted.rows()});
  std::vector<std::vector<FoldOfNode>> replies(comm.size());
  for (std::size_t k = 0; k < sorted.rows(); ++k) {
    replies[static_cast<std::size_t>(sorted(k, 3))].push_back(
        {static_cast<std::uint64_t>(sorted(k, 4)),
         (before + k) % static_cast<std::uint64_t>(num_folds)});
  }
  std::vector<int> fold(data.num_nodes(), -1);
  for (const auto& part : comm.alltoallv(std::move(replies))) {
    for (const FoldOfNode& reply : part) fold[reply.node] = static_cast<int>(reply.fold);
  }
  return fold;
}

}  // namespace cone
