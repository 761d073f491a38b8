#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/chart.hpp"

namespace cone::report {

/// A numbered point of a chart, in the chart's units.
struct NumberedMark {
  double x, y;
  std::size_t number;
};

/// Triangles with their numbers beside them. Marks whose numbers would overlap share one label
/// ("1, 4"), at any width from that of a phone on.
void draw_numbered_marks(Chart& chart, std::span<const NumberedMark> marks);

}  // namespace cone::report
