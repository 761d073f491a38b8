#pragma once

#include <optional>
#include <string>
#include <utility>

#include "cone/record.hpp"

namespace cone {

/// The answer for whoever decides: each policy's value, interval and gain over the logged policy,
/// its ranks, a sentence for each, and which may be the best.
std::string decision_text(const Decision& decision);

/// One policy in a sentence or two: what it is worth against the logged policy, and what would
/// overturn that. Whether what the network shows is clear: Decision::strength_is_clear.
std::string decision_sentence(const DecidedPolicy& policy, bool strength_is_clear);

/// A range of a policy's value less its cost.
std::optional<std::pair<double, double>> net_of_cost(
    const std::optional<std::pair<double, double>>& range, const DecidedPolicy& policy);

/// Which policies may be the best, in a sentence; empty where nothing was compared.
std::string best_sentence(const Decision& decision);

}  // namespace cone
