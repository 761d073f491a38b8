#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/html.hpp"

namespace cone::report {

struct BarRow {
  std::string label;
  double share = 0;  ///< of the width, from 0 to 1
  std::string text;  ///< at the end of the bar
};

/// One bar per row under its label.
Html bar_chart(std::span<const BarRow> rows, std::string_view title, std::string_view description);

}  // namespace cone::report
