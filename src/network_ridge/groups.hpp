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

/// Random effects that share one variance. A group of sums adds up over neighbours, one of means
/// averages over them; "neighbours" are effects of the neighbours themselves, one for each.
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
  kOwnCurves,  ///< last: which random numbers a group draws follows from its position here
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
      std::pair{GroupKind::kMeanNeighbourEffects, std::string_view("mean_neighbour_effects")}};
};

/// The names that --ridge-groups knows.
inline constexpr std::array kGroupSwitches = {std::string_view("own"),
                                              std::string_view("smooth"),
                                              std::string_view("curves"),
                                              std::string_view("neighbour_sums"),
                                              std::string_view("neighbour_effects"),
                                              std::string_view("neighbour_means"),
                                              std::string_view("mean_neighbour_effects")};

/// Whether the switches (empty: all) ask for groups of this kind.
bool asks_for(std::span<const std::string> switches, GroupKind kind);

/// A group that has something to say about these data.
struct RidgeGroup {
  GroupKind kind;
  /// Mean squared length of its rows over all nodes: the group's kernel is divided by it, so that
  /// its variance is in units of the outcome's.
  double scale;
};

/// The groups that the switches ask for and the data have. O(edges · words per node).
std::vector<RidgeGroup> list_groups(const Context& context, const RidgeInputs& inputs,
                                    std::span<const std::string> switches);

}  // namespace cone
