#pragma once

#include <string>

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

/// Says on stderr what was there already and what failed.
void print_unit_remarks(const UnitsReport& report);

}  // namespace cone::app
