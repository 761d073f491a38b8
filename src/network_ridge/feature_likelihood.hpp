#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/restricted_likelihood.hpp"

namespace cone {

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
