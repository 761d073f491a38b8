#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cone/dataset.hpp"

namespace cone {

/// The name of a column about one arm: mu0, or mu:email where arms have their own labels.
inline std::string column_of_arm(std::string_view name, std::span<const std::string> arms,
                                 std::size_t arm) {
  std::string column(name);
  if (!has_plain_labels(arms)) column += ':';
  return column + arms[arm];
}

}  // namespace cone
