#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/value_study.hpp"

// `cone reproduce ablation`: what each part of the network ridge buys.

namespace cone {

/// network_dm as it is by default, which the other rows are held against.
inline constexpr std::string_view kAblationLabel = "network_dm";

/// The default, then each group of effects left out, the same noise for all nodes, variances learnt
/// anew for every fold, and undersmoothing from 1 to 0.01. Every row is a group of its own.
std::vector<ValueGroup> ablation_groups();

/// The networks at both strengths of the neighbours' influence, and those synthetic worlds that
/// stress other parts: hidden confounding, weak overlap, binary outcomes and bent.
std::vector<ValueSetting> ablation_settings(std::span<const StudyNetwork> networks,
                                            std::span<const StudyNetwork> generated,
                                            std::uint64_t seed);

ValueTable reproduce_ablation(const Context& context, std::span<const StudyNetwork> networks,
                              std::span<const StudyNetwork> generated, int simulations,
                              const UnitWork& work);

}  // namespace cone
