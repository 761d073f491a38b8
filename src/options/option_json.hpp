#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "cone/options.hpp"

namespace cone {

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

}  // namespace cone
