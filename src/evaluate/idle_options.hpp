#pragma once

#include <functional>
#include <string_view>

#include "cone/evaluate.hpp"
#include "cone/settings.hpp"

namespace cone {

// Options that were set and have no part in a run: named instead of ignored, by Error(kUsage).

/// Whether the user set the option of this name ("train_fraction").
using IsGiven = std::function<bool(std::string_view name)>;

/// Options of the other protocol.
void refuse_idle_plan(const IsGiven& is_given, Protocol protocol);

/// Options about budget curves where there are none. `has_curves`: something asks for them.
void refuse_idle_budget(const IsGiven& is_given, bool has_curves);

/// Options that a fitted model decides: plan, networks, network ridge, seed and repeats.
void refuse_options_of_model(const IsGiven& is_given);

}  // namespace cone
