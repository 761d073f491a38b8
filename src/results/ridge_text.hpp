#pragma once

#include <string>

#include "cone/learn.hpp"

namespace cone {

/// Shares of the groups and of the noise in the variance of an average node's outcome, one row per
/// arm (and fold, where variances are learnt per fold).
std::string variance_shares_text(const NetworkRidgeSummary& ridge);

}  // namespace cone
