#pragma once

#include <cstdint>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Scores as integer multiples of a unit. Integer sums are exact, so the tree does not depend on
/// the order of the nodes or the number of threads, and ties are exact.
///
/// Only differences between the arms of a node matter: the midpoint of its largest and smallest
/// score is subtracted first. The unit is the power of two with which the sum of the largest
/// differences, a price for treatment included, stays just below 2^59.
struct IntegerScores {
  std::size_t num_nodes = 0;
  std::size_t num_arms = 0;
  /// arm-major: of arm a and node i at a · num_nodes + i.
  std::vector<std::int64_t> values;
  double unit = 1;

  const std::int64_t* of_arm(std::size_t arm) const { return values.data() + arm * num_nodes; }
  /// The largest difference between two arms of one node.
  std::int64_t largest_difference() const;
  /// With `price` units subtracted from every arm but control.
  IntegerScores charge(std::int64_t price) const;
  IntegerScores take(std::span<const std::uint32_t> rows) const;
};

/// Throws Error(kInternal) where a score is not finite.
IntegerScores round_scores(MatrixView<const double> scores);

}  // namespace cone
