#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

/// \file
/// Text for terminals, records and files: numbers, names and what a user wrote.

namespace cone {

/// 1234567 → "1,234,567".
std::string grouped(std::uint64_t number);

/// With this many decimals; with an exponent and the same last digit where the digits would be too
/// many to read; "-" where it is not finite.
enum class Sign { kOfNegative, kAlways };
std::string fixed_number(double value, int decimals, Sign sign = Sign::kOfNegative);

/// "1 node", "1,200 nodes": a number and a noun whose plural has an s.
std::string counted(std::uint64_t number, std::string_view noun);

/// Code point and length of a character; length 0 where it is not UTF-8 (overlong forms, surrogates
/// and code points past U+10FFFF included).
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;
};
Character first_character(std::string_view text);

/// Invisible characters that change how text is read: controls (a terminal obeys C0 and C1), marks
/// that change the writing direction, uncommon line separators, zero-width spaces and tags, with
/// which one name looks like another. The joiners U+200C and U+200D are not among them: Persian and
/// emoji need them.
bool is_treacherous(std::uint32_t code);

/// A user's text, safe for a message, a terminal and a page: treacherous characters as \xNN or
/// \uNNNN, bytes that are not UTF-8 as \xNN, and cut after about `max_length` bytes.
std::string printable(std::string_view text, std::size_t max_length = 60);

/// The same for whole texts: line ends and tabs stay, and nothing is cut. Text that is already
/// printable is unchanged.
std::string printable_lines(std::string_view text);

/// Why text cannot be a name or an id ("has a NUL byte", ...), or nullptr when it can.
const char* text_problem(std::string_view text);

/// Without surrounding spaces and tabs.
inline std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// With every number replaced by #: sentences that differ in their numbers only become equal.
std::string without_numbers(std::string_view text);

/// ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// The parts of a column's name in lower case, split at everything but letters and where an
/// upper-case letter follows a lower-case one: home_zip2 and homeZip are both home and zip.
std::vector<std::string> split_name(std::string_view name);

/// The name in `candidates` closest to `word` by edit distance, or "" when none is near. In words
/// and names of fewer than four letters everything is near everything: "" for those, and for words
/// of more than a hundred.
template <class Names>
std::string closest_name(std::string_view word, const Names& candidates);

/// Levenshtein distance. O(|a|·|b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Names>
std::string closest_name(std::string_view word, const Names& candidates) {
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kLongest = 100;  // a file may hold names of megabytes
  std::string best;
  if (word.size() < kShortest || word.size() > kLongest) return best;
  std::size_t best_distance = 3;  // more than two edits are not a typing error
  for (const auto& candidate : candidates) {
    const std::size_t size = std::string_view(candidate).size();
    // The distance is at least the difference of the lengths.
    const std::size_t difference = size < word.size() ? word.size() - size : size - word.size();
    if (size < kShortest || difference >= best_distance) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

/// A number in a text: as fmt writes it, and `otherwise` where it is not finite.
template <class Real>
struct ShownNumber {
  Real value = 0;
  std::string_view otherwise;
};

/// Arguments of fmt::format with every floating-point number as a ShownNumber.
template <class T>
decltype(auto) shown(const T& argument, std::string_view otherwise) {
  if constexpr (std::is_floating_point_v<T>) {
    return ShownNumber<T>{argument, otherwise};
  } else {
    return (argument);
  }
}
template <class T>
using Shown = decltype(shown(std::declval<const T&>(), ""));

}  // namespace cone

template <class Real>
struct fmt::formatter<cone::ShownNumber<Real>> : fmt::formatter<Real> {
  template <class FormatContext>
  auto format(cone::ShownNumber<Real> number, FormatContext& context) const {
    if (std::isfinite(number.value)) return formatter<Real>::format(number.value, context);
    return fmt::format_to(context.out(), "{}", number.otherwise);
  }
};

namespace cone {

/// fmt::format for text that is printed or recorded: never "nan" or "inf", whatever was computed.
template <class... Args>
std::string sentence(fmt::format_string<Shown<Args>...> pattern, const Args&... args) {
  return fmt::format(pattern, shown(args, "–")...);
}

/// The same for lines of CSV files, where a number that is missing is an empty field.
template <class... Args>
std::string csv_line(fmt::format_string<Shown<Args>...> pattern, const Args&... args) {
  return fmt::format(pattern, shown(args, "")...);
}

}  // namespace cone
