#include "network_ridge/community_features.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "graph/communities.hpp"
#include "network_ridge/count_products.hpp"
#include "network_ridge/group_strengths.hpp"

namespace cone {
namespace {

/// A second search costs as much as the first. In a large network it takes a good part of the fit's
/// time, and gains little: more edges make communities more distinct.
constexpr std::size_t kManyEdges = std::size_t{1} << 20U;

std::size_t index_of(GroupKind kind) {
  return static_cast<std::size_t>(std::ranges::find(kCommunityKinds, kind) -
                                  kCommunityKinds.begin());
}

/// Numbers the communities with two or more members from 0 in the order of positions; the others
/// become kNoCommunity. Returns how many there are.
std::size_t number_communities(std::vector<std::uint32_t>& label) {
  std::vector<std::uint32_t> size(label.size(), 0);
  for (const std::uint32_t g : label) ++size[g];
  std::vector<std::uint32_t> number(label.size(), kNoCommunity);
  std::uint32_t count = 0;
  for (std::uint32_t& g : label) {
    if (size[g] >= 2 && number[g] == kNoCommunity) number[g] = count++;
    g = number[g];
  }
  return count;
}

}  // namespace

CommunityFeatures::CommunityFeatures(const Context& context, const Dataset& data,
                                     std::span<const NodeIndex> node_at)
    : CommunityFeatures() {
  const std::size_t n = data.num_nodes();
  std::vector<std::vector<std::uint32_t>> labels;  // one list per resolution, by position
  std::size_t columns = 0;
  if (data.graph.num_edges() > 0) {
    std::vector<std::uint64_t> keys;
    keys.reserve(n);
    for (std::size_t i = 0; i < n; ++i) keys.push_back(hash64(data.ids[i]));
    for (std::size_t r = 0; r < kResolutions.size(); ++r) {
      const std::vector<std::uint32_t> of_node = find_communities(
          context, data.graph, keys,
          {.resolution = kResolutions[r], .starts = data.graph.num_edges() > kManyEdges ? 1 : 2});
      std::vector<std::uint32_t> label(n);
      for (std::size_t p = 0; p < n; ++p) label[p] = of_node[node_at[p]];
      const std::size_t count = number_communities(label);
      const bool is_new = std::ranges::find(labels, label) == labels.end();
      if (count < 2 || !is_new) label.assign(n, kNoCommunity);
      first_[r] = columns;
      columns += count < 2 || !is_new ? 0 : count;
      labels.push_back(std::move(label));
    }
    first_.back() = columns;
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> entries;
  offsets.reserve(n + 1);
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t r = 0; r < labels.size(); ++r) {
      if (labels[r][p] == kNoCommunity) continue;
      entries.push_back(static_cast<std::uint32_t>(first_[r] + labels[r][p]));
    }
    offsets.push_back(entries.size());
  }
  std::vector<double> ones(entries.size(), 1.0);
  indicators_ = {columns, std::move(offsets), std::move(entries), std::move(ones)};
}

std::optional<std::uint32_t> CommunityFeatures::of(GroupKind kind, std::size_t position) const {
  if (num_columns() == 0) return std::nullopt;
  const std::size_t r = index_of(kind);
  for (const std::uint32_t column : indicators_.row(position).columns) {
    if (column >= first_[r] && column < first_[r + 1]) return column;
  }
  return std::nullopt;
}

double CommunityFeatures::share_of(GroupKind kind, const Communicator& comm) const {
  if (num_columns() == 0) return 0;
  std::size_t members = 0;
  for (std::size_t p = 0; p < indicators_.rows(); ++p) members += of(kind, p) ? 1 : 0;
  return comm.count(members) / comm.count(indicators_.rows());
}

std::vector<std::uint32_t> CommunityFeatures::label(
    GroupKind kind, std::span<const std::uint32_t> positions) const {
  std::vector<std::uint32_t> out;
  out.reserve(positions.size());
  for (const std::uint32_t p : positions) out.push_back(of(kind, p).value_or(kNoCommunity));
  return out;
}

Matrix<double> CommunityFeatures::sum_members(const Context& context, std::size_t begin,
                                              std::size_t end, MatrixView<const double> v) const {
  return multiply_counts_transposed(context, indicators_, begin, end, v);
}

void CommunityFeatures::scale(const GroupStrengths& strengths, Matrix<double>& sums) const {
  for (std::size_t r = 0; r < kResolutions.size(); ++r) {
    const double variance = strengths[kCommunityKinds[r]];
    for (std::size_t column = first_[r]; column < first_[r + 1]; ++column) {
      for (double& value : sums.row(column)) value *= variance;
    }
  }
}

}  // namespace cone
