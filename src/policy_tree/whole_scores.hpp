#pragma once

#include <cstdint>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Scores as whole multiples of a unit. Sums of whole numbers are exact, so no tree depends on the
/// order of the nodes or the number of threads, and ties are ties.
///
/// Of every node only the differences between its arms count: the middle of its largest and
/// smallest score is taken off first. The unit is the power of two with which the sum of the
/// largest differences, a price for treatment included, just stays below 2^59.
struct WholeScores {
  std::size_t num_nodes = 0;
  std::size_t num_arms = 0;
  /// arm-major: of arm a and node i at a · num_nodes + i.
  std::vector<std::int64_t> values;
  double unit = 1;

  const std::int64_t* of_arm(std::size_t arm) const { return values.data() + arm * num_nodes; }
  /// The largest difference between two arms of one node.
  std::int64_t largest_difference() const;
  /// Every arm but the control arm charged `price` units.
  WholeScores charge(std::int64_t price) const;
  WholeScores take(std::span<const std::uint32_t> rows) const;
};

/// Throws Error(kInternal) where a score is not finite.
WholeScores round_scores(MatrixView<const double> scores);

}  // namespace cone
