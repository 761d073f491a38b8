#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// One entry per arm; of variances that were learnt per fold, the mean of the shares.
std::vector<VarianceShares> share_variance(const NetworkRidgeSummary& ridge,
                                           std::span<const std::string> arms);

/// Says what R² means.
Verdict judge_fit(const OutcomeDiagnostics& model);

}  // namespace cone
