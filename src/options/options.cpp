#include "cone/options.hpp"

#include <algorithm>
#include <cmath>

namespace cone {

std::string Range::describe() const {
  const bool has_low = std::isfinite(low);
  const bool has_high = std::isfinite(high);
  if (has_low && has_high) {
    const bool open = low_open || high_open;
    return fmt::format("{} {} and {}", open ? "strictly between" : "between", low, high);
  }
  if (has_low) return fmt::format("{} {}", low_open ? "more than" : "at least", low);
  if (has_high) return fmt::format("{} {}", high_open ? "less than" : "at most", high);
  return "a finite number";
}

std::string flag_name(std::string_view option_name) {
  std::string flag = "--" + std::string(option_name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string option_text(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

}  // namespace cone
