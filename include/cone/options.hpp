#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"

/// \file
/// The option visitor: one line per option gives flag, JSON key, help, default and range.

// One line per field, in a static `visit` of a plain struct, is the whole definition of an option:
//
//   struct FoldOptions {
//     int folds = 5;
//     template <class Self, class Visitor>
//     static void visit(Self& self, Visitor&& visitor) {
//       visitor("folds", self.folds, "Number of cross-fitting folds", at_least(2));
//     }
//   };
//
// From it come the flag (--folds), the JSON key ("folds"), the help text, the default (the member
// initialiser), the validation and the option's part of the run's identity.

namespace cone {

/// The values a numeric option may take.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  /// Never infinities or NaN.
  bool contains(double x) const {
    return std::isfinite(x) && (low_open ? x > low : x >= low) &&
           (high_open ? x < high : x <= high);
  }
  /// "at least 2", "between 0 and 1", "more than 0"
  std::string describe() const;
};

inline Range at_least(double low) { return {.low = low}; }
inline Range more_than(double low) { return {.low = low, .low_open = true}; }
inline Range between(double low, double high) { return {.low = low, .high = high}; }
inline Range strictly_between(double low, double high) {
  return {.low = low, .high = high, .low_open = true, .high_open = true};
}

/// Specialise with `static constexpr std::array kNames = {std::pair{E::kA, "a"}, ...}` (pairs of
/// value and std::string_view) to make an enum usable as an option.
template <class E>
struct EnumNames;

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires {
  EnumNames<E>::kNames;
};

template <NamedEnum E>
std::string_view enum_name(E value) {
  for (const auto& [candidate, name] : EnumNames<E>::kNames) {
    if (candidate == value) return name;
  }
  return "?";
}

template <NamedEnum E>
std::vector<std::string> enum_choices() {
  std::vector<std::string> names;
  names.reserve(EnumNames<E>::kNames.size());
  for (const auto& entry : EnumNames<E>::kNames) names.emplace_back(entry.second);
  return names;
}

/// "weight_bound" → "--weight-bound".
std::string flag_name(std::string_view option_name);

/// The value as one canonical piece of text: round-trips numbers, joins lists with commas.
inline std::string option_text(bool value) { return value ? "true" : "false"; }
inline std::string option_text(const std::string& value) { return value; }
std::string option_text(const std::vector<std::string>& values);
template <class T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>) std::string option_text(T value) {
  return fmt::format("{}", value);
}
template <NamedEnum E>
std::string option_text(E value) {
  return std::string(enum_name(value));
}

/// A number that is chosen from the data by default. In text and in JSON it is then this word.
using AutoNumber = std::optional<double>;
inline constexpr std::string_view kAutomatic = "auto";
inline std::string option_text(const AutoNumber& value) {
  return value ? option_text(*value) : std::string(kAutomatic);
}

/// A statement that users may make, deny (--no-...) or leave open. In JSON null is open.
using Declaration = std::optional<bool>;
inline constexpr std::string_view kUndeclared = "undeclared";
inline std::string option_text(const Declaration& value) {
  return value ? option_text(*value) : std::string(kUndeclared);
}

/// Whether an option has a value that its range allows. Ranges are of numbers.
template <class T>
bool is_within(const Range& range, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) return range.contains(static_cast<double>(value));
  if constexpr (std::same_as<T, AutoNumber>) return !value || range.contains(*value);
  return true;
}

/// Every violated range, as faults that name the flag. Structs with rules across fields add them in
/// `void check(std::vector<Fault>&) const`.
template <class Options>
std::vector<Fault> option_faults(const Options& options) {
  std::vector<Fault> faults;
  Options::visit(options, [&]<class T>(std::string_view name, const T& value, std::string_view,
                                       const Range& range = {}) {
    if (!is_within(range, value)) {
      Fault& fault = faults.emplace_back();
      fault.place.item = flag_name(name);
      fault.what = fmt::format("is {}, must be {}", option_text(value), range.describe());
    }
  });
  if constexpr (requires { options.check(faults); }) options.check(faults);
  return faults;
}

/// Throws Error(kUsage) listing every violation.
template <class Options>
void validate(const Options& options) {
  std::vector<Fault> faults = option_faults(options);
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

/// "name=value" lines in declaration order: what a run's identity hashes.
template <class Options>
std::string canonical_text(const Options& options) {
  std::string text;
  Options::visit(options, [&]<class T>(std::string_view name, const T& value, std::string_view,
                                       const Range& = {}) {
    text += fmt::format("{}={}\n", name, option_text(value));
  });
  return text;
}

}  // namespace cone
