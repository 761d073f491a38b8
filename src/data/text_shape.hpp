#pragma once

#include <string_view>

namespace cone::load {

/// What to do about "none" in a column of numbers.
inline constexpr const char* kNoneAmongNumbers =
    "leave the cells empty where the value is missing ('none' is read as a value)";

/// "2020-01-31", "31/1/2020", "31.1.20", "31jan2020", followed by a time or not.
bool looks_like_date(std::string_view text);

/// A number as another country or a spreadsheet writes it: "1,5", "1,234", "12 %", "$3". Returns
/// how to write it instead, or nullptr where the text is not such a number.
const char* other_notation(std::string_view text);

}  // namespace cone::load
