#include "data/number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

#include <fast_float/fast_float.h>

#include "cone/text.hpp"

namespace cone {
namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

bool is_missing(std::string_view text) {
  // README.md lists them. Not "none", which is a value: no insurance, no medication.
  constexpr std::array<std::string_view, 8> kSpellings = {"",     "na",   "n/a", "nan",
                                                          "#n/a", "null", "?",   "."};
  return std::any_of(kSpellings.begin(), kSpellings.end(),
                     [&](std::string_view word) { return equals_ignoring_case(text, word); });
}

}  // namespace

const char* number_problem(double value) {
  if (!std::isfinite(value)) return "is not finite";
  return std::abs(value) > kLargestMagnitude ? "is too large to compute with" : nullptr;
}

ParsedNumber parse_number(std::string_view text) {
  text = trimmed(text);
  std::string_view digits = text;
  // fast_float takes no plus sign.
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] =
      fast_float::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc::invalid_argument && end == digits.data() + digits.size()) {
    if (std::isfinite(value)) return {NumberKind::kFinite, value};
    return {std::isnan(value) ? NumberKind::kMissing : NumberKind::kNotFinite, 0};
  }
  return {is_missing(text) ? NumberKind::kMissing : NumberKind::kNotANumber, 0};
}

std::optional<bool> parse_truth_value(std::string_view text) {
  text = trimmed(text);
  if (equals_ignoring_case(text, "true")) return true;
  if (equals_ignoring_case(text, "false")) return false;
  return std::nullopt;
}

std::optional<bool> parse_answer(std::string_view text) {
  text = trimmed(text);
  if (equals_ignoring_case(text, "yes") || equals_ignoring_case(text, "y")) return true;
  if (equals_ignoring_case(text, "no") || equals_ignoring_case(text, "n")) return false;
  return std::nullopt;
}

bool is_too_small(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest > 0 && largest < kSmallestMagnitude;
}

}  // namespace cone
