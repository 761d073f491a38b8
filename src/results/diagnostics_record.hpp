#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/record.hpp"

namespace cone {

/// `notes` stand before the warnings, and by themselves: choices that were made, nothing to doubt.
nlohmann::ordered_json diagnostics_json(const Diagnostics& d,
                                        const std::vector<std::string>& notes);

/// Adds "verdict" and "sentence" to an entry.
void add_verdict_json(const Verdict& verdict, nlohmann::ordered_json& entry);

/// Adds the diagnostics that have a verdict, each an array, and "verdicts": one line of each.
void add_verdicts_json(const Diagnostics& d, nlohmann::ordered_json& json);

}  // namespace cone
