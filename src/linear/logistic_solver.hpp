#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/context.hpp"
#include "linear/centred_matrix.hpp"
#include "linear/logistic.hpp"

namespace cone {

/// fit_logistic for several C on the same data: each solution starts from the one before it, so
/// visit C in ascending order.
class LogisticSolver {
 public:
  /// Throws Error(kData) unless both labels occur.
  LogisticSolver(const Context& context, const FeatureMatrix& x,
                 std::span<const std::uint8_t> labels);

  const CentredMatrix& matrix() const { return x_; }
  LogisticFit fit(double c, double tolerance);

 private:
  /// The objective at (w, b) and, as a side effect, probability_ there.
  double evaluate(double c, std::span<const double> point);
  /// Gradient at the point last evaluated, from probability_; returns its norm.
  double gradient(double c, std::span<const double> point, std::span<double> out);
  /// An approximate solution of (Hessian)·step = −gradient.
  void newton_step(double c, std::span<const double> gradient, double tolerance,
                   std::span<double> step);

  const Context& context_;
  CentredMatrix x_;
  std::vector<double> label_;
  std::vector<double> point_;        // w of the centred columns, then b
  std::vector<double> null_point_;   // the null model
  double null_loss_ = 0;             // the objective there, at C = 1 ...
  double null_gradient_norm_ = 0;    // ... and its gradient; both are proportional to C
  std::vector<double> probability_;  // one per row
  std::vector<double> row_scratch_;
};

}  // namespace cone
