#pragma once

#include <optional>
#include <string_view>

namespace cone {

enum class NumberKind { kFinite, kMissing, kNotFinite, kNotANumber };

struct ParsedNumber {
  NumberKind kind;
  double value;  ///< 0 unless finite
};

/// A decimal number, with surrounding spaces if any. An empty field and the usual spellings of a
/// missing value (NA, NaN, null, ., ...) are kMissing; infinities and overflows are kNotFinite.
ParsedNumber parse_number(std::string_view text);

/// True and False in any letter case, with surrounding spaces if any.
std::optional<bool> parse_truth_value(std::string_view text);

}  // namespace cone
