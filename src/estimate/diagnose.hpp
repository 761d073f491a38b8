#pragma once

#include <span>
#include <string>

#include "cone/estimate.hpp"

namespace cone {

/// There is an interval to lose.
bool has_interval(const Estimate& estimate);
void drop_interval(Estimate& out);

/// How a value that was computed another way compares with the one reported.
struct ValueChange {
  double moved = 0;  ///< reported value less the other one; NaN where there is no other one
  double scale = 1;  ///< what counts as one standard error

  /// Beyond a tenth of a standard error.
  bool matters() const;
  /// "by +0.12 (1.3 standard errors)"; the standard errors only where the estimate has one.
  std::string in_words(const Estimate& estimate) const;
};

/// Fills in the effective sample size, the largest weight and the share of changed weights, and
/// says in words when they are a reason to doubt the value. `raw` are the importance weights,
/// `used` those after the estimator's own bound.
void diagnose_weights(Method method, std::span<const double> raw, std::span<const double> used,
                      const Evidence& evidence, Estimate& out);

/// Says how far bounds, clips and switches moved the value, where that matters.
void diagnose_bounded_weights(Method method, const Evidence& evidence, const ValueChange& change,
                              Estimate& out);

/// Says how many of the predictions that the value rests on are implausible, and how far bounding
/// them moved the value or would move it, where either is much.
void diagnose_predictions(const EstimatorInfo& estimator, const Evidence& evidence,
                          const ValueChange& change, Estimate& out);

/// The same for the weights that a linear outcome model implies, over the nodes it was fitted on.
void diagnose_implied_weights(const Evidence& evidence, Estimate& out);

/// Arm means rest on the arms that the policy takes, however few nodes those have.
void diagnose_arms(const Evidence& evidence, Estimate& out);

/// An arm whose outcomes are all the same says nothing about how far they vary (no event so far is
/// not no event ever): takes the interval of a policy that gives this arm.
void diagnose_constant_arms(const Evidence& evidence, Estimate& out);

/// The same for the weights of kernel balancing, which may be negative unless normalised.
void diagnose_balance(const Evidence& evidence, std::span<const double> weights, Estimate& out);

/// Says so where the outcome model predicts the evaluated nodes worse than a constant would.
void diagnose_fit(const Evidence& evidence, Estimate& out);

}  // namespace cone
