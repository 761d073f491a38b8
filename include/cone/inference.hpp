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
#include "cone/estimate.hpp"
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

/// What a verdict can rest on.
enum class VerdictBasis {
  kNothing,     ///< nothing says how strong an unmeasured confounder may be
  kBenchmark,   ///< the sensitivity interval: the network clearly predicts the treatment
  kRandomised,  ///< treatment was assigned at random: there is none
};

/// By the interval of a difference and, with a benchmark, by its sensitivity interval.
ComparisonVerdict judge_comparison(std::pair<double, double> interval,
                                   const std::optional<std::pair<double, double>>& sensitivity,
                                   VerdictBasis basis);

/// How many times the bound of the confounding bias explains a difference away: the distance from 0
/// to its interval over the bound. None where the interval contains 0, and without a bound.
std::optional<double> strength_to_overturn(std::pair<double, double> interval,
                                           const BiasBound& bias);

/// One policy among several.
struct RankedPolicy {
  /// Joint: all of them cover at once with the given level; the band is for sampling error alone.
  std::pair<double, double> joint_interval;
  std::pair<double, double> band;
  std::size_t best_rank = 1;  ///< 1 is the best value: the highest, or the lowest
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
  /// Under all assumptions (Alternatives): of this difference alone, and jointly for all pairs.
  std::pair<double, double> interval;
  std::pair<double, double> joint_interval;
  std::pair<double, double> sampling_interval;  ///< the same for sampling error alone
  std::pair<double, double> sampling_joint_interval;
  /// Two-sided, adjusted for all pairs by step-down; of no difference under any assumption.
  double p = 1;
  /// The intervals widened by the bound of the confounding bias; none without a bound.
  std::optional<std::pair<double, double>> sensitivity_interval;
  std::optional<std::pair<double, double>> sensitivity_joint_interval;
  /// Of the interval without the joint model, around which the bound is: below 1 where the
  /// sensitivity interval contains 0.
  std::optional<double> overturning_strength;
  ComparisonVerdict verdict =
      ComparisonVerdict::kNotShown;  ///< by the intervals of this pair alone
};

struct PolicyComparison {
  std::vector<RankedPolicy> policies;
  std::vector<PolicyDifference> differences;  ///< of pairs first < second, in this order
  /// Bands are value ± factor · standard error with infinite degrees of freedom; with fewer, the t
  /// of the same tail probability is the factor.
  double band_factor = 0;
  double pair_factor = 0;  ///< joint intervals of differences likewise
};

/// Which pairs PolicyComparison::differences lists. Their number grows with the square of the
/// policies.
enum class ListedPairs { kAll, kWithFirst };

/// The largest confounding bias of the difference of two values, by their indices; none where it is
/// not known.
using PairBias = std::function<std::optional<BiasBound>(std::size_t first, std::size_t second)>;

inline constexpr int kComparisonDraws = 1000;

/// Options of compare_policies(); spans have one entry per value, or none.
struct ComparisonOptions {
  ListedPairs listed = ListedPairs::kAll;
  int draws = kComparisonDraws;
  PairBias bias = {};
  /// 1 for values whose intervals are not to be relied on: no comparison with them changes a rank.
  std::span<const std::uint8_t> unreliable = {};
  /// Of the values under independent units, or none: no difference has a smaller variance. A
  /// dependence that is chosen for the values may understate the variance of their differences.
  MatrixView<const double> least_covariance = {};
  /// Of each value's variance, infinite where empty; a pair has the fewer ones of its two. A
  /// statistic is compared with the draws by the normal value of the same tail probability, so that
  /// each interval, joint or not, is by Student's t.
  std::span<const double> degrees_of_freedom = {};
  /// Of the values. Intervals of differences enclose those under all assumptions, and ranks,
  /// regrets and p values are by these.
  std::span<const Alternatives> alternatives = {};
  bool lower_is_better = false;  ///< reverses ranks and regrets, and nothing else
};

/// Compares values with a joint covariance by draws from the normal distribution with that
/// covariance. Ranks: Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks with
/// applications to mobility across neighbourhoods and academic achievement across countries.
/// Step-down p values: Romano and Wolf 2005, Exact and approximate stepdown methods for multiple
/// hypothesis testing. Policies whose difference has variance 0 are tied. The draws depend on
/// nothing but the seed and the number of values. All pairs are compared, whichever are listed:
/// time grows with draws times their number, memory is 48 bytes for each. Throws Error(kInternal)
/// unless the covariance is square, symmetric and as large as the values are many.
PolicyComparison compare_policies(const Context& context, std::span<const double> values,
                                  MatrixView<const double> covariance, double level,
                                  const ComparisonOptions& options = {});

}  // namespace cone
