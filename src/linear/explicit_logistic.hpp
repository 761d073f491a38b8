#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cone/features.hpp"
#include "cone/matrix.hpp"

#include "linear/logistic_objective.hpp"

namespace cone {

/// Whether a Newton step costs less by the Hessian than by conjugate gradients, by the count of
/// multiplications. Never without dense columns.
bool prefers_explicit_hessian(const CentredMatrix& x, std::size_t num_labels);
/// The same of X, or of some of its rows.
bool prefers_explicit_hessian(const FeatureMatrix& x, std::size_t num_labels);

/// Newton steps by the Cholesky factor of the Hessian, for few columns.
///
/// One pass over X gives value and gradient: blocks of rows stay in the cache from the product with
/// the slopes to the product with the residuals. Both are kept without C, so that a fit with
/// another C starts from the last point without a pass.
///
/// The Hessian costs several such passes, so it is taken again only when the logits have changed
/// much since (the more it costs, the more they may), or when a step has failed to shrink the
/// gradient to a tenth. C itself is always up to date in it.
///
/// All sums over rows are kept for each fold: what an objective on all folds knows of a point, one
/// that leaves a fold out can adopt without a pass.
class ExplicitLogistic : public LogisticObjective {
 public:
  explicit ExplicitLogistic(const Context& context, std::shared_ptr<const LabelledRows> rows,
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
  double fold_loss(std::size_t fold, std::span<const double> point) const;

 private:
  /// Of the loss, over the rows of one fold or several.
  struct Slope {
    double loss = 0;
    std::vector<double> gradient;
  };
  struct Curvature {
    std::vector<Matrix<double>> products;  ///< X'WX of labels a ≥ b, lower triangles
    Matrix<double> weighted_sums;  ///< the same pairs × columns, then the sum of the weights
  };

  /// body(labels, columns × rows, probabilities) for blocks of rows; returns their loss.
  template <class Body>
  double pass_over(std::size_t fold, std::span<const double> point, const Body& body) const;
  Slope measure_slope(std::size_t fold, std::span<const double> point) const;
  Curvature measure_curvature(std::size_t fold) const;
  void add_up_slopes(std::span<const Slope> of_folds);
  void add_up_curvatures(std::span<const Curvature> of_folds);
  /// At the point last evaluated.
  void take_curvature();
  /// A change of the logits (root mean square) after which it is worth taking again.
  double far_away() const;
  /// The lower triangle of the Hessian, C and penalty included.
  Matrix<double> assemble_hessian(double c) const;
  /// By how much the logits change along a direction, root mean square.
  double change_of_logits(const Matrix<double>& hessian, double c,
                          std::span<const double> direction) const;
  std::size_t pair_of(std::size_t a, std::size_t b) const { return a * (a + 1) / 2 + b; }

  std::size_t left_out_;
  std::vector<double> point_;  // last evaluated or adopted
  std::vector<Slope> fold_slopes_;
  Slope slope_;  // of all folds that count
  std::vector<double> curvature_point_;
  std::vector<Curvature> fold_curvatures_;
  Curvature curvature_;  // of all folds that count
  double last_c_ = -1;
  double last_norm_ = 0;  // of the gradient that the last step was for
};

}  // namespace cone
