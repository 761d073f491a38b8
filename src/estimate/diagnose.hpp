#pragma once

#include <span>
#include <string>

#include "cone/estimate.hpp"

namespace cone {

/// Whether the estimate has a standard error and thus an interval.
bool has_interval(const Estimate& estimate);
void drop_interval(Estimate& out);

/// Difference between the reported value and the same estimator without a bound.
struct ValueChange {
  double moved = 0;  ///< reported value minus the other one; NaN where the other is undefined
  double scale = 1;  ///< one standard error

  /// Beyond a tenth of a standard error.
  bool matters() const;
  /// "by +0.12 (1.3 standard errors)"; the standard errors only where the estimate has one.
  std::string in_words(const Estimate& estimate) const;
};

/// Sets the effective sample size, the largest weight and the share of changed weights, and warns
/// where overlap is poor. `raw` are the importance weights, `used` those after the estimator's own
/// bound.
void diagnose_weights(Method method, std::span<const double> raw, std::span<const double> used,
                      const Evidence& evidence, Estimate& out);

/// Warns where bounding, clipping or switching moved the value notably.
void diagnose_bounded_weights(Method method, const Evidence& evidence, const ValueChange& change,
                              Estimate& out);

/// Warns where many predictions that enter the value are implausible, or where truncating them
/// moved the value (or would move it) notably.
void diagnose_predictions(const EstimatorInfo& estimator, const Evidence& evidence,
                          const ValueChange& change, Estimate& out);

/// The same for the implied weights of a linear outcome model, over the nodes it was fitted on.
void diagnose_implied_weights(const Evidence& evidence, Estimate& out);

/// Removes the interval of a policy that assigns an arm with fewer than two nodes.
void diagnose_arms(const Evidence& evidence, Estimate& out);

/// Removes the interval of a policy that assigns an arm whose outcomes are all equal: their
/// variance cannot be estimated (no event in the data does not mean that events are impossible).
void diagnose_constant_arms(const Evidence& evidence, Estimate& out);

/// The same for the weights of kernel balancing, which may be negative unless normalised.
void diagnose_balance(const Evidence& evidence, std::span<const double> weights, Estimate& out);

/// Warns where the outcome model predicts the evaluated nodes worse than a constant.
void diagnose_fit(const Evidence& evidence, Estimate& out);

}  // namespace cone
