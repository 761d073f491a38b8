#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// Variance shares by arm; where variances are learnt per fold, the mean of the shares.
std::vector<VarianceShares> share_variance(const NetworkRidgeSummary& ridge,
                                           std::span<const std::string> arms);

/// The verdict on R².
Verdict judge_fit(const OutcomeDiagnostics& model);

}  // namespace cone
