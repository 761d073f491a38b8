#pragma once

#include <cstdint>
#include <vector>

#include "cone/matrix.hpp"

namespace cone {

/// L with L·L' = covariance, for a matrix that may be of lower rank; columns of directions without
/// variance are zero.
Matrix<double> factorise_covariance(MatrixView<const double> covariance);

/// The smallest value that at least the share `level` of the draws does not exceed; 0 without
/// draws.
double quantile_of_draws(std::vector<double> draws, double level);

/// The factor c for which value ± c · standard error holds for all values at once with the level,
/// by draws from the normal distribution with that covariance. Never below the factor for one
/// value. The draws depend on nothing but the seed and the number of values. O(draws · values²).
double joint_factor(MatrixView<const double> covariance, double level, std::uint64_t seed,
                    int draws = 1000);

}  // namespace cone
