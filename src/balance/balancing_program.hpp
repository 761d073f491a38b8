#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// One arm's part of the balancing programme:
///   minimise W'(K + λI)W − (a + ν)'W  over W ≥ 0,
/// where ν, the price of weight, is the multiplier of the constraint on the total weight of all
/// arms. Solved exactly by block principal pivoting (Júdice and Pires 1994, "A block principal
/// pivoting algorithm for large-scale strictly monotone linear complementarity problems"): guess
/// which weights are zero, solve for the others, exchange all infeasible indices; when their number
/// stops decreasing, exchange one at a time by Murty's rule, which terminates. Usually a handful of
/// factorisations, fewer when started from a nearby ν.
class ArmProgram {
 public:
  /// All arguments must outlive the programme; `factor` is the Cholesky factor of K + λI.
  ArmProgram(const Context& context, MatrixView<const double> kernel, double lambda,
             std::span<const double> target, const Matrix<double>& factor);

  void solve(double price);

  const std::vector<double>& weights() const { return weights_; }
  double total() const;
  /// The derivative of total() by the price, while the same weights are zero.
  double slope() const;

 private:
  /// base_ and per_price_ for the present set of free weights.
  void refit();
  void set_weights(double price);
  /// Free weights that are negative, and zero weights with a negative gradient.
  std::vector<std::size_t> infeasible_indices(double price) const;

  const Context& context_;
  MatrixView<const double> kernel_;
  double lambda_;
  std::span<const double> target_;
  const Matrix<double>& factor_;
  double tolerance_;
  std::vector<bool> free_;
  std::vector<double> base_;       ///< W at price 0 ...
  std::vector<double> per_price_;  ///< ... and its derivative by the price
  std::vector<double> weights_;
};

/// Finds the price at which the weights of all arms sum to `total`.
void solve_for_total(std::span<ArmProgram> arms, double largest_target, double total);

}  // namespace cone
