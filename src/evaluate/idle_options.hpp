#pragma once

#include "cone/learn_policy.hpp"
#include "cone/settings.hpp"

#include "options/given_options.hpp"

namespace cone {

// Options that were set and have no part in a run: named instead of ignored, by Error(kUsage).

/// Options of the other protocol.
void refuse_idle_plan(const IsGiven& is_given, Protocol protocol);

/// Options about budget curves where there are none. `has_curves`: something asks for them.
void refuse_idle_budget(const IsGiven& is_given, bool has_curves);

/// Options that a fitted model decides: plan, networks, network ridge, seed and repeats.
void refuse_options_of_model(const IsGiven& is_given);

/// Options of models that a learnt rule does not rest on.
void refuse_idle_models(const IsGiven& is_given, const LearnPolicyOptions& options);

}  // namespace cone
