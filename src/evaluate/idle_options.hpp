#pragma once

#include "cone/learn_policy.hpp"
#include "cone/settings.hpp"

#include "options/given_options.hpp"

namespace cone {

// Options that were set and have no effect in a run: refused by Error(kUsage) instead of ignored.

/// Options of the other protocol.
void refuse_idle_plan(const IsGiven& is_given, Protocol protocol);

/// Options of budget curves where there are none. `has_curves`: some are requested.
void refuse_idle_budget(const IsGiven& is_given, bool has_curves);

/// Options that a fitted model fixes: plan, networks, network ridge, seed and repeats.
void refuse_options_of_model(const IsGiven& is_given);

/// Options of models that a learnt policy does not use.
void refuse_idle_models(const IsGiven& is_given, const LearnPolicyOptions& options);

}  // namespace cone
