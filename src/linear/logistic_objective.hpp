#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"

#include "linear/centred_matrix.hpp"

namespace cone {

/// The data that regressions on the same rows share. Rows are those of this rank, and sums over
/// rows are over all ranks (CentredMatrix).
struct LabelledRows {
  CentredMatrix x;
  std::vector<std::uint8_t> label;  ///< one per row, below num_labels
  std::size_t num_labels = 2;
  /// Folds are consecutive ranges of rows: fold f ends before row fold_ends[f].
  std::vector<std::size_t> fold_ends;

  std::size_t num_logits() const { return num_labels - 1; }
  std::size_t num_slopes() const { return num_logits() * x.cols(); }
  std::size_t num_folds() const { return fold_ends.size(); }
  std::size_t fold_begin(std::size_t fold) const { return fold == 0 ? 0 : fold_ends[fold - 1]; }
};

/// No fold is held out.
inline constexpr std::size_t kNoFold = std::numeric_limits<std::size_t>::max();

/// The objective of fit_logistic, on centred columns. A point has the slopes of label 1, those of
/// label 2, ..., then all intercepts: (K − 1)·(columns + 1) numbers.
class LogisticObjective {
 public:
  virtual ~LogisticObjective() = default;
  LogisticObjective(const LogisticObjective&) = delete;
  LogisticObjective& operator=(const LogisticObjective&) = delete;

  /// The objective at `point`. Stores the state that the two functions below use.
  virtual double evaluate(double c, std::span<const double> point) = 0;
  /// The gradient at the point of the last evaluate(), which `point` must be; returns its norm.
  virtual double gradient(double c, std::span<const double> point, std::span<double> out) = 0;
  /// An approximate solution of Hessian·step = −gradient at the point of the last evaluate(), a
  /// descent direction, to the relative accuracy `tolerance`, or better where that is cheap.
  /// Returns an estimate of the distance from the minimum after the step, relative to the spread of
  /// the logits; infinity where it is unknown.
  virtual double find_newton_step(double c, std::span<const double> gradient, double tolerance,
                                  std::span<double> step) = 0;

  const CentredMatrix& matrix() const { return rows_->x; }
  std::size_t num_logits() const { return rows_->num_logits(); }
  std::size_t num_slopes() const { return rows_->num_slopes(); }
  std::size_t size() const { return num_slopes() + num_logits(); }
  /// The point with zero slopes, whose intercepts give every label its share.
  std::span<const double> null_point() const { return null_point_; }
  /// The gradient's error from rounding: residuals are below 1, so ‖X'r‖ ≤ ‖X‖√n bounds every
  /// partial sum, and the errors of n additions grow like √n.
  double gradient_rounding(double c) const;

 protected:
  /// On all folds but `held_out`. Throws Error(kData) unless every label occurs in them. The
  /// context must outlive it.
  LogisticObjective(const Context& context, std::shared_ptr<const LabelledRows> rows,
                    std::size_t held_out = kNoFold);

  const Context& context() const { return context_; }
  const std::shared_ptr<const LabelledRows>& rows() const { return rows_; }
  std::span<const std::uint8_t> labels() const { return rows_->label; }
  std::size_t num_folds() const { return rows_->num_folds(); }
  std::span<const double> slopes(std::span<const double> point, std::size_t a) const {
    return point.subspan(a * matrix().cols(), matrix().cols());
  }
  std::span<double> slopes(std::span<double> point, std::size_t a) const {
    return point.subspan(a * matrix().cols(), matrix().cols());
  }
  /// Σ_a ‖v_a‖² − ‖Σ_a v_a‖²/K.
  double penalty(std::span<const double> point) const;
  /// Adds its gradient, which is linear in the point.
  void add_penalty_gradient(std::span<const double> point, std::span<double> out) const;

 private:
  const Context& context_;
  std::shared_ptr<const LabelledRows> rows_;
  std::vector<double> null_point_;
};

/// The objective with Newton steps by an explicit Hessian where X has dense columns and that costs
/// less, otherwise by conjugate gradients.
std::unique_ptr<LogisticObjective> make_logistic_objective(const Context& context, CentredMatrix x,
                                                           std::span<const std::uint8_t> labels,
                                                           std::size_t num_labels);

/// The softmax of one row's logits of labels 1..
struct SoftmaxOfRow {
  double rest = 0;    ///< odds of all other labels against the likeliest one
  double margin = 0;  ///< logit of the likeliest label minus that of the row's label: the loss is
                      ///< log(1 + rest) + margin
};

/// The logits of the row, and its probabilities, are `stride` apart; both may be the same memory.
SoftmaxOfRow apply_softmax(const double* logits, std::size_t num_logits, std::size_t stride,
                           std::uint8_t label, double* probabilities);

}  // namespace cone
