#include "base/readable_number.hpp"

#include <cmath>

#include "cone/text.hpp"

namespace cone {

std::string share_in_percent(double share, int decimals) {
  std::string text = sentence("{:.{}f}", 100 * share, decimals);
  const bool is_nothing = text.find_first_of("123456789") == text.npos && std::isfinite(share);
  if (is_nothing && text.front() == '-') text.erase(0, 1);
  return text + " %";
}

std::string readable_number(double value) {
  constexpr double kFourDigits = 9999.5;  // from here on they would be rounded
  constexpr double kReadable = 1e15;
  const double size = std::abs(value);
  if (size >= kFourDigits && size < kReadable) return sentence("{:.0f}", value);
  return sentence("{:.4g}", size == 0 ? 0.0 : value);
}

}  // namespace cone
