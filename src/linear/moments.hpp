#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Count, means and centred products of the columns of X and of y over some rows: the sufficient
/// statistics of least squares and ridge regression. With v = (x, y), y last:
struct Moments {
  double count = 0;
  std::vector<double> mean;  ///< of v
  Matrix<double> products;   ///< lower triangle of Σ_i (v_i − mean)(v_i − mean)'
};

/// The moments of the rows listed in `rows`. `origin` (columns, then y) should be near the means:
/// digits are lost where a mean is many standard deviations away from it. O(rows · columns²) on one
/// thread. Where rows are distributed over several ranks, the moments are those of all.
Moments measure_moments(const Context& context, const FeatureMatrix& x, std::span<const double> y,
                        std::span<const std::uint32_t> rows, std::span<const double> origin);

/// The moments of both sets of rows together. O(columns²).
Moments merge_moments(const Moments& a, const Moments& b);

/// Ridge regression for any number of strengths from the moments of the fitting rows. O(columns³)
/// once, then O(columns²) per strength.
class RidgePath {
 public:
  RidgePath(const Context& context, const Moments& fit);

  /// Slopes at a strength > 0; infinity gives zeros.
  std::vector<double> find_slopes(double strength) const;
  /// The intercept that belongs to them.
  double find_intercept(std::span<const double> slopes) const;

 private:
  std::vector<double> mean_;
  Matrix<double> directions_;        // eigenvectors of the products of X, one per row
  std::vector<double> eigenvalues_;  // not negative
  std::vector<double> with_y_;       // the products of X and y along the directions
};

/// Whether a path of `num_strengths` fits on part of the rows of X takes fewer multiplications by
/// moments than by conjugate gradients. Never without dense columns.
bool prefers_moments(const Context& context, const FeatureMatrix& x, std::size_t num_strengths);

/// Σ_i (y_i − intercept − x_i·slopes)² over the rows of the moments. The rounding error is about
/// 1e-15 times Σ_i (y_i − mean)².
double sum_squared_residuals(const Moments& moments, std::span<const double> slopes,
                             double intercept);

}  // namespace cone
