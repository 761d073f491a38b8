#pragma once

#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "cone/options.hpp"

#include "options/json_number.hpp"

// One line per field, in a function `list_fields` for a record type, is the whole definition of its
// JSON and of its JSON schema, as `visit` is that of options:
//
//   void list_fields(const Budget& budget, auto& line) {
//     line("share", budget.share, "Share of the units treated", between(0, 1));
//     line("net_gain", budget.gain - budget.cost);
//     line("truth", budget.truth, "Simulations only", if_any());
//   }
//
// A value is a number, text, an enum with names, a pair [low, high], another record, or a container
// of them; no value is null. One that can be computed for real records only, not for the empty one
// behind the schema, is a function without arguments. A description and rules may follow. Numbers
// with a range are never null. record_json() writes the JSON, in the order of the lines;
// tests/results/record_schema.hpp writes the schema.

namespace cone {

/// The key is absent where `is_present` is false.
struct OnlyIf {
  bool is_present = true;
};
inline OnlyIf only_if(bool is_present) { return {is_present}; }

/// The key is absent where the value is none or empty.
struct IfAny {};
inline IfAny if_any() { return {}; }

/// A number in the range, or null.
struct OrNull {
  Range range;
};
inline OrNull or_null(const Range& range) { return {range}; }

/// The value is the same in all records.
struct Constant {};

/// Further keywords of JSON schema, as the text between the braces.
struct SchemaKeywords {
  std::string_view text;
};

/// A list of objects, and a single one, whose lines need more than the object itself:
/// list(item, line), list(line).
template <class Items, class List>
struct Each {
  const Items& items;
  List list;
};
template <class Items, class List>
Each<Items, List> each(const Items& items, List list) {
  return {items, std::move(list)};
}
template <class List>
struct Group {
  List list;
};
template <class List>
Group<List> group(List list) {
  return {std::move(list)};
}

/// Text that may be unknown, then null.
inline std::optional<std::string> known(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

template <class T>
concept PairLike = requires {
  typename T::first_type;
  typename T::second_type;
};
template <class T>
concept OptionalLike = requires(const T& value) {
  value.has_value();
  *value;
};
template <class T>
concept TextLike = std::convertible_to<const T&, std::string_view>;
/// Keys and values, in order: a map, or a list of pairs.
template <class T>
concept MapLike = std::ranges::range<T> && requires(const T& value) {
  { value.begin()->first } -> TextLike;
};
template <class T>
concept TableLike = requires(const T& value) {
  value.rows();
  value.row(0);
};

/// Writes lines as the keys of one object.
class JsonLines {
 public:
  template <class T, class... Rules>
  void operator()(std::string_view key, const T& value, const Rules&... rules) {
    if ((is_left_out(value, rules) || ...)) return;
    json_[std::string(key)] = to_json(value);
  }
  nlohmann::ordered_json json() && { return std::move(json_); }

  template <class List>
  static nlohmann::ordered_json object(const List& list) {
    JsonLines lines;
    list(lines);
    return std::move(lines).json();
  }

 private:
  using Json = nlohmann::ordered_json;

  template <class T, class Rule>
  static bool is_left_out(const T& value, const Rule& rule) {
    if constexpr (std::same_as<Rule, OnlyIf>) return !rule.is_present;
    if constexpr (std::same_as<Rule, IfAny> && OptionalLike<T>) return !value.has_value();
    if constexpr (std::same_as<Rule, IfAny> && !OptionalLike<T>) return std::empty(value);
    return false;
  }

  template <class T>
  static Json to_json(const T& value) {
    if constexpr (std::invocable<const T&>) {
      return to_json(value());
    } else if constexpr (std::same_as<T, Json> || std::same_as<T, bool> || std::integral<T>) {
      return value;
    } else if constexpr (std::floating_point<T>) {
      return json_number(value);
    } else if constexpr (TextLike<T>) {
      return std::string(std::string_view(value));
    } else if constexpr (std::is_enum_v<T>) {
      return std::string(enum_name(value));
    } else if constexpr (OptionalLike<T>) {
      if (value) return to_json(*value);
      if constexpr (PairLike<std::remove_cvref_t<decltype(*value)>>) return {nullptr, nullptr};
      return nullptr;
    } else if constexpr (PairLike<T>) {
      return Json::array({to_json(value.first), to_json(value.second)});
    } else if constexpr (MapLike<T>) {
      Json json = Json::object();
      for (const auto& [key, part] : value) json[std::string(key)] = to_json(part);
      return json;
    } else if constexpr (TableLike<T>) {
      Json json = Json::array();
      for (std::size_t i = 0; i < value.rows(); ++i) json.push_back(to_json(value.row(i)));
      return json;
    } else if constexpr (std::ranges::range<T>) {
      Json json = Json::array();
      for (const auto& item : value) json.push_back(to_json(item));
      return json;
    } else {
      return structured_json(value);
    }
  }

  template <class Items, class List>
  static Json structured_json(const Each<Items, List>& value) {
    Json json = Json::array();
    for (const auto& item : value.items) {
      json.push_back(object([&](JsonLines& lines) { value.list(item, lines); }));
    }
    return json;
  }
  template <class List>
  static Json structured_json(const Group<List>& value) {
    return object(value.list);
  }
  template <class Record>
  static Json structured_json(const Record& record) {
    return object([&](JsonLines& lines) { list_fields(record, lines); });
  }

  Json json_ = Json::object();
};

/// The record as one JSON object, one key per line.
template <class Record>
nlohmann::ordered_json record_json(const Record& record) {
  return JsonLines::object([&](JsonLines& lines) { list_fields(record, lines); });
}

}  // namespace cone
