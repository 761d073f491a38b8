#include "inference/joint_bands.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "estimate/significance.hpp"

namespace cone {
namespace {

// A variance below this share of the one it is a part of is rounding.
constexpr double kNoVariance = 1e-12;

}  // namespace

Matrix<double> factorise_covariance(MatrixView<const double> covariance) {
  const std::size_t n = covariance.rows();
  Matrix<double> l(n, n, 0.0);
  std::vector<std::size_t> kept;  // columns that are not 0
  for (std::size_t j = 0; j < n; ++j) {
    double pivot = covariance(j, j);
    for (const std::size_t k : kept) pivot -= l(j, k) * l(j, k);
    if (pivot <= kNoVariance * covariance(j, j)) continue;
    l(j, j) = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < n; ++i) {
      double v = covariance(i, j);
      for (const std::size_t k : kept) v -= l(i, k) * l(j, k);
      l(i, j) = v / l(j, j);
    }
    kept.push_back(j);
  }
  return l;
}

double quantile_of_draws(std::vector<double> draws, double level) {
  if (draws.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(level * static_cast<double>(draws.size())));
  const std::size_t index = std::min(draws.size() - 1, rank == 0 ? 0 : rank - 1);
  std::nth_element(draws.begin(), draws.begin() + static_cast<std::ptrdiff_t>(index), draws.end());
  return draws[index];
}

double joint_factor(MatrixView<const double> covariance, double level, std::uint64_t seed,
                    int draws) {
  const std::size_t n = covariance.rows();
  const Matrix<double> l = factorise_covariance(covariance);
  std::vector<double> largest(static_cast<std::size_t>(draws), 0.0);
  std::vector<double> z(n);
  for (std::size_t d = 0; d < largest.size(); ++d) {
    Rng rng(seed, Stream::kComparison, d);
    for (double& v : z) v = rng.normal();
    for (std::size_t k = 0; k < n; ++k) {
      if (!(covariance(k, k) > 0)) continue;
      double deviation = 0;
      for (std::size_t j = 0; j <= k; ++j) deviation += l(k, j) * z[j];
      largest[d] = std::max(largest[d], std::abs(deviation) / std::sqrt(covariance(k, k)));
    }
  }
  // A joint band covers each value, so its factor is never below the pointwise one.
  return std::max(two_sided_normal_quantile(level), quantile_of_draws(std::move(largest), level));
}

}  // namespace cone
