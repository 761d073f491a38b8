#include "study/study_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "results/text_table.hpp"

namespace cone {

void note_units(std::span<const Unit> units, const UnitsReport& report, StudyRun& run) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    const auto group = units[u].identity.options.at("group").get<std::string>();
    auto entry =
        std::ranges::find(run.group_seconds, group, &std::pair<std::string, double>::first);
    if (entry == run.group_seconds.end()) entry = run.group_seconds.insert(entry, {group, 0.0});
    entry->second += report.records[u].seconds;
    if (report.records[u].status != UnitStatus::kFailed) continue;
    run.failures.push_back(units[u].name + ": " + report.records[u].error);
  }
  run.num_units += units.size();
  run.num_reused += report.num_reused;
  run.remarks.insert(run.remarks.end(), report.remarks.begin(), report.remarks.end());
}

std::string timing_text(const StudyRun& run) {
  if (run.group_seconds.empty()) return "";
  TextTable rows({{"methods", TextTable::Align::kLeft}, {"seconds of one core"}, {"share"}});
  double total = 0;
  for (const auto& [group, seconds] : run.group_seconds) total += seconds;
  for (const auto& [group, seconds] : run.group_seconds) {
    rows.add_row({group, sentence("{:.1f}", seconds),
                  sentence("{:.1f} %", total > 0 ? 100 * seconds / total : 0)});
  }
  rows.add_row({"all", sentence("{:.1f}", total), ""});
  return rows.to_string();
}

nlohmann::ordered_json study_json(std::string_view schema, const nlohmann::ordered_json& members) {
  nlohmann::ordered_json json = {{"schema", fmt::format("cone.{}", schema)},
                                 {"version", std::string(kVersion)},
                                 {"revision", std::string(source_revision())},
                                 {"commit", std::string(build_commit())}};
  json.update(members);
  return json;
}

}  // namespace cone
