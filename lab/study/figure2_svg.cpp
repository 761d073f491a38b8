#include <fmt/format.h>

#include "report/heat_map.hpp"
#include "study/figure2.hpp"

namespace cone {
namespace {

report::Chart error_map(const Figure2& figure, const ParameterMap& map, double ErrorSummary::*value,
                        const char* name) {
  report::HeatMap heat{.title = fmt::format("{}: {}", map.setting, name),
                       .row_name = "gamma",
                       .column_name = "zeta"};
  for (const double setting : figure.values) heat.rows.push_back(fmt::format("{:g}", setting));
  heat.columns = heat.rows;
  for (const auto& row : map.cells) {
    std::vector<double>& errors = heat.values.emplace_back();
    for (const ErrorSummary& cell : row) errors.push_back(cell.*value);
  }
  return heat_map(heat);
}

}  // namespace

std::string figure2_svg(const Figure2& figure) {
  constexpr double kMapWidth = 320;
  std::vector<std::vector<report::Chart>> rows;
  for (const ParameterMap& map : figure.maps) {
    rows.push_back({error_map(figure, map, &ErrorSummary::rmse, "RMSE"),
                    error_map(figure, map, &ErrorSummary::mae, "MAE")});
  }
  return report::svg_file(rows, kMapWidth);
}

}  // namespace cone
