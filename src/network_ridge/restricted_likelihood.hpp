#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/group_kernels.hpp"

namespace cone {

/// Added to every noise variance: a kernel may be singular.
inline constexpr double kNoiseFloor = 1e-8;

/// The outcomes of one arm and what they may depend on. Outcomes have mean 0 and variance 1.
struct ArmSample {
  ArmKernels kernels;
  Matrix<double> fixed;  ///< one row per node: effects that are not penalised, independent columns
  std::vector<double> outcome;
  bool noise_grows = false;  ///< there is a second noise variance, times the relative degree

  /// One per group, then the noise and, where it grows, its growth.
  std::size_t num_variances() const { return kernels.groups.size() + (noise_grows ? 2 : 1); }
};

/// The noise of every node: τ0 + τ1·relative degree, and the floor.
std::vector<double> noise_of(const ArmSample& sample, std::span<const double> variances);

/// The negative restricted log likelihood ½(log|C| + log|B'C⁻¹B| + y'Py) at some variances, with
/// respect to their logarithms.
struct LikelihoodPoint {
  double value = 0;
  std::vector<double> gradient;
  Matrix<double> information;  ///< average information: stands for the second derivatives
};

/// Nothing where rounding leaves C without a Cholesky factor. O(n³).
std::optional<LikelihoodPoint> evaluate_likelihood(const Context& context, const ArmSample& sample,
                                                   std::span<const double> variances);

}  // namespace cone
