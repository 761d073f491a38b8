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

/// One value with its intervals.
struct ForestRow {
  std::string label;
  double value = 0;
  Range inner = kNoRange;       ///< drawn thick
  Range outer = kNoRange;       ///< drawn dashed
  std::optional<double> truth;  ///< of a simulation
  bool is_struck = false;       ///< unreliable: crossed out, ignored by the scale
  bool is_reference = false;    ///< observed, not estimated
};

struct ForestLook {
  std::string title, description;
  std::string axis_name;
  std::optional<double> reference;  ///< a vertical line
  std::optional<double> largest;    ///< larger values are ignored by the scale
  bool is_brief = false;            ///< one of very many: no numbers at the right, no caps
};

/// Rows from top to bottom, each label above its line, so that the chart fits on a phone.
Html forest_chart(std::span<const ForestRow> rows, const ForestLook& look);

/// The legend of a forest chart.
Html forest_legend(std::span<const ForestRow> rows, std::string_view inner_name,
                   std::string_view outer_name,
                   std::string_view truth_name = "truth (simulated data)");

}  // namespace cone::report
