#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "exec/context.hpp"
#include "linear/centred_matrix.hpp"

namespace cone {

/// What fit_logistic minimises, on centred columns. A point has the slopes of label 1, those of
/// label 2, ..., then all intercepts: (K − 1)·(columns + 1) numbers.
class LogisticObjective {
 public:
  /// Throws Error(kData) unless every label occurs. The context must outlive it.
  LogisticObjective(const Context& context, FeatureMatrix x, std::span<const std::uint8_t> labels,
                    std::size_t num_labels);

  const CentredMatrix& matrix() const { return x_; }
  std::size_t num_logits() const { return num_logits_; }
  std::size_t num_slopes() const { return num_logits_ * x_.cols(); }
  std::size_t size() const { return num_slopes() + num_logits_; }
  /// Where the slopes are zero: the intercepts give every label its share.
  std::span<const double> null_point() const { return null_point_; }

  /// The objective at `point`, which becomes the point that the functions below speak of.
  double evaluate(double c, std::span<const double> point);
  /// Its gradient there; returns the norm.
  double gradient(double c, std::span<const double> point, std::span<double> out);

  /// Fixes the Hessian there for the next two.
  void take_curvature(double c);
  /// Its diagonal, with every row's curvature replaced by the mean one: close enough to
  /// precondition with, and positive even where all probabilities have saturated.
  std::vector<double> approximate_diagonal() const;
  /// out = Hessian · direction
  void multiply_hessian(std::span<const double> direction, std::span<double> out);

  /// The gradient's error from rounding: residuals are below 1, so ‖X'r‖ ≤ ‖X‖√n bounds every
  /// partial sum, and the errors of n additions grow like √n.
  double gradient_rounding(double c) const;

 private:
  std::span<const double> slopes(std::span<const double> point, std::size_t a) const {
    return point.subspan(a * x_.cols(), x_.cols());
  }
  std::span<double> slopes(std::span<double> point, std::size_t a) const {
    return point.subspan(a * x_.cols(), x_.cols());
  }
  /// Adds the gradient of the penalty at `point`, which is linear in it.
  void add_penalty_gradient(std::span<const double> point, std::span<double> out) const;

  const Context& context_;
  CentredMatrix x_;
  std::size_t num_logits_;
  std::vector<std::uint8_t> label_;
  std::vector<double> null_point_;
  Matrix<double> probability_;           // labels 1.. × rows
  Matrix<double> scratch_;               // the same shape
  Matrix<double> weight_;                // ∂ residual / ∂ its own logit, C included
  std::vector<double> total_curvature_;  // sums of the rows of weight_
  double c_ = 0;                         // of the Hessian
};

}  // namespace cone
