#pragma once

#include <string_view>

namespace cone::load {

/// What to do about "none" in a column of numbers.
inline constexpr const char* kNoneBesideNumbers =
    "leave the cells empty where the value is missing (none is a value)";

/// "2020-01-31", "31/1/2020", "31.1.20", "31jan2020", with a time behind it or not.
bool looks_like_date(std::string_view text);

/// A number as another country or a spreadsheet writes it: "1,5", "1,234", "12 %", "$3". Returns
/// how to write it instead, or nullptr where the text is none.
const char* other_notation(std::string_view text);

}  // namespace cone::load
