#include "network_ridge/groups.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cone/options.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "network_ridge/neighbour_norms.hpp"

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
