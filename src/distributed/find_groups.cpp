#include "distributed/find_groups.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "inference/clusters.hpp"

namespace cone::distributed {
namespace {

/// What the ranks have, one behind the other, on the first rank; nothing on the others.
std::vector<std::uint32_t> bring_to_first(const Ranks& ranks, std::vector<std::uint32_t> own) {
  std::vector<std::vector<std::uint32_t>> parts(ranks.size());
  parts[0] = std::move(own);
  std::vector<std::vector<std::uint32_t>> received = ranks.exchange(std::move(parts));
  std::size_t size = 0;
  for (const std::vector<std::uint32_t>& part : received) size += part.size();
  std::vector<std::uint32_t> out;
  out.reserve(size);
  for (std::vector<std::uint32_t>& part : received) {
    out.insert(out.end(), part.begin(), part.end());
    part = {};
  }
  return out;
}

/// Numbers are below kMostForGroups.
std::vector<std::uint32_t> narrow(std::span<const std::uint64_t> numbers) {
  std::vector<std::uint32_t> out;
  out.reserve(numbers.size());
  for (const std::uint64_t number : numbers) out.push_back(static_cast<std::uint32_t>(number));
  return out;
}

/// The whole network on the first rank: rows ascend over the ranks. An empty one on the others.
Graph gather_network(const Ranks& ranks, const NodeRows& rows) {
  std::vector<std::uint32_t> degrees;
  degrees.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    degrees.push_back(static_cast<std::uint32_t>(rows.edge_offsets[i + 1] - rows.edge_offsets[i]));
  }
  degrees = bring_to_first(ranks, std::move(degrees));
  std::vector<std::uint64_t> offsets = {0};
  offsets.reserve(degrees.size() + 1);
  for (const std::uint32_t degree : degrees) offsets.push_back(offsets.back() + degree);
  return {std::move(offsets), bring_to_first(ranks, narrow(rows.neighbours))};
}

}  // namespace

bool can_find_groups(const WholeData& whole) {
  return whole.edges.num_edges > 0 && whole.num_nodes + 2 * whole.edges.num_edges <= kMostForGroups;
}

void find_groups(const Context& context, const Ranks& ranks, const IdDirectory& ids,
                 const Blocks& blocks, NodeRows& rows, WholeData& whole) {
  if (!can_find_groups(whole)) return;
  const std::vector<NodeIndex> order = bring_to_first(ranks, narrow(ids.sort_by_id()));
  Graph graph = gather_network(ranks, rows);
  std::vector<std::vector<std::uint32_t>> parts(ranks.size());
  std::array<double, 2> summary = {0, 0};
  if (ranks.is_first()) {
    const Clustering found = find_clusters(context, graph, order);
    graph = {};
    summary = {static_cast<double>(found.count), found.cut_share};
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      parts[r].assign(found.of.begin() + static_cast<std::ptrdiff_t>(blocks.first[r]),
                      found.of.begin() + static_cast<std::ptrdiff_t>(blocks.first[r + 1]));
    }
  }
  ranks.wait_quietly();
  ranks.allreduce(summary);  // zeros but on the first rank
  whole.num_groups = static_cast<std::uint64_t>(summary[0]);
  whole.group_cut_share = summary[1];
  rows.group = std::move(ranks.exchange(std::move(parts))[0]);
}

void warn_of_missing_groups(const WholeData& whole, std::vector<std::string>& warnings) {
  if (whole.edges.num_edges == 0 || can_find_groups(whole)) return;
  warnings.push_back(fmt::format(
      "no errors by communities: one process looks for them, in networks of up to {} units "
      "and ends of ties, and this one has {}. Where neighbours form groups that share their luck, "
      "intervals may be half as wide as they should be",
      grouped(kMostForGroups), grouped(whole.num_nodes + 2 * whole.edges.num_edges)));
}

}  // namespace cone::distributed
