#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

/// \file
/// Simultaneous inference on several policies: joint bands, differences, ranks, and the confidence
/// set of the best.

namespace cone {

/// The verdict on a comparison of two policies.
enum class ComparisonVerdict {
  kNotShown,     ///< the interval of the difference contains 0, or is not to be relied on
  kConditional,  ///< it excludes 0, conditional on no unmeasured confounding
  kSupported,    ///< and so does the sensitivity interval, or treatment was assigned at random
};

template <>
struct EnumNames<ComparisonVerdict> {
  static constexpr std::array kNames = {
      std::pair{ComparisonVerdict::kNotShown, std::string_view("not_shown")},
      std::pair{ComparisonVerdict::kConditional, std::string_view("conditional")},
      std::pair{ComparisonVerdict::kSupported, std::string_view("supported")}};
};

/// One policy among several.
struct RankedPolicy {
  std::pair<double, double> band;  ///< joint: all bands cover at once with the given level
  std::size_t best_rank = 1;       ///< 1 is the best value: the highest, or the lowest
  std::size_t worst_rank = 1;
  bool may_be_best = true;  ///< in the confidence set of the best
  /// The same where every difference may have a confounding bias up to its bound; without bounds
  /// every rank is possible.
  std::size_t sensitivity_best_rank = 1;
  std::size_t sensitivity_worst_rank = 1;
  bool sensitivity_may_be_best = true;
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
  /// Widened by the bound of the confounding bias; none without a bound.
  std::optional<std::pair<double, double>> sensitivity_interval;
  std::optional<std::pair<double, double>> sensitivity_joint_interval;
  ComparisonVerdict verdict =
      ComparisonVerdict::kNotShown;  ///< by the intervals of this pair alone
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

/// The largest confounding bias of the difference of two values, by their indices; none where it is
/// not known.
using PairBias = std::function<std::optional<double>(std::size_t first, std::size_t second)>;

inline constexpr int kComparisonDraws = 1000;

/// Compares values with a joint covariance (`unreliable`: 1 for values whose intervals are not to
/// be relied on; no comparison with them changes a rank) by `draws` from the normal distribution
/// with that covariance. `lower_is_better` reverses ranks and regrets, and nothing else. Ranks:
/// Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks with
/// applications to mobility across neighbourhoods and academic achievement across countries.
/// Step-down p values: Romano and Wolf 2005, Exact and approximate stepdown methods for multiple
/// hypothesis testing. Policies whose difference has variance 0 are tied. The draws depend on
/// nothing but the seed and the number of values. All pairs are compared, whichever are listed:
/// time grows with draws times their number, memory is 40 bytes for each. Throws Error(kInternal)
/// unless the covariance is square, symmetric and as large as the values are many.
PolicyComparison compare_policies(const Context& context, std::span<const double> values,
                                  MatrixView<const double> covariance, double level,
                                  ListedPairs listed = ListedPairs::kAll,
                                  int draws = kComparisonDraws, const PairBias& bias = {},
                                  std::span<const std::uint8_t> unreliable = {},
                                  bool lower_is_better = false);

}  // namespace cone
