#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "study/run_units.hpp"
#include "study/study_view.hpp"

namespace cone {

/// What differs from run to run of a study, kept apart from its results.
struct StudyRun {
  std::vector<std::pair<std::string, double>> group_seconds;  ///< by group, in order of appearance
  std::size_t num_units = 0;
  std::size_t num_reused = 0;
  std::vector<std::string> failures;
  std::vector<std::string> remarks;
};

/// Adds the units of a report. Each unit's identity has the option "group".
void note_units(std::span<const Unit> units, const UnitsReport& report, StudyRun& run);

/// Seconds of computation per group of rows; empty without units.
std::string timing_text(const StudyRun& run);

/// The results of a study, ready to be written.
struct StudyReport {
  std::string lead = {};  ///< above the tables of the text
  StudyTable table;       ///< of the CSV file
  std::vector<ShownTable> shown;
  nlohmann::ordered_json json = nullptr;  ///< the record; null without one
  StudyRun run = {};
  std::string picture = {};  ///< SVG; empty without one

  std::string text() const { return lead + tables_text(shown); }
  std::string markdown() const { return tables_markdown(shown); }
};

/// A record with schema, version and commit before the members.
nlohmann::ordered_json study_json(std::string_view schema, const nlohmann::ordered_json& members);

}  // namespace cone
