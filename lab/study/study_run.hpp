#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "study/run_units.hpp"

namespace cone {

/// What differs from run to run of a study, kept apart from its results.
struct StudyRun {
  std::vector<std::pair<std::string, double>> group_seconds;  ///< by group, in order of appearance
  std::size_t num_units = 0;
  std::size_t num_reused = 0;
  std::vector<std::string> failures;
  std::vector<std::string> remarks;
};

/// Adds the units of a report. Each unit's identity has options "setting", "simulation" and
/// "group", which identify it in messages.
void note_units(std::span<const Unit> units, const UnitsReport& report, StudyRun& run);

/// Seconds of computation per group of rows.
std::string timing_text(const StudyRun& run);

}  // namespace cone
