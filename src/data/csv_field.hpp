#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cone::csv {

/// The first separator or line feed in [p, end), or end. Eight bytes at a time: in the word x ^
/// pattern a match is a zero byte, and (x − 0x01…) & ~x & 0x80… marks the lowest zero byte exactly
/// (only bytes above it can be marked wrongly). Little-endian.
inline const char* find_delimiter(const char* p, const char* end, char separator) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = 0x8080808080808080U;
  const std::uint64_t separators = kOnes * static_cast<unsigned char>(separator);
  while (end - p >= 8) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    const std::uint64_t comma = word ^ separators;
    const std::uint64_t newline = word ^ (kOnes * '\n');
    const std::uint64_t hit =
        (((comma - kOnes) & ~comma) | ((newline - kOnes) & ~newline)) & kHighs;
    if (hit != 0) return p + (std::countr_zero(hit) >> 3);
    p += 8;
  }
  while (p < end && *p != separator && *p != '\n') ++p;
  return p;
}

/// One field of text in which quotes may occur.
struct ScannedField {
  std::string_view content;  ///< without the enclosing quotes, doubled quotes still doubled
  const char* delimiter;     ///< the separator or line feed after it, or the end
  bool has_doubled_quotes = false;
  bool is_terminated = true;     ///< false: the closing quote is missing
  bool has_stray_quote = false;  ///< a quote in an unquoted field, or text after a closing quote
};

/// Scans the field at p. Splitting into chunks and reading them share this one set of rules, so
/// they agree on where a record ends, also in malformed files.
inline ScannedField scan_field(const char* p, const char* end, char separator) {
  ScannedField field{};
  if (p == end || *p != '"') {
    field.delimiter = find_delimiter(p, end, separator);
    field.content = {p, static_cast<std::size_t>(field.delimiter - p)};
    field.has_stray_quote = field.content.find('"') != std::string_view::npos;
    return field;
  }
  const char* const begin = p + 1;
  const char* quote = begin;
  while (true) {
    quote =
        static_cast<const char*>(std::memchr(quote, '"', static_cast<std::size_t>(end - quote)));
    if (quote == nullptr) {
      field.content = {begin, static_cast<std::size_t>(end - begin)};
      field.delimiter = end;
      field.is_terminated = false;
      return field;
    }
    if (quote + 1 == end || quote[1] != '"') break;
    field.has_doubled_quotes = true;
    quote += 2;
  }
  field.content = {begin, static_cast<std::size_t>(quote - begin)};
  field.delimiter = find_delimiter(quote + 1, end, separator);
  const std::string_view rest(quote + 1, static_cast<std::size_t>(field.delimiter - quote - 1));
  const bool at_line_end = field.delimiter == end || *field.delimiter == '\n';
  field.has_stray_quote = !rest.empty() && !(at_line_end && rest == "\r");
  return field;
}

/// The content of a field with its doubled quotes made single.
inline std::string with_single_quotes(std::string_view doubled) {
  std::string text;
  text.reserve(doubled.size());
  for (std::size_t i = 0; i < doubled.size(); ++i) {
    text += doubled[i];
    if (doubled[i] == '"') ++i;  // the scan saw them in pairs
  }
  return text;
}

}  // namespace cone::csv
