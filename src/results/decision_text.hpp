#pragma once

#include <optional>
#include <string>
#include <utility>

#include "cone/record.hpp"

namespace cone {

/// The decision: a table with each policy's value, intervals, gain over the logged policy and
/// ranks, a sentence per policy, and which policies may be the best.
std::string decision_text(const Decision& decision);

/// One policy in a sentence or two: its gain over the logged policy, and how strong an unmeasured
/// confounder would have to be to explain it away. `strength_is_clear`: see Decision.
std::string decision_sentence(const DecidedPolicy& policy, bool strength_is_clear);

/// An interval of a policy's value, less its cost.
std::optional<std::pair<double, double>> net_of_cost(
    const std::optional<std::pair<double, double>>& range, const DecidedPolicy& policy);

/// Which policies may be the best, in a sentence; empty where nothing was compared.
std::string best_sentence(const Decision& decision);

}  // namespace cone
