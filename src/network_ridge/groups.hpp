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
/// averages over them; "friends" are effects of the neighbours themselves, one for each.
enum class GroupKind {
  kOwnWords,
  kOwnColumns,
  kOwnSmooth,
  kSumWords,
  kSumColumns,
  kSumFriends,
  kMeanWords,
  kMeanColumns,
  kMeanFriends,
  kOwnCurves,  ///< last: which random numbers a group draws follows from its place here
};

template <>
struct EnumNames<GroupKind> {
  static constexpr std::array kNames = {
      std::pair{GroupKind::kOwnWords, std::string_view("own_words")},
      std::pair{GroupKind::kOwnColumns, std::string_view("own_columns")},
      std::pair{GroupKind::kOwnSmooth, std::string_view("own_smooth")},
      std::pair{GroupKind::kOwnCurves, std::string_view("own_curves")},
      std::pair{GroupKind::kSumWords, std::string_view("sum_words")},
      std::pair{GroupKind::kSumColumns, std::string_view("sum_columns")},
      std::pair{GroupKind::kSumFriends, std::string_view("sum_friends")},
      std::pair{GroupKind::kMeanWords, std::string_view("mean_words")},
      std::pair{GroupKind::kMeanColumns, std::string_view("mean_columns")},
      std::pair{GroupKind::kMeanFriends, std::string_view("mean_friends")}};
};

/// The names that --ridge-groups knows.
inline constexpr std::array kGroupSwitches = {
    std::string_view("own"),         std::string_view("smooth"),  std::string_view("curves"),
    std::string_view("sums"),        std::string_view("friends"), std::string_view("means"),
    std::string_view("mean_friends")};

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
