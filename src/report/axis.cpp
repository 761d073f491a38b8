#include "report/axis.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cone::report {
namespace {

constexpr double kMargin = 0.04;
constexpr double kLargest = 1e150;  // so that differences of ends stay finite

/// The smallest round step that makes at most `most` ticks of a width.
double round_step(double width, int most) {
  const double power = std::pow(10, std::floor(std::log10(width / most)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (width / (factor * power) <= most) return factor * power;
  }
  return 10 * power;
}

}  // namespace

double Axis::share(double value) const {
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

std::string Axis::tick_text(double tick) const {
  if (decimals < 0) return fmt::format("{:.3g}", tick);
  const std::string text = fmt::format("{:.{}f}", tick, decimals);
  return text.find_first_not_of("-0.") == text.npos ? "0" : text;
}

Axis make_axis(std::span<const double> values, int most_ticks, bool is_tight) {
  double low = kLargest;
  double high = -kLargest;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, std::max(value, -kLargest));
    high = std::max(high, std::min(value, kLargest));
  }
  if (low > high) {
    low = 0;
    high = 1;
  }
  // Numbers that differ by less than rounding would give ticks that all read the same.
  const double least_width = std::max(1e-9 * std::max(std::abs(low), std::abs(high)), 1e-150);
  if (high - low < least_width) {
    const double half = std::max({0.5 * std::abs(low), least_width, low == 0 ? 1.0 : 0.0});
    low -= half;
    high += half;
  } else if (!is_tight) {
    const double margin = kMargin * (high - low);
    low -= margin;
    high += margin;
  }
  Axis axis{.low = low, .high = high};
  const double step = round_step(high - low, most_ticks);
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i <= most_ticks; ++i) {
    const double tick = (first + i) * step;
    if (tick > high + 1e-9 * step) break;
    axis.ticks.push_back(tick);
  }
  const double digits = -std::floor(std::log10(step) + 1e-9);
  const bool is_plain = digits <= 6 && std::max(std::abs(low), std::abs(high)) < 1e7;
  axis.decimals = is_plain ? std::max(0, static_cast<int>(digits)) : -1;
  return axis;
}

}  // namespace cone::report
