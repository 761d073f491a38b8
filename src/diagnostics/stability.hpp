#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/estimate.hpp"
#include "cone/learn.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"

namespace cone {

/// Variation of one estimator's values over folds and, where the evaluation was repeated, over
/// seeds. One entry per policy whose estimate has influences by node, or that was repeated.
/// `cluster`: given clusters, one per node, whose shared noise may differ between folds; empty
/// where there are none. Over all ranks.
std::vector<PolicyStability> measure_stability(std::span<const PolicyResult> results,
                                               std::string_view estimator, const FitPlan& plan,
                                               std::span<const std::uint32_t> cluster = {},
                                               const Communicator& comm = Communicator::self());

/// Whether the values by fold differ by more than sampling error explains.
bool do_folds_disagree(const PolicyStability& stability);

/// Why a diagnostic rules out that the interval of a policy's value is to be relied on, or empty:
/// more than a tenth of the policy's assignments are off support; values by fold differ by more
/// than sampling error explains (`stability`: of this policy, nullptr where unknown); the direct
/// method uses an outcome model that predicts clearly worse than a constant (`residual`: its
/// residuals, empty where unknown). Cautions that the interval allows for, or that do not concern
/// it (balance and calibration of propensities, say), are no such reasons.
std::string find_failure(const LoggedSample& sample, const Estimate& estimate, Method method,
                         const PolicyStability* stability, std::span<const double> residual);

/// Why the value of a policy that was learnt from the same data is not to be relied on by an
/// estimator of this method, or empty.
std::string find_learning_failure(LearntOn learnt_on, Method method);

}  // namespace cone
