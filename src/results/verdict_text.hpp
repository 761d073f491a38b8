#pragma once

#include <string>

#include "cone/record.hpp"

namespace cone {

/// One line per diagnostic: its name, a mark on cautions, and what it found. Empty where there is
/// none.
std::string verdicts_text(const Diagnostics& diagnostics);

/// The cautions that no warning of an estimate says, as warnings.
std::string caution_lines(const Diagnostics& diagnostics);

}  // namespace cone
