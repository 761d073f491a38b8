#pragma once

#include <string>
#include <string_view>

namespace cone {

/// A user's text, fit for a message: control characters and bytes that are not UTF-8 as \xNN, and
/// cut after 60 bytes.
std::string printable(std::string_view text);

/// Why text cannot be a name or an id ("has a NUL byte", ...), or nullptr when it can.
const char* text_problem(std::string_view text);

/// Without surrounding spaces and tabs.
inline std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

enum class NumberKind { kFinite, kMissing, kNotFinite, kNotANumber };

struct ParsedNumber {
  NumberKind kind;
  double value;  ///< 0 unless finite
};

/// A decimal number, with surrounding spaces if any. An empty field and the usual spellings of a
/// missing value (NA, NaN, null, ...) are kMissing; infinities and overflows are kNotFinite.
ParsedNumber parse_number(std::string_view text);

}  // namespace cone
