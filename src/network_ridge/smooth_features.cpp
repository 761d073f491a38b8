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

/// Rows at equal steps through an order that does not depend on how the rows are given.
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

/// All rows miss all of themselves at first; the one nearest the middle goes first.
std::size_t find_middle(const Matrix<double>& rows) {
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
  std::sort(distances.begin(), distances.end());
  const std::size_t half = distances.size() / 2;
  if (distances.size() % 2 == 1) return std::sqrt(distances[half]);
  return 0.5 * (std::sqrt(distances[half - 1]) + std::sqrt(distances[half]));
}

SmoothFeatures make_smooth_features(const Context& context, const Matrix<double>& rows,
                                    std::size_t most_features) {
  const std::size_t n = rows.rows();
  const double bandwidth = find_bandwidth(context, sample_rows(rows));
  const std::size_t most = std::min(most_features, n);
  Matrix<double> factor(n, most);
  std::vector<double> missing(n, 1.0);
  std::size_t rank = 0;
  std::size_t pivot = find_middle(rows);
  while (rank < most && missing[pivot] > kMissingOfRow) {
    const double root = std::sqrt(missing[pivot]);
    const std::span<const double> of_pivot = factor.row(pivot).first(rank);
    const auto furthest = context.map_ranges<std::size_t>(
        n, kSmoothRowsPerPiece, [&](std::size_t begin, std::size_t end) {
          std::size_t worst = begin;
          for (std::size_t i = begin; i < end; ++i) {
            const double kernel = std::exp(-squared_distance(rows.row(i), rows.row(pivot)) /
                                           (2 * bandwidth * bandwidth));
            const double value =
                i == pivot ? root : (kernel - dot(factor.row(i).first(rank), of_pivot)) / root;
            factor(i, rank) = value;
            missing[i] = i == pivot ? 0.0 : std::max(0.0, missing[i] - value * value);
            if (missing[i] > missing[worst]) worst = i;
          }
          return worst;
        });
    pivot = furthest.front();
    for (const std::size_t i : furthest) {
      if (missing[i] > missing[pivot]) pivot = i;
    }
    ++rank;
  }
  Matrix<double> features(n, rank);
  for (std::size_t i = 0; i < n; ++i) std::copy_n(factor.row(i).begin(), rank, &features(i, 0));
  return {std::move(features), bandwidth};
}

}  // namespace cone
