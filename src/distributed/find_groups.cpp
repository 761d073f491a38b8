#include "distributed/find_groups.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "graph/communities.hpp"
#include "inference/clusters.hpp"

namespace cone::distributed {
namespace {

/// The values of all ranks, concatenated, on the root; empty on the others.
template <class T>
std::vector<T> gather_to_root(const Communicator& comm, std::vector<T> own) {
  std::vector<std::vector<T>> parts(comm.size());
  parts[0] = std::move(own);
  std::vector<std::vector<T>> received = comm.alltoallv(std::move(parts));
  std::size_t size = 0;
  for (const std::vector<T>& part : received) size += part.size();
  std::vector<T> out;
  out.reserve(size);
  for (std::vector<T>& part : received) {
    out.insert(out.end(), part.begin(), part.end());
    part = std::vector<T>();
  }
  return out;
}

/// Node numbers are below kMostForGroups.
std::vector<std::uint32_t> narrow(std::span<const std::uint64_t> numbers) {
  std::vector<std::uint32_t> out;
  out.reserve(numbers.size());
  for (const std::uint64_t number : numbers) out.push_back(static_cast<std::uint32_t>(number));
  return out;
}

/// The complete network on the root (rows ascend over the ranks); an empty one on the others.
Graph gather_network(const Communicator& comm, const NodeRows& rows) {
  std::vector<std::uint32_t> degrees;
  degrees.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    degrees.push_back(static_cast<std::uint32_t>(rows.edge_offsets[i + 1] - rows.edge_offsets[i]));
  }
  degrees = gather_to_root(comm, std::move(degrees));
  std::vector<std::uint64_t> offsets = {0};
  offsets.reserve(degrees.size() + 1);
  for (const std::uint32_t degree : degrees) offsets.push_back(offsets.back() + degree);
  return {std::move(offsets), gather_to_root(comm, narrow(rows.neighbours))};
}

}  // namespace

bool can_find_groups(const GlobalData& global) {
  return global.edges.num_edges > 0 &&
         global.num_nodes + 2 * global.edges.num_edges <= kMostForGroups;
}

void find_groups(const Context& context, const Communicator& comm, const Blocks& blocks,
                 NodeRows& rows, GlobalData& global) {
  if (!can_find_groups(global)) return;
  const std::vector<std::uint64_t> keys = gather_to_root(comm, rows.hash);
  Graph graph = gather_network(comm, rows);
  std::vector<std::vector<std::uint32_t>> parts(comm.size());
  std::array<double, 2> summary = {0, 0};
  if (comm.is_root()) {
    const Clustering found = take_clusters(graph, find_communities(context, graph, keys));
    graph = {};
    summary = {static_cast<double>(found.count), found.cut_share};
    for (std::size_t r = 0; r < comm.size(); ++r) {
      parts[r].assign(found.of.begin() + static_cast<std::ptrdiff_t>(blocks.first[r]),
                      found.of.begin() + static_cast<std::ptrdiff_t>(blocks.first[r + 1]));
    }
  }
  comm.barrier();
  comm.allreduce(summary);  // zeros on all ranks but the root
  global.num_groups = static_cast<std::uint64_t>(summary[0]);
  global.group_cut_share = summary[1];
  rows.group = std::move(comm.alltoallv(std::move(parts))[0]);
}

void warn_of_missing_groups(const GlobalData& global, std::vector<std::string>& warnings) {
  if (global.edges.num_edges == 0 || can_find_groups(global)) return;
  warnings.push_back(fmt::format(
      "clustered standard errors skipped: community detection runs on one rank and is limited to "
      "{} nodes and edge ends; this network has {}. If outcomes are correlated within communities, "
      "intervals may be half as wide as they should be",
      grouped(kMostForGroups), grouped(global.num_nodes + 2 * global.edges.num_edges)));
}

}  // namespace cone::distributed
