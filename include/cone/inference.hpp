#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

/// \file
/// Several values at once: joint bands, differences, ranks, and the set that holds the best.

namespace cone {

/// One policy among several.
struct RankedPolicy {
  std::pair<double, double> band;  ///< joint: all bands hold at once with the level asked for
  std::size_t best_rank = 1;       ///< 1 is the highest value
  std::size_t worst_rank = 1;
  bool may_be_best = true;  ///< in the set that holds the best
  /// How much it may lose against the best of the others at the joint level; 0 where it is better
  /// than all of them for sure.
  double regret = 0;
};

/// Two policies, first less second.
struct PolicyDifference {
  std::size_t first = 0;
  std::size_t second = 0;
  double difference = 0;
  double standard_error = 0;
  std::pair<double, double> sampling_interval;        ///< of this difference alone
  std::pair<double, double> sampling_joint_interval;  ///< all pairs hold at once
  double p = 1;  ///< two-sided, adjusted for all pairs by step-down
};

struct PolicyComparison {
  std::vector<RankedPolicy> policies;
  std::vector<PolicyDifference> differences;  ///< of pairs first < second, in this order
  double band_factor = 0;                     ///< bands are value ± factor · standard error
  double pair_factor = 0;                     ///< joint intervals of differences likewise
};

/// Which pairs PolicyComparison::differences has. There are as many as the square of the policies.
enum class ListedPairs { kAll, kWithFirst };

/// Compares values with a joint covariance (Mogstad, Romano, Shaikh and Wilhelm for ranks, Romano
/// and Wolf for the p values), by `draws` from the normal distribution with that covariance.
/// Policies that do not differ in anything (variance of the difference 0) are tied. The draws
/// depend on nothing but the seed and the number of values. All pairs are compared, whichever are
/// listed: time grows with draws times their number, memory is 40 bytes for each. Throws
/// Error(kInternal) unless the covariance is square, symmetric and as large as the values are many.
PolicyComparison compare_policies(const Context& context, std::span<const double> values,
                                  MatrixView<const double> covariance, double level,
                                  ListedPairs listed = ListedPairs::kAll, int draws = 1000);

}  // namespace cone
