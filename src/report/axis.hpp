#pragma once

#include <span>
#include <string>
#include <vector>

namespace cone::report {

/// Maps numbers to positions between the ends of an axis.
struct Axis {
  double low = 0;
  double high = 1;
  std::vector<double> ticks;  ///< round numbers, within the ends
  int decimals = 1;           ///< of tick labels; negative: powers of ten

  /// 0 at the low end, 1 at the high end; beyond them, the end.
  double share(double value) const;
  bool holds(double value) const { return value >= low && value <= high; }
  std::string tick_text(double tick) const;
};

/// An axis that covers every finite number of `values`, with up to `most_ticks` ticks at multiples
/// of 1, 2 or 5 times a power of ten. Ends lie a little beyond the numbers; `is_tight`: at them.
Axis make_axis(std::span<const double> values, int most_ticks = 6, bool is_tight = false);

}  // namespace cone::report
