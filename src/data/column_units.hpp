#pragma once

#include <cstddef>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

namespace cone {

/// Mean and standard deviation of a column over all nodes.
struct ColumnUnit {
  double mean = 0;
  /// 0 where the column is constant, exactly or up to rounding: then it carries no information, and
  /// dividing by rounding error would make noise look like a feature.
  double scale = 0;
  /// The values do differ, but by less than kRoundingSpread of the largest magnitude.
  bool differs_by_rounding_only = false;
};

/// A spread below this share of the largest magnitude is taken for rounding.
inline constexpr double kRoundingSpread = 1e-13;

/// One unit per column of the table. Two passes, so a mean that dwarfs the spread costs no digits;
/// any magnitude that a loader accepts stays finite. Over the rows of all ranks.
/// O(entries + columns).
std::vector<ColumnUnit> measure_columns(const FeatureTable& features,
                                        const Communicator& comm = Communicator::self());

}  // namespace cone
