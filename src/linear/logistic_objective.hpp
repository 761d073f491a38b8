#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"

#include "linear/centred_matrix.hpp"

namespace cone {

/// What regressions on the same rows share. Rows are those of this process, and sums over rows go
/// over those of all (CentredMatrix).
struct LabelledRows {
  CentredMatrix x;
  std::vector<std::uint8_t> label;  ///< one per row, below num_labels
  std::size_t num_labels = 2;
  /// Rows are dealt to folds, one behind the other: fold f ends before row fold_ends[f].
  std::vector<std::size_t> fold_ends;

  std::size_t num_logits() const { return num_labels - 1; }
  std::size_t num_slopes() const { return num_logits() * x.cols(); }
  std::size_t num_folds() const { return fold_ends.size(); }
  std::size_t fold_begin(std::size_t fold) const { return fold == 0 ? 0 : fold_ends[fold - 1]; }
};

/// No fold is left out.
inline constexpr std::size_t kNoFold = std::numeric_limits<std::size_t>::max();

/// What fit_logistic minimises, on centred columns. A point has the slopes of label 1, those of
/// label 2, ..., then all intercepts: (K − 1)·(columns + 1) numbers.
class LogisticObjective {
 public:
  virtual ~LogisticObjective() = default;
  LogisticObjective(const LogisticObjective&) = delete;
  LogisticObjective& operator=(const LogisticObjective&) = delete;

  /// The objective at `point`, which becomes the point that the functions below speak of.
  virtual double evaluate(double c, std::span<const double> point) = 0;
  /// Its gradient there; returns the norm.
  virtual double gradient(double c, std::span<const double> point, std::span<double> out) = 0;
  /// An approximate solution of (Hessian there)·step = −gradient, a direction of descent. How exact
  /// it is follows from `tolerance` (relative), unless the solution is cheap enough to be exact.
  /// Returns how far from the minimum the step ends, about, as a share of the spread of the logits;
  /// infinity where it cannot tell.
  virtual double find_newton_step(double c, std::span<const double> gradient, double tolerance,
                                  std::span<double> step) = 0;

  const CentredMatrix& matrix() const { return rows_->x; }
  std::size_t num_logits() const { return rows_->num_logits(); }
  std::size_t num_slopes() const { return rows_->num_slopes(); }
  std::size_t size() const { return num_slopes() + num_logits(); }
  /// Where the slopes are zero: the intercepts give every label its share.
  std::span<const double> null_point() const { return null_point_; }
  /// The gradient's error from rounding: residuals are below 1, so ‖X'r‖ ≤ ‖X‖√n bounds every
  /// partial sum, and the errors of n additions grow like √n.
  double gradient_rounding(double c) const;

 protected:
  /// On all folds but `left_out`. Throws Error(kData) unless every label occurs there. The context
  /// must outlive it.
  LogisticObjective(const Context& context, std::shared_ptr<const LabelledRows> rows,
                    std::size_t left_out = kNoFold);

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
/// less than conjugate gradients, by conjugate gradients elsewhere.
std::unique_ptr<LogisticObjective> make_logistic_objective(const Context& context, CentredMatrix x,
                                                           std::span<const std::uint8_t> labels,
                                                           std::size_t num_labels);

/// The logits of one row, labels 1.., turned into probabilities.
struct SoftmaxOfRow {
  double rest = 0;    ///< odds of all other labels against the likeliest one
  double margin = 0;  ///< logit of the likeliest label less that of the row's own: loss is
                      ///< log(1 + rest) + margin
};

/// `stride` apart lie the logits of the row, and its probabilities, which may be the same numbers.
SoftmaxOfRow apply_softmax(const double* logits, std::size_t num_logits, std::size_t stride,
                           std::uint8_t label, double* probabilities);

}  // namespace cone
