#pragma once

#include "cone/estimate.hpp"

namespace cone {

/// The bias that a linear smoother has by shrinkage, estimated at its own fit. If the true outcomes
/// were the fitted ones μ, the value Σ_k ω_k·y_k would be Σ_k ω_k·μ_T(k) on average instead of
/// V(μ), the mean of Σ_a π_a·μ_a:
///
///   bias = Σ_k ω_k·μ_T(k) − V(μ)
///
/// For a cross-fitted direct method it is −Σ_k ω_k·r_k, r the held-out residuals. Where the weights
/// of an arm do not sum to the policy's, the mean of the arm's predictions is subtracted in both
/// terms, so that the bias does not depend on the origin of the outcome. Its own standard error is
/// √(Σ ω_k²·r_k²).
///
/// None where there are no implied weights of all nodes of the sample.
std::optional<SmoothingBias> find_smoothing_bias(const Evidence& evidence);

}  // namespace cone
