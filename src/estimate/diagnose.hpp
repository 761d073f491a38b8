#pragma once

#include <span>

#include "cone/estimate/estimate.hpp"

namespace cone {

/// Fills in the effective sample size, the largest weight and the share of changed weights, and
/// says in words when they are a reason to doubt the value. `raw` are the importance weights,
/// `used` those after the estimator's own bound.
void diagnose_weights(Method method, std::span<const double> raw, std::span<const double> used,
                      const EstimationInput& input, Estimate& out);

/// The same for the weights that a linear outcome model implies, over the nodes it was fitted on.
void diagnose_implied_weights(const OutcomeView& model, Estimate& out);

/// The same for the weights of kernel balancing, which may be negative unless normalised.
void diagnose_balance(std::span<const double> weights, Estimate& out);

/// Says so where the outcome model predicts the evaluated nodes worse than a constant would.
void diagnose_fit(const EstimationInput& input, Estimate& out);

}  // namespace cone
