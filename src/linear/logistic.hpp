#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/feature_matrix.hpp"
#include "base/numeric.hpp"
#include "exec/context.hpp"

namespace cone {

/// P(label = 1) = sigmoid(intercept + x·coefficients).
struct LogisticFit {
  double intercept = 0;
  std::vector<double> coefficients;  ///< one per column of X
  bool converged = false;
  int iterations = 0;  ///< Newton steps

  double probability(const FeatureMatrix::Row& row) const {
    return sigmoid(intercept + dot(row, coefficients));
  }
  /// Of a dense row.
  template <class Real>
  double probability(std::span<const Real> row) const {
    double logit = intercept;
    for (std::size_t j = 0; j < row.size(); ++j) logit += coefficients[j] * row[j];
    return sigmoid(logit);
  }
};

/// L2 logistic regression: minimises 0.5·||w||² + C·Σ_i log(1 + exp(−s_i(b + x_i·w))), s_i = ±1,
/// over w and b. The intercept b is not penalised. C = 0 is the null model, w = 0.
///
/// Newton's method with conjugate gradients for the step (truncated, diagonally preconditioned) and
/// a backtracking line search, on implicitly centred columns: the intercept absorbs the centring,
/// so the solution is the same and the intercept hardly interacts with the slopes. The objective is
/// strongly convex in w, so separable labels have a finite solution too, and the error of w is at
/// most the norm of the gradient: stops when that is below `tolerance`·||w||, or when rounding is
/// all that is left of the gradient or of the steps. At most 200 steps; `converged` says how it
/// ended. O(entries) an inner iteration, each a safe point of the context.
///
/// Labels are 0 or 1, as many as X has rows. Throws Error(kData) when all are equal: the intercept
/// would be infinite.
LogisticFit fit_logistic(const Context& context, const FeatureMatrix& x,
                         std::span<const std::uint8_t> labels, double c, double tolerance = 1e-8);

}  // namespace cone
