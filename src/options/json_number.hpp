#pragma once

#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

namespace cone {

/// JSON has no NaN or infinity: they become null.
inline nlohmann::ordered_json json_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json json_number(const std::optional<double>& value) {
  return value ? json_number(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace cone
