#pragma once

#include <cstdint>
#include <vector>

#include "cone/matrix.hpp"

namespace cone {

/// Cholesky factor L with L·L' = covariance, which may be rank-deficient; columns of directions
/// without variance are zero.
Matrix<double> factorise_covariance(MatrixView<const double> covariance);

/// The smallest value that at least the share `level` of the draws does not exceed; 0 without
/// draws.
double quantile_of_draws(std::vector<double> draws, double level);

/// The critical value c for which value ± c · standard error is a simultaneous confidence band at
/// the level (maximum of |t| over the values), by draws from the normal distribution with that
/// covariance. Never below the pointwise critical value. The draws depend only on the seed and the
/// number of values. O(draws · values²).
double joint_factor(MatrixView<const double> covariance, double level, std::uint64_t seed,
                    int draws = 1000);

}  // namespace cone
