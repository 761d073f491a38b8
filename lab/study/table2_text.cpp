#include <cmath>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/options.hpp"
#include "cone/text.hpp"

#include "options/json_number.hpp"
#include "results/text_table.hpp"
#include "study/table2.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

std::string fixed(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

std::string with_error(double value, double error) {
  return std::isfinite(value) ? fmt::format("{:.4f} ± {:.4f}", value, error) : "-";
}

std::string p_text(const std::optional<double>& p) {
  if (!p || !std::isfinite(*p)) return "";
  return *p < 0.001 ? "< 0.001" : sentence("{:.3f}", *p);
}

std::string paper_text(const std::optional<PaperFigure>& paper) {
  return paper ? sentence("{:.3f} / {:.3f}", paper->rmse, paper->mae) : "";
}

std::vector<std::string> column_titles() {
  return {"method",
          "RMSE",
          "MAE",
          "median",
          "bias",
          "p (cone better)",
          "p (network_dm better)",
          "paper: RMSE / MAE"};
}

std::vector<std::string> cells(const std::string& method, const Table2Cell& cell) {
  return {method,
          with_error(cell.ours.rmse, cell.ours.rmse_error),
          with_error(cell.ours.mae, cell.ours.mae_error),
          fixed(cell.ours.median_error),
          std::isfinite(cell.ours.bias) ? fmt::format("{:+.4f}", cell.ours.bias) : "-",
          p_text(cell.ours.p_cone_better),
          p_text(cell.ours.p_network_better),
          paper_text(cell.paper)};
}

std::string chosen_options(const ConeOptions& options) {
  return fmt::format("layers {}, gamma {}, learning rate {}, dropout {}", options.layers,
                     options.gamma, options.learning_rate, options.dropout);
}

}  // namespace

std::string table2_text(const Table2& table) {
  std::string text =
      fmt::format("{} simulations, {} runs each\n", table.study.simulations, table.study.runs);
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    text += '\n' + table.settings[s];
    if (!table.options.empty())
      text += fmt::format("   (cone: {})", chosen_options(table.options[s]));
    text += "\n\n";
    std::vector<TextTable::Column> columns;
    for (const std::string& title : column_titles()) columns.push_back({title});
    columns[0].align = TextTable::Align::kLeft;
    TextTable rows(columns);
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      rows.add_row(cells(table.methods[m], table.cells[m][s]));
    }
    text += rows.to_string();
  }
  return text;
}

std::string table2_markdown(const Table2& table) {
  std::string text;
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    text += fmt::format("{}### {}\n\n", s == 0 ? "" : "\n", table.settings[s]);
    if (!table.options.empty()) {
      text += fmt::format("Options of `cone`: {}.\n\n", chosen_options(table.options[s]));
    }
    text += fmt::format("| {} |\n|---|", fmt::join(column_titles(), " | "));
    for (std::size_t j = 1; j < column_titles().size(); ++j) text += "---:|";
    text += '\n';
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      text += fmt::format("| {} |\n", fmt::join(cells(table.methods[m], table.cells[m][s]), " | "));
    }
  }
  return text;
}

std::string table2_csv(const Table2& table) {
  std::string text =
      "setting,method,rmse,rmse_error,mae,mae_error,median_error,bias,num_missing,p_cone_better,"
      "paper_rmse,paper_mae,p_network_better\n";
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      const auto& [ours, paper] = table.cells[m][s];
      text += csv_line(
          "\"{}\",\"{}\",{},{},{},{},{},{},{},{},{},{},{}\n", table.settings[s], table.methods[m],
          ours.rmse, ours.rmse_error, ours.mae, ours.mae_error, ours.median_error, ours.bias,
          ours.num_missing, ours.p_cone_better ? fmt::format("{}", *ours.p_cone_better) : "",
          paper ? fmt::format("{}", paper->rmse) : "", paper ? fmt::format("{}", paper->mae) : "",
          ours.p_network_better ? fmt::format("{}", *ours.p_network_better) : "");
    }
  }
  return text;
}

Json table2_json(const Table2& table) {
  Json json = {{"schema", "cone.table2/1"},
               {"version", std::string(kVersion)},
               {"revision", std::string(source_revision())},
               {"commit", std::string(build_commit())},
               {"study", option_json(table.study)},
               {"seed", table.seed},
               {"settings", Json::array()}};
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    Json setting = {{"name", table.settings[s]}};
    if (!table.options.empty()) setting["options"] = option_json(table.options[s]);
    setting["methods"] = Json::array();
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      const auto& [ours, paper] = table.cells[m][s];
      Json row = {{"method", table.methods[m]},
                  {"rmse", json_number(ours.rmse)},
                  {"rmse_error", json_number(ours.rmse_error)},
                  {"mae", json_number(ours.mae)},
                  {"mae_error", json_number(ours.mae_error)},
                  {"median_error", json_number(ours.median_error)},
                  {"bias", json_number(ours.bias)},
                  {"num_missing", ours.num_missing}};
      if (ours.p_cone_better) row["p_cone_better"] = json_number(*ours.p_cone_better);
      if (ours.p_network_better) row["p_network_better"] = json_number(*ours.p_network_better);
      if (paper) row["paper"] = {{"rmse", paper->rmse}, {"mae", paper->mae}};
      setting["methods"].push_back(std::move(row));
    }
    json["settings"].push_back(std::move(setting));
  }
  return json;
}

std::string table2_timing_text(const Table2& table) {
  TextTable rows({{"methods", TextTable::Align::kLeft}, {"seconds of one core"}, {"share"}});
  double total = 0;
  for (const auto& [group, seconds] : table.group_seconds) total += seconds;
  for (const auto& [group, seconds] : table.group_seconds) {
    rows.add_row({group, sentence("{:.1f}", seconds),
                  sentence("{:.1f} %", total > 0 ? 100 * seconds / total : 0)});
  }
  rows.add_row({"all", sentence("{:.1f}", total), ""});
  return rows.to_string();
}

}  // namespace cone
