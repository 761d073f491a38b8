#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cone/matrix.hpp"

#include "linear/logistic_objective.hpp"
#include "linear/logistic_passes.hpp"

namespace cone {

/// Whether a Newton step with an explicit Hessian takes fewer multiplications than one by conjugate
/// gradients. Never without dense columns.
bool prefers_explicit_hessian(const CentredMatrix& x, std::size_t num_labels);
/// The same for X, or for a subset of its rows.
bool prefers_explicit_hessian(const Context& context, const FeatureMatrix& x,
                              std::size_t num_labels);

/// Newton steps (iteratively reweighted least squares) by the Cholesky factor of the Hessian, for
/// few columns.
///
/// One pass over X in evaluate() gives loss and gradient. Both are stored without C, so that a fit
/// with another C starts from the last point without a pass.
///
/// The Hessian costs several such passes, so it is recomputed only when the logits have changed
/// much since (the more it costs, the more they may), or when a step has failed to shrink the
/// gradient to a tenth. The value of C in it is always current.
///
/// All sums over rows are stored per fold: an objective with a held-out fold can adopt the state of
/// the objective on all folds without a pass.
class ExplicitLogistic : public LogisticObjective {
 public:
  ExplicitLogistic(const Context& context, const std::shared_ptr<const LabelledRows>& rows,
                   std::size_t held_out = kNoFold);

  double evaluate(double c, std::span<const double> point) override;
  /// Uses the loss gradient stored by the last evaluate() or adopt_if_better(): `point` must be
  /// point(), which is not checked. Only the penalty is computed from `point`.
  double gradient(double c, std::span<const double> point, std::span<double> out) override;
  double find_newton_step(double c, std::span<const double> gradient, double tolerance,
                          std::span<double> step) override;

  /// Adopts the point that `whole`, the objective on all folds of the same rows, evaluated last,
  /// with its sums, unless the objective at the own point is lower for this C.
  void adopt_if_better(double c, const ExplicitLogistic& whole);
  /// The point last evaluated or adopted, to which the stored sums belong.
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
  /// The root-mean-square change of the logits after which the curvature is recomputed.
  double largest_change() const;
  /// The lower triangle of the Hessian, C and penalty included.
  Matrix<double> assemble_hessian(double c) const;
  /// The root-mean-square change of the logits along a direction.
  double change_of_logits(const Matrix<double>& hessian, double c,
                          std::span<const double> direction) const;

  LogisticPasses passes_;
  std::size_t held_out_;
  std::vector<double> point_;  // last evaluated or adopted
  std::vector<LossSlope> fold_slopes_;
  LossSlope slope_;  // of all folds but the held-out one
  std::vector<double> curvature_point_;
  std::vector<LossCurvature> fold_curvatures_;
  LossCurvature curvature_;  // of all folds but the held-out one
  double last_c_ = -1;
  double last_norm_ = 0;  // of the gradient of the last step
};

}  // namespace cone
