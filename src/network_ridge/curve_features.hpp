#pragma once

#include <cstddef>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// The most features per column, and for all columns together as long as that leaves each column
/// `kFewestCurveFeatures`.
inline constexpr std::size_t kMostCurveFeatures = 30;
inline constexpr std::size_t kFewestCurveFeatures = 4;
inline constexpr std::size_t kMostCurveFeaturesInAll = 300;

/// Features of an additive smooth (a generalised additive model): their inner products are the sum,
/// over the columns with more than two values, of the kernel of a random walk along each column,
/// which is that of the linear smoothing spline (Wahba 1990, "Spline Models for Observational
/// Data"). They capture steps and bends of one column, for which a kernel over all columns is too
/// coarse. With u the mid-rank of a value among the rows, scaled to (0, 1):
///     Σ_k 2·cos(kπu)·cos(kπv)/(kπ)²  →  1/3 − max(u, v) + (u² + v²)/2, min(u, v) doubly centred
/// Ranks make it invariant to increasing transformations of a column. The sum ends at one feature
/// less than the column has distinct values, and at the limits above. The order of the rows has no
/// effect. O(rows · (columns · log rows + features)). The rows are those of all ranks of the
/// context.
Matrix<double> make_curve_features(const Context& context, const Matrix<double>& columns);

}  // namespace cone
