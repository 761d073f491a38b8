#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "study/run_units.hpp"

namespace cone::app {

/// What every command has that consists of fits in a folder: it can be stopped, resumed and shared.
struct UnitFlags {
  std::string out;
  bool retry_failed = false;
  std::string shard = "1/1";

  /// `what` is said to go on: "tuning that was stopped goes on in it".
  void bind(CLI::App& command, const std::string& what);
  /// Makes the folder. Throws Error(kUsage) where the shard is none.
  UnitWork work() const;
};

/// Removes what an earlier run concluded, best.json say, which is not this one's; only what has the
/// schema and the member, as cone wrote it. Throws Error(kIo).
void remove_old_conclusion(const std::filesystem::path& file, std::string_view schema,
                           const char* member);

/// Says on stderr what was there already and what failed.
void print_unit_remarks(const UnitsReport& report);

}  // namespace cone::app
