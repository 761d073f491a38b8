#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cone/features.hpp"
#include "cone/matrix.hpp"

#include "linear/logistic_objective.hpp"
#include "linear/logistic_passes.hpp"

namespace cone {

/// Whether a Newton step costs less by the Hessian than by conjugate gradients, by the count of
/// multiplications. Never without dense columns.
bool prefers_explicit_hessian(const CentredMatrix& x, std::size_t num_labels);
/// The same of X, or of some of its rows.
bool prefers_explicit_hessian(const Context& context, const FeatureMatrix& x,
                              std::size_t num_labels);

/// Newton steps by the Cholesky factor of the Hessian, for few columns.
///
/// One pass over X gives value and gradient. Both are kept without C, so that a fit with another C
/// starts from the last point without a pass.
///
/// The Hessian costs several such passes, so it is taken again only when the logits have changed
/// much since (the more it costs, the more they may), or when a step has failed to shrink the
/// gradient to a tenth. C itself is always up to date in it.
///
/// All sums over rows are kept for each fold: what an objective on all folds knows of a point, one
/// that leaves a fold out can adopt without a pass.
class ExplicitLogistic : public LogisticObjective {
 public:
  ExplicitLogistic(const Context& context, const std::shared_ptr<const LabelledRows>& rows,
                   std::size_t left_out = kNoFold);

  double evaluate(double c, std::span<const double> point) override;
  double gradient(double c, std::span<const double> point, std::span<double> out) override;
  double find_newton_step(double c, std::span<const double> gradient, double tolerance,
                          std::span<double> step) override;

  /// Takes over what `whole`, on all folds of the same rows, knows of the point it evaluated last,
  /// unless its own is the better one at this C.
  void adopt_if_better(double c, const ExplicitLogistic& whole);
  /// The point last evaluated or adopted.
  std::span<const double> point() const { return point_; }
  /// Σ −log P(label) over the rows of a fold, at any point.
  double fold_loss(std::size_t fold, std::span<const double> point) const {
    return passes_.measure_loss(fold, point);
  }

 private:
  void sum_slopes(std::span<const LossSlope> of_folds);
  void sum_curvatures(std::span<const LossCurvature> of_folds);
  /// At the point last evaluated.
  void take_curvature();
  /// A change of the logits (root mean square) after which it is worth taking again.
  double far_away() const;
  /// The lower triangle of the Hessian, C and penalty included.
  Matrix<double> assemble_hessian(double c) const;
  /// By how much the logits change along a direction, root mean square.
  double change_of_logits(const Matrix<double>& hessian, double c,
                          std::span<const double> direction) const;

  LogisticPasses passes_;
  std::size_t left_out_;
  std::vector<double> point_;  // last evaluated or adopted
  std::vector<LossSlope> fold_slopes_;
  LossSlope slope_;  // of all folds that count
  std::vector<double> curvature_point_;
  std::vector<LossCurvature> fold_curvatures_;
  LossCurvature curvature_;  // of all folds that count
  double last_c_ = -1;
  double last_norm_ = 0;  // of the gradient that the last step was for
};

}  // namespace cone
