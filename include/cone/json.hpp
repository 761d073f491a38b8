#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cone/error.hpp"
#include "cone/options.hpp"
#include "cone/text.hpp"

/// \file
/// JSON of untrusted files, and options as JSON.

namespace cone {

/// Parses untrusted JSON text. Throws Error(kData) at `file` and its line for text that is not
/// JSON, a key that an object has twice (the parser would silently keep one), numbers that
/// overflow, and nesting beyond kMaxJsonDepth, which would overflow the stack in copies and
/// comparisons. `advice` completes the message.
inline constexpr int kMaxJsonDepth = 100;
nlohmann::ordered_json parse_json(std::string_view bytes, const std::string& file,
                                  const std::string& advice);

/// The text of a record, indented where `indent` is not negative. Bytes that are not UTF-8, as in
/// file names, become U+FFFD instead of failing the record. Treacherous characters (cone/text.hpp)
/// are escaped, so that a record is safe to show on a terminal.
std::string dump_json(const nlohmann::ordered_json& json, int indent = 2);

/// The options as one JSON object, one key per field, in declaration order.
template <class Options>
nlohmann::ordered_json option_json(const Options& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  Options::visit(options, [&]<class T>(std::string_view name, const T& value, std::string_view,
                                       const Range& = {}) {
    if constexpr (std::is_enum_v<T>) {
      json[std::string(name)] = std::string(enum_name(value));
    } else if constexpr (std::is_same_v<T, AutoNumber>) {
      if (value) {
        json[std::string(name)] = *value;
      } else {
        json[std::string(name)] = std::string(kAutomatic);
      }
    } else if constexpr (std::is_same_v<T, Declaration>) {
      json[std::string(name)] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    } else {
      json[std::string(name)] = value;
    }
  });
  return json;
}

/// The present name of an option that had another one before 0.1.0 was released (the table of
/// CHANGELOG.md); empty for every other word. Only messages use it: old names are not accepted.
constexpr std::string_view renamed_option(std::string_view old_name) {
  constexpr std::array kRenamed = {
      std::pair<std::string_view, std::string_view>{"robust", "sensitivity_interval"},
      std::pair<std::string_view, std::string_view>{"ask_about", "split_on"},
  };
  for (const auto& [old, present] : kRenamed) {
    if (old == old_name) return present;
  }
  return {};
}

/// The option that other packages for causal inference and machine learning know by this name;
/// empty for every other word. For "did you mean".
constexpr std::string_view familiar_option(std::string_view name) {
  using Names = std::pair<std::string_view, std::string_view>;
  constexpr std::array kFamiliar = {
      Names{"alpha", "level"},   Names{"random_state", "seed"}, Names{"n_jobs", "threads"},
      Names{"n_rep", "repeats"}, Names{"n_folds", "folds"},     Names{"policies", "policy"},
      Names{"cv", "folds"},      Names{"clusters", "cluster"},  Names{"covariates", "features"},
  };
  for (const auto& [familiar, ours] : kFamiliar) {
    if (familiar == name) return ours;
  }
  return {};
}

/// A file of options (schema cone.options/1):
///
///   {"schema": "cone.options/1", "options": {"gamma": 0.1, ...}, "tuning": {...}}
///
/// "tuning" describes how the values were found; readers ignore it.
inline constexpr std::string_view kOptionFileSchema = "cone.options/1";

/// The "options" object of such a file, not yet checked. Throws Error(kData) where the file is not
/// as described, or where an object has a key twice.
nlohmann::ordered_json read_option_object(const std::filesystem::path& file);
/// The same from the bytes of such a file; `file` is its name in messages.
nlohmann::ordered_json parse_option_object(std::string_view bytes, const std::string& file);

/// Reads a value of exactly the option's type. Returns what was expected instead, or "".
template <class T>
std::string take_option(const nlohmann::ordered_json& json, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return "true or false";
    value = json.get<bool>();
  } else if constexpr (std::is_enum_v<T>) {
    if (!json.is_string() || !parse_option(json.get_ref<const std::string&>(), value)) {
      return fmt::format("one of {}", fmt::join(enum_choices<T>(), ", "));
    }
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) return "a string";
    value = json.get<std::string>();
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    if (json.is_string()) {  // as on the command line: a,b,c
      parse_option(json.get_ref<const std::string&>(), value);
      return "";
    }
    const auto is_text = [](const auto& item) { return item.is_string(); };
    if (!json.is_array() || !std::all_of(json.begin(), json.end(), is_text)) {
      return "a list of strings";
    }
    value = json.get<T>();
  } else if constexpr (std::is_same_v<T, int>) {
    if (!json.is_number_integer() || !std::in_range<int>(json.get<std::int64_t>()) ||
        (json.is_number_unsigned() && !std::in_range<int>(json.get<std::uint64_t>()))) {
      return "a whole number";
    }
    value = json.get<int>();
  } else if constexpr (std::is_unsigned_v<T>) {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > std::numeric_limits<T>::max()) {
      return fmt::format("a whole number up to {}", std::numeric_limits<T>::max());
    }
    value = json.get<T>();
  } else if constexpr (std::is_same_v<T, AutoNumber>) {
    if (json.is_null() || json == std::string(kAutomatic)) {  // null: None in Python
      value.reset();
    } else if (json.is_number()) {
      value = json.get<double>();
    } else {
      return fmt::format("a number or {}", kAutomatic);
    }
  } else if constexpr (std::is_same_v<T, Declaration>) {
    value.reset();
    if (!json.is_null()) return take_option(json, value.emplace());
  } else {
    static_assert(std::is_floating_point_v<T>, "take_option does not support this type of option");
    if (!json.is_number()) return "a number";
    value = json.get<T>();
  }
  return "";
}

/// Options from such an object; those that it does not name keep their defaults. Throws
/// Error(kData) listing every unknown key, value of the wrong type and value out of range.
template <class Options>
Options take_options(nlohmann::ordered_json object, const std::string& file) {
  Options options;
  std::vector<std::string> known;
  FaultList faults;
  const auto fault = [&](std::string_view key, const std::string& what, const std::string& advice) {
    // Every key is a kind of fault by itself: none may hide another.
    faults.add(std::string(key), {{.file = file, .item = printable(key)}, what, advice});
  };
  Options::visit(options, [&]<class T>(std::string_view name, T& value, std::string_view,
                                       const Range& range = {}) {
    const auto found = object.find(std::string(name));
    known.emplace_back(name);
    if (found == object.end()) return;
    // Not the contents of lists and objects: they may be nested too deeply to dump.
    const std::string text =
        found->is_structured() ? std::string("an ") + found->type_name() : printable(found->dump());
    const std::string expected = take_option(*found, value);
    if (!expected.empty()) {
      fault(name, fmt::format("is {}, must be {}", text, expected), "");
    } else if (!is_within(range, value)) {
      fault(name, fmt::format("is {}, must be {}", text, range.describe()), "");
    }
    object.erase(found);
  });
  for (const auto& [key, value] : object.items()) {
    const std::string_view present = renamed_option(key);
    if (std::find(known.begin(), known.end(), present) != known.end()) {
      fault(key, fmt::format("is called {} now", present), "");
      continue;
    }
    const std::string_view familiar = familiar_option(key);
    const bool has_familiar = std::find(known.begin(), known.end(), familiar) != known.end();
    const std::string nearest = has_familiar ? std::string(familiar) : closest_name(key, known);
    fault(key, "is not an option",
          nearest.empty() ? fmt::format("choose from {}", fmt::join(known, ", "))
                          : fmt::format("did you mean {}?", nearest));
  }
  faults.throw_if_any(ErrorCode::kData);
  return options;
}

/// Options from a file.
template <class Options>
Options read_option_file(const std::filesystem::path& file) {
  return take_options<Options>(read_option_object(file), file.string());
}

}  // namespace cone
