#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// A linear prediction: intercept + x·coefficients.
struct LinearFit {
  double intercept = 0;
  std::vector<double> coefficients;  ///< one per column of X
  /// Rank of the centred columns, the intercept not counted. Where the fit was iterative (see
  /// below) it is the upper bound min(rows − 1, columns that are not constant).
  std::size_t rank = 0;
  /// False only where the iterative solver ran out of iterations.
  bool converged = true;

  double predict(const FeatureMatrix::Row& row) const { return intercept + dot(row, coefficients); }
  /// For the rows listed in `rows`. Sums dense columns in another order than the function above:
  /// the last digits may differ.
  std::vector<double> predict(const FeatureMatrix& x, std::span<const std::uint32_t> rows) const;
};

/// The smaller side of X up to which fits are direct: one Gram matrix takes 0.5 GB there, its
/// factor the same, and the factorisation some seconds.
inline constexpr std::size_t kLargestDirectFit = 8192;

/// Least squares with an intercept: minimises ||y − b − Xβ||² over b and β and, among the
/// minimisers, ||β||² (the intercept is not part of the norm). X stays sparse: the columns are
/// centred implicitly.
///
/// Method: pivoted Cholesky of the centred Gram matrix on the smaller side (columns when p ≤ n,
/// rows otherwise), and iterative refinement against X, which restores the digits that squaring the
/// condition number costs. Directions that explain less than about 1e-12 of a column (of a row,
/// when p > n) are treated as null. O(Σ_i entries_i² + m³/3) time and 16 m² bytes, m the smaller
/// side without constant columns; past m = largest_direct conjugate gradients from zero take over,
/// which converge to the same solution.
///
/// X must have at least one row, as many as y has values. Throws Cancelled when the context's
/// observer asks to stop.
LinearFit fit_least_squares(const Context& context, const FeatureMatrix& x,
                            std::span<const double> y,
                            std::size_t largest_direct = kLargestDirectFit);

/// Ridge regression (Hoerl and Kennard 1970, "Ridge regression: biased estimation for nonorthogonal
/// problems"): minimises ||y − b − Xβ||² + strength·||β||², b unpenalised. `strength` ≥ 0; zero is
/// fit_least_squares and infinity is the mean of y.
LinearFit fit_ridge(const Context& context, const FeatureMatrix& x, std::span<const double> y,
                    double strength, std::size_t largest_direct = kLargestDirectFit);

/// The same for several strengths, on one Gram matrix.
std::vector<LinearFit> fit_ridge_path(const Context& context, const FeatureMatrix& x,
                                      std::span<const double> y, std::span<const double> strengths,
                                      std::size_t largest_direct = kLargestDirectFit);

}  // namespace cone
