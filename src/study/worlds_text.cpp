#include <fmt/format.h>

#include "options/json_number.hpp"
#include "study/titled_table.hpp"
#include "study/worlds.hpp"

namespace cone {
namespace {

TitledTable harm_table(const std::vector<HarmVerdict>& verdicts) {
  TitledTable out{
      .title = "Beside the best of naive, dm_ridge, cone and cone_dm: worse than 1.1 x its RMSE?",
      .columns = {"setting", "policy", "method", "best of the four", "RMSE / its RMSE", "p",
                  "verdict"}};
  for (const HarmVerdict& verdict : verdicts) {
    const char* said = verdict.is_harm()                         ? "worse"
                       : verdict.ratio > HarmVerdict::kTolerance ? "not beyond noise"
                                                                 : "no";
    out.rows.push_back({{verdict.setting},
                        {verdict.policy},
                        {verdict.method},
                        {verdict.best},
                        {fmt::format("{:.2f}", verdict.ratio)},
                        {fmt::format("{:.3f}", verdict.p)},
                        {said, verdict.is_harm()}});
  }
  return out;
}

std::vector<TitledTable> world_tables(const UtilityTable& table) {
  std::vector<TitledTable> tables;
  for (std::size_t p = 0; p < kUtilityPolicies.size(); ++p) tables.push_back(rmse_table(table, p));
  const std::vector<HarmVerdict> verdicts = judge_harm(table);
  if (!verdicts.empty()) tables.push_back(harm_table(verdicts));
  return tables;
}

}  // namespace

std::string worlds_text(const UtilityTable& table) {
  return fmt::format("{} simulations, all nodes, cross-fitted\n\n", table.simulations) +
         tables_text(world_tables(table));
}

std::string worlds_markdown(const UtilityTable& table) {
  return tables_markdown(world_tables(table));
}

nlohmann::ordered_json worlds_json(const UtilityTable& table) {
  nlohmann::ordered_json json = utility_json(table, "worlds");
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
