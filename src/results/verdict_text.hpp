#pragma once

#include <string>

#include "cone/record.hpp"

namespace cone {

/// One line per diagnostic: name, verdict and finding. Empty without diagnostics.
std::string verdicts_text(const Diagnostics& diagnostics);

/// Cautions that no warning of an estimate repeats, as warning lines.
std::string caution_lines(const Diagnostics& diagnostics);

}  // namespace cone
