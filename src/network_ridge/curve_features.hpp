#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// The most features that stand for the curve of one column, and for all of them where that leaves
/// each of them `kFewestCurveFeatures`.
inline constexpr std::size_t kMostCurveFeatures = 30;
inline constexpr std::size_t kFewestCurveFeatures = 4;
inline constexpr std::size_t kMostCurveFeaturesInAll = 300;

/// Features whose products add up, over the columns with more than two values, the kernel of a
/// random walk along each column: steps and bends of one column, which a kernel over all columns
/// is too coarse for. With u the mid-rank of a value among the rows, scaled to (0, 1):
///     Σ_k 2·cos(kπu)·cos(kπv)/(kπ)²  →  1/3 − max(u, v) + (u² + v²)/2, min(u, v) less its means
/// Ranks, so that a logarithm or any other rising function of a column changes nothing. The sum
/// ends at one feature less than the column has values, and at the numbers above. The rows' order
/// changes nothing. O(rows · (columns · log rows + features)).
Matrix<double> make_curve_features(const Context& context, const Matrix<double>& columns);

/// A column's values by their mid-ranks among all rows.
struct RankedColumn {
  std::vector<double> rank;  ///< of each row, in (0, 1); equal values share one
  std::size_t num_values = 0;
};

/// The same features from the ranks of some of the rows.
Matrix<double> make_curve_features(const Context& context, std::span<const RankedColumn> columns,
                                   std::size_t num_rows);

}  // namespace cone
