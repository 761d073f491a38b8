#pragma once

#include <span>
#include <string>

#include "cone/estimate.hpp"
#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// Why a diagnostic rules out that the interval of a policy's value is to be relied on, or empty:
/// more than a tenth of the policy's assignments are off support; values by fold differ by more
/// than sampling error explains (`stability`: of this policy, nullptr where unknown); the direct
/// method uses an outcome model that predicts clearly worse than a constant (`residual`: its
/// residuals, empty where unknown). Cautions that the interval allows for, or that do not concern
/// it (balance and calibration of propensities, say), are no such reasons.
std::string find_failure(const LoggedSample& sample, const Estimate& estimate, Method method,
                         const PolicyStability* stability, std::span<const double> residual);

}  // namespace cone
