#pragma once

#include <span>
#include <vector>

#include "cone/estimate.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Each node's contribution to the error of a value. `weights`: of the residuals, after the
/// estimator's own bounds; empty where it has none. `influence`: influence function values of the
/// estimator's formula, for the population.
ErrorParts decompose_error(const EstimatorInfo& estimator, const Evidence& evidence,
                           const EstimatorOptions& options, std::span<const double> weights,
                           std::vector<double> influence);

/// Residuals of the logged outcomes, times the factors of raise_arm_noise.
std::vector<double> residuals_for_errors(const Evidence& evidence);

/// Standard error for the sample with independent nodes: variance of the contributions, of the arms
/// that units did not receive, and of the imbalance.
double error_for_sample(const ErrorParts& parts, const Communicator& comm);

/// An estimator that corrects the direct method by weighted residuals is the direct method on this
/// table, π_a(i) − 1{t_i = a}·w_i, plus the weighted outcomes. So where predictions are linear in
/// the outcomes, the weights of all outcomes in the value are those that the model implies for this
/// table, plus w. `weights`: of the residuals in their mean.
Matrix<double> uncorrected_part(const Evidence& evidence, std::span<const double> weights);

/// w of the estimator, as it multiplies residuals in the mean: switched, shrunk, or for network_dr
/// self-normalised times the shrinkage factor.
std::vector<double> residual_weights(const EstimatorInfo& estimator, const Evidence& evidence,
                                     const EstimatorOptions& options);

}  // namespace cone
