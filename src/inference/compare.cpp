#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "cone/error.hpp"
#include "cone/inference.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "estimate/significance.hpp"
#include "inference/joint_bands.hpp"

namespace cone {
namespace {

// A variance below this share of the variances it is the difference of is rounding.
constexpr double kNothing = 1e-12;

/// Romano and Wolf's step-down: the largest statistic is held against the largest of all draws, the
/// next one against the largest of those left, and so on.
std::vector<double> step_down(std::span<const double> statistics,
                              const Matrix<double>& drawn /* draws × hypotheses */) {
  std::vector<std::size_t> order(statistics.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return statistics[a] > statistics[b]; });
  std::vector<double> p(statistics.size(), 1.0);
  std::vector<double> largest(drawn.rows(), 0.0);  // over the hypotheses from the last one up
  for (std::size_t k = order.size(); k-- > 0;) {
    const std::size_t h = order[k];
    std::size_t exceeding = 0;
    for (std::size_t d = 0; d < drawn.rows(); ++d) {
      largest[d] = std::max(largest[d], drawn(d, h));
      exceeding += largest[d] >= statistics[h] ? 1 : 0;
    }
    p[h] = (1.0 + static_cast<double>(exceeding)) / (1.0 + static_cast<double>(drawn.rows()));
  }
  for (std::size_t k = 1; k < order.size(); ++k) {  // p values may not fall on the way down
    p[order[k]] = std::max(p[order[k]], p[order[k - 1]]);
  }
  return p;
}

}  // namespace

PolicyComparison compare_policies(std::span<const double> values,
                                  MatrixView<const double> covariance, double level,
                                  std::uint64_t seed, int draws) {
  const std::size_t n = values.size();
  require(covariance.rows() == n && covariance.cols() == n && draws > 0,
          "comparison: a covariance of other policies");
  const Matrix<double> l = factorise_covariance(covariance);
  PolicyComparison out;
  std::vector<double> error(n);
  for (std::size_t k = 0; k < n; ++k) error[k] = std::sqrt(std::max(0.0, covariance(k, k)));
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = k + 1; j < n; ++j) {
      const double variance = covariance(k, k) + covariance(j, j) - 2 * covariance(k, j);
      const bool tied = variance <= kNothing * (covariance(k, k) + covariance(j, j));
      out.differences.push_back({.first = k,
                                 .second = j,
                                 .difference = values[k] - values[j],
                                 .standard_error = tied ? 0 : std::sqrt(variance)});
    }
  }

  std::vector<double> largest_level(static_cast<std::size_t>(draws), 0.0);
  std::vector<double> largest_pair(static_cast<std::size_t>(draws), 0.0);
  Matrix<double> drawn(static_cast<std::size_t>(draws), out.differences.size(), 0.0);
  std::vector<double> z(n);
  std::vector<double> deviation(n);
  for (std::size_t d = 0; d < drawn.rows(); ++d) {
    Rng rng(seed, Stream::kComparison, d);
    for (double& v : z) v = rng.normal();
    for (std::size_t k = 0; k < n; ++k) {
      deviation[k] = 0;
      for (std::size_t j = 0; j <= k; ++j) deviation[k] += l(k, j) * z[j];
      if (error[k] > 0) {
        largest_level[d] = std::max(largest_level[d], std::abs(deviation[k]) / error[k]);
      }
    }
    for (std::size_t h = 0; h < out.differences.size(); ++h) {
      const PolicyDifference& pair = out.differences[h];
      if (pair.standard_error == 0) continue;
      drawn(d, h) = std::abs(deviation[pair.first] - deviation[pair.second]) / pair.standard_error;
      largest_pair[d] = std::max(largest_pair[d], drawn(d, h));
    }
  }
  // A band for several holds each, so its factor is never below that for one.
  const double alone = two_sided_normal_quantile(level);
  out.band_factor = std::max(alone, quantile_of_draws(std::move(largest_level), level));
  out.pair_factor = std::max(alone, quantile_of_draws(std::move(largest_pair), level));

  std::vector<double> statistics;
  for (const PolicyDifference& pair : out.differences) {
    statistics.push_back(pair.standard_error > 0 ? std::abs(pair.difference) / pair.standard_error
                                                 : 0.0);
  }
  const std::vector<double> p = step_down(statistics, drawn);
  for (std::size_t k = 0; k < n; ++k) {
    out.policies.push_back(
        {.band = {values[k] - out.band_factor * error[k], values[k] + out.band_factor * error[k]},
         .worst_rank = n});
  }
  for (std::size_t h = 0; h < out.differences.size(); ++h) {
    PolicyDifference& pair = out.differences[h];
    const auto around = [&](double factor) {
      return std::pair{pair.difference - factor * pair.standard_error,
                       pair.difference + factor * pair.standard_error};
    };
    pair.interval = around(alone);
    pair.joint_interval = around(out.pair_factor);
    // Adjusted for several it is never below that of one, which draws might miss.
    const double single = std::erfc(statistics[h] / std::numbers::sqrt2);
    pair.p = pair.standard_error > 0 ? std::max(p[h], single) : 1;
    RankedPolicy& first = out.policies[pair.first];
    RankedPolicy& second = out.policies[pair.second];
    if (pair.standard_error > 0 && pair.joint_interval.first > 0) {
      ++second.best_rank;
      --first.worst_rank;
    } else if (pair.standard_error > 0 && pair.joint_interval.second < 0) {
      ++first.best_rank;
      --second.worst_rank;
    }
    first.regret = std::max(first.regret, -pair.joint_interval.first);
    second.regret = std::max(second.regret, pair.joint_interval.second);
  }
  for (RankedPolicy& policy : out.policies) policy.may_be_best = policy.best_rank == 1;
  return out;
}

}  // namespace cone
