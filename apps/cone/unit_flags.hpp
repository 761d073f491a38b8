#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "study/run_units.hpp"

namespace cone::app {

/// Flags of commands that store fits in a folder: they can be interrupted, resumed and sharded.
struct UnitFlags {
  std::string out;
  bool retry_failed = false;
  std::string shard = "1/1";

  /// `what` completes the help: "interrupted tuning is resumed in it".
  void bind(CLI::App& command, const std::string& what);
  /// Makes the folder. Throws Error(kUsage) where the shard is invalid.
  UnitWork work() const;
};

/// Removes the result file of an earlier run, such as best.json, which does not belong to this one;
/// only if it has the schema and the member, as cone wrote it. Throws Error(kIo).
void remove_old_conclusion(const std::filesystem::path& file, std::string_view schema,
                           const char* member);

/// Reports on stderr what was reused and what failed.
void print_unit_remarks(const UnitsReport& report);

}  // namespace cone::app
