#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cone/error.hpp"

namespace cone::python {

/// A sentence of the program with its flags as Python has them: "--missing drop" is
/// missing="drop", "--no-sensitivity-interval" is sensitivity_interval=False, "--rank-arm" alone is
/// rank_arm=.
std::string spell_as_keywords(std::string_view sentence);
std::vector<std::string> spell_as_keywords(const std::vector<std::string>& sentences);

/// The same for everything that an error says.
Error spell_as_keywords(const Error& error);

}  // namespace cone::python
