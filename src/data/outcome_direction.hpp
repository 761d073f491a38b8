#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cone/dataset.hpp"
#include "cone/options.hpp"

namespace cone {

/// The name of the outcome's column; empty where the data has no table.
std::string outcome_column(const LoadedData& data);

/// "lower is better", with the outcome's name where it says something: "deaths, lower is better".
std::string direction_text(std::string_view outcome, bool lower_is_better);

/// Whether a word of the name is one of harm (death, churn, cost, days) and none turns it round
/// (saved, avoided, to, free).
bool names_harm(std::string_view outcome);

/// Asks which direction counts where the outcome names harm and no direction was declared. A rule
/// of thumb: it never changes a result.
std::optional<std::string> question_direction(std::string_view outcome,
                                              const DirectionOptions& direction = {});

}  // namespace cone
