#include <algorithm>
#include <numeric>
#include <utility>

#include "distributed/list_ghosts.hpp"
#include "distributed/local_data.hpp"

namespace cone::distributed {
namespace {

/// A node's owner, its position there and its arm.
struct NodeLocation {
  std::uint64_t number;
  std::uint64_t position;
  std::uint32_t rank;
  std::uint32_t arm;
};

/// The rank whose directory has a node's location: equal ranges of node numbers.
std::size_t directory_rank(std::uint64_t number, std::uint64_t num_nodes, std::size_t num_ranks) {
  const std::uint64_t per_rank = (num_nodes + num_ranks - 1) / num_ranks;
  return number / per_rank;
}

/// Looks up the locations of nodes in the distributed directory.
std::vector<NodeLocation> locate(const Communicator& comm, const LocalData& local,
                                 std::span<const std::uint64_t> numbers,
                                 std::span<const std::uint64_t> wanted) {
  const std::uint64_t n = local.global.num_nodes;
  std::vector<std::vector<NodeLocation>> published(comm.size());
  for (std::size_t p = 0; p < local.size(); ++p) {
    published[directory_rank(numbers[p], n, comm.size())].push_back(
        {numbers[p], p, static_cast<std::uint32_t>(comm.rank()), local.arm_of(p)});
  }
  std::vector<NodeLocation> known;
  for (const auto& part : comm.alltoallv(std::move(published)))
    known.insert(known.end(), part.begin(), part.end());
  std::ranges::sort(known, {}, &NodeLocation::number);
  std::vector<std::vector<std::uint64_t>> requests(comm.size());
  for (const std::uint64_t number : wanted) {
    requests[directory_rank(number, n, comm.size())].push_back(number);
  }
  std::vector<std::vector<NodeLocation>> replies(comm.size());
  const auto requested = comm.alltoallv(std::move(requests));
  for (std::size_t from = 0; from < comm.size(); ++from) {
    for (const std::uint64_t number : requested[from]) {
      replies[from].push_back(*std::ranges::lower_bound(known, number, {}, &NodeLocation::number));
    }
  }
  std::vector<NodeLocation> out;
  for (const auto& part : comm.alltoallv(std::move(replies)))
    out.insert(out.end(), part.begin(), part.end());
  return out;
}

/// Rows in the order of the positions.
template <class T>
std::vector<T> take(const std::vector<T>& values, std::span<const std::size_t> order) {
  std::vector<T> out;
  out.reserve(order.size());
  for (const std::size_t i : order) out.push_back(values[i]);
  return out;
}

Matrix<double> take(const Matrix<double>& table, std::span<const std::size_t> order) {
  Matrix<double> out(order.size(), table.cols());
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::ranges::copy(table.row(order[k]), out.row(k).begin());
  }
  return out;
}

/// A neighbour's row in a table with ghosts, and its arm.
struct Neighbour {
  Arm arm;
  std::uint32_t row;
};

NeighbourLists list_neighbours(const NodeRows& rows, std::span<const std::size_t> order,
                               std::span<const NodeLocation> ghosts, std::size_t num_arms) {
  std::vector<std::uint32_t> position_of(rows.size());
  for (std::size_t p = 0; p < order.size(); ++p) {
    position_of[order[p]] = static_cast<std::uint32_t>(p);
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ghost_of;  // by number
  for (std::size_t g = 0; g < ghosts.size(); ++g) {
    ghost_of.emplace_back(ghosts[g].number, static_cast<std::uint32_t>(g));
  }
  std::ranges::sort(ghost_of);
  std::vector<Neighbour> own;
  NeighbourLists out;
  out.rows.reserve(rows.neighbours.size());
  for (const std::size_t i : order) {
    own.clear();
    for (std::uint64_t k = rows.edge_offsets[i]; k < rows.edge_offsets[i + 1]; ++k) {
      const std::uint64_t number = rows.neighbours[k];
      const auto here = std::ranges::lower_bound(rows.number, number);
      if (here != rows.number.end() && *here == number) {
        const auto j = static_cast<std::size_t>(here - rows.number.begin());
        own.push_back({rows.arm[j], position_of[j]});
      } else {
        const auto ghost =
            std::ranges::lower_bound(ghost_of, number, {}, &decltype(ghost_of)::value_type::first);
        own.push_back({static_cast<Arm>(ghosts[ghost->second].arm),
                       static_cast<std::uint32_t>(rows.size() + ghost->second)});
      }
    }
    std::ranges::sort(own, {}, [](const Neighbour& n) { return std::pair(n.arm, n.row); });
    std::size_t next = 0;
    for (std::size_t a = 0; a < num_arms; ++a) {
      out.arm_offsets.push_back(out.rows.size());
      for (; next < own.size() && own[next].arm == a; ++next) out.rows.push_back(own[next].row);
    }
    out.offsets.push_back(out.rows.size());
  }
  out.arm_offsets.push_back(out.rows.size());
  return out;
}

}  // namespace

Arm LocalData::arm_of(std::size_t position) const {
  return static_cast<Arm>(std::ranges::upper_bound(arm_begin, position) - arm_begin.begin() - 1);
}

LocalData build_local_data(const Communicator& comm, NodeRows rows, GlobalData global) {
  const std::size_t num_arms = global.arms.size();
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows.arm[i]; });
  LocalData local{.global = std::move(global),
                  .outcome = take(rows.outcome, order),
                  .group = rows.group.empty() ? rows.group : take(rows.group, order)};
  DistributedRows out{.num_nodes = local.global.num_nodes,
                      .num_edges = local.global.edges.num_edges,
                      .arm_sizes = local.global.arm_sizes,
                      .number = take(rows.number, order),
                      .hash = take(rows.hash, order)};
  local.arm_begin.assign(num_arms + 1, 0);
  for (const Arm arm : rows.arm) ++local.arm_begin[arm + 1];
  for (std::size_t a = 0; a < num_arms; ++a) local.arm_begin[a + 1] += local.arm_begin[a];
  std::vector<NodeLocation> ghosts =
      locate(comm, local, out.number, list_ghosts(rows, [&](std::uint64_t number) {
               return std::ranges::binary_search(rows.number, number);
             }));
  std::ranges::sort(ghosts, {},
                    [](const NodeLocation& g) { return std::pair(g.rank, g.position); });
  for (const NodeLocation& ghost : ghosts) out.remote.push_back({ghost.rank, ghost.position});
  out.ghosts = comm.connect_ghosts(
      {.num_owned = rows.size(), .num_ghosts = out.remote.size(), .remote = out.remote});
  out.lists =
      std::make_shared<const NeighbourLists>(list_neighbours(rows, order, ghosts, num_arms));
  rows.neighbours = std::vector<std::uint64_t>();
  ghosts = std::vector<NodeLocation>();
  const double mean_degree =
      2 * static_cast<double>(out.num_edges) / static_cast<double>(out.num_nodes);
  for (std::size_t p = 0; p < local.size(); ++p) {
    const auto degree = static_cast<double>(out.lists->of(p).size());
    local.relative_degree.push_back(mean_degree > 0 ? degree / mean_degree : 0);
  }
  local.rows = std::make_shared<const DistributedRows>(std::move(out));
  std::vector<std::uint32_t> selected(order.begin(), order.end());
  local.counts = rows.counts.select_rows(selected);
  local.numeric = take(rows.numeric, order);
  local.truth = take(rows.truth, order);
  for (const Matrix<double>& policy : rows.policies) local.policies.push_back(take(policy, order));
  return local;
}

}  // namespace cone::distributed
