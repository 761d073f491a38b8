#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Multinomial logistic (softmax) regression of a label 0..K−1 with K − 1 logits against label 0:
/// P(label = a) = exp(z_a) / Σ_b exp(z_b), z_0 = 0, z_a = intercepts[a − 1] + x·coefficients[a −
/// 1].
struct LogisticFit {
  std::vector<double> intercepts;  ///< K − 1
  Matrix<double> coefficients;     ///< K − 1 × columns of X
  bool converged = false;
  int iterations = 0;  ///< Newton steps

  std::size_t num_labels() const { return intercepts.size() + 1; }
  /// P(label = a) for every a, into `out` (size K).
  void probabilities(const FeatureMatrix::Row& row, std::span<double> out) const;
  /// Of a dense row.
  void probabilities(std::span<const float> row, std::span<double> out) const;
  /// −log P(label), without overflow.
  double log_loss(const FeatureMatrix::Row& row, std::uint8_t label) const;
};

/// Held-out rows, to compare fits by.
class HeldOutLabels {
 public:
  /// The rows of X listed in `rows`, and their labels.
  HeldOutLabels(const FeatureMatrix& x, std::span<const std::uint32_t> rows,
                std::span<const std::uint8_t> labels);
  /// Σ_i −log P(label_i), over the rows of all ranks. On one thread.
  double total_log_loss(const Context& context, const LogisticFit& fit) const;

 private:
  double own_log_loss(const Context& context, const LogisticFit& fit) const;

  std::vector<std::uint32_t> dense_columns_;
  Matrix<double> dense_;  // dense columns × rows
  SparseMatrix sparse_;
  std::vector<std::uint8_t> label_;
};

/// L2 softmax regression: minimises Σ_a ‖w_a‖² − C·Σ_i log P(label_i), where w_0..w_{K−1} are the
/// slopes of all labels with Σ_a w_a = 0. In the K − 1 slopes against label 0, v_a = w_a − w_0, the
/// penalty is Σ_a ‖v_a‖² − ‖Σ_a v_a‖²/K: the order of the labels has no effect. For K = 2 it is
/// ½‖v‖², the usual L2 logistic regression. The intercepts are not penalised. C = 0 is the null
/// model: no slopes.
///
/// Newton's method with a backtracking line search, on centred columns: the intercepts absorb the
/// centring, so the solution is the same and they hardly interact with the slopes. The objective is
/// strongly convex in the slopes (by 2/K), so separable labels have a finite solution too, and
/// their error is at most K/2 times the norm of the gradient: stops when that is below `tolerance`
/// times the norm of the slopes, or when the gradient or the steps are at rounding level. At most
/// 200 steps; `converged` says whether it did. Every pass is a safe point of the context.
///
/// Labels are below num_labels ≥ 2, as many as X has rows. Throws Error(kData) when one of them
/// does not occur: its intercept would be infinite.
LogisticFit fit_logistic(const Context& context, const FeatureMatrix& x,
                         std::span<const std::uint8_t> labels, std::size_t num_labels, double c,
                         double tolerance = 1e-8);

}  // namespace cone
