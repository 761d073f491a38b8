#include "distributed/groups_together.hpp"

#include <algorithm>
#include <array>

#include "base/numeric.hpp"
#include "distributed/fetch_rows.hpp"

namespace cone::distributed {
namespace {

/// Lengths of the whole's groups: sums over this rank's positions, then over all ranks.
enum Length : std::size_t {
  kFilled,
  kCurves,
  kWords,
  kColumns,
  kNeighbours,
  kNeighbourMeansCounts,
  kNeighbourMeansNumeric,
  kMeanNeighbourEffects,
  kNumLengths
};

/// ‖Σ_j x_j‖² over the neighbours of some positions. Features of ghosts are fetched for them alone:
/// all at once could be more than the rank's own.
void measure_batch(const Ranks& ranks, std::size_t begin, std::size_t end, Share& share) {
  std::vector<std::uint32_t> ghosts;
  for (std::uint64_t k = share.list_offsets[begin]; k < share.list_offsets[end]; ++k) {
    if (share.lists[k] >= share.size()) ghosts.push_back(share.lists[k]);
  }
  std::ranges::sort(ghosts);
  ghosts.erase(std::ranges::unique(ghosts).begin(), ghosts.end());
  std::vector<RemotePosition> wanted;
  for (const std::uint32_t g : ghosts) wanted.push_back(share.remote[g - share.size()]);
  const FetchedRows fetched = fetch_rows(ranks, share, wanted);
  std::vector<double> words(share.words.cols(), 0.0);
  std::vector<double> columns(share.columns.cols());
  const auto row_of = [&](std::uint32_t row) {
    return static_cast<std::size_t>(std::ranges::lower_bound(ghosts, row) - ghosts.begin());
  };
  for (std::size_t p = begin; p < end; ++p) {
    std::ranges::fill(columns, 0.0);
    double squares = 0;
    const std::span<const std::uint32_t> list(share.lists.data() + share.list_offsets[p],
                                              share.list_offsets[p + 1] - share.list_offsets[p]);
    const auto words_of = [&](std::uint32_t row) {
      return row < share.size() ? share.words.row(row) : fetched.words.row(row_of(row));
    };
    for (const std::uint32_t j : list) {
      const SparseMatrix::Row row = words_of(j);
      for (std::size_t k = 0; k < row.size(); ++k) {
        double& total = words[row.columns[k]];
        squares += row.values[k] * (2 * total + row.values[k]);
        total += row.values[k];
      }
      const auto measured =
          j < share.size() ? share.columns.row(j) : fetched.columns.row(row_of(j));
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c] += measured[c];
    }
    for (const std::uint32_t j : list) {
      for (const std::uint32_t c : words_of(j).columns) words[c] = 0;
    }
    share.lengths.words[p] = squares;
    share.lengths.columns[p] = dot(columns, columns);
  }
}

std::array<double, kNumLengths> measure_lengths(const Context& context, const Ranks& ranks,
                                                Share& share) {
  constexpr std::uint64_t kNeighboursAtATime = 1U << 18U;
  share.lengths = {std::vector<double>(share.size()), std::vector<double>(share.size())};
  std::size_t begin = 0;
  while (ranks.any(begin < share.size())) {
    context.poll();
    std::size_t end = begin;
    while (end < share.size() &&
           share.list_offsets[end] - share.list_offsets[begin] < kNeighboursAtATime) {
      ++end;
    }
    measure_batch(ranks, begin, end, share);
    begin = end;
  }
  std::array<CompensatedSum, kNumLengths> lengths;
  for (std::size_t p = 0; p < share.size(); ++p) {
    const double mean = share.inverse_degree[p] * share.inverse_degree[p];
    lengths[kWords].add(share.lengths.words[p]);
    lengths[kNeighbourMeansCounts].add(mean * share.lengths.words[p]);
    lengths[kColumns].add(share.lengths.columns[p]);
    lengths[kNeighbourMeansNumeric].add(mean * share.lengths.columns[p]);
    lengths[kNeighbours].add(share.degree[p]);
    lengths[kMeanNeighbourEffects].add(mean * share.degree[p]);
    lengths[kFilled].add(share.words.row(p).size() > 0 ? 1 : 0);
    lengths[kCurves].add(dot(share.curves.row(p), share.curves.row(p)));
  }
  std::array<double, kNumLengths> out{};
  for (std::size_t k = 0; k < kNumLengths; ++k) out[k] = lengths[k].value();
  ranks.allreduce(out);
  for (double& value : out) value /= static_cast<double>(share.whole.num_nodes);
  return out;
}

}  // namespace

std::vector<RidgeGroup> list_groups_together(const Context& context, const Ranks& ranks,
                                             Share& share, std::span<const std::string> switches) {
  const std::array<double, kNumLengths> length = measure_lengths(context, ranks, share);
  const auto scale_of = [&](GroupKind kind) {
    switch (kind) {
      case GroupKind::kOwnCounts:
        return length[kFilled];
      case GroupKind::kOwnNumeric:
        return static_cast<double>(share.columns.cols());
      case GroupKind::kOwnSmooth:
        return share.smooth.cols() > 0 ? 1.0 : 0.0;
      case GroupKind::kOwnCurves:
        return length[kCurves];
      case GroupKind::kNeighbourSumsCounts:
        return length[kWords];
      case GroupKind::kNeighbourSumsNumeric:
        return length[kColumns];
      case GroupKind::kNeighbourEffects:
        return length[kNeighbours];
      case GroupKind::kNeighbourMeansCounts:
        return length[kNeighbourMeansCounts];
      case GroupKind::kNeighbourMeansNumeric:
        return length[kNeighbourMeansNumeric];
      case GroupKind::kMeanNeighbourEffects:
        return length[kMeanNeighbourEffects];
    }
    return 0.0;
  };
  std::vector<RidgeGroup> groups;
  for (const auto& [kind, name] : EnumNames<GroupKind>::kNames) {
    if (!asks_for(switches, kind)) continue;
    const double scale = scale_of(kind);
    if (scale > 0) groups.push_back({kind, scale});
  }
  return groups;
}

}  // namespace cone::distributed
