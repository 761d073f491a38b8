#include "network_ridge/groups.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cone/settings.hpp"

#include "base/numeric.hpp"
#include "base/text.hpp"
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

std::vector<RidgeGroup> list_groups(const Context& context, const RidgeInputs& inputs,
                                    std::span<const std::string> switches) {
  const auto n = static_cast<double>(inputs.num_nodes());
  NeighbourNorms norms;
  if (inputs.has_edges()) norms = find_neighbour_norms(context, inputs);
  const auto mean_scaled = [&](const std::vector<double>& values, bool averages) {
    CompensatedSum total;
    for (std::size_t p = 0; p < values.size(); ++p) {
      const double factor = averages ? inputs.inverse_degree[p] * inputs.inverse_degree[p] : 1;
      total.add(factor * values[p]);
    }
    return total.value() / n;
  };
  const auto scale_of = [&](GroupKind kind) {
    switch (kind) {
      case GroupKind::kOwnCounts: {
        double nonempty = 0;
        for (std::size_t p = 0; p < inputs.num_nodes(); ++p) {
          nonempty += inputs.counts.row(p).size() > 0 ? 1 : 0;
        }
        return nonempty / n;
      }
      case GroupKind::kOwnNumeric:
        return static_cast<double>(inputs.numeric.cols());
      case GroupKind::kOwnSmooth:
        return inputs.smooth.cols() > 0 ? 1.0 : 0.0;
      case GroupKind::kOwnCurves: {
        CompensatedSum squares;
        for (std::size_t p = 0; p < inputs.num_nodes(); ++p) {
          squares.add(dot(inputs.curves.row(p), inputs.curves.row(p)));
        }
        return squares.value() / n;
      }
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
        return inputs.communities.share_of(kind);
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
