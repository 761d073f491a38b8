#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/value_study.hpp"

// `cone reproduce ablation`: the contribution of each part of the network ridge.

namespace cone {

/// network_dm with its defaults: the reference of the other rows.
inline constexpr std::string_view kAblationLabel = "network_dm";

/// The default, then each group of effects left out, constant noise, variances estimated per fold,
/// one penalty by cross-validation, and undersmoothing from 1 to 0.01. Every row is its own group.
std::vector<ValueGroup> ablation_groups();

/// The networks at both values of κ2, and the synthetic worlds that stress other parts: unmeasured
/// confounding, weak overlap, binary outcomes and nonlinear.
std::vector<StudySetting> ablation_settings(std::span<const StudyNetwork> networks,
                                            std::span<const StudyNetwork> generated,
                                            std::uint64_t seed);

ValueTable reproduce_ablation(const Context& context, std::span<const StudyNetwork> networks,
                              std::span<const StudyNetwork> generated, int simulations,
                              const UnitWork& work);

}  // namespace cone
