#pragma once

#include <memory>
#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "linear/centred_matrix.hpp"
#include "linear/linear.hpp"
#include "linear/pseudo_inverse.hpp"

namespace cone {

/// Rows to fit on: those of this rank, with sums over all ranks, or all rows on every rank.
struct FitRows {
  CentredMatrix x;
  std::size_t num_own = 0;
  bool has_all = false;
  std::size_t first_own = 0;  ///< index of the first own row among all
};

/// Least squares and ridge regression on one X as a linear map from outcomes to predictions.
/// With X_c the centred X and A⁺ = (X_c'X_c + strength·I)⁺X_c',
///     slopes    β = A⁺ y,
///     weights   v = (A⁺)' d + Q/n:   Σ_i q_i μ(x_i) = Σ_j v_j y_j
/// for any points x_i, where d = Σ_i q_i (x_i − x̄) and Q = Σ_i q_i. Both come from one factor.
///
/// Where rows are distributed over several ranks, outcomes and weights are those of this
/// rank, and the rest is the same on all. If there are fewer rows than columns, all ranks
/// gather all rows, for their Gram matrix.
class LinearSmoother {
 public:
  /// Iterative where both sides of X exceed `largest_direct`.
  LinearSmoother(const Context& context, const FeatureMatrix& x,
                 std::size_t largest_direct = kLargestDirectFit);
  /// On these rows of X.
  LinearSmoother(const Context& context, const FeatureMatrix& x,
                 std::span<const std::uint32_t> rows,
                 std::size_t largest_direct = kLargestDirectFit);

  /// Sets the penalty (0: minimum-norm least squares; infinity: the mean) and factorises.
  void set_strength(double strength);

  const CentredMatrix& matrix() const { return x_; }
  LinearFit fit(std::span<const double> y);

  /// One row of weights (size n) for each Σ_i q_i x_i (a row of `sums`, one column per column of
  /// X) and Σ_i q_i.
  Matrix<double> weights(const Matrix<double>& sums, std::span<const double> total_weight);

  /// Rank of the centred columns; its upper bound where fits are iterative.
  std::size_t rank() const { return rank_; }
  /// The trace of the map from y to its fitted values, the intercept included: 1 + rank for least
  /// squares, less for ridge. O(m³/3) for ridge; the upper bound 1 + rank where fits are iterative.
  double degrees_of_freedom() const;
  /// False once an iterative solve has run out of iterations.
  bool converged() const { return converged_; }
  /// The approximate memory of X, its Gram matrix and the factor.
  std::size_t num_bytes() const {
    return sizeof(double) *
           (2 * gram_.rows() * gram_.cols() + 2 * static_cast<std::size_t>(x_.num_stored()));
  }

 private:
  Matrix<double> take_own(const Matrix<double>& of_rows) const;
  Matrix<double> apply(bool transposed, const Matrix<double>& right_hand_sides);
  Matrix<double> apply_direct(bool transposed, const Matrix<double>& right_hand_sides) const;
  Matrix<double> apply_iterative(bool transposed, const Matrix<double>& right_hand_sides);

  LinearSmoother(const Context& context, FitRows rows, std::size_t largest_direct);

  Context context_;
  const Communicator& comm_;  // over the ranks with the rows
  CentredMatrix x_;
  std::size_t num_own_;
  bool has_all_rows_;  // gathered from all ranks
  std::size_t first_own_;
  bool direct_;
  bool on_columns_;  // the Gram matrix is X_c'X_c, not X_cX_c'
  Matrix<double> gram_;
  double constant_shift_ = 0;  // added to every element of X_cX_c'
  double strength_ = 0;
  std::unique_ptr<PseudoInverse> inverse_;
  std::size_t rank_ = 0;
  bool converged_ = true;
};

}  // namespace cone
