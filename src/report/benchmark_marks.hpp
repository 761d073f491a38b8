#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/chart.hpp"

namespace cone::report {

/// A numbered place in a chart, in the chart's units.
struct NumberedMark {
  double x, y;
  std::size_t number;
};

/// Triangles with their numbers beside them. Marks whose numbers would lie on each other share one
/// label ("1, 4"), at any width from a phone's on.
void draw_numbered_marks(Chart& chart, std::span<const NumberedMark> marks);

}  // namespace cone::report
