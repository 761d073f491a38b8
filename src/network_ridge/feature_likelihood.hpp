#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/restricted_likelihood.hpp"

namespace cone {

/// What the likelihood of an arm needs where its kernels are products of features of the nodes
/// themselves and the noise is the same for all: sums over its nodes, not the nodes.
struct FeatureSample {
  std::vector<std::size_t> first;  ///< groups + 1: where the features of each group start
  std::vector<double> scale;       ///< one per group: its kernel is Φ_gΦ_g' divided by it
  Matrix<double> products;         ///< [Φ, B, y]'[Φ, B, y]
  std::size_t num_fixed = 0;       ///< columns of B, independent
  std::size_t num_nodes = 0;

  std::size_t num_groups() const { return scale.size(); }
  std::size_t num_features() const { return first.back(); }
};

/// As evaluate_likelihood() of kernels: one variance per group, then the noise. With W = Φ·D, D the
/// standard deviations of the effects, τ the noise and M = W'W + τI, all follows from
///
///   C⁻¹ = (I − W·M⁻¹·W')/τ    W'C⁻¹ = M⁻¹W'    W'C⁻¹W = I − τM⁻¹    |C| = τⁿ⁻ʳ·|M|
///
/// O(features³), however many nodes there are.
std::optional<LikelihoodPoint> evaluate_likelihood(const Context& context,
                                                   const FeatureSample& sample,
                                                   std::span<const double> variances);

}  // namespace cone
