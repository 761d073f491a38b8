#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/group_kernels.hpp"

namespace cone {

/// Added to every noise variance, because kernels may be singular.
inline constexpr double kNoiseFloor = 1e-8;

/// The data of one arm's mixed model. Outcomes have mean 0 and variance 1.
struct ArmSample {
  ArmKernels kernels;
  Matrix<double> fixed;  ///< B, one row per node: fixed effects, linearly independent columns
  std::vector<double> outcome;
  bool noise_grows = false;  ///< a second noise variance multiplies the relative degree
  /// Noise variances that are not learnt, one per node; empty where they are.
  std::vector<double> known_noise = {};

  /// One per group, then, unless it is known, the noise and, where noise_grows, its growth.
  std::size_t num_variances() const {
    const std::size_t num_noises = noise_grows ? 2 : 1;
    return kernels.groups.size() + (known_noise.empty() ? num_noises : 0);
  }
};

/// The noise variance of every node: the known one, or τ0 + τ1·relative degree + kNoiseFloor.
std::vector<double> noise_of(const ArmSample& sample, std::span<const double> variances);

/// The negative restricted log likelihood ½(log|C| + log|B'C⁻¹B| + y'Py) (Patterson and Thompson
/// 1971) at some variances, with derivatives by their logarithms.
struct LikelihoodPoint {
  double value = 0;
  std::vector<double> gradient;
  Matrix<double> information;  ///< average information ½·y'PK_gPK_hPy·σ²_gσ²_h, for the Hessian
};

/// Empty where C is not positive definite in double precision. O(n³).
std::optional<LikelihoodPoint> evaluate_likelihood(const Context& context, const ArmSample& sample,
                                                   std::span<const double> variances);

/// Sufficient statistics of an arm's likelihood where all kernels are products of the nodes' own
/// features: sums over the nodes. There is no network then, so the noise is homoscedastic and the
/// mean is the only fixed effect.
struct FeatureSample {
  std::vector<std::size_t> first;  ///< groups + 1: where the features of each group start
  std::vector<double> scale;       ///< one per group: its kernel is Φ_gΦ_g' divided by it
  Matrix<double> products;         ///< [Φ, 1, y]'[Φ, 1, y]

  std::size_t num_groups() const { return scale.size(); }
  std::size_t num_features() const { return first.back(); }
  double num_nodes() const { return products(num_features(), num_features()); }
  double mean(std::size_t column) const { return products(column, num_features()) / num_nodes(); }
  /// The centred product of two columns of [Φ, 1, y]. Centred, because features may sum to a
  /// constant (indicators of a category do), and the mean beside them is lost to rounding where
  /// noise is small.
  double centred(std::size_t i, std::size_t j) const {
    return products(i, j) - products(i, num_features()) * mean(j);
  }
};

/// As evaluate_likelihood() of an ArmSample: one variance per group, then the noise. With W the
/// centred features times the standard deviations of their effects, τ the noise variance, M = W'W +
/// τI and r features, all follows from the matrix inversion lemma:
///
///   P = (I − 11'/n − W·M⁻¹·W')/τ    W'P = M⁻¹W'    W'PW = I − τM⁻¹    |C|·|1'C⁻¹1| = n·τⁿ⁻¹⁻ʳ·|M|
///
/// O(features³), whatever the number of nodes.
std::optional<LikelihoodPoint> evaluate_likelihood(const Context& context,
                                                   const FeatureSample& sample,
                                                   std::span<const double> variances);

}  // namespace cone
