#pragma once

#include <span>
#include <string>

#include "cone/estimate.hpp"
#include "cone/learn.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"

namespace cone {

/// Why a diagnostic rules out that the interval of a policy's value is to be relied on, or empty:
/// more than a tenth of the policy's assignments are off support; values by fold differ by more
/// than sampling error explains (`stability`: of this policy, nullptr where unknown); the direct
/// method uses an outcome model that predicts clearly worse than a constant (`residual`: its
/// residuals, empty where unknown). Cautions that the interval allows for, or that do not concern
/// it (balance and calibration of propensities, say), are no such reasons.
std::string find_failure(const LoggedSample& sample, const Estimate& estimate,
                         const PolicyStability* stability, std::span<const double> residual);

/// Why the value of a policy that was learnt from the same data is not to be relied on by an
/// estimator of this method, or empty.
std::string find_learning_failure(LearntOn learnt_on, Method method);

}  // namespace cone
