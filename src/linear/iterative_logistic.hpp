#pragma once

#include "cone/matrix.hpp"

#include "linear/logistic_objective.hpp"

namespace cone {

/// Truncated Newton steps by diagonally preconditioned conjugate gradients (Dembo and Steihaug
/// 1983, "Truncated-Newton algorithms for large-scale unconstrained optimization"). O(values of X)
/// per inner iteration.
class IterativeLogistic : public LogisticObjective {
 public:
  IterativeLogistic(const Context& context, std::shared_ptr<const LabelledRows> rows);

  double evaluate(double c, std::span<const double> point) override;
  double gradient(double c, std::span<const double> point, std::span<double> out) override;
  double find_newton_step(double c, std::span<const double> gradient, double tolerance,
                          std::span<double> step) override;

 private:
  /// Computes the curvature that the two functions below use.
  void take_curvature(double c);
  /// The diagonal of the Hessian with every row's curvature replaced by the mean: close enough for
  /// a preconditioner, and positive even where all probabilities have saturated.
  std::vector<double> approximate_diagonal() const;
  /// out = Hessian · direction
  void multiply_hessian(std::span<const double> direction, std::span<double> out);

  Matrix<double> probability_;           // labels 1.. × rows
  Matrix<double> scratch_;               // the same shape
  Matrix<double> weight_;                // ∂ residual / ∂ own logit, C included
  std::vector<double> total_curvature_;  // sums of the rows of weight_
  double c_ = 0;                         // of the Hessian
};

}  // namespace cone
