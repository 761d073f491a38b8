#include <algorithm>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "options/json_number.hpp"
#include "study/joined_plan.hpp"
#include "study/titled_table.hpp"
#include "study/worlds.hpp"

namespace cone {
namespace {

std::string verdict_text(const HarmVerdict& verdict) {
  const bool may_be_noise = verdict.ratio > HarmVerdict::kTolerance && !verdict.is_harm();
  return sentence("{:.2f}{} ({})", verdict.ratio, may_be_noise ? "?" : "", verdict.best);
}

/// Settings × policies for one judged row.
TitledTable harm_table(const ValueTable& table, const std::vector<HarmVerdict>& verdicts,
                       const std::string& method) {
  TitledTable out{
      .title = fmt::format("{}: RMSE relative to the best of naive, dm_ridge, cone and cone_dm; "
                           "marked: more than {} times, p < 0.05; with ?: more, p >= 0.05",
                           method, HarmVerdict::kTolerance),
      .columns = {"setting"}};
  out.columns.insert(out.columns.end(), kStudyPolicies.begin(), kStudyPolicies.end());
  for (const std::string& setting : table.settings) {
    std::vector<TitledTable::Cell> row = {{setting}};
    for (const std::string_view policy : kStudyPolicies) {
      const auto found = std::ranges::find_if(verdicts, [&](const HarmVerdict& verdict) {
        return verdict.policy == policy && verdict.method == method && verdict.setting == setting;
      });
      row.push_back(found == verdicts.end()
                        ? TitledTable::Cell{"-"}
                        : TitledTable::Cell{verdict_text(*found), found->is_harm()});
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

std::vector<TitledTable> world_tables(const ValueTable& table) {
  std::vector<TitledTable> tables;
  for (std::size_t p = 0; p < kStudyPolicies.size(); ++p) tables.push_back(rmse_table(table, p));
  const std::vector<HarmVerdict> verdicts = judge_harm(table);
  for (const std::string& method : table.methods) {
    if (is_network_row(method)) tables.push_back(harm_table(table, verdicts, method));
  }
  if (!table.decisions.empty()) {
    tables.push_back(decision_table(table.settings, table.decisions));
  }
  return tables;
}

}  // namespace

std::string worlds_text(const ValueTable& table) {
  return fmt::format("{} simulations, all nodes, cross-fitted\n\n", table.simulations) +
         tables_text(world_tables(table));
}

std::string worlds_markdown(const ValueTable& table) {
  return tables_markdown(world_tables(table));
}

nlohmann::ordered_json worlds_json(const ValueTable& table) {
  nlohmann::ordered_json json = value_json(table, "worlds");
  json["verdicts"] = nlohmann::ordered_json::array();
  for (const HarmVerdict& verdict : judge_harm(table)) {
    json["verdicts"].push_back({{"setting", verdict.setting},
                                {"policy", verdict.policy},
                                {"method", verdict.method},
                                {"best", verdict.best},
                                {"ratio", json_number(verdict.ratio)},
                                {"p", json_number(verdict.p)},
                                {"harm", verdict.is_harm()}});
  }
  return json;
}

}  // namespace cone
