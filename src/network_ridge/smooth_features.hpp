#pragma once

#include <cstddef>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

struct SmoothFeatures {
  Matrix<double> features;  ///< rows × r: their products are the kernel's values
  double bandwidth = 0;
};

/// The most features that stand for the kernel: beyond it, its smallest parts are left out.
inline constexpr std::size_t kMostSmoothFeatures = 300;

/// Pairs among this many rows tell the median distance.
inline constexpr std::size_t kMostSampledRows = 1500;
/// A row of which less than this is missing is described.
inline constexpr double kMissingOfRow = 1e-10;

/// The median distance of pairs of rows that differ; 1 where none do.
double find_bandwidth(const Context& context, const Matrix<double>& sample);

/// exp(−‖x − x'‖²/2h²) between the rows as products of features, by a Cholesky factor with
/// pivoting, which ends where it describes every row or has `most_features`. h is the median
/// distance of pairs of rows that differ (of a sample of them where there are many).
/// O(rows · r · (r + columns)). The order of the rows moves the result by rounding only.
SmoothFeatures make_smooth_features(const Context& context, const Matrix<double>& rows,
                                    std::size_t most_features = kMostSmoothFeatures);

}  // namespace cone
