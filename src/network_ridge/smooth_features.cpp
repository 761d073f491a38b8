#include "network_ridge/smooth_features.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr std::size_t kSmoothRowsPerPiece = 2048;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double total = 0;
  for (std::size_t c = 0; c < a.size(); ++c) total += (a[c] - b[c]) * (a[c] - b[c]);
  return total;
}

/// Rows at equal steps through the lexicographic order, which does not depend on the given order.
Matrix<double> sample_rows(const Matrix<double>& rows) {
  if (rows.rows() <= kMostSampledRows) return rows;
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(rows.row(a), rows.row(b));
  });
  Matrix<double> sample(kMostSampledRows, rows.cols());
  for (std::size_t k = 0; k < sample.rows(); ++k) {
    std::ranges::copy(rows.row(order[k * order.size() / kMostSampledRows]), sample.row(k).begin());
  }
  return sample;
}

/// The first pivot: all rows have the same residual then, so the one nearest the mean is taken.
std::size_t find_first_pivot(const Matrix<double>& rows) {
  std::size_t best = 0;
  double least = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double size = dot(rows.row(i), rows.row(i));
    if (i == 0 || size < least) {
      best = i;
      least = size;
    }
  }
  return best;
}

/// out = the columns of the first rows of `table` from `begin` on, times `weights`.
void multiply_columns(const Matrix<double>& table, std::size_t begin,
                      std::span<const double> weights, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  for (std::size_t r = 0; r < weights.size(); ++r) {
    const double weight = weights[r];
    const double* from = table.row(r).data() + begin;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += from[k] * weight;
  }
}

}  // namespace

double find_bandwidth(const Context& context, const Matrix<double>& sample) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < sample.rows(); ++i) {
    context.poll();
    for (std::size_t j = 0; j < i; ++j) {
      const double d = squared_distance(sample.row(i), sample.row(j));
      if (d > 0) distances.push_back(d);
    }
  }
  if (distances.empty()) return 1;
  const auto upper = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), upper, distances.end());
  if (distances.size() % 2 == 1) return std::sqrt(*upper);
  const double lower = *std::max_element(distances.begin(), upper);
  return 0.5 * (std::sqrt(lower) + std::sqrt(*upper));
}

SmoothFeatures make_smooth_features(const Context& context, const Matrix<double>& rows,
                                    std::size_t most_features) {
  const std::size_t n = rows.rows();
  const double bandwidth = find_bandwidth(context, sample_rows(rows));
  const std::size_t most = std::min(most_features, n);
  // Transposed: the values of one feature are contiguous, so that vector registers hold several
  // rows.
  Matrix<double> factor(most, n);
  std::vector<double> residual(n, 1.0);
  std::vector<double> of_pivot;
  std::size_t rank = 0;
  std::size_t pivot = find_first_pivot(rows);
  while (rank < most && residual[pivot] > kNegligibleResidual) {
    const double root = std::sqrt(residual[pivot]);
    of_pivot.resize(rank);
    for (std::size_t r = 0; r < rank; ++r) of_pivot[r] = factor(r, pivot);
    const auto furthest = context.map_ranges<std::size_t>(
        n, kSmoothRowsPerPiece, [&](std::size_t begin, std::size_t end) {
          const std::span<double> values = factor.row(rank).subspan(begin, end - begin);
          multiply_columns(factor, begin, of_pivot, values);
          std::size_t worst = begin;
          for (std::size_t i = begin; i < end; ++i) {
            double& value = values[i - begin];
            const double kernel = std::exp(-squared_distance(rows.row(i), rows.row(pivot)) /
                                           (2 * bandwidth * bandwidth));
            value = i == pivot ? root : (kernel - value) / root;
            residual[i] = i == pivot ? 0.0 : std::max(0.0, residual[i] - value * value);
            if (residual[i] > residual[worst]) worst = i;
          }
          return worst;
        });
    pivot = furthest.front();
    for (const std::size_t i : furthest) {
      if (residual[i] > residual[pivot]) pivot = i;
    }
    ++rank;
  }
  Matrix<double> features(n, rank);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < rank; ++r) features(i, r) = factor(r, i);
  }
  return {std::move(features), bandwidth};
}

}  // namespace cone
