#pragma once

#include <cmath>
#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "options/record_json.hpp"

namespace cone {

/// The JSON schema (draft 2020-12) of a record, from the same lines as its JSON
/// (options/record_json.hpp), or of options, from their `visit`. Objects have no other keys, and
/// need those that no rule makes optional. Values are used for their types only.
class SchemaLines {
 public:
  using Json = nlohmann::ordered_json;

  template <class T, class... Rules>
  void operator()(std::string_view key, const T& value, const Rules&... rules) {
    Numbers numbers;
    (read_range(rules, numbers), ...);
    Json schema;
    if constexpr (is_any<IfAny, Rules...> && OptionalLike<T>) {
      schema = schema_of(typename T::value_type{}, numbers);
    } else {
      schema = schema_of(value, numbers);
    }
    if constexpr (is_any<Constant, Rules...>) schema = {{"const", std::string(value)}};
    (add_keywords(rules, schema), ...);
    properties_[std::string(key)] = std::move(schema);
    if (!is_any<IfAny, Rules...> && !is_any<OnlyIf, Rules...>) {
      required_.push_back(std::string(key));
    }
  }

  Json properties() && { return std::move(properties_); }

  /// Of an object with these lines.
  template <class List>
  static Json object(const List& list) {
    SchemaLines lines;
    list(lines);
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", std::move(lines.required_)},
            {"properties", std::move(lines.properties_)}};
  }

 private:
  /// Of the numbers in a value. Without a range they may be missing, except for whole numbers.
  struct Numbers {
    std::optional<Range> range;
    bool or_null = false;
  };

  template <class Rule, class... Rules>
  static constexpr bool is_any = (std::same_as<Rule, Rules> || ...);

  template <class Rule>
  static void read_range(const Rule& rule, Numbers& numbers) {
    if constexpr (std::same_as<Rule, Range>) numbers = {rule, false};
    if constexpr (std::same_as<Rule, OrNull>) numbers = {rule.range, true};
  }

  template <class Rule>
  static void add_keywords(const Rule& rule, Json& schema) {
    if constexpr (std::same_as<Rule, SchemaKeywords>) {
      schema.merge_patch(Json::parse("{" + std::string(rule.text) + "}"));
    } else if constexpr (TextLike<Rule>) {
      schema["description"] = std::string(std::string_view(rule));
    }
  }

  static Json or_null(Json schema) {
    if (schema.contains("type") && schema["type"].is_string()) {
      schema["type"] = {schema["type"], "null"};
    }
    return schema;
  }

  static Json number_schema(const char* type, const Numbers& numbers) {
    Json schema = {{"type", type}};
    const Range range = numbers.range.value_or(Range());
    const auto end = [](double value) {
      return value == std::floor(value) ? Json(static_cast<std::int64_t>(value)) : Json(value);
    };
    if (std::isfinite(range.low)) {
      schema[range.low_open ? "exclusiveMinimum" : "minimum"] = end(range.low);
    }
    if (std::isfinite(range.high)) {
      schema[range.high_open ? "exclusiveMaximum" : "maximum"] = end(range.high);
    }
    return numbers.or_null ? or_null(std::move(schema)) : schema;
  }

  template <class Item>
  static Json list_of(const Item& item, const Numbers& numbers) {
    return {{"type", "array"}, {"items", schema_of(item, numbers)}};
  }

  template <class T>
  static Json schema_of(const T& value, Numbers numbers) {
    if constexpr (std::invocable<const T&>) {
      return schema_of(std::invoke_result_t<const T&>{}, numbers);
    } else if constexpr (std::same_as<T, Json>) {
      return {{"type", "object"}};
    } else if constexpr (std::same_as<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::integral<T>) {
      if (!numbers.range) numbers.range = at_least(0);
      return number_schema("integer", numbers);
    } else if constexpr (std::floating_point<T>) {
      if (!numbers.range) numbers.or_null = true;
      return number_schema("number", numbers);
    } else if constexpr (TextLike<T>) {
      return {{"type", "string"}};
    } else if constexpr (std::is_enum_v<T>) {
      return {{"enum", enum_choices<T>()}};
    } else if constexpr (OptionalLike<T>) {
      using Value = typename T::value_type;
      if constexpr (!PairLike<Value>) return or_null(schema_of(Value{}, numbers));
      return schema_of(Value{}, {numbers.range, true});
    } else if constexpr (PairLike<T>) {
      Json schema = list_of(value.first, numbers);
      schema.update({{"minItems", 2}, {"maxItems", 2}});
      return schema;
    } else if constexpr (MapLike<T>) {
      using Value = typename std::ranges::range_value_t<T>::second_type;
      return {{"type", "object"}, {"additionalProperties", schema_of(Value{}, numbers)}};
    } else if constexpr (TableLike<T>) {
      return {{"type", "array"}, {"items", list_of(double{}, numbers)}};
    } else if constexpr (std::ranges::range<T>) {
      return list_of(std::ranges::range_value_t<T>{}, numbers);
    } else {
      return structured_schema(value);
    }
  }

  template <class Items, class List>
  static Json structured_schema(const Each<Items, List>& value) {
    using Item = std::ranges::range_value_t<Items>;
    Json items;
    if constexpr (std::is_pointer_v<Item>) {
      const std::remove_pointer_t<Item> item{};
      items = object([&](SchemaLines& lines) { value.list(&item, lines); });
    } else {
      items = object([&](SchemaLines& lines) { value.list(Item{}, lines); });
    }
    return {{"type", "array"}, {"items", std::move(items)}};
  }
  template <class List>
  static Json structured_schema(const Group<List>& value) {
    return object(value.list);
  }
  template <class Record>
  static Json structured_schema(const Record& record) {
    return object([&](SchemaLines& lines) { list_fields(record, lines); });
  }

  Json required_ = Json::array();
  Json properties_ = Json::object();
};

template <class Record>
nlohmann::ordered_json record_schema(const Record& record) {
  return SchemaLines::object([&](SchemaLines& lines) { list_fields(record, lines); });
}

/// The properties of an object with the options.
template <class Options>
nlohmann::ordered_json option_properties() {
  SchemaLines lines;
  const Options options;
  Options::visit(options, [&]<class T>(std::string_view name, const T& value, std::string_view help,
                                       const Range& range = {}) {
    if constexpr (std::same_as<T, AutoNumber>) {
      lines(name, std::string(), help,
            SchemaKeywords{R"("type": ["number", "string"], "pattern": "^auto$")"});
    } else {
      lines(name, value, help, range);
    }
  });
  return std::move(lines).properties();
}

}  // namespace cone
