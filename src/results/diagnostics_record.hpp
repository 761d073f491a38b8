#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/record.hpp"

namespace cone {

/// `notes`, choices that the loader made, are listed on their own and again before the warnings.
nlohmann::ordered_json diagnostics_json(const Diagnostics& d,
                                        const std::vector<std::string>& notes);

/// Adds "verdict" and "sentence" to an entry.
void add_verdict_json(const Verdict& verdict, nlohmann::ordered_json& entry);

/// Adds the diagnostics that have a verdict, each an array, and "verdicts": one line per
/// diagnostic.
void add_verdicts_json(const Diagnostics& d, nlohmann::ordered_json& json);

}  // namespace cone
