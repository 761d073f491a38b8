#include "cone/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace cone {
namespace {

std::string escape(std::uint32_t code) {
  return code < 0x80      ? fmt::format("\\x{:02x}", code)
         : code < 0x10000 ? fmt::format("\\u{:04x}", code)
                          : fmt::format("\\U{:08x}", code);
}

/// Whether all bytes are printable ASCII, by far the most common case.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

std::string fixed_number(double value, int decimals, Sign sign) {
  constexpr double kMostWhole = 1e15;
  constexpr int kMostDecimals = 12;
  if (!std::isfinite(value)) return "-";
  const std::string plus = sign == Sign::kAlways && value >= 0 ? "+" : "";
  if (decimals <= kMostDecimals && std::abs(value) < kMostWhole) {
    return plus + fmt::format("{:.{}f}", value, decimals);
  }
  const int before = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
  return plus + fmt::format("{:.{}e}", value, std::clamp(before + decimals, 0, 4));
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return grouped(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::vector<std::string> split_name(std::string_view name) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  std::vector<std::string> words;
  char before = ' ';
  for (const char c : name) {
    const bool is_letter = is_upper(c) || is_lower(c);
    const bool begins =
        (!is_upper(before) && !is_lower(before)) || (is_lower(before) && is_upper(c));
    if (is_letter && begins) words.emplace_back();
    if (is_letter) words.back() += lower_case({&c, 1});
    before = c;
  }
  return words;
}

bool is_treacherous(std::uint32_t code) {
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  constexpr std::array kRanges{
      Range{0x00, 0x1F},     Range{0x7F, 0x9F},     Range{0x061C, 0x061C}, Range{0x180E, 0x180E},
      Range{0x200B, 0x200B}, Range{0x200E, 0x200F}, Range{0x2028, 0x202E}, Range{0x2060, 0x206F},
      Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xFFFE, 0xFFFF}, Range{0xE0000, 0xE0FFF},
  };
  return std::any_of(kRanges.begin(), kRanges.end(), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return {};
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const std::uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least || code > 0x10FFFF || is_surrogate ? Character{} : Character{code, length};
}

std::string without_numbers(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    const bool in_number = !out.empty() && out.back() == '#';
    if (in_number && (is_digit || c == '.' || c == ',')) continue;
    out += is_digit ? '#' : c;
  }
  return out;
}

std::string printable(std::string_view text, std::size_t max_length) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= max_length) return out + "...";
    const Character c = first_character(text);
    if (c.length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (is_treacherous(c.code)) {
      out += escape(c.code);
    } else {
      out += text.substr(0, c.length);
    }
    text.remove_prefix(std::max<std::size_t>(c.length, 1));
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    out += is_plain(text.substr(0, end)) ? std::string(text.substr(0, end))
                                         : printable(text.substr(0, end), std::string::npos);
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

const char* text_problem(std::string_view text) {
  if (is_plain(text)) return nullptr;
  while (!text.empty()) {
    const std::size_t length = first_character(text).length;
    if (length == 0) return "is not valid UTF-8";
    if (text[0] == '\0') return "has a NUL byte";
    text.remove_prefix(length);
  }
  return nullptr;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

}  // namespace cone
