#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

struct SmoothFeatures {
  Matrix<double> features;  ///< rows × r: their inner products are the kernel's values
  double bandwidth = 0;
};

/// The most features: beyond them, the smallest parts of the kernel are dropped.
inline constexpr std::size_t kMostSmoothFeatures = 300;

/// The median distance is taken over pairs of at most this many rows.
inline constexpr std::size_t kMostSampledRows = 1500;
/// The factorisation ends where the residual k(x, x) − ‖φ(x)‖² of every row is at most this.
inline constexpr double kNegligibleResidual = 1e-10;

/// The median distance between rows that differ; 1 where none do.
double find_bandwidth(const Context& context, const Matrix<double>& sample);

/// The Gaussian kernel exp(−‖x − x'‖²/2h²) between the rows as inner products of features, by
/// incomplete Cholesky factorisation with pivoting (Fine and Scheinberg 2001, "Efficient SVM
/// training using low-rank kernel representations"), which ends where no residual is left or at
/// `most_features`. h is the median distance between rows that differ (of a sample of them where
/// there are many). O(rows · r · (r + columns)). The order of the rows changes the result by
/// rounding only. The rows are those of all ranks of the context; of equal candidates for a pivot,
/// the one with the smallest `order` (empty: the index) is taken.
SmoothFeatures make_smooth_features(const Context& context, const Matrix<double>& rows,
                                    std::span<const std::uint64_t> order = {},
                                    std::size_t most_features = kMostSmoothFeatures);

}  // namespace cone
