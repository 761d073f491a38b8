#include "distributed/ridge_groups.hpp"

#include <algorithm>
#include <array>

#include "base/numeric.hpp"
#include "distributed/fetch_rows.hpp"

namespace cone::distributed {
namespace {

/// Mean squared norms of the groups' features: sums over this rank's positions, then over all
/// ranks.
enum Norm : std::size_t {
  kFilled,
  kCurves,
  kNeighbourCounts,
  kNeighbourNumeric,
  kNeighbours,
  kNeighbourMeansCounts,
  kNeighbourMeansNumeric,
  kMeanNeighbourEffects,
  kNumNorms
};

/// ‖Σ_j x_j‖² over the neighbours of positions [begin, end). Ghost features are fetched for these
/// positions only: those of all ghosts could need more memory than the rank's own.
void measure_batch(const Communicator& comm, std::size_t begin, std::size_t end, LocalData& local) {
  std::vector<std::uint32_t> ghosts;
  for (std::uint64_t k = local.list_offsets[begin]; k < local.list_offsets[end]; ++k) {
    if (local.lists[k] >= local.size()) ghosts.push_back(local.lists[k]);
  }
  std::ranges::sort(ghosts);
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  std::vector<RemoteRow> wanted;
  wanted.reserve(ghosts.size());
  for (const std::uint32_t g : ghosts) wanted.push_back(local.remote[g - local.size()]);
  const FetchedRows fetched = fetch_rows(comm, local, wanted);
  std::vector<double> counts(local.counts.cols(), 0.0);
  std::vector<double> numeric(local.numeric.cols());
  const auto row_of = [&](std::uint32_t row) {
    return static_cast<std::size_t>(std::ranges::lower_bound(ghosts, row) - ghosts.begin());
  };
  for (std::size_t p = begin; p < end; ++p) {
    std::ranges::fill(numeric, 0.0);
    double squares = 0;
    const std::span<const std::uint32_t> list(local.lists.data() + local.list_offsets[p],
                                              local.list_offsets[p + 1] - local.list_offsets[p]);
    const auto counts_of = [&](std::uint32_t row) {
      return row < local.size() ? local.counts.row(row) : fetched.counts.row(row_of(row));
    };
    for (const std::uint32_t j : list) {
      const SparseMatrix::Row row = counts_of(j);
      for (std::size_t k = 0; k < row.size(); ++k) {
        double& total = counts[row.columns[k]];
        squares += row.values[k] * (2 * total + row.values[k]);
        total += row.values[k];
      }
      const auto measured =
          j < local.size() ? local.numeric.row(j) : fetched.numeric.row(row_of(j));
      for (std::size_t c = 0; c < numeric.size(); ++c) numeric[c] += measured[c];
    }
    for (const std::uint32_t j : list) {
      for (const std::uint32_t c : counts_of(j).columns) counts[c] = 0;
    }
    local.neighbour_norms.counts[p] = squares;
    local.neighbour_norms.numeric[p] = dot(numeric, numeric);
  }
}

std::array<double, kNumNorms> find_mean_norms(const Context& context, const Communicator& comm,
                                              LocalData& local) {
  constexpr std::uint64_t kNeighboursAtATime = 1U << 18U;
  local.neighbour_norms = {std::vector<double>(local.size()), std::vector<double>(local.size())};
  std::size_t begin = 0;
  while (comm.any(begin < local.size())) {
    context.poll();
    std::size_t end = begin;
    while (end < local.size() &&
           local.list_offsets[end] - local.list_offsets[begin] < kNeighboursAtATime) {
      ++end;
    }
    measure_batch(comm, begin, end, local);
    begin = end;
  }
  std::array<CompensatedSum, kNumNorms> norms;
  for (std::size_t p = 0; p < local.size(); ++p) {
    const double mean = local.inverse_degree[p] * local.inverse_degree[p];
    norms[kNeighbourCounts].add(local.neighbour_norms.counts[p]);
    norms[kNeighbourMeansCounts].add(mean * local.neighbour_norms.counts[p]);
    norms[kNeighbourNumeric].add(local.neighbour_norms.numeric[p]);
    norms[kNeighbourMeansNumeric].add(mean * local.neighbour_norms.numeric[p]);
    norms[kNeighbours].add(local.degree[p]);
    norms[kMeanNeighbourEffects].add(mean * local.degree[p]);
    norms[kFilled].add(local.counts.row(p).size() > 0 ? 1 : 0);
    norms[kCurves].add(dot(local.curves.row(p), local.curves.row(p)));
  }
  std::array<double, kNumNorms> out{};
  for (std::size_t k = 0; k < kNumNorms; ++k) out[k] = norms[k].value();
  comm.allreduce(out);
  for (double& value : out) value /= static_cast<double>(local.global.num_nodes);
  return out;
}

}  // namespace

std::vector<RidgeGroup> list_ridge_groups(const Context& context, const Communicator& comm,
                                          LocalData& local, std::span<const std::string> switches) {
  const std::array<double, kNumNorms> norm = find_mean_norms(context, comm, local);
  const auto scale_of = [&](GroupKind kind) {
    switch (kind) {
      case GroupKind::kOwnCounts:
        return norm[kFilled];
      case GroupKind::kOwnNumeric:
        return static_cast<double>(local.numeric.cols());
      case GroupKind::kOwnSmooth:
        return local.smooth.cols() > 0 ? 1.0 : 0.0;
      case GroupKind::kOwnCurves:
        return norm[kCurves];
      case GroupKind::kNeighbourSumsCounts:
        return norm[kNeighbourCounts];
      case GroupKind::kNeighbourSumsNumeric:
        return norm[kNeighbourNumeric];
      case GroupKind::kNeighbourEffects:
        return norm[kNeighbours];
      case GroupKind::kNeighbourMeansCounts:
        return norm[kNeighbourMeansCounts];
      case GroupKind::kNeighbourMeansNumeric:
        return norm[kNeighbourMeansNumeric];
      case GroupKind::kMeanNeighbourEffects:
        return norm[kMeanNeighbourEffects];
      case GroupKind::kCommunitiesCoarse:
      case GroupKind::kCommunities:
      case GroupKind::kCommunitiesFine:
        return 0.0;  // refused where requested
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
