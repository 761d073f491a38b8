#pragma once

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

}  // namespace cone
