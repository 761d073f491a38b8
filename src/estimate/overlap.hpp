#pragma once

#include <optional>

#include "cone/estimate.hpp"

namespace cone {

/// Whether the log could have done what the policy does.
struct Overlap {
  double mean_weight = 0;        ///< of w = π(t)/e(t)
  double mean_weight_error = 0;  ///< its standard error
  double off_support_fraction = 0;
  double never_given_fraction = 0;  ///< part of it: nobody of the node's kind was given the arm
};

/// None without propensities.
std::optional<Overlap> measure_overlap(const Evidence& evidence);

/// Fills in the mean weight and the unsupported fraction and says when they are a reason to doubt
/// the value. `scale` is what counts as one standard error. Takes the interval away from an
/// estimator by weights where the log lacks too much of what the policy does; returns whether it
/// does, whatever the estimator.
bool diagnose_overlap(const EstimatorInfo& estimator, const Evidence& evidence, double scale,
                      Estimate& out);

}  // namespace cone
