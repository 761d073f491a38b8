#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "network_ridge/ridge_system.hpp"

namespace cone {

/// σ²_g/c_g of one arm, the prior variance of one effect, by kind of group; 0 for absent groups.
class GroupStrengths {
 public:
  GroupStrengths(std::span<const RidgeGroup> groups, const ArmModel& arm) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      value_[static_cast<std::size_t>(groups[g].kind)] = arm.group_variances[g] / groups[g].scale;
    }
  }
  double operator[](GroupKind kind) const { return value_[static_cast<std::size_t>(kind)]; }
  void leave_out(GroupKind kind) { value_[static_cast<std::size_t>(kind)] = 0; }
  /// Whether any group sums over neighbours.
  bool sums() const {
    return (*this)[GroupKind::kNeighbourSumsCounts] > 0 ||
           (*this)[GroupKind::kNeighbourSumsNumeric] > 0 ||
           (*this)[GroupKind::kNeighbourEffects] > 0;
  }
  /// Whether any group averages over neighbours.
  bool means() const {
    return (*this)[GroupKind::kNeighbourMeansCounts] > 0 ||
           (*this)[GroupKind::kNeighbourMeansNumeric] > 0 ||
           (*this)[GroupKind::kMeanNeighbourEffects] > 0;
  }
  /// Whether there are any community effects.
  bool communities() const {
    return std::ranges::any_of(kCommunityKinds, [&](GroupKind kind) { return (*this)[kind] > 0; });
  }

 private:
  std::array<double, EnumNames<GroupKind>::kNames.size()> value_{};
};

}  // namespace cone
