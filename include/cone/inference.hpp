#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

/// \file
/// Simultaneous inference on several policies: joint bands, differences, ranks, and the confidence
/// set of the best.

namespace cone {

/// One policy among several.
struct RankedPolicy {
  std::pair<double, double> band;  ///< joint: all bands cover at once with the given level
  std::size_t best_rank = 1;       ///< 1 is the highest value
  std::size_t worst_rank = 1;
  bool may_be_best = true;  ///< in the confidence set of the best
  /// Upper bound at the joint level of the loss against the best of the others; 0 where it is
  /// significantly better than all of them.
  double regret = 0;
};

/// Two policies, first less second.
struct PolicyDifference {
  std::size_t first = 0;
  std::size_t second = 0;
  double difference = 0;
  double standard_error = 0;
  std::pair<double, double> sampling_interval;        ///< of this difference alone
  std::pair<double, double> sampling_joint_interval;  ///< all pairs are covered at once
  double p = 1;  ///< two-sided, adjusted for all pairs by step-down
};

struct PolicyComparison {
  std::vector<RankedPolicy> policies;
  std::vector<PolicyDifference> differences;  ///< of pairs first < second, in this order
  double band_factor = 0;                     ///< bands are value ± factor · standard error
  double pair_factor = 0;                     ///< joint intervals of differences likewise
};

/// Which pairs PolicyComparison::differences lists. Their number grows with the square of the
/// policies.
enum class ListedPairs { kAll, kWithFirst };

/// Compares values with a joint covariance by `draws` from the normal distribution with that
/// covariance. Ranks: Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks with
/// applications to mobility across neighbourhoods and academic achievement across countries.
/// Step-down p values: Romano and Wolf 2005, Exact and approximate stepdown methods for multiple
/// hypothesis testing. Policies whose difference has variance 0 are tied. The draws depend on
/// nothing but the seed and the number of values. All pairs are compared, whichever are listed:
/// time grows with draws times their number, memory is 40 bytes for each. Throws Error(kInternal)
/// unless the covariance is square, symmetric and as large as the values are many.
PolicyComparison compare_policies(const Context& context, std::span<const double> values,
                                  MatrixView<const double> covariance, double level,
                                  ListedPairs listed = ListedPairs::kAll, int draws = 1000);

}  // namespace cone
