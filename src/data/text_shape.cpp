#include "data/text_shape.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "cone/text.hpp"

#include "data/number.hpp"

namespace cone::load {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Removes digits from the front and returns how many.
std::size_t take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  text.remove_prefix(count);
  return count;
}

bool is_number_text(std::string_view text) {
  return parse_number(text).kind == NumberKind::kFinite;
}

}  // namespace

bool looks_like_date(std::string_view text) {
  text = trimmed(text);
  const std::size_t first = take_digits(text);
  if (first == 0 || first > 4 || text.empty()) return false;
  if (first <= 2 && text.size() >= 5 && std::all_of(text.begin(), text.begin() + 3, is_letter)) {
    text.remove_prefix(3);
    const std::size_t year = take_digits(text);
    return year == 4 && text.empty();
  }
  const char separator = text.front();
  if (separator != '-' && separator != '/' && separator != '.') return false;
  text.remove_prefix(1);
  const std::size_t second = take_digits(text);
  if (second == 0 || second > 2 || text.empty() || text.front() != separator) return false;
  text.remove_prefix(1);
  const std::size_t third = take_digits(text);
  const bool year_first = first == 4 && third >= 1 && third <= 2;
  const bool year_last = first <= 2 && (third == 2 || third == 4);
  return (year_first || year_last) && (text.empty() || text.front() == 'T' || text.front() == ' ');
}

const char* other_notation(std::string_view text) {
  text = trimmed(text);
  if (text.ends_with('%') && is_number_text(text.substr(0, text.size() - 1))) {
    return "write percentages as plain numbers";
  }
  constexpr std::array<std::string_view, 3> kCurrencies = {"$", "\xE2\x82\xAC", "\xC2\xA3"};
  for (const std::string_view sign : kCurrencies) {
    std::string_view rest = text;
    if (rest.starts_with(sign))
      rest.remove_prefix(sign.size());
    else if (rest.ends_with(sign))
      rest.remove_suffix(sign.size());
    else
      continue;
    if (is_number_text(rest) || other_notation(rest) != nullptr)
      return "write amounts without a currency sign";
  }
  const auto num_commas = std::count(text.begin(), text.end(), ',');
  if (num_commas == 0) return nullptr;
  std::string plain(text);
  std::erase(plain, ',');
  if (!is_number_text(plain)) return nullptr;
  return num_commas == 1 ? "write numbers with a decimal point and without thousands separators"
                         : "write numbers without thousands separators";
}

}  // namespace cone::load
