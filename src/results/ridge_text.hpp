#pragma once

#include <string>

#include "cone/learn.hpp"

namespace cone {

/// Variance components (groups of effects and noise) as shares of the outcome variance of an
/// average node, one row per arm (and fold, where variances are learnt per fold).
std::string variance_shares_text(const NetworkRidgeSummary& ridge);

}  // namespace cone
