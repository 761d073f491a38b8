#pragma once

#include <cstddef>

#include "cone/dataset.hpp"

namespace cone::load {

/// What a numeric feature determines, as a post-treatment variable or a recoding would.
enum class Leakage {
  kNone,
  kOutcome,    ///< it orders the nodes as the outcome does: its logarithm, its rank, a class of it
  kTreatment,  ///< it separates an arm from all others perfectly
};

/// Looks for a monotone, not a linear, relation, on at most a few thousand nodes and then, where
/// these show one, on all. O(n log n) per column at worst. Fewer than 20 nodes, or a class of fewer
/// than 5, are no evidence.
Leakage find_leakage(const Dataset& data, std::size_t column);

}  // namespace cone::load
