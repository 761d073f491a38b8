#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// One arm's part of the balancing programme:
///   minimise W'(K + λI)W − (a + ν)'W  over W ≥ 0,
/// where ν, the price of weight, is what ties the arms together. Solved exactly by block principal
/// pivoting (Júdice and Pires 1994): guess which weights are zero, solve for the others, exchange
/// every index that contradicts the guess; when that stops paying, exchange one at a time by
/// Murty's rule, which ends. Usually a handful of factorisations, fewer from a neighbouring ν.
class ArmProgram {
 public:
  /// What is passed must outlive the programme; `factor` is the Cholesky factor of K + λI.
  ArmProgram(const Context& context, MatrixView<const double> kernel, double lambda,
             std::span<const double> target, const Matrix<double>& factor);

  void solve(double price);

  const std::vector<double>& weights() const { return weights_; }
  double total() const;
  /// Of the total, by the price, as long as the same weights are zero.
  double slope() const;

 private:
  /// base_ and per_price_ for the present set of free weights.
  void refit();
  void set_weights(double price);
  /// Those free weights that are negative and those at zero that want to grow.
  std::vector<std::size_t> contradictions(double price) const;

  const Context& context_;
  MatrixView<const double> kernel_;
  double lambda_;
  std::span<const double> target_;
  const Matrix<double>& factor_;
  double tolerance_;
  std::vector<bool> free_;
  std::vector<double> base_;       ///< W at price 0 ...
  std::vector<double> per_price_;  ///< ... and what a unit of price adds to it
  std::vector<double> weights_;
};

/// Raises or lowers the price until the weights of all arms sum to `total`.
void solve_for_total(std::span<ArmProgram> arms, double largest_target, double total);

}  // namespace cone
