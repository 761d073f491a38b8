#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/html.hpp"
#include "report/number_text.hpp"

namespace cone::report {

inline constexpr Range kNoRange = {std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::quiet_NaN()};

/// One value with what is known about it.
struct ForestRow {
  std::string label;
  double value = 0;
  Range inner = kNoRange;       ///< drawn thick
  Range outer = kNoRange;       ///< drawn dashed
  std::optional<double> truth;  ///< of a simulation
  bool is_struck = false;       ///< not to be relied upon: struck out, and no part of the scale
  bool is_reference = false;    ///< known rather than estimated
};

struct ForestLook {
  std::string title, description;
  std::string axis_name;
  std::optional<double> reference;  ///< a vertical line
  std::optional<double> largest;    ///< what lies beyond is no part of the scale
  bool is_brief = false;            ///< one of very many: no numbers at the right, no caps
};

/// Rows from top to bottom, each with its label above its line, so that it fits on a phone.
Html forest_chart(std::span<const ForestRow> rows, const ForestLook& look);

/// What the marks of a forest chart mean.
Html forest_legend(std::span<const ForestRow> rows, std::string_view inner_name,
                   std::string_view outer_name,
                   std::string_view truth_name = "truth (simulated data)");

}  // namespace cone::report
