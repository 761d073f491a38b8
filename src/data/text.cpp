#include "data/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

namespace cone {
namespace {

constexpr std::size_t kMaxPrintedBytes = 60;

/// Length of the UTF-8 character at the start of the text, 0 when it is not one (overlong forms,
/// surrogates and code points past U+10FFFF included).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// Whether all bytes are printable ASCII, by far the most common case.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

bool is_missing(std::string_view text) {
  constexpr std::array<std::string_view, 8> kSpellings = {"",     "na",   "n/a",  "nan",
                                                          "#n/a", "null", "none", "?"};
  return std::any_of(kSpellings.begin(), kSpellings.end(),
                     [&](std::string_view word) { return equals_ignoring_case(text, word); });
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= kMaxPrintedBytes) return out + "...";
    const std::size_t length = utf8_length(text);
    if (length == 0 || is_control(text[0])) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

const char* text_problem(std::string_view text) {
  if (is_plain(text)) return nullptr;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return "is not valid UTF-8";
    if (text[0] == '\0') return "has a NUL byte";
    text.remove_prefix(length);
  }
  return nullptr;
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

}  // namespace cone
