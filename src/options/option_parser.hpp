#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cone/options.hpp"

namespace cone {

inline bool parse_option(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}

template <class T>
requires(std::is_arithmetic_v<T> &&
         !std::is_same_v<T, bool>) bool parse_option(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

inline bool parse_option(std::string_view text, AutoNumber& value) {
  value.reset();
  return text == kAutomatic || parse_option(text, value.emplace());
}

inline bool parse_option(std::string_view text, Declaration& value) {
  value.reset();
  return text == kUndeclared || parse_option(text, value.emplace());
}

template <NamedEnum E>
bool parse_option(std::string_view text, E& value) {
  for (const auto& [candidate, name] : EnumNames<E>::kNames) {
    if (name != text) continue;
    value = candidate;
    return true;
  }
  return false;
}

inline bool parse_option(std::string_view text, std::vector<std::string>& value) {
  value.clear();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    value.emplace_back(text.substr(0, comma));
    if (comma == text.npos) break;
    text.remove_prefix(comma + 1);
  }
  return true;
}

/// The inverse of canonical_text: nothing where the text is not the canonical text of some options.
/// Ranges are not checked.
template <class Options>
std::optional<Options> parse_canonical_text(std::string_view text) {
  Options options;
  bool is_good = true;
  std::string_view rest = text;
  Options::visit(
      options, [&]<class T>(std::string_view name, T& value, std::string_view, const Range& = {}) {
        const std::size_t line_end = rest.find('\n');
        if (!is_good || line_end == rest.npos) {
          is_good = false;
          return;
        }
        const std::string_view line = rest.substr(0, line_end);
        rest.remove_prefix(line_end + 1);
        is_good = line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=' &&
                  parse_option(line.substr(name.size() + 1), value);
      });
  if (!is_good || canonical_text(options) != text) return std::nullopt;
  return options;
}

}  // namespace cone
