#pragma once

#include <string>
#include <vector>

#include "report/chart.hpp"

namespace cone::report {

/// Positive numbers by row and column, shaded on a logarithmic scale.
struct HeatMap {
  std::string title;
  std::string row_name, column_name;
  std::vector<std::string> rows, columns;
  std::vector<std::vector<double>> values;  ///< rows × columns
};

Chart heat_map(const HeatMap& map);

/// Charts of equal width in rows, as a self-contained SVG file.
std::string svg_file(const std::vector<std::vector<Chart>>& rows, double chart_width);

}  // namespace cone::report
