#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"

#include "linear/centred_matrix.hpp"

namespace cone {

enum class StepQuality {
  kByHessian,  ///< by a factor of the Hessian: as long as the way to the minimum is, about
  kRough,      ///< a direction of descent
};

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
  virtual StepQuality find_newton_step(double c, std::span<const double> gradient, double tolerance,
                                       std::span<double> step) = 0;

  const CentredMatrix& matrix() const { return x_; }
  std::size_t num_logits() const { return num_logits_; }
  std::size_t num_slopes() const { return num_logits_ * x_.cols(); }
  std::size_t size() const { return num_slopes() + num_logits_; }
  /// Where the slopes are zero: the intercepts give every label its share.
  std::span<const double> null_point() const { return null_point_; }
  /// The gradient's error from rounding: residuals are below 1, so ‖X'r‖ ≤ ‖X‖√n bounds every
  /// partial sum, and the errors of n additions grow like √n.
  double gradient_rounding(double c) const;

 protected:
  /// Throws Error(kData) unless every label occurs. The context must outlive it.
  LogisticObjective(const Context& context, CentredMatrix x, std::span<const std::uint8_t> labels,
                    std::size_t num_labels);

  const Context& context() const { return context_; }
  std::span<const std::uint8_t> labels() const { return label_; }
  std::span<const double> slopes(std::span<const double> point, std::size_t a) const {
    return point.subspan(a * x_.cols(), x_.cols());
  }
  std::span<double> slopes(std::span<double> point, std::size_t a) const {
    return point.subspan(a * x_.cols(), x_.cols());
  }
  /// Σ_a ‖v_a‖² − ‖Σ_a v_a‖²/K.
  double penalty(std::span<const double> point) const;
  /// Adds its gradient, which is linear in the point.
  void add_penalty_gradient(std::span<const double> point, std::span<double> out) const;

 private:
  const Context& context_;
  CentredMatrix x_;
  std::size_t num_logits_;
  std::vector<std::uint8_t> label_;
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
