#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "cone/error.hpp"
#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "estimate/significance.hpp"
#include "inference/joint_bands.hpp"

namespace cone {
namespace {

// A variance below this share of the variances it is the difference of is rounding.
constexpr double kTied = 1e-12;

/// Two of the values. Their number is quadratic: nothing that can be derived is stored.
struct Pair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  double standard_error = 0;  ///< 0 where they are tied
  double drawn_error = 0;     ///< of the draws, where it is smaller (least_covariance)
  /// least_statistic() of the difference as a normal statistic; 0 where they are tied.
  double statistic = 0;
};

/// Infinite where none are given.
class Degrees {
 public:
  explicit Degrees(std::span<const double> given) : given_(given) {}

  double of_value(std::size_t k) const {
    return given_.empty() ? std::numeric_limits<double>::infinity() : given_[k];
  }
  double of_pair(std::size_t k, std::size_t l) const { return std::min(of_value(k), of_value(l)); }

 private:
  std::span<const double> given_;
};

double variance_of_pair(MatrixView<const double> covariance, std::size_t k, std::size_t j) {
  return covariance(k, k) + covariance(j, j) - 2 * covariance(k, j);
}

/// Of the first minus the second.
Alternatives subtract(const ComparisonOptions& options, std::size_t first, std::size_t second) {
  if (options.alternatives.empty()) return {};
  constexpr std::array kWeights = {1.0, -1.0};
  const std::array values = {options.alternatives[first], options.alternatives[second]};
  return combine(kWeights, values);
}

/// All pairs first < second, the largest statistic first.
std::vector<Pair> sort_pairs(std::span<const double> values, MatrixView<const double> covariance,
                             const ComparisonOptions& options) {
  const Degrees degrees(options.degrees_of_freedom);
  const auto n = static_cast<std::uint32_t>(values.size());
  std::vector<Pair> pairs;
  pairs.reserve(values.size() * (values.size() - 1) / 2);
  for (std::uint32_t k = 0; k < n; ++k) {
    for (std::uint32_t j = k + 1; j < n; ++j) {
      const double variance = variance_of_pair(covariance, k, j);
      Pair& pair = pairs.emplace_back(Pair{.first = k, .second = j});
      if (!(variance > kTied * (covariance(k, k) + covariance(j, j)))) continue;
      pair.drawn_error = std::sqrt(variance);
      pair.standard_error = pair.drawn_error;
      if (options.least_covariance.rows() > 0) {
        const double least = variance_of_pair(options.least_covariance, k, j);
        pair.standard_error = std::sqrt(std::max(variance, least));
      }
      pair.statistic = normal_of_t(
          least_statistic(values[k] - values[j], pair.standard_error, subtract(options, k, j)),
          degrees.of_pair(k, j));
    }
  }
  std::ranges::sort(pairs, [](const Pair& a, const Pair& b) {
    if (a.statistic != b.statistic) return a.statistic > b.statistic;
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  return pairs;
}

/// Values × draws from the normal distribution with the covariance L·L'.
Matrix<double> draw_deviations(const Context& context, const Matrix<double>& l, std::size_t draws) {
  constexpr std::size_t kValuesPerPiece = 16;
  Matrix<double> z(l.rows(), draws);
  for (std::size_t d = 0; d < draws; ++d) {
    Rng rng(context.seed(), Stream::kComparison, d);
    for (std::size_t k = 0; k < l.rows(); ++k) z(k, d) = rng.normal();
  }
  Matrix<double> out(l.rows(), draws, 0.0);
  context.for_each_range(l.rows(), kValuesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      for (std::size_t j = 0; j <= k; ++j) {
        if (l(k, j) == 0) continue;
        for (std::size_t d = 0; d < draws; ++d) out(k, d) += l(k, j) * z(j, d);
      }
    }
  });
  return out;
}

/// Step-down multiple testing (Romano and Wolf 2005, Exact and approximate stepdown methods for
/// multiple hypothesis testing): the largest statistic is compared with the maximum over all pairs
/// of every draw, the next one with the maximum over the remaining pairs, and so on.
struct StepDown {
  std::vector<double> largest;           ///< of every draw: the maximum over all pairs
  std::vector<std::uint32_t> exceeding;  ///< of every pair: draws whose maximum is not below it
};

StepDown step_down(const Context& context, std::span<const Pair> pairs,
                   const Matrix<double>& deviations) {
  // Every piece passes over all pairs. More pieces would need more counts.
  constexpr std::size_t kDrawsPerPiece = 250;
  constexpr std::size_t kPairsPerPoll = 1024;
  StepDown out{.largest = std::vector<double>(deviations.cols(), 0.0),
               .exceeding = std::vector<std::uint32_t>(pairs.size(), 0)};
  const auto counts = context.map_ranges<std::vector<std::uint16_t>>(
      deviations.cols(), kDrawsPerPiece, [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint16_t> exceeding(pairs.size(), static_cast<std::uint16_t>(end - begin));
        for (std::size_t h = pairs.size(); h-- > 0;) {
          if (h % kPairsPerPoll == 0) context.poll();
          const Pair& pair = pairs[h];
          if (pair.standard_error == 0) continue;  // its statistic is 0: no draw is below it
          const double* first = deviations.row(pair.first).data();
          const double* second = deviations.row(pair.second).data();
          std::uint16_t count = 0;
          for (std::size_t d = begin; d < end; ++d) {
            const double drawn = std::abs(first[d] - second[d]) / pair.drawn_error;
            out.largest[d] = std::max(out.largest[d], drawn);
            count += out.largest[d] >= pair.statistic ? 1 : 0;
          }
          exceeding[h] = count;
        }
        return exceeding;
      });
  for (const std::vector<std::uint16_t>& part : counts) {
    for (std::size_t h = 0; h < pairs.size(); ++h) out.exceeding[h] += part[h];
  }
  return out;
}

/// Of every value, by how many standard errors another one must be ahead to exclude it from the
/// confidence set of the best: the quantile of the largest deviation of a difference from it in
/// that direction. The best of all is excluded only where some difference to it is exceeded, hence
/// with probability 1 − level at most. One-sided and about one value, these factors are smaller
/// than that of all pairs (Hsu 1984, Constrained simultaneous confidence intervals for multiple
/// comparisons with the best; Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks).
/// O(values² · draws).
std::vector<double> find_best_factors(const Context& context, MatrixView<const double> covariance,
                                      const Matrix<double>& deviations, double level) {
  const std::size_t n = covariance.rows();
  std::vector<double> factors(n, 0.0);
  context.for_each_range(n, 1, [&](std::size_t begin, std::size_t end) {
    std::vector<double> largest(deviations.cols());
    for (std::size_t k = begin; k < end; ++k) {
      std::ranges::fill(largest, 0.0);
      for (std::size_t j = 0; j < n; ++j) {
        const double variance = variance_of_pair(covariance, k, j);
        if (!(variance > kTied * (covariance(k, k) + covariance(j, j)))) continue;
        const double error = std::sqrt(variance);
        for (std::size_t d = 0; d < largest.size(); ++d) {
          largest[d] = std::max(largest[d], (deviations(j, d) - deviations(k, d)) / error);
        }
      }
      factors[k] = quantile_of_draws(largest, level);
    }
  });
  return factors;
}

}  // namespace

PolicyComparison compare_policies(const Context& context, std::span<const double> values,
                                  MatrixView<const double> covariance, double level,
                                  const ComparisonOptions& options) {
  const std::size_t n = values.size();
  const int draws = options.draws;
  const std::span<const std::uint8_t> unreliable = options.unreliable;
  const Degrees degrees(options.degrees_of_freedom);
  require(covariance.rows() == n && covariance.cols() == n && draws > 0,
          "comparison: the covariance does not match the values");
  const Matrix<double> deviations =
      draw_deviations(context, factorise_covariance(covariance), static_cast<std::size_t>(draws));
  std::vector<double> error(n);
  std::vector<double> largest_level(deviations.cols(), 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    error[k] = std::sqrt(std::max(0.0, covariance(k, k)));
    if (!(error[k] > 0)) continue;
    for (std::size_t d = 0; d < deviations.cols(); ++d) {
      largest_level[d] = std::max(largest_level[d], std::abs(deviations(k, d)) / error[k]);
    }
  }
  const std::vector<Pair> pairs = sort_pairs(values, covariance, options);
  const StepDown drawn = step_down(context, pairs, deviations);
  const std::vector<double> best_factors =
      find_best_factors(context, covariance, deviations, level);
  // A joint band covers each value, so its factor is never below the pointwise one.
  const double alone = two_sided_normal_quantile(level);
  PolicyComparison out;
  out.band_factor = std::max(alone, quantile_of_draws(std::move(largest_level), level));
  out.pair_factor = std::max(alone, quantile_of_draws(drawn.largest, level));
  for (std::size_t k = 0; k < n; ++k) {
    const double freedom = degrees.of_value(k);
    const double factor =
        std::max(two_sided_t_quantile(level, freedom), t_of_normal(out.band_factor, freedom));
    const Alternatives alternatives =
        options.alternatives.empty() ? Alternatives() : options.alternatives[k];
    out.policies.push_back({.joint_interval = enclose(values[k], error[k], factor, alternatives),
                            .band = enclose(values[k], error[k], factor, {}),
                            .worst_rank = n,
                            .sensitivity_worst_rank = n});
  }
  double step_p = 0;  // step-down p values are monotone
  for (std::size_t h = 0; h < pairs.size(); ++h) {
    const Pair& pair = pairs[h];
    const double difference = values[pair.first] - values[pair.second];
    const Alternatives alternatives = subtract(options, pair.first, pair.second);
    const auto around = [&](double factor, const Alternatives& under) {
      return enclose(difference, pair.standard_error, factor, under);
    };
    const double freedom = degrees.of_pair(pair.first, pair.second);
    const double own_factor = two_sided_t_quantile(level, freedom);
    step_p = std::max(step_p, (1.0 + drawn.exceeding[h]) / (1.0 + draws));
    const double joint_factor = std::max(own_factor, t_of_normal(out.pair_factor, freedom));
    const auto joint = around(joint_factor, alternatives);
    const auto first_leads = [&](std::pair<double, double> interval) {
      return options.lower_is_better ? interval.second < 0 : interval.first > 0;
    };
    const auto second_leads = [&](std::pair<double, double> interval) {
      return options.lower_is_better ? interval.first > 0 : interval.second < 0;
    };
    // Never below the factor of a single difference, by which verdicts are given.
    const auto factor_against = [&](std::size_t k) {
      return std::max(own_factor, t_of_normal(best_factors[k], freedom));
    };
    // By how much the first is better.
    const auto ahead = options.lower_is_better ? std::pair{-joint.second, -joint.first} : joint;
    RankedPolicy& first = out.policies[pair.first];
    RankedPolicy& second = out.policies[pair.second];
    const bool is_ranked =
        pair.standard_error > 0 &&
        (unreliable.empty() || (unreliable[pair.first] == 0 && unreliable[pair.second] == 0));
    if (is_ranked && first_leads(joint)) {
      ++second.best_rank;
      --first.worst_rank;
    } else if (is_ranked && second_leads(joint)) {
      ++first.best_rank;
      --second.worst_rank;
    }
    if (is_ranked) {
      first.may_be_best &= !second_leads(around(factor_against(pair.first), alternatives));
      second.may_be_best &= !first_leads(around(factor_against(pair.second), alternatives));
    }
    const std::optional<BiasBound> widening =
        options.bias ? options.bias(pair.first, pair.second) : std::optional<BiasBound>();
    const auto widened = [&](double factor) {
      return enclose_confounded(difference, pair.standard_error, factor, alternatives, *widening);
    };
    const auto confounded = widening ? widened(joint_factor) : joint;
    if (widening && is_ranked) {
      if (first_leads(confounded)) {
        ++second.sensitivity_best_rank;
        --first.sensitivity_worst_rank;
      } else if (second_leads(confounded)) {
        ++first.sensitivity_best_rank;
        --second.sensitivity_worst_rank;
      }
      first.sensitivity_may_be_best &= !second_leads(widened(factor_against(pair.first)));
      second.sensitivity_may_be_best &= !first_leads(widened(factor_against(pair.second)));
    }
    first.regret = std::max(first.regret, -ahead.first);
    second.regret = std::max(second.regret, ahead.second);
    if (options.listed == ListedPairs::kWithFirst && pair.first != 0) continue;
    // An adjusted p value is never below the unadjusted one, up to the error of the draws.
    const double single = std::erfc(pair.statistic / std::numbers::sqrt2);
    out.differences.push_back({.first = pair.first,
                               .second = pair.second,
                               .difference = difference,
                               .standard_error = pair.standard_error,
                               .interval = around(own_factor, alternatives),
                               .joint_interval = joint,
                               .sampling_interval = around(own_factor, {}),
                               .sampling_joint_interval = around(joint_factor, {}),
                               .p = pair.standard_error > 0 ? std::max(step_p, single) : 1});
    if (widening) {
      PolicyDifference& listed_pair = out.differences.back();
      listed_pair.sensitivity_interval = widened(own_factor);
      const auto own = std::span(alternatives).first(std::min<std::size_t>(1, alternatives.size()));
      listed_pair.overturning_strength = strength_to_overturn(
          enclose(difference, pair.standard_error, own_factor, own), *widening);
      listed_pair.sensitivity_joint_interval = confounded;
    }
  }
  std::ranges::sort(out.differences, {}, [](const PolicyDifference& pair) {
    return std::pair(pair.first, pair.second);
  });
  return out;
}

namespace {

bool excludes_zero(std::pair<double, double> interval) {
  return interval.first > 0 || interval.second < 0;
}

}  // namespace

ComparisonVerdict judge_comparison(std::pair<double, double> interval,
                                   const std::optional<std::pair<double, double>>& sensitivity,
                                   VerdictBasis basis) {
  if (!excludes_zero(interval)) return ComparisonVerdict::kNotShown;
  const bool is_supported =
      basis == VerdictBasis::kRandomised ||
      (basis == VerdictBasis::kBenchmark && sensitivity && excludes_zero(*sensitivity));
  return is_supported ? ComparisonVerdict::kSupported : ComparisonVerdict::kConditional;
}

std::optional<double> strength_to_overturn(std::pair<double, double> interval,
                                           const BiasBound& bias) {
  const auto [low, high] = interval;
  const double distance = low > 0 ? low : (high < 0 ? -high : 0);
  const double bound = low > 0 ? bias.too_high : bias.too_low;
  if (!(distance > 0) || !(bound > 0)) return std::nullopt;
  return distance / bound;
}

}  // namespace cone
