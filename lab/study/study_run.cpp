#include "study/study_run.hpp"

#include <fmt/format.h>

#include "cone/text.hpp"

#include "results/text_table.hpp"

namespace cone {

void note_units(std::span<const Unit> units, const UnitsReport& report, StudyRun& run) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    const auto& options = units[u].identity.options;
    const auto group = options.at("group").get<std::string>();
    auto entry = run.group_seconds.begin();
    while (entry != run.group_seconds.end() && entry->first != group) ++entry;
    if (entry == run.group_seconds.end()) entry = run.group_seconds.insert(entry, {group, 0.0});
    entry->second += report.records[u].seconds;
    if (report.records[u].status != UnitStatus::kFailed) continue;
    run.failures.push_back(
        fmt::format("{}, simulation {}, {}: {}", options.at("setting").get<std::string>(),
                    options.at("simulation").get<std::uint64_t>(), group, report.records[u].error));
  }
  run.num_units += units.size();
  run.num_reused += report.num_reused;
  run.remarks.insert(run.remarks.end(), report.remarks.begin(), report.remarks.end());
}

std::string timing_text(const StudyRun& run) {
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

}  // namespace cone
