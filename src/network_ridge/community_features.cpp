#include "network_ridge/community_features.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "network_ridge/count_products.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {
namespace {

std::size_t index_of(GroupKind kind) {
  return static_cast<std::size_t>(std::ranges::find(kCommunityKinds, kind) -
                                  kCommunityKinds.begin());
}

/// The column of every community: in the order of their first positions in one process, by arm,
/// then by number. The same on all ranks.
std::vector<std::uint32_t> order_communities(const Dataset& data, const NodeLabels& label) {
  constexpr double kNumbers = std::uint64_t{1} << 40U;
  std::uint64_t count = 0;
  for (const std::uint32_t g : label) {
    if (g != kNoCommunity) count = std::max(count, std::uint64_t{g} + 1);
  }
  count = data.comm().allreduce_max(count);
  std::vector<double> earliest(count, -std::numeric_limits<double>::infinity());  // negated
  for (NodeIndex i = 0; i < label.size(); ++i) {
    if (label[i] == kNoCommunity) continue;
    const double key = data.treatment[i] * kNumbers + static_cast<double>(data.number_of(i));
    earliest[label[i]] = std::max(earliest[label[i]], -key);
  }
  data.comm().allreduce_max(earliest);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, std::greater<>(), [&](std::uint32_t g) { return earliest[g]; });
  std::vector<std::uint32_t> column(count);
  for (std::uint32_t k = 0; k < count; ++k) column[order[k]] = k;
  return column;
}

}  // namespace

CommunityFeatures::CommunityFeatures(const Dataset& data, std::span<const NodeIndex> node_at,
                                     const NodeCommunities& found) {
  std::array<std::vector<std::uint32_t>, kResolutions.size()> column;
  for (std::size_t r = 0; r < kResolutions.size(); ++r) {
    first_[r + 1] = first_[r];
    const NodeLabels& label = found.labels[r];
    bool is_new = true;
    for (std::size_t before = 0; before < r; ++before) {
      is_new = data.comm().any(found.labels[before] != label) && is_new;
    }
    if (!is_new) continue;
    column[r] = order_communities(data, label);
    if (column[r].size() < 2) column[r].clear();
    first_[r + 1] += column[r].size();
  }
  std::vector<Columns> columns(node_at.size());
  for (std::size_t p = 0; p < columns.size(); ++p) {
    columns[p].fill(kNoCommunity);
    for (std::size_t r = 0; r < kResolutions.size(); ++r) {
      if (column[r].empty()) continue;
      const std::uint32_t label = found.labels[r][node_at[p]];
      if (label == kNoCommunity) continue;
      columns[p][r] = static_cast<std::uint32_t>(first_[r]) + column[r][label];
    }
  }
  set_indicators(columns);
}

CommunityFeatures::CommunityFeatures(const CommunityFeatures& of,
                                     std::span<const Columns> positions)
    : first_(of.first_) {
  set_indicators(positions);
}

void CommunityFeatures::set_indicators(std::span<const Columns> positions) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> entries;
  offsets.reserve(positions.size() + 1);
  for (const Columns& columns : positions) {
    std::ranges::copy_if(columns, std::back_inserter(entries),
                         [](std::uint32_t column) { return column != kNoCommunity; });
    offsets.push_back(entries.size());
  }
  std::vector<double> ones(entries.size(), 1.0);
  indicators_ = {first_.back(), std::move(offsets), std::move(entries), std::move(ones)};
}

std::optional<std::uint32_t> CommunityFeatures::of(std::size_t resolution,
                                                   std::size_t position) const {
  for (const std::uint32_t column : indicators_.row(position).columns) {
    if (column >= first_[resolution] && column < first_[resolution + 1]) return column;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> CommunityFeatures::of(GroupKind kind, std::size_t position) const {
  if (num_columns() == 0) return std::nullopt;
  return of(index_of(kind), position);
}

CommunityFeatures::Columns CommunityFeatures::columns_at(std::size_t position) const {
  Columns out;
  for (std::size_t r = 0; r < out.size(); ++r) {
    out[r] = num_columns() == 0 ? kNoCommunity : of(r, position).value_or(kNoCommunity);
  }
  return out;
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
