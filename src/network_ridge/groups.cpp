#include "network_ridge/groups.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "cone/options.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "network_ridge/fetch_rows.hpp"

namespace cone {
namespace {

std::string_view switch_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::kOwnCounts:
    case GroupKind::kOwnNumeric:
      return "own";
    case GroupKind::kOwnSmooth:
      return "smooth";
    case GroupKind::kOwnCurves:
      return "curves";
    case GroupKind::kNeighbourSumsCounts:
    case GroupKind::kNeighbourSumsNumeric:
      return "neighbour_sums";
    case GroupKind::kNeighbourEffects:
      return "neighbour_effects";
    case GroupKind::kNeighbourMeansCounts:
    case GroupKind::kNeighbourMeansNumeric:
      return "neighbour_means";
    case GroupKind::kMeanNeighbourEffects:
      return "mean_neighbour_effects";
    case GroupKind::kCommunitiesCoarse:
    case GroupKind::kCommunities:
    case GroupKind::kCommunitiesFine:
      return "communities";
  }
  return "";
}

/// Sets the norms of the positions [begin, end). Ghost features are fetched for these positions
/// only: those of all ghosts could need more memory than the rank's own.
void measure_positions(const Context& context, const RidgeInputs& inputs, std::size_t begin,
                       std::size_t end, NeighbourNorms& out) {
  const std::size_t n = inputs.num_nodes();
  std::vector<std::uint32_t> ghosts;
  FetchedRows fetched;
  if (inputs.distributed) {
    for (std::size_t p = begin; p < end; ++p) {
      for (const std::uint32_t j : inputs.neighbours(p)) {
        if (j >= n) ghosts.push_back(j);
      }
    }
    std::ranges::sort(ghosts);
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    std::vector<RemoteRow> wanted;
    wanted.reserve(ghosts.size());
    for (const std::uint32_t g : ghosts) wanted.push_back(inputs.distributed->remote[g - n]);
    fetched = fetch_rows(*inputs.comm, inputs.counts, inputs.numeric, wanted);
  }
  const auto fetched_row = [&](std::uint32_t row) {
    return static_cast<std::size_t>(std::ranges::lower_bound(ghosts, row) - ghosts.begin());
  };
  const auto counts_of = [&](std::uint32_t row) {
    return row < n ? inputs.counts.row(row) : fetched.counts.row(fetched_row(row));
  };
  const auto numeric_of = [&](std::uint32_t row) {
    return row < n ? inputs.numeric.row(row)
                   : std::span<const double>(fetched.numeric.row(fetched_row(row)));
  };
  constexpr std::size_t kPiece = 1024;
  context.for_each_range(end - begin, kPiece, [&](std::size_t first, std::size_t last) {
    std::vector<double> counts(inputs.counts.cols(), 0.0);
    std::vector<double> numeric(inputs.numeric.cols());
    for (std::size_t p = begin + first; p < begin + last; ++p) {
      context.poll();
      std::ranges::fill(numeric, 0.0);
      double squares = 0;
      const std::span<const std::uint32_t> neighbours = inputs.neighbours(p);
      for (const std::uint32_t j : neighbours) {
        const SparseMatrix::Row row = counts_of(j);
        for (std::size_t k = 0; k < row.size(); ++k) {
          double& total = counts[row.columns[k]];
          squares += row.values[k] * (2 * total + row.values[k]);
          total += row.values[k];
        }
        const std::span<const double> of_neighbour = numeric_of(j);
        for (std::size_t c = 0; c < numeric.size(); ++c) numeric[c] += of_neighbour[c];
      }
      for (const std::uint32_t j : neighbours) {
        for (const std::uint32_t c : counts_of(j).columns) counts[c] = 0;
      }
      out.counts[p] = squares;
      out.numeric[p] = dot(numeric, numeric);
    }
  });
}

/// O(edges · count features per node). Collective.
NeighbourNorms find_neighbour_norms(const Context& context, const RidgeInputs& inputs) {
  const std::size_t n = inputs.num_nodes();
  NeighbourNorms out{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  if (!inputs.distributed) {
    measure_positions(context, inputs, 0, n, out);
    return out;
  }
  constexpr std::uint64_t kNeighboursAtATime = 1U << 18U;
  const std::vector<std::uint64_t>& offsets = inputs.lists->offsets;
  std::size_t begin = 0;
  while (inputs.comm->any(begin < n)) {
    context.poll();
    std::size_t end = begin;
    while (end < n && offsets[end] - offsets[begin] < kNeighboursAtATime) ++end;
    measure_positions(context, inputs, begin, end, out);
    begin = end;
  }
  return out;
}

}  // namespace

void NetworkRidgeOptions::check(std::vector<Fault>& faults) const {
  const std::vector<std::string> known(kGroupSwitches.begin(), kGroupSwitches.end());
  for (const std::string& name : ridge_groups) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string nearest = closest_name(name, known);
    faults.push_back({{.item = "--ridge-groups"},
                      fmt::format("there is no group '{}'", printable(name)),
                      nearest.empty() ? fmt::format("choose from {}", fmt::join(known, ", "))
                                      : fmt::format("did you mean {}?", nearest)});
  }
}

bool asks_for(std::span<const std::string> switches, std::string_view name) {
  return switches.empty() || std::find(switches.begin(), switches.end(), name) != switches.end();
}

bool asks_for(std::span<const std::string> switches, GroupKind kind) {
  return asks_for(switches, switch_of(kind));
}

std::vector<RidgeGroup> list_groups(const Context& context, RidgeInputs& inputs,
                                    std::span<const std::string> switches) {
  inputs.neighbour_norms = {};
  if (inputs.has_edges()) inputs.neighbour_norms = find_neighbour_norms(context, inputs);
  const NeighbourNorms& norms = inputs.neighbour_norms;
  const auto mean_of = [&](std::size_t size, const auto& term) {
    CompensatedSum total;
    for (std::size_t p = 0; p < size; ++p) total.add(term(p));
    return inputs.comm->allreduce(total.value()) / static_cast<double>(inputs.num_nodes_of_all());
  };
  const auto mean_scaled = [&](const std::vector<double>& values, bool averages) {
    return mean_of(values.size(), [&](std::size_t p) {
      return (averages ? inputs.inverse_degree[p] * inputs.inverse_degree[p] : 1) * values[p];
    });
  };
  const auto scale_of = [&](GroupKind kind) {
    switch (kind) {
      case GroupKind::kOwnCounts:
        return mean_of(inputs.num_nodes(),
                       [&](std::size_t p) { return inputs.counts.row(p).size() > 0 ? 1.0 : 0.0; });
      case GroupKind::kOwnNumeric:
        return static_cast<double>(inputs.numeric.cols());
      case GroupKind::kOwnSmooth:
        return inputs.smooth.cols() > 0 ? 1.0 : 0.0;
      case GroupKind::kOwnCurves:
        return mean_of(inputs.num_nodes(), [&](std::size_t p) {
          return dot(inputs.curves.row(p), inputs.curves.row(p));
        });
      case GroupKind::kNeighbourSumsCounts:
        return mean_scaled(norms.counts, /*averages=*/false);
      case GroupKind::kNeighbourSumsNumeric:
        return mean_scaled(norms.numeric, /*averages=*/false);
      case GroupKind::kNeighbourEffects:
        return mean_scaled(inputs.degree, /*averages=*/false);
      case GroupKind::kNeighbourMeansCounts:
        return mean_scaled(norms.counts, /*averages=*/true);
      case GroupKind::kNeighbourMeansNumeric:
        return mean_scaled(norms.numeric, /*averages=*/true);
      case GroupKind::kMeanNeighbourEffects:
        return mean_scaled(inputs.degree, /*averages=*/true);
      case GroupKind::kCommunitiesCoarse:
      case GroupKind::kCommunities:
      case GroupKind::kCommunitiesFine:
        return inputs.communities.share_of(kind, *inputs.comm);
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

}  // namespace cone
