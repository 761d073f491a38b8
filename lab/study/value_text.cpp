#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "options/json_number.hpp"
#include "study/titled_table.hpp"
#include "study/value_study.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

/// One table over all rows and settings; show(cell, method, setting) formats a cell.
template <class Show>
TitledTable table_of(const ValueTable& table, std::size_t policy, std::string_view what,
                     const Show& show) {
  TitledTable out{.title = fmt::format("{}: {}", kStudyPolicies[policy], what),
                  .columns = {"method"}};
  out.columns.insert(out.columns.end(), table.settings.begin(), table.settings.end());
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    std::vector<TitledTable::Cell> row = {{table.methods[m]}};
    for (std::size_t s = 0; s < table.settings.size(); ++s) {
      row.push_back(show(table.cells[policy][m][s], m, s));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.0f} %", 100 * share) : "-";
}

double ratio_to_reference(const ValueTable& table, std::size_t policy, std::size_t method,
                          std::size_t setting) {
  const auto reference = table.find_method(table.reference);
  if (!reference) return std::nan("");
  return table.cells[policy][method][setting].errors.rmse /
         table.cells[policy][*reference][setting].errors.rmse;
}

std::vector<TitledTable> value_tables(const ValueTable& table) {
  std::vector<TitledTable> tables;
  for (std::size_t p = 0; p < kStudyPolicies.size(); ++p) {
    tables.push_back(rmse_table(table, p));
    tables.push_back(
        table_of(table, p, "coverage of the 95 % confidence intervals",
                 [](const ValueCell& cell, std::size_t, std::size_t) -> TitledTable::Cell {
                   return {percent(cell.coverage)};
                 }));
    if (!table.find_method(table.reference)) continue;
    tables.push_back(
        table_of(table, p, fmt::format("RMSE relative to the row \"{}\"", table.reference),
                 [&](const ValueCell&, std::size_t m, std::size_t s) -> TitledTable::Cell {
                   const double ratio = ratio_to_reference(table, p, m, s);
                   return {std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-"};
                 }));
  }
  if (!table.decisions.empty()) {
    tables.push_back(decision_table(table.settings, table.decisions));
  }
  return tables;
}

}  // namespace

TitledTable rmse_table(const ValueTable& table, std::size_t policy) {
  const auto reference = table.find_method(kOracleLabel);
  return table_of(table, policy, "RMSE of the policy value ± standard error; the best is marked",
                  [&](const ValueCell& cell, std::size_t m, std::size_t s) -> TitledTable::Cell {
                    bool is_best = m != reference && std::isfinite(cell.errors.rmse);
                    for (std::size_t other = 0; is_best && other < table.methods.size(); ++other) {
                      if (other == reference) continue;
                      is_best = !(table.cells[policy][other][s].errors.rmse < cell.errors.rmse);
                    }
                    return {value_with_error(cell.errors.rmse, cell.errors.rmse_error), is_best};
                  });
}

std::string value_text(const ValueTable& table) {
  return fmt::format("{} simulations, all nodes, cross-fitted\n\n", table.simulations) +
         tables_text(value_tables(table));
}

std::string value_markdown(const ValueTable& table) { return tables_markdown(value_tables(table)); }

std::string value_csv(const ValueTable& table) {
  std::string text =
      "policy,setting,method,rmse,rmse_error,mae,bias,coverage,num_intervals,num_missing,"
      "rmse_over_reference\n";
  for (std::size_t p = 0; p < kStudyPolicies.size(); ++p) {
    for (std::size_t s = 0; s < table.settings.size(); ++s) {
      for (std::size_t m = 0; m < table.methods.size(); ++m) {
        const ValueCell& cell = table.cells[p][m][s];
        const double ratio = ratio_to_reference(table, p, m, s);
        text += csv_line("{},\"{}\",\"{}\",{},{},{},{},{},{},{},{}\n", kStudyPolicies[p],
                         table.settings[s], table.methods[m], cell.errors.rmse,
                         cell.errors.rmse_error, cell.errors.mae, cell.errors.bias, cell.coverage,
                         cell.num_intervals, cell.errors.num_missing, ratio);
      }
    }
  }
  return text;
}

Json value_json(const ValueTable& table, std::string_view schema) {
  Json json = {{"schema", fmt::format("cone.{}/1", schema)},
               {"version", std::string(kVersion)},
               {"revision", std::string(source_revision())},
               {"commit", std::string(build_commit())},
               {"simulations", table.simulations},
               {"seed", table.seed},
               {"reference", table.reference},
               {"policies", Json::array()}};
  for (std::size_t p = 0; p < kStudyPolicies.size(); ++p) {
    Json policy = {{"name", std::string(kStudyPolicies[p])}, {"settings", Json::array()}};
    for (std::size_t s = 0; s < table.settings.size(); ++s) {
      Json setting = {{"name", table.settings[s]}, {"methods", Json::array()}};
      for (std::size_t m = 0; m < table.methods.size(); ++m) {
        const ValueCell& cell = table.cells[p][m][s];
        Json errors = Json::array();
        for (const double error : cell.by_simulation) errors.push_back(json_number(error));
        setting["methods"].push_back({{"method", table.methods[m]},
                                      {"rmse", json_number(cell.errors.rmse)},
                                      {"rmse_error", json_number(cell.errors.rmse_error)},
                                      {"mae", json_number(cell.errors.mae)},
                                      {"bias", json_number(cell.errors.bias)},
                                      {"coverage", json_number(cell.coverage)},
                                      {"num_intervals", cell.num_intervals},
                                      {"num_missing", cell.errors.num_missing},
                                      {"errors", std::move(errors)}});
      }
      policy["settings"].push_back(std::move(setting));
    }
    json["policies"].push_back(std::move(policy));
  }
  if (!table.decisions.empty()) {
    json["decisions"] = Json::array();
    for (std::size_t s = 0; s < table.settings.size(); ++s) {
      json["decisions"].push_back({{"setting", table.settings[s]}});
      json["decisions"].back().update(claims_json(table.decisions[s]));
    }
  }
  return json;
}

}  // namespace cone
