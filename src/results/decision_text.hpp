#pragma once

#include <string>
#include <string_view>

#include "cone/record.hpp"

namespace cone {

/// The decision: a table with each policy's value, intervals, gain over the logged policy and
/// ranks, a sentence per policy, and which policies may be the best.
std::string decision_text(const Decision& decision);

/// The verdict on one policy in a sentence: its gain over the logged policy, or over another one
/// (`other`), with its interval, and the condition on unmeasured confounding.
std::string decision_sentence(const DecidedPolicy& policy, const Decision& decision,
                              std::string_view other = "the logged policy");

/// The average effect of treatment, treat-all against treat-none, and the verdict on it in a
/// sentence; nullptr and empty where they were not compared.
const PolicyDifference* find_effect(const Decision& decision);
std::string effect_sentence(const Decision& decision);

/// What a policy's net value is below its value: its mean cost, or −cost where lower is better; 0
/// without costs.
double cost_shift(const DecidedPolicy& policy, const Decision& decision);

/// The single best policy, or which may be the best; empty where nothing was compared.
std::string best_sentence(const Decision& decision);

}  // namespace cone
