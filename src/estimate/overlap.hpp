#pragma once

#include <optional>

#include "cone/estimate.hpp"

namespace cone {

/// Overlap (positivity) between a policy and the logged policy.
struct Overlap {
  double mean_weight = 0;        ///< of w = π(t)/e(t)
  double mean_weight_error = 0;  ///< its standard error
  double off_support_fraction = 0;
  double violation_fraction = 0;  ///< part of it: no comparable node received the arm
};

/// None without propensities.
std::optional<Overlap> measure_overlap(const Evidence& evidence);

/// Sets the mean weight and the off-support fraction and warns of positivity violations. `scale` is
/// one standard error. Removes the interval of a weighting estimator where too much of the policy
/// is off support; returns whether that is so, whatever the estimator.
bool diagnose_overlap(const EstimatorInfo& estimator, const Evidence& evidence, double scale,
                      Estimate& out);

}  // namespace cone
