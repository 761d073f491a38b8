#include "report/number_text.hpp"

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/readable_number.hpp"

namespace cone::report {

std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string(kNoNumber);
}

std::string signed_text(double value) {
  if (value == 0) return "0";
  return std::isfinite(value) ? fmt::format("{:+.4g}", value) : std::string(kNoNumber);
}

std::string range_text(const Range& range) {
  return is_finite(range) ? fmt::format("[{:.4g}, {:.4g}]", range.first, range.second)
                          : std::string(kNoNumber);
}

std::string percent_text(double share) {
  return std::isfinite(share) ? share_in_percent(share) : std::string(kNoNumber);
}

std::string count_text(double count) {
  constexpr double kLargestExact = 9007199254740992;  // beyond it doubles skip whole numbers
  if (!std::isfinite(count)) return std::string(kNoNumber);
  if (count < 0 || count > kLargestExact) return number_text(count);
  return grouped(static_cast<std::uint64_t>(std::llround(count)));
}

std::string p_text(double p) {
  if (!std::isfinite(p)) return std::string(kNoNumber);
  return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

bool is_finite(const Range& range) {
  return std::isfinite(range.first) && std::isfinite(range.second);
}

}  // namespace cone::report
