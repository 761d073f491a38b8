#include <cmath>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "options/json_number.hpp"
#include "study/coverage.hpp"
#include "study/titled_table.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

std::string width_text(double width) {
  return std::isfinite(width) ? fmt::format("{:.4f}", width) : "-";
}

TitledTable row_table(const CoverageTable& table, std::size_t row) {
  TitledTable out{
      .title = fmt::format("{}: coverage of 95 % confidence and sensitivity intervals (with 95 % "
                           "lower limit), median half-widths",
                           kCoverageRows[row]),
      .columns = {"world", "policy", "simulations", "interval", "sampling", "sensitivity",
                  "lower limit", "half-width", "sampling half-width", "sensitivity half-width",
                  "bias", "RMSE", "RMSE of naive"}};
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    for (std::size_t p = 0; p < table.policies[s].size(); ++p) {
      const CoverageCell& cell = table.cells[s][p][row];
      out.rows.push_back({{p == 0 ? table.settings[s] : ""},
                          {table.policies[s][p]},
                          {fmt::format("{}", cell.num_simulations)},
                          {share_text(cell.interval)},
                          {share_text(cell.sampling)},
                          {share_text(cell.sensitivity_interval)},
                          {share_text(cell.sensitivity_least)},
                          {width_text(cell.half_width)},
                          {width_text(cell.sampling_half_width)},
                          {width_text(cell.sensitivity_half_width)},
                          {width_text(cell.bias)},
                          {width_text(cell.rmse)},
                          {width_text(cell.naive_rmse)}});
    }
  }
  return out;
}

TitledTable dependence_table(const CoverageTable& table, std::size_t row) {
  TitledTable out{.title = fmt::format("{}: coverage of value ± 1.96 standard errors by "
                                       "assumed dependence (--dependence)",
                                       kCoverageRows[row]),
                  .columns = {"world", "policy"}};
  for (const auto& [dependence, name] : EnumNames<Dependence>::kNames) {
    if (dependence != Dependence::kLargest) out.columns.emplace_back(name);
  }
  out.columns.emplace_back("chosen");
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    for (std::size_t p = 0; p < table.policies[s].size(); ++p) {
      const CoverageCell& cell = table.cells[s][p][row];
      std::vector<TitledTable::Cell> cells = {{p == 0 ? table.settings[s] : ""},
                                              {table.policies[s][p]}};
      for (const auto& [dependence, name] : EnumNames<Dependence>::kNames) {
        if (dependence == Dependence::kLargest) continue;
        std::string text = "-";
        for (const auto& [found, share] : cell.by_dependence) {
          if (found == name) text = share_text(share);
        }
        cells.push_back({text});
      }
      cells.push_back({share_text(cell.sampling)});
      out.rows.push_back(std::move(cells));
    }
  }
  return out;
}

std::vector<TitledTable> coverage_tables(const CoverageTable& table) {
  std::vector<TitledTable> tables;
  for (std::size_t r = 0; r < kCoverageRows.size(); ++r) {
    tables.push_back(row_table(table, r));
    tables.push_back(dependence_table(table, r));
  }
  tables.push_back(decision_table(table.settings, table.decisions));
  return tables;
}

}  // namespace

std::string coverage_text(const CoverageTable& table) {
  return tables_text(coverage_tables(table));
}

std::string coverage_markdown(const CoverageTable& table) {
  return tables_markdown(coverage_tables(table));
}

std::string coverage_csv(const CoverageTable& table) {
  std::string text =
      "world,policy,method,simulations,interval,sampling,sensitivity,lower_limit,half_width,"
      "sampling_half_width,sensitivity_half_width,bias,rmse,naive_rmse\n";
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    for (std::size_t p = 0; p < table.policies[s].size(); ++p) {
      for (std::size_t r = 0; r < kCoverageRows.size(); ++r) {
        const CoverageCell& c = table.cells[s][p][r];
        text +=
            csv_line("\"{}\",{},{},{},{},{},{},{},{},{},{},{},{},{}\n", table.settings[s],
                     table.policies[s][p], kCoverageRows[r], c.num_simulations, c.interval,
                     c.sampling, c.sensitivity_interval, c.sensitivity_least, c.half_width,
                     c.sampling_half_width, c.sensitivity_half_width, c.bias, c.rmse, c.naive_rmse);
      }
    }
  }
  return text;
}

Json coverage_json(const CoverageTable& table) {
  Json json = {{"schema", "cone.coverage/2"},
               {"version", std::string(kVersion)},
               {"revision", std::string(source_revision())},
               {"commit", std::string(build_commit())},
               {"seed", table.seed},
               {"settings", Json::array()}};
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    Json setting = {{"name", table.settings[s]},
                    {"hides_nothing", static_cast<bool>(table.is_unconfounded[s])}};
    setting.update(claims_json(table.decisions[s]));
    setting["policies"] = Json::array();
    for (std::size_t p = 0; p < table.policies[s].size(); ++p) {
      Json policy = {{"name", table.policies[s][p]}, {"rows", Json::array()}};
      for (std::size_t r = 0; r < kCoverageRows.size(); ++r) {
        const CoverageCell& c = table.cells[s][p][r];
        Json by_dependence = Json::object();
        for (const auto& [name, share] : c.by_dependence) by_dependence[name] = json_number(share);
        policy["rows"].push_back({{"method", std::string(kCoverageRows[r])},
                                  {"simulations", c.num_simulations},
                                  {"intervals", c.num_intervals},
                                  {"interval", json_number(c.interval)},
                                  {"sampling", json_number(c.sampling)},
                                  {"sensitivity_intervals", c.num_sensitivity_interval},
                                  {"sensitivity_interval", json_number(c.sensitivity_interval)},
                                  {"sensitivity_least", json_number(c.sensitivity_least)},
                                  {"half_width", json_number(c.half_width)},
                                  {"sampling_half_width", json_number(c.sampling_half_width)},
                                  {"sensitivity_half_width", json_number(c.sensitivity_half_width)},
                                  {"bias", json_number(c.bias)},
                                  {"rmse", json_number(c.rmse)},
                                  {"naive_rmse", json_number(c.naive_rmse)},
                                  {"by_dependence", std::move(by_dependence)}});
      }
      setting["policies"].push_back(std::move(policy));
    }
    json["settings"].push_back(std::move(setting));
  }
  return json;
}

}  // namespace cone
