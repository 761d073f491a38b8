#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace cone {

enum class NumberKind { kFinite, kMissing, kNotFinite, kNotANumber };

struct ParsedNumber {
  NumberKind kind;
  double value;  ///< 0 unless finite
};

/// Squares of such numbers and sums of them stay finite.
inline constexpr double kLargestMagnitude = 1e100;
/// Squares of smaller numbers, and of differences between them, may become 0.
inline constexpr double kSmallestMagnitude = 1e-100;

/// Why a number cannot be used ("is not finite", "is too large to compute with"), or nullptr: the
/// same rule for values of every format.
const char* number_problem(double value);

/// Whether all values are too small to compute with, and not all are 0. A single small one among
/// others is as good as 0.
bool is_too_small(std::span<const double> values);

/// A file with more columns is damaged or hostile: each has a name.
inline constexpr std::size_t kMostFeatures = 10'000'000;

/// A decimal number, with surrounding spaces if any. An empty field and the usual spellings of a
/// missing value (the list is in README.md) are kMissing; infinities and overflows are kNotFinite.
ParsedNumber parse_number(std::string_view text);

/// True and False in any letter case, with surrounding spaces if any.
std::optional<bool> parse_truth_value(std::string_view text);

/// The same for yes and no, y and n.
std::optional<bool> parse_answer(std::string_view text);

}  // namespace cone
