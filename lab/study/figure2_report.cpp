#include <fmt/format.h>

#include "cone/json.hpp"

#include "options/json_number.hpp"
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

/// Columns of ErrorSummary that both tables show.
std::vector<StudyColumn> error_columns(std::vector<StudyColumn> first) {
  for (const StudyColumn& column :
       {StudyColumn{"rmse", "RMSE", StudyColumn::Form::kFixed, 4, "rmse_error"},
        StudyColumn{"rmse_error"},
        StudyColumn{"mae", "MAE", StudyColumn::Form::kFixed, 4, "mae_error"},
        StudyColumn{"mae_error"}}) {
    first.push_back(column);
  }
  return first;
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

StudyReport report_figure2(const Figure2& figure) {
  using Json = nlohmann::ordered_json;
  std::vector<StudyColumn> columns =
      error_columns({{"setting"}, {"gamma", "gamma \\ zeta"}, {"zeta"}});
  columns.push_back({"bias"});
  columns.push_back({"num_missing"});
  StudyReport report{.lead = fmt::format("{} simulations, {} run(s) each\n\n",
                                         figure.study.simulations, figure.study.runs),
                     .table = StudyTable(std::move(columns)),
                     .json = study_json("figure2/1", {{"study", option_json(figure.study)},
                                                      {"seed", figure.seed},
                                                      {"values", figure.values},
                                                      {"settings", Json::array()}}),
                     .run = figure.run,
                     .picture = figure2_svg(figure)};
  for (const ParameterMap& map : figure.maps) {
    Json setting = {{"name", map.setting}, {"options", option_json(map.options)}};
    for (std::size_t g = 0; g < figure.values.size(); ++g) {
      for (std::size_t z = 0; z < figure.values.size(); ++z) {
        const ErrorSummary& e = map.cells[g][z];
        report.table.add({map.setting, figure.values[g], figure.values[z], e.rmse, e.rmse_error,
                          e.mae, e.mae_error, e.bias, e.num_missing});
        for (const auto& [key, value] :
             {std::pair{"rmse", e.rmse}, std::pair{"rmse_error", e.rmse_error},
              std::pair{"mae", e.mae}, std::pair{"mae_error", e.mae_error}}) {
          setting[key][g][z] = json_number(value);
        }
      }
    }
    for (const char* column : {"rmse", "mae"}) {
      report.shown.push_back(show(
          report.table,
          {.title = fmt::format("{}: {} of cone", map.setting, report.table.column(column).title),
           .only = {{"setting", map.setting}},
           .keys = {"gamma"},
           .across = "zeta",
           .shown = {{column}}}));
    }
    StudyTable choices(error_columns({{"criterion"}}));
    for (const auto& [criterion, e] : map.selections) {
      choices.add({criterion, e.rmse, e.rmse_error, e.mae, e.mae_error});
    }
    report.shown.push_back(show(
        choices, {.title = map.setting + ": errors of cone with gamma and zeta chosen in every "
                                         "simulation by the least value of a criterion",
                  .keys = {"criterion"},
                  .shown = {{"rmse"}, {"mae"}}}));
    setting["selections"] = choices.list();
    report.json["settings"].push_back(std::move(setting));
  }
  return report;
}

}  // namespace cone
