#pragma once

#include "cone/matrix.hpp"

#include "linear/logistic_objective.hpp"

namespace cone {

/// Whether a Newton step costs less by the Hessian than by conjugate gradients, by the count of
/// multiplications. Never without dense columns.
bool prefers_explicit_hessian(const CentredMatrix& x, std::size_t num_labels);

/// Newton steps by the Cholesky factor of the Hessian, for few columns.
///
/// One pass over X gives value and gradient: blocks of rows stay in the cache from the product with
/// the slopes to the product with the residuals. Both are kept without C, so that a fit with
/// another C starts from the last point without a pass.
///
/// The Hessian costs several such passes, so it is taken again only when a step has failed to
/// shrink the gradient to a tenth. C itself is always up to date in it.
class ExplicitLogistic : public LogisticObjective {
 public:
  ExplicitLogistic(const Context& context, CentredMatrix x, std::span<const std::uint8_t> labels,
                   std::size_t num_labels);

  double evaluate(double c, std::span<const double> point) override;
  double gradient(double c, std::span<const double> point, std::span<double> out) override;
  StepQuality find_newton_step(double c, std::span<const double> gradient, double tolerance,
                               std::span<double> step) override;

 private:
  /// products_ and weighted_sums_ at the point last evaluated.
  void take_curvature();
  /// The lower triangle of the Hessian, C and penalty included.
  Matrix<double> assemble_hessian(double c) const;
  std::size_t pair_of(std::size_t a, std::size_t b) const { return a * (a + 1) / 2 + b; }

  Matrix<double> probability_;            // labels 1.. × rows
  std::vector<double> point_;             // last evaluated
  double loss_ = 0;                       // there
  std::vector<double> d_loss_;            // its gradient
  std::vector<Matrix<double>> products_;  // X'WX of labels a ≥ b, lower triangles
  Matrix<double> weighted_sums_;          // the same pairs × columns, then the sum of the weights
  double last_c_ = -1;
  double last_norm_ = 0;  // of the gradient that the last step was for
};

}  // namespace cone
