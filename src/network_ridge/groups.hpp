#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/options.hpp"

#include "network_ridge/inputs.hpp"

namespace cone {

/// Groups of random effects that share one variance component: own features, sums or means of the
/// neighbours' features, neighbour effects, one random effect for each node that acts on all its
/// neighbours, and one random effect for each community of the network (community_features.hpp).
/// Counts and numeric features are separate groups.
///
/// New kinds go last: the random stream of a group follows from its position here.
enum class GroupKind {
  kOwnCounts,
  kOwnNumeric,
  kOwnSmooth,
  kNeighbourSumsCounts,
  kNeighbourSumsNumeric,
  kNeighbourEffects,
  kNeighbourMeansCounts,
  kNeighbourMeansNumeric,
  kMeanNeighbourEffects,
  kOwnCurves,
  kCommunitiesCoarse,
  kCommunities,
  kCommunitiesFine,
};

template <>
struct EnumNames<GroupKind> {
  static constexpr std::array kNames = {
      std::pair{GroupKind::kOwnCounts, std::string_view("own_counts")},
      std::pair{GroupKind::kOwnNumeric, std::string_view("own_numeric")},
      std::pair{GroupKind::kOwnSmooth, std::string_view("own_smooth")},
      std::pair{GroupKind::kOwnCurves, std::string_view("own_curves")},
      std::pair{GroupKind::kNeighbourSumsCounts, std::string_view("neighbour_sums_counts")},
      std::pair{GroupKind::kNeighbourSumsNumeric, std::string_view("neighbour_sums_numeric")},
      std::pair{GroupKind::kNeighbourEffects, std::string_view("neighbour_effects")},
      std::pair{GroupKind::kNeighbourMeansCounts, std::string_view("neighbour_means_counts")},
      std::pair{GroupKind::kNeighbourMeansNumeric, std::string_view("neighbour_means_numeric")},
      std::pair{GroupKind::kMeanNeighbourEffects, std::string_view("mean_neighbour_effects")},
      std::pair{GroupKind::kCommunitiesCoarse, std::string_view("communities_coarse")},
      std::pair{GroupKind::kCommunities, std::string_view("communities")},
      std::pair{GroupKind::kCommunitiesFine, std::string_view("communities_fine")}};
};

/// The groups of communities, in the order of kResolutions (community_features.hpp).
inline constexpr std::array kCommunityKinds = {
    GroupKind::kCommunitiesCoarse, GroupKind::kCommunities, GroupKind::kCommunitiesFine};

/// Of the exponential feature (exponential_feature.hpp), which is one of the numeric ones.
inline constexpr std::string_view kExponentialSwitch = "exponential";

/// The values of --ridge-groups.
inline constexpr std::array kGroupSwitches = {std::string_view("own"),
                                              std::string_view("smooth"),
                                              std::string_view("curves"),
                                              kExponentialSwitch,
                                              std::string_view("neighbour_sums"),
                                              std::string_view("neighbour_effects"),
                                              std::string_view("neighbour_means"),
                                              std::string_view("mean_neighbour_effects"),
                                              std::string_view("communities")};

/// Whether the switches (empty: all) include this one, or groups of this kind.
bool asks_for(std::span<const std::string> switches, std::string_view name);
bool asks_for(std::span<const std::string> switches, GroupKind kind);

/// A group with features in this data.
struct RidgeGroup {
  GroupKind kind;
  /// c_g, the mean squared norm of its feature rows over all nodes: the group's kernel is divided
  /// by it, so that its variance is in units of the outcome's.
  double scale;
};

/// The groups that the switches include and the data has features for; sets the inputs' neighbour
/// norms. O(edges · count features per node). Collective.
std::vector<RidgeGroup> list_groups(const Context& context, RidgeInputs& inputs,
                                    std::span<const std::string> switches);

}  // namespace cone
