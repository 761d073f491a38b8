#include "report/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "report/number_text.hpp"
#include "report/style.hpp"

namespace cone::report {
namespace {

constexpr double kHeatCell = 44;
constexpr double kHeatTop = 22;
constexpr double kFileLeft = 64;
constexpr double kFileGap = 48;

/// Nine classes of the style sheet from pale to dark.
const char* shade(double share) {
  constexpr const char* kShades[] = {"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"};
  return kShades[static_cast<std::size_t>(std::lround(8 * std::clamp(share, 0.0, 1.0)))];
}

}  // namespace

Chart heat_map(const HeatMap& map) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const std::vector<double>& row : map.values) {
    for (const double value : row) {
      if (!std::isfinite(value) || value <= 0) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  const double bottom = kHeatTop + kHeatCell * static_cast<double>(map.rows.size());
  Chart chart(
      map.title,
      fmt::format("Rows are {}, columns are {}; darker is larger.", map.row_name, map.column_name),
      bottom + 38);
  const auto columns = static_cast<double>(std::max<std::size_t>(1, map.columns.size()));
  for (std::size_t i = 0; i < map.rows.size() && i < map.values.size(); ++i) {
    const double top = kHeatTop + kHeatCell * static_cast<double>(i);
    chart.text(0, top + kHeatCell / 2 + 4, "end", map.rows[i], "tick", -6);
    for (std::size_t j = 0; j < map.columns.size() && j < map.values[i].size(); ++j) {
      const double value = map.values[i][j];
      const double share = value > 0 && high > low && std::isfinite(value)
                               ? std::log(value / low) / std::log(high / low)
                               : 0;
      const double x = static_cast<double>(j) / columns;
      chart.bar(x, 1 / columns, top, kHeatCell, shade(share));
      chart.text(x + 0.5 / columns, top + kHeatCell / 2 + 4, "middle",
                 std::isfinite(value) ? fmt::format("{:.3f}", value) : std::string(kNoNumber));
    }
  }
  for (std::size_t j = 0; j < map.columns.size(); ++j) {
    chart.text((static_cast<double>(j) + 0.5) / columns, bottom + 15, "middle", map.columns[j],
               "tick");
  }
  chart.text(0.5, bottom + 32, "middle", map.column_name, "tick");
  chart.text(0, kHeatTop - 8, "end", map.row_name, "tick", -6);
  return chart;
}

std::string svg_file(const std::vector<std::vector<Chart>>& rows, double chart_width) {
  Html content;
  double width = 0;
  double y = kFileGap / 2;
  for (const std::vector<Chart>& row : rows) {
    double x = kFileLeft;
    double height = 0;
    for (const Chart& chart : row) {
      content += html(
          "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" overflow=\"visible\">"
          "<text x=\"50%\" y=\"8\" class=\"middle\">{4}</text>{5}</svg>\n",
          x, y, chart_width, chart.height(), chart.title(), chart.content());
      x += chart_width + kFileLeft + kFileGap / 2;
      height = std::max(height, chart.height());
    }
    width = std::max(width, x - kFileLeft);
    y += height + kFileGap / 2;
  }
  return html(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
             "{0} {1}\" font-family=\"sans-serif\"><style>{2}{3}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{4}</svg>\n",
             width, y, Html::trusted(kLightColours), Html::trusted(kChartStyle), content)
      .markup();
}

}  // namespace cone::report
