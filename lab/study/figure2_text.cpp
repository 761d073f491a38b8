#include <cmath>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/text.hpp"

#include "options/json_number.hpp"
#include "results/text_table.hpp"
#include "study/figure2.hpp"

namespace cone {
namespace {

struct Measure {
  const char* name;
  double ErrorSummary::*value;
  double ErrorSummary::*error;
};

constexpr Measure kMeasures[] = {{"RMSE", &ErrorSummary::rmse, &ErrorSummary::rmse_error},
                                 {"MAE", &ErrorSummary::mae, &ErrorSummary::mae_error}};

std::vector<std::string> map_titles(const Figure2& figure) {
  std::vector<std::string> titles = {"gamma \\ zeta"};
  for (const double zeta : figure.values) titles.push_back(sentence("{:g}", zeta));
  return titles;
}

std::vector<std::string> map_row(const Figure2& figure, const ParameterMap& map, std::size_t row,
                                 const Measure& measure) {
  std::vector<std::string> cells = {sentence("{:g}", figure.values[row])};
  for (const ErrorSummary& cell : map.cells[row]) {
    cells.push_back(std::isfinite(cell.*measure.value)
                        ? sentence("{:.4f} ± {:.4f}", cell.*measure.value, cell.*measure.error)
                        : "-");
  }
  return cells;
}

}  // namespace

std::string figure2_text(const Figure2& figure) {
  std::string text =
      fmt::format("{} simulations, {} run(s) each\n", figure.study.simulations, figure.study.runs);
  for (const ParameterMap& map : figure.maps) {
    for (const Measure& measure : kMeasures) {
      std::vector<TextTable::Column> columns;
      for (const std::string& title : map_titles(figure)) columns.push_back({title});
      TextTable table(columns);
      for (std::size_t row = 0; row < figure.values.size(); ++row) {
        table.add_row(map_row(figure, map, row, measure));
      }
      text += fmt::format("\n{}: {} of cone\n\n{}", map.setting, measure.name, table.to_string());
    }
    TextTable choices({{"criterion", TextTable::Align::kLeft}, {"RMSE"}, {"MAE"}});
    for (const SelectionResult& selection : map.selections) {
      const ErrorSummary& e = selection.errors;
      choices.add_row({selection.criterion, sentence("{:.4f} ± {:.4f}", e.rmse, e.rmse_error),
                       sentence("{:.4f} ± {:.4f}", e.mae, e.mae_error)});
    }
    text += fmt::format("\n{}: errors of cone with gamma and zeta chosen by a criterion\n\n{}",
                        map.setting, choices.to_string());
  }
  return text;
}

std::string figure2_markdown(const Figure2& figure) {
  std::string text;
  for (const ParameterMap& map : figure.maps) {
    for (const Measure& measure : kMeasures) {
      const std::vector<std::string> titles = map_titles(figure);
      text += fmt::format("{}{}: {} of `cone`\n\n| {} |\n|", text.empty() ? "" : "\n", map.setting,
                          measure.name, fmt::join(titles, " | "));
      for (std::size_t j = 0; j < titles.size(); ++j) text += "---:|";
      text += '\n';
      for (std::size_t row = 0; row < figure.values.size(); ++row) {
        text += fmt::format("| {} |\n", fmt::join(map_row(figure, map, row, measure), " | "));
      }
    }
  }
  return text;
}

std::string figure2_csv(const Figure2& figure) {
  std::string text = "setting,gamma,zeta,rmse,rmse_error,mae,mae_error,bias,num_missing\n";
  for (const ParameterMap& map : figure.maps) {
    for (std::size_t g = 0; g < figure.values.size(); ++g) {
      for (std::size_t z = 0; z < figure.values.size(); ++z) {
        const ErrorSummary& cell = map.cells[g][z];
        text += csv_line("\"{}\",{},{},{},{},{},{},{},{}\n", map.setting, figure.values[g],
                         figure.values[z], cell.rmse, cell.rmse_error, cell.mae, cell.mae_error,
                         cell.bias, cell.num_missing);
      }
    }
  }
  return text;
}

nlohmann::ordered_json figure2_json(const Figure2& figure) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "cone.figure2/1"},
               {"version", std::string(kVersion)},
               {"revision", std::string(source_revision())},
               {"commit", std::string(build_commit())},
               {"study", option_json(figure.study)},
               {"seed", figure.seed},
               {"values", figure.values},
               {"settings", Json::array()}};
  for (const ParameterMap& map : figure.maps) {
    Json setting = {{"name", map.setting}, {"options", option_json(map.options)}};
    for (const auto& [key, value] :
         {std::pair{"rmse", &ErrorSummary::rmse},
          std::pair{"rmse_error", &ErrorSummary::rmse_error}, std::pair{"mae", &ErrorSummary::mae},
          std::pair{"mae_error", &ErrorSummary::mae_error}}) {
      setting[key] = Json::array();
      for (const auto& row : map.cells) {
        Json numbers = Json::array();
        for (const ErrorSummary& cell : row) numbers.push_back(json_number(cell.*value));
        setting[key].push_back(std::move(numbers));
      }
    }
    setting["selections"] = Json::array();
    for (const SelectionResult& selection : map.selections) {
      const ErrorSummary& e = selection.errors;
      setting["selections"].push_back({{"criterion", selection.criterion},
                                       {"rmse", json_number(e.rmse)},
                                       {"rmse_error", json_number(e.rmse_error)},
                                       {"mae", json_number(e.mae)},
                                       {"mae_error", json_number(e.mae_error)}});
    }
    json["settings"].push_back(std::move(setting));
  }
  return json;
}

}  // namespace cone
